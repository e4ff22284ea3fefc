"""Similar submissions: pairs of one assignment whose answers share rare code."""
