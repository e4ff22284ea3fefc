"""Builds the JupyterLab extension from `labextension/`, and says of what it was built.

What it writes lies in `autograder/jupyter/labextension/` and is committed, so that nobody who
installs the package needs Node. It needs Node 20, and takes packages as `yarn.lock` names them.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "labextension"
BUILT = ROOT / "autograder" / "jupyter" / "labextension"
DIGESTS = BUILT / "digests.txt"


def sources() -> list[Path]:
    """What the extension is built from."""
    inner = [path for name in ("src", "style", "schema") for path in (SOURCES / name).iterdir()]
    outer = [SOURCES / name for name in ("package.json", "tsconfig.json", "yarn.lock")]
    return sorted([*inner, *outer])


def built() -> list[Path]:
    """What the build has made."""
    return sorted(path for path in BUILT.rglob("*") if path.is_file() and path != DIGESTS)


def digest(paths: Iterable[Path]) -> str:
    """Of the names and contents of files."""
    found = hashlib.sha256()
    for path in paths:
        found.update(f"{path.relative_to(ROOT).as_posix()}\0{path.stat().st_size}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def digests() -> str:
    """What stands in the file beside the built ones."""
    return f"sources {digest(sources())}\nbuilt {digest(built())}\n"


def build() -> None:
    """Installs what is locked, compiles, bundles."""
    import jupyterlab

    bin = Path(sys.executable).parent
    core = Path(jupyterlab.__file__).parent / "staging"
    yarn, tsc = bin / "jlpm", SOURCES / "node_modules" / ".bin" / "tsc"
    bundle = [bin / "jupyter", "labextension", "build", "--core-path", core, "."]
    path = os.pathsep.join([str(bin), os.environ["PATH"]])
    for command in ([yarn, "install", "--immutable"], [tsc], bundle):
        subprocess.run(command, cwd=SOURCES, check=True, env={**os.environ, "PATH": path})
    DIGESTS.write_text(digests(), encoding="ascii")


if __name__ == "__main__":
    build()
