"""What instructors make: expected tensors, live checks, mutants."""
