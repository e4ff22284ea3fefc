"""Prints what the graded class earned, and where the feedback is."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.results.stored import read_result
from autograder.results.text import class_table

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Reads the results that lie beside the autograded notebooks of one assignment."""
    parser = argparse.ArgumentParser(description="Table of a graded class.")
    parser.add_argument("assignment")
    assignment = parser.parse_args().assignment
    folders = sorted((ROOT / "autograded").glob(f"*/{assignment}"))
    results = [
        (folder.parent.name, result)
        for folder in folders
        if (result := read_result(folder)) is not None
    ]
    if not results:
        print(f"no submission of {assignment} has been graded")
        return
    print(class_table(results))
    print("\nfeedback:")
    for path in sorted((ROOT / "feedback").glob(f"*/{assignment}/*.html")):
        print(f"  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
