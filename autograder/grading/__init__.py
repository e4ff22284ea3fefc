"""One submission becomes a verdict."""
