"""The locks hold all that is installed, but torch, and make finds a Python for it."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from conftest import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ENGINE, DEVELOPMENT = ROOT / "autograder" / "requirements.lock", ROOT / "requirements-dev.lock"
LOCKS = pytest.mark.parametrize("lock", [ENGINE, DEVELOPMENT], ids=lambda path: path.name)
TORCH = "torch"  # pinned, and not locked: its builds differ by machine
FIND_PYTHON = ROOT / "autograder" / "gradescope" / "find_python.sh"
SEARCHED = ["python3.13", "python3.12", "python3.11", "python3"]


def entries(lock: Path) -> dict[str, tuple[Requirement, str]]:
    """What is locked, with its text, by its canonical name."""
    text = re.sub(r"^\s*#.*\n", "", lock.read_text(), flags=re.MULTILINE)
    found = {}
    for entry in re.split(r"\n(?=\S)", text.strip()):
        needed = Requirement(entry.partition("\\")[0])
        found[canonicalize_name(needed.name)] = needed, entry
    return found


def pins(*extras: str) -> Iterator[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    for pin in (*project["dependencies"], *(pin for extra in extras for pin in optional[extra])):
        yield Requirement(pin)


def needed_here(name: str, extras: set[str]) -> set[str]:
    """What an installed package asks for in this environment."""
    asked = [Requirement(text) for text in metadata.requires(name) or []]
    wanted = [{"extra": extra} for extra in (extras or {""})]
    return {
        canonicalize_name(one.name)
        for one in asked
        if one.marker is None or any(one.marker.evaluate(extra) for extra in wanted)
    }


@LOCKS
def test_every_pin_is_locked_but_that_of_torch(lock: Path) -> None:
    locked = entries(lock)
    for pin in pins(*(["dev", "service"] if lock == DEVELOPMENT else [])):
        if pin.name != TORCH:
            assert locked[canonicalize_name(pin.name)][0].specifier == pin.specifier, pin
    assert len(locked) > 100


@LOCKS
def test_what_is_locked_has_a_hash_and_no_address(lock: Path) -> None:
    for needed, entry in entries(lock).values():
        assert re.fullmatch(r"==[\w.+!-]+", str(needed.specifier)), entry
        assert "--hash=sha256:" in entry
    assert "://" not in lock.read_text()
    assert not re.search(r"^\s*--(?!hash)", lock.read_text(), re.MULTILINE)


@LOCKS
def test_no_build_of_torch_is_locked(lock: Path) -> None:
    assert not [name for name in entries(lock) if re.match(r"torch|triton|nvidia-|cuda-", name)]


@LOCKS
def test_all_that_the_locked_packages_need_is_locked(lock: Path) -> None:
    locked = entries(lock)
    for name, (needed, _) in locked.items():
        if needed.marker is None or needed.marker.evaluate():
            known = (pin for pin in pins("dev", "service") if pin.name == name)
            extras = {extra for pin in known for extra in pin.extras}
            assert needed_here(name, extras) <= locked.keys() | {TORCH}, name


def test_the_engine_is_locked_to_what_its_developers_have() -> None:
    developers = entries(DEVELOPMENT)
    for name, entry in entries(ENGINE).items():
        assert developers[name] == entry


def test_what_students_may_import_is_installed_for_grading() -> None:
    section = (ROOT / "docs" / "student.md").read_text().partition("## What you may import\n")[2]
    there, _, missing = section.partition("\n## ")[0].partition("What you install beside them")
    installed = {*entries(ENGINE), TORCH}
    assert {"torch", "numpy"} <= set(re.findall(r"`([a-z-]+)`", there)) <= installed
    assert "einops" in set(re.findall(r"`([a-z-]+)`", missing)) - installed
    assert not set(re.findall(r"`([a-z-]+)`", missing)) & installed


def found_python(folder: Path, *named: str, **pythons: str) -> subprocess.CompletedProcess[str]:
    """What is found where these Pythons exist: scripts, by name."""
    for name, script in pythons.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    command = ["/bin/sh", str(FIND_PYTHON), *named]
    return subprocess.run(
        command, env={"PATH": str(folder)}, capture_output=True, text=True, check=False
    )


def test_the_first_python_that_fits_is_found(tmp_path: Path) -> None:
    broken = {"python3.13": "exit 127", "python3.12": "exit 1"}  # a shim, and one without ensurepip
    done = found_python(tmp_path, **broken, **{"python3.11": "exit 0", "python3": "exit 0"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "python3.11\n", "")


def test_the_python_that_is_named_is_taken_and_no_other(tmp_path: Path) -> None:
    pythons = {"python3.13": "exit 0", "mine": "exit 0"}
    assert found_python(tmp_path, "mine", **pythons).stdout == "mine\n"
    assert found_python(tmp_path, "missing", **pythons).returncode == 1


def test_without_a_python_that_fits_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    done = found_python(tmp_path, python3="exit 1")
    assert done.returncode == 1
    assert "3.11 or later" in done.stderr
    assert "apt-get install python3 python3-venv" in done.stderr
    assert done.stderr.count("\n") == 1


def test_ci_tests_the_versions_that_are_looked_for() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    tested = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert {f"python{version}" for version in tested} == {*SEARCHED} - {"python3"}
    assert " ".join(SEARCHED) in FIND_PYTHON.read_text()


def test_the_image_of_workers_is_made_of_the_lock() -> None:
    image = (ROOT / "docs" / "examples" / "Dockerfile").read_text()
    locked = f"--require-hashes --no-deps --requirement {ENGINE.relative_to(ROOT)}"
    assert [line for line in image.splitlines() if "pip install" in line and locked in line]
    assert "--no-build-isolation --editable ." in image  # which adds torch and builds with the lock
