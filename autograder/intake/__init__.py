"""A stranger's file becomes a notebook in the shape of its release."""

REFUSED = "Refused: "  # before what a log says of a submission that was not let in
