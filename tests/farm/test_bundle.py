"""What workers are handed arrives whole, on every Python that the package runs on."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from conftest import A1, ROOT

from autograder.course.assignments import Course
from autograder.farm.bundle import pack, unpack
from autograder.files import contents

_extract = tarfile.TarFile.extractall


def _extractall_of_3_11_2(
    archive: tarfile.TarFile,
    path: str = ".",
    members: Iterable[tarfile.TarInfo] | None = None,
    *,
    numeric_owner: bool = False,
) -> None:
    _extract(archive, path, members, numeric_owner=numeric_owner)


def test_a_bundle_arrives_whole_also_where_tarfile_knows_no_filters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tarfile.TarFile, "extractall", _extractall_of_3_11_2)
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    assignment = Course(ROOT).assignment(A1)
    found = unpack(pack(assignment, ()), tmp_path / "worker")
    for mine, theirs in (
        (assignment.checks, found.checks),
        (assignment.release_path.parent, found.release_path.parent),
    ):
        assert held(mine) == held(theirs)


def held(folder: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in contents(folder)}
