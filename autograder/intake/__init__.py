"""A stranger's file becomes a notebook in the shape of its release."""
