"""Pages that nbconvert makes of the course's notebooks show their formulas without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import IDS, ROOT

CODE = re.compile(r"<(pre|code|script|style|title)\b.*?</\1>", re.DOTALL)
FORMULA = re.compile(r"(?<!\\)\$[^\s$][^$\n]*\$|\$\$.+?\$\$|\\begin\{", re.DOTALL)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    notebooks = [str(ROOT / "release" / name / f"{name}.ipynb") for name in IDS]
    command = [sys.executable, "-m", "nbconvert", "--to", "offline_html"]
    command += ["--output-dir", str(folder), *notebooks]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", IDS)
def test_every_formula_is_set_and_no_script_is_fetched_for_it(name: str, pages: Path) -> None:
    page = (pages / f"{name}.html").read_text()
    assert page.count("<math") > 20
    assert not FORMULA.search(CODE.sub("", page))
    assert not re.search(r'src="[^"]*mathjax', page, re.IGNORECASE)
