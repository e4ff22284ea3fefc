"""Archives are hostile input: nothing is written outside, no link made, no cap exceeded."""

from __future__ import annotations

import gzip
import io
import logging
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spent import processor_seconds

from autograder.intake import unpacking
from autograder.intake.unpacking import SafeExtractor, safe_parts

Written = dict[str, bytes]


class Folder:
    """An archive folder, and what came out of it."""

    def __init__(self, root: Path, caplog: pytest.LogCaptureFixture) -> None:
        self.archive, self.extracted = root / "archive", root / "extracted"
        self.archive.mkdir()
        self.extracted.mkdir()
        self._caplog = caplog
        caplog.set_level(logging.ERROR)

    def extract(self, **limits: int) -> Written:
        logger = logging.getLogger("unpacking")
        extractor = SafeExtractor(log=logger, **limits)
        extractor.extract(str(self.archive), str(self.extracted))
        paths = [path for path in self.extracted.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.extracted)): path.read_bytes() for path in paths}

    @property
    def refused(self) -> str:
        return "\n".join(record.getMessage() for record in self._caplog.records)

    def zip(self, name: str, members: dict[str | zipfile.ZipInfo, bytes]) -> Path:
        path = self.archive / name
        path.write_bytes(zip_bytes(members))
        return path

    def tar(self, name: str, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
        path = self.archive / name
        with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as archive:
            for info, content in members:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return path


def zip_bytes(members: dict[str | zipfile.ZipInfo, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


@pytest.fixture
def folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Folder:
    return Folder(tmp_path, caplog)


@pytest.mark.parametrize(
    "name",
    ["../evil", "a/../../evil", "/evil", "..\\evil", "C:\\evil", "a\nb", "x" * 300, "..", "/", "."],
)
def test_a_name_that_leads_elsewhere_is_refused_and_the_rest_is_unpacked(
    folder: Folder, name: str
) -> None:
    folder.zip("a.zip", {name: b"evil", "good.ipynb": b"good"})
    folder.tar("b.tar.gz", [(tarfile.TarInfo(name), b"evil"), (tarfile.TarInfo("g"), b"good")])
    assert folder.extract() == {"a/good.ipynb": b"good", "b/g": b"good"}
    assert "Refused in a.zip" in folder.refused or name.endswith("/")
    assert not list(folder.archive.parent.rglob("evil"))


@settings(deadline=None, database=None)
@given(st.text(st.sampled_from("./\\abC:\0\x1b\u0308e"), max_size=12))
def test_no_name_leads_out(name: str) -> None:
    parts = safe_parts(name)
    assert parts is None or (
        Path("root").joinpath(*parts).parts == ("root", *parts)
        and not {"..", ".", ""} & set(parts)
        and "/" not in "".join(parts)
    )


def test_links_and_devices_are_refused(folder: Folder) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    folder.zip("a.zip", {link: b"/etc/passwd", "good": b"good"})
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)
    members = []
    for number, kind in enumerate(kinds):
        info = tarfile.TarInfo(f"odd{number}")
        info.type, info.linkname = kind, "/etc/passwd"
        members.append((info, b""))
    folder.tar("b.tar", members)
    assert folder.extract() == {"a/good": b"good"}
    assert folder.refused.count("it is a link or a device") == 5
    assert not any(path.is_symlink() for path in folder.extracted.rglob("*"))


def test_links_among_the_downloads_are_not_followed(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (folder.archive / "a.ipynb").symlink_to(tmp_path / "secret")
    assert folder.extract() == {}
    assert folder.refused.count("it is a link or a device") == 1


def test_a_set_user_id_bit_does_not_pass(folder: Folder) -> None:
    program = zipfile.ZipInfo("program")
    program.external_attr = (stat.S_IFREG | 0o4777) << 16
    folder.zip("a.zip", {program: b"#!"})
    assert folder.extract() == {"a/program": b"#!"}
    assert not (folder.extracted / "a" / "program").stat().st_mode & 0o7111


def test_members_and_archives_of_one_name_do_not_overwrite_each_other(folder: Folder) -> None:
    doubled = {"x.ipynb": b"1", "y.ipynb": b"2", "e\u0301": b"3", "\u00e9": b"4"}
    archive = folder.archive / "a.zip"
    archive.write_bytes(zip_bytes({**doubled}).replace(b"y.ipynb", b"x.ipynb"))
    folder.tar("a.tar.gz", [(tarfile.TarInfo("x.ipynb"), b"5")])
    assert sorted(folder.extract().values()) == [b"1", b"2", b"3", b"4", b"5"]


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_a_bomb_inside_costs_only_its_owner(folder: Folder, suffix: str) -> None:
    bomb = folder.archive / f"bomb.{suffix}"
    if suffix == "zip":
        bomb.write_bytes(zip_bytes({f"{i}": bytes(400) for i in range(3)}))
    else:
        folder.tar(bomb.name, [(tarfile.TarInfo("0"), bytes(20_000))])
    content = bomb.read_bytes()
    bomb.unlink()
    folder.zip("class.zip", {bomb.name: content, "z.ipynb": b"good", "huge": bytes(2000)})
    written = folder.extract(max_inner_bytes=1000)
    assert written["class/z.ipynb"] == b"good"
    assert "huge: it has 2,000 bytes, more than the limit of 1,000" in folder.refused
    assert f"Refused in bomb.{suffix}: it unpacks to more bytes" in folder.refused
    assert sum(map(len, written.values())) < 1000 + len(content) + 4


def test_a_zip_of_too_many_files_is_not_even_opened(folder: Folder) -> None:
    many: dict[str | zipfile.ZipInfo, bytes] = {str(number): b"" for number in range(60)}
    folder.zip("class.zip", {"many.zip": zip_bytes(many), "z.ipynb": b"good"})
    assert set(folder.extract(max_inner_files=50)) == {"class/many.zip", "class/z.ipynb"}
    assert "Refused in many.zip: it holds more files than allowed" in folder.refused


def test_archives_in_archives_end_somewhere(folder: Folder) -> None:
    content = zip_bytes({"deepest.ipynb": b"too deep"})
    for _ in range(4):
        content = zip_bytes({"a.zip": content})
    (folder.archive / "a.zip").write_bytes(content)
    assert not [name for name in folder.extract() if name.endswith(".ipynb")]
    assert "archives lie in archives 3 deep" in folder.refused


@pytest.mark.parametrize("name", ["class.tar", "class.tar.gz"])
def test_of_a_tar_of_zips_every_one_is_unpacked(folder: Folder, name: str) -> None:
    zips = [
        (tarfile.TarInfo(f"{who}.zip"), zip_bytes({f"{who}.ipynb": who.encode()}))
        for who in ("anna", "ben", "carla")
    ]
    folder.tar(name, zips)
    found = {Path(path).name: data for path, data in folder.extract().items()}
    assert [found[f"{who}.ipynb"] for who in ("anna", "ben", "carla")] == [
        b"anna",
        b"ben",
        b"carla",
    ]
    assert folder.refused == ""


def test_a_zip_with_something_in_front_is_one(folder: Folder) -> None:
    path = folder.zip("own.zip", {"good.ipynb": b"good"})
    path.write_bytes(b"#!/bin/sh\nexit 1\n" + path.read_bytes())
    assert [*folder.extract().values()] == [b"good"]


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(folder: Folder) -> None:
    (folder.archive / "a.zip").write_bytes(b"no archive")
    (folder.archive / "b.gz").write_bytes(b"\x1f\x8bbroken")
    cut = folder.zip("c.zip", {"c.ipynb": os.urandom(5000)})
    whole = bytearray(cut.read_bytes())
    whole[100:200] = bytes(100)
    cut.write_bytes(whole)
    locked = bytearray(zip_bytes({"d.ipynb": b"locked"}))
    for signature, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        locked[locked.index(signature) + at] |= 1
    (folder.archive / "d.zip").write_bytes(locked)
    (folder.archive / "e.ipynb").write_bytes(b"fine")
    assert folder.extract() == {"e.ipynb": b"fine"}
    for name in ("a.zip: it is no zip", "b.gz", "c.zip: c.ipynb", "d.ipynb: it needs a password"):
        assert name in folder.refused


@pytest.mark.parametrize("deep", [21, 500, 1500])
def test_folders_in_folders_are_refused_and_the_rest_is_unpacked(folder: Folder, deep: int) -> None:
    folder.zip("a.zip", {"a/" * deep + "x": b"deep", "a/" * 19 + "x": b"fine", "good": b"good"})
    (folder.archive / Path(*["b"] * 30)).mkdir(parents=True)
    (folder.archive / Path(*["b"] * 30) / "x").write_bytes(b"deep")
    assert set(folder.extract().values()) == {b"fine", b"good"}
    assert folder.refused.count("its folders lie in folders more than 20 deep") == 2


ACCENTS = "\u0301\u0316" * 15_000


def test_accents_on_one_letter_are_not_put_in_order_without_an_end(folder: Folder) -> None:
    folder.tar("a.tar.gz", [(tarfile.TarInfo(ACCENTS), b"1"), (tarfile.TarInfo("g"), b"good")])
    folder.zip("b.zip", {ACCENTS[:20_000]: b"2", "g": b"good"})
    unpacked = []
    assert processor_seconds(lambda: unpacked.append(folder.extract())) < 1
    assert unpacked == [{"a/g": b"good", "b/g": b"good"}]
    assert folder.refused.count("is no name for a file") == 2


def header(kind: bytes, content: bytes, name: str = "x") -> bytes:
    """A header that stands before a member, or a member, as it is in an archive."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, len(content)
    return info.tobuf(tarfile.USTAR_FORMAT) + content + b"\0" * (-len(content) % 512)


def record(key: str, value: str) -> bytes:
    size = len(f" {key}={value}\n")
    size += len(str(size + len(str(size))))
    return f"{size} {key}={value}\n".encode()


HEADERS = {
    "digits": header(tarfile.XHDTYPE, b"1" * 60_000),
    "digits-for-all": header(tarfile.XGLTYPE, b"1" * 60_000),
    "digits-in-a-value": header(tarfile.XHDTYPE, record("comment", "1" * 60_000)),
    "a-long-header": header(tarfile.XHDTYPE, record("comment", "x" * 70_000)),
    "a-long-name": header(tarfile.GNUTYPE_LONGNAME, b"x" * 70_000),
    "a-chain-of-names": header(tarfile.GNUTYPE_LONGNAME, b"x") * 1000,
    "a-map-without-an-end": header(
        tarfile.XHDTYPE, record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0")
    )
    + header(tarfile.REGTYPE, b"99999\n" + b"1\n" * 99_999),
    "many-headers-for-all": b"".join(
        header(tarfile.XGLTYPE, b"".join(record(f"{n}-{i}", "") for i in range(50)))
        + header(tarfile.DIRTYPE, b"", f"d{n}")
        for n in range(9)
    ),
}


@pytest.mark.parametrize("kind", HEADERS)
def test_a_tar_archive_with_large_headers_is_refused_at_once(folder: Folder, kind: str) -> None:
    content = HEADERS[kind] + header(tarfile.REGTYPE, b"last", "last") + bytes(1024)
    (folder.archive / "a.tar.gz").write_bytes(gzip.compress(content))
    folder.tar("b.tar", [(tarfile.TarInfo("g"), b"good")])
    unpacked = []
    assert processor_seconds(lambda: unpacked.append(folder.extract())) < 0.5
    assert unpacked == [{"b/g": b"good"}]
    assert "Refused in a.tar.gz: " in folder.refused
    assert "header" in folder.refused


@pytest.mark.parametrize("kind", [RecursionError, MemoryError, KeyError])
def test_whatever_an_archive_makes_python_raise_the_others_are_unpacked(
    folder: Folder, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(archive: Path) -> int:
        if archive.name == "a.zip":
            raise kind
        return 1

    monkeypatch.setattr(unpacking, "_directory_entries", raising)
    for name in ("a.zip", "b.zip"):
        folder.zip(name, {"x.ipynb": b"good"})
    assert folder.extract() == {"b/x.ipynb": b"good"}
    assert kind.__name__ in folder.refused


def test_dates_and_utf8_names_without_their_flag_are_kept(folder: Folder) -> None:
    plain = zipfile.ZipInfo("Zoxx.ipynb", (2026, 11, 3, 9, 0, 0))
    raw = zip_bytes({plain: b"z"}).replace(b"Zoxx", b"Zo\xc3\xab")
    (folder.archive / "a.zip").write_bytes(raw)
    info = tarfile.TarInfo("t.ipynb")
    info.mtime = 1793696400
    folder.tar("b.tgz", [(info, b"t")])
    assert folder.extract() == {"a/Zo\u00eb.ipynb": b"z", "b/t.ipynb": b"t"}
    dates = {path.name: path.stat().st_mtime for path in folder.extracted.rglob("*.ipynb")}
    assert set(dates.values()) == {1793696400.0}
