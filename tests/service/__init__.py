"""The check service."""
