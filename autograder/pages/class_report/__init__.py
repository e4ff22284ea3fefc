"""The class report: what one assignment shows of a whole class."""
