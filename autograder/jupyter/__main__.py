"""`python -m autograder.jupyter` turns the button on where the package was installed editable.

An ordinary installation brings the same files by itself; pip leaves them out of an editable one.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
BUILT = HERE / "labextension"
NAME = "autograder-check"
SETTINGS = "autograder.json"


def turn_on(data: Path, config: Path) -> None:
    """Puts links to the extensions into a folder of Jupyter's data and one of its configuration."""
    links = {
        data / "labextensions" / NAME: BUILT,
        config / "jupyter_server_config.d" / SETTINGS: HERE / SETTINGS,
    }
    for link, target in links.items():
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.is_symlink():
            link.unlink()
        if not link.exists():  # an ordinary installation put it there
            link.symlink_to(target)


if __name__ == "__main__":
    prefix = Path(sys.prefix)
    turn_on(prefix / "share" / "jupyter", prefix / "etc" / "jupyter")
