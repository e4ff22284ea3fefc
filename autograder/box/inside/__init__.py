"""All of this package that runs beside student code."""
