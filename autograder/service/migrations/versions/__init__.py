"""The steps, in the order that each one names."""
