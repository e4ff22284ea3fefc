"""A stranger's file becomes a notebook in the shape of its release."""

MOST_LEVELS = 20  # of folders in folders: Python's own walks go one call deeper with each

REFUSED = "Refused: "  # before what a log says of a submission that was not let in
