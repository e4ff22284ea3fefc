"""Check files are read as Python reads them, and told to be saved anew where they are no text."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading.check_package import CheckPackage


def test_a_check_file_that_is_not_utf_8_is_told_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "check_cafe.py"
    path.write_bytes(b"number = 1\n# caf\xe9\n")
    told = "^line 2 holds a byte that is not UTF-8: save the file as UTF-8$"
    with pytest.raises(ValueError, match=told):
        CheckPackage(tmp_path).module(path)


def test_a_check_file_may_name_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "check_cafe.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\nname = 'caf\xe9'\n")
    assert CheckPackage(tmp_path).module(path).name == "caf\xe9"
