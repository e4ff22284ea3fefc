"""What a student and an instructor do in a browser, from the first click to the last."""
