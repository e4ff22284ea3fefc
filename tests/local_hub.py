"""A stand-in for the Hugging Face hub: serves a folder of repositories on this machine.

Models lie at `<owner>/<name>/`, data sets at `datasets/<owner>/<name>/`. Of the hub's interface it
speaks what `from_pretrained` and `load_dataset` ask: files by name, and what files a data set has.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

REVISION = "0" * 40


@contextmanager
def local_hub(root: Path, asked: list[str] | None = None) -> Iterator[str]:
    """Serves `root` until the end; yields the address, for `HF_ENDPOINT`.

    What is fetched is noted in `asked`, by path.
    """
    fetched = [] if asked is None else asked
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Hub, root, fetched))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, root: Path, asked: list[str], *connection: Any) -> None:
        self._root, self._asked = root, asked
        super().__init__(*connection)

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = urlsplit(self.path).path.strip("/")
        if self.command == "GET":
            self._asked.append(path)
        if "/resolve/" in path:
            repository, _, name = path.partition("/resolve/")
            self._send_file(self._root / repository / name.partition("/")[2])
        elif path.startswith("api/datasets/"):
            self._send_listing(path.removeprefix("api/datasets/").split("/"))
        else:
            self._send(b"{}", status=404, X_Error_Code="EntryNotFound")

    def _send_file(self, path: Path) -> None:
        if not path.is_file():
            self._send(b"{}", status=404, X_Error_Code="EntryNotFound")
            return
        data = path.read_bytes()
        self._send(data, ETag=f'"{hashlib.sha256(data).hexdigest()}"', X_Repo_Commit=REVISION)

    def _send_listing(self, parts: list[str]) -> None:
        """Of /<owner>/<name>/revision/<revision>: facts; of .../tree/<revision>/<path>: files."""
        name, folder = "/".join(parts[:2]), self._root / "datasets" / parts[0] / parts[1]
        if parts[2:3] == ["tree"]:
            entries = sorted(folder.joinpath(*parts[4:]).iterdir())
            found: Any = [_entry(path, folder) for path in entries]
        else:
            files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
            siblings = [{"rfilename": str(path.relative_to(folder))} for path in files]
            found = {"id": name, "sha": REVISION, "private": False, "siblings": siblings}
        self._send(json.dumps(found).encode())

    def _send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


def _entry(path: Path, folder: Path) -> dict[str, Any]:
    entry = {"path": str(path.relative_to(folder)), "oid": "1" * 40}
    if path.is_dir():
        return {**entry, "type": "directory"}
    return {**entry, "type": "file", "size": path.stat().st_size}
