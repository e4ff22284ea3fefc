"""What a verdict is, and how it is said and written."""
