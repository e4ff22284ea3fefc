"""The built extension: it is of its sources, small, and of nobody's machine."""

from __future__ import annotations

import json
import re
from pathlib import Path

from conftest import ROOT

from autograder.jupyter.__main__ import turn_on
from labextension import BUILT, DIGESTS, built, digests  # lies in tools/

MOST_BYTES = 60_000


def test_it_was_built_from_its_sources_as_they_are() -> None:
    assert DIGESTS.read_text() == digests(), "run make labextension"


def test_it_is_small_and_names_no_machine_and_no_host() -> None:
    assert sum(path.stat().st_size for path in built()) < MOST_BYTES
    for path in built():
        text = path.read_text(encoding="utf-8")
        assert str(ROOT) not in text
        assert "node_modules/" not in text
        assert re.findall(r"https?://[^\s\"']+", text) == []


def test_no_text_of_the_service_becomes_markup() -> None:
    for path in (ROOT / "labextension" / "src").iterdir():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|\beval\b", path.read_text())


def test_what_is_loaded_is_there() -> None:
    settings = json.loads((BUILT / "package.json").read_text())["jupyterlab"]["_build"]
    assert (BUILT / settings["load"]).is_file()


def test_an_editable_installation_is_turned_on_again_and_again(tmp_path: Path) -> None:
    for _ in range(2):
        turn_on(tmp_path / "data", tmp_path / "config")
    linked = tmp_path / "data" / "labextensions" / "autograder-check" / "package.json"
    assert json.loads(linked.read_text())["name"] == "autograder-check"
    settings = tmp_path / "config" / "jupyter_server_config.d" / "autograder.json"
    found = json.loads(settings.read_text())["ServerApp"]["jpserver_extensions"]
    assert found == {"autograder.jupyter": True}
