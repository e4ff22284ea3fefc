"""The preview: what recording anew would change, student by student."""
