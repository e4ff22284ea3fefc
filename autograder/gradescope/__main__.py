"""What `run_autograder` starts inside of Gradescope, in the course that the zip holds."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.gradescope.harness import grade_submission
from autograder.results.formats.gradescope import VISIBILITIES

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="run_autograder")
    parser.add_argument("root", type=Path, help="holds submission/ and results/")
    parser.add_argument("visibility", choices=VISIBILITIES)
    options = parser.parse_args()
    sys.exit(grade_submission(options.root, options.visibility))
