"""Gradescope: the zip that it asks for, and what runs inside of it."""
