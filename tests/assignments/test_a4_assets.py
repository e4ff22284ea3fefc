"""The embedded assets of a4 are what their cards say, and the real ones load by one switch."""

from __future__ import annotations

import csv
import json
import re
import shutil
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase

import make_headlines
import make_tokenizer
import nbformat
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, build
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from running import printed
from sample_class import Sample
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from transformers import AutoTokenizer

NAME = "a4_text_classification"
ASSETS = ROOT / "source" / NAME / "assets"
DATA_CARD = (ASSETS / "headlines" / "README.md").read_text(encoding="utf-8")
MODEL_CARD = (ASSETS / "tokenizer" / "README.md").read_text(encoding="utf-8")
ASSETS_BYTES = 2 << 20
START = ("versions", "imports", "settings", "helpers", "news")
SILENT_SECONDS = 60  # of which a kernel takes some to start, the hub 5

Rows = list[tuple[str, str]]


def shipped(split: str) -> Rows:
    with (ASSETS / "headlines" / f"{split}.csv").open(encoding="utf-8", newline="") as file:
        return [(row["text"], row["label"]) for row in csv.DictReader(file)]


def accuracies(train: Rows, test: Rows) -> dict[str, float]:
    """Percent that counting words gets right: of all, without and with a second clause."""
    words = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
    words.fit([text for text, _ in train], [label for _, label in train])
    found = words.predict([text for text, _ in test])
    right: dict[str, list[bool]] = {"all": [], "one": [], "two": []}
    for (text, label), guess in zip(test, found, strict=True):
        two = re.search(r"\b(as|while)\b", text.lower()) is not None
        for part in ("all", "two" if two else "one"):
            right[part].append(guess == label)
    return {part: 100 * sum(hits) / len(hits) for part, hits in right.items()}


def test_a_small_corpus_is_made_as_the_card_says(tmp_path: Path) -> None:
    recipe = make_headlines.Recipe(train=60, test=20, seed=1)
    splits = make_headlines.make_splits(recipe)
    make_headlines.write_splits(tmp_path, splits)
    texts = [text.lower() for rows in splits.values() for text, _ in rows]
    assert [len(rows) for rows in splits.values()] == [60, 20]
    assert len(set(texts)) == 80
    assert {label for rows in splits.values() for _, label in rows} == set(make_headlines.CLASSES)
    assert (tmp_path / "test.csv").read_text().count("\n") == 21
    assert make_headlines.make_splits(recipe) == splits
    assert make_headlines.make_splits(make_headlines.Recipe(60, 20, seed=2)) != splits


def test_the_shipped_corpus_is_what_its_maker_makes(tmp_path: Path) -> None:
    make_headlines.write_splits(tmp_path, make_headlines.make_splits(make_headlines.Recipe()))
    for split in ("train", "test"):
        made = (tmp_path / f"{split}.csv").read_bytes()
        assert made == (ASSETS / "headlines" / f"{split}.csv").read_bytes()


def test_the_shipped_corpus_is_what_its_card_says() -> None:
    train, test = shipped("train"), shipped("test")
    assert f"{len(train):,} in `train.csv`, {len(test):,} in `test.csv`" in DATA_CARD
    assert ", ".join(make_headlines.CLASSES) in DATA_CARD
    texts = [text.lower() for text, _ in train + test]
    assert len(set(texts)) == len(texts)
    for split in (train, test):
        counts = Counter(label for _, label in split)
        assert all(0.2 < counts[name] / len(split) < 0.3 for name in make_headlines.CLASSES)
    two = sum(re.search(r"\b(as|while)\b", text) is not None for text in texts) / len(texts)
    assert abs(two - make_headlines.TWO_CLAUSES) < 0.02
    for number in (make_headlines.STRAY, make_headlines.TWO_CLAUSES):
        assert f"probability {number}" in DATA_CARD


def test_counting_words_gets_as_far_as_the_card_says() -> None:
    found = accuracies(shipped("train"), shipped("test"))
    said = [int(number) for number in re.findall(r"(\d+) %", DATA_CARD)[:3]]
    assert said == [round(found[part]) for part in ("all", "one", "two")]


def test_a_small_vocabulary_merges_the_most_frequent_pairs_first() -> None:
    texts = ["ab ab ab", "abc", "bc"]
    letters = ["##b", "##c", "a", "b"]
    small = make_tokenizer.train_vocabulary(texts, 11)
    assert small == [*make_tokenizer.SPECIAL.values(), *letters, "ab", "abc"]
    assert make_tokenizer.train_vocabulary(texts, 99) == [*small, "bc"]


def test_a_small_tokenizer_can_be_loaded_and_used(tmp_path: Path) -> None:
    texts = [text for text, _ in shipped("train")[:200]]
    make_tokenizer.save_tokenizer(make_tokenizer.train_vocabulary(texts, 120), tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    ids = tokenizer("Rebels sign treaty")["input_ids"]
    assert len(tokenizer) == 120
    assert tokenizer.decode(ids) == "[CLS] rebels sign treaty [SEP]"


def test_the_shipped_tokenizer_is_what_its_maker_makes(tmp_path: Path) -> None:
    texts = [text for text, _ in shipped("train")]
    vocabulary = make_tokenizer.train_vocabulary(texts, make_tokenizer.TOKENS)
    make_tokenizer.save_tokenizer(vocabulary, tmp_path)
    for made in tmp_path.iterdir():
        assert json.loads(made.read_text()) == json.loads(
            (ASSETS / "tokenizer" / made.name).read_text()
        )


def test_the_shipped_tokenizer_is_what_its_card_says() -> None:
    tokenizer = AutoTokenizer.from_pretrained(ASSETS / "tokenizer")
    assert f"{len(tokenizer):,} tokens" in MODEL_CARD
    for number, token in enumerate(make_tokenizer.SPECIAL.values()):
        assert tokenizer.convert_tokens_to_ids(token) == number
        assert f"`{token}` {number}" in MODEL_CARD
    unknown = tokenizer.unk_token_id
    texts = [text for split in ("train", "test") for text, _ in shipped(split)]
    encoded = tokenizer(texts)["input_ids"]
    assert all(unknown not in ids for ids in encoded)
    assert tokenizer.decode(encoded[0][1:-1]) == texts[0].lower()
    assert unknown in tokenizer("Agency 007")["input_ids"]


def test_what_the_notebook_calls_unknown_is_unknown_and_no_other_word() -> None:
    tokenizer = AutoTokenizer.from_pretrained(ASSETS / "tokenizer")
    assert all(tokenizer.tokenize(word) == ["[UNK]"] for word in ("2024", "%", "Zürich"))
    assert "[UNK]" not in tokenizer.tokenize("Über den Wolken")
    assert [x for x in ascii_lowercase if tokenizer.tokenize(x) == ["[UNK]"]] == ["x", "y", "z"]


def test_the_assets_are_small_licensed_and_released_as_they_are() -> None:
    files = [path for path in ASSETS.rglob("*") if path.is_file()]
    assert len(files) == 6
    assert sum(path.stat().st_size for path in files) < ASSETS_BYTES
    for path in files:
        released = ROOT / "release" / NAME / "assets" / path.relative_to(ASSETS)
        assert released.read_bytes() == path.read_bytes()
    for card in (DATA_CARD, MODEL_CARD):
        assert "CC0" in card
        assert "python tools/make_" in card


class Hub:
    """A server that takes connections and never answers; it counts them."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.connections: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                self.connections.append(self._socket.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        self._socket.close()
        for connection in self.connections:
            connection.close()


@pytest.fixture
def silent_hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.close()


def first_cells() -> NotebookNode:
    """The cells up to the one that loads the data."""
    notebook = build(Sample("solved"), NAME)
    notebook.cells = [cell for cell in notebook.cells if cell.id in START]
    assert len(notebook.cells) == len(START)
    return notebook


def run(notebook: NotebookNode, folder: Path, hub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs it with all networks led to `hub` and caches of its own."""
    for name in ("HF_ENDPOINT", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, hub)
    monkeypatch.setenv("HF_HOME", str(folder / "huggingface"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    client = NotebookClient(notebook, kernel_name="python3", timeout=120)
    client.execute(cwd=str(folder))


def put_real_assets(folder: Path, train: Rows, test: Rows) -> None:
    """Folders under the hub's names, which stand in for the hub: libraries look there first."""
    data = folder / "fancyzhx" / "ag_news" / "data"
    data.mkdir(parents=True)
    for split, rows in {"train": train, "test": test}.items():
        labels = [make_headlines.CLASSES.index(label) for _, label in rows]
        table = pa.table({"text": [text for text, _ in rows], "label": labels})
        pq.write_table(table, data / f"{split}-00000-of-00001.parquet")
    tokenizer = folder / "google-bert" / "bert-base-uncased"
    shutil.copytree(ASSETS / "tokenizer", tokenizer)


def test_without_the_switch_no_network_is_asked(
    tmp_path: Path, silent_hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ASSETS, tmp_path / "assets")
    notebook = build(Sample("solved"), NAME)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv("REAL_ASSETS", "1")  # grading does not heed it
    run(notebook, tmp_path, silent_hub.address, monkeypatch)
    assert "6,000 headlines for training, 1,000 for testing\n0 were" in printed(notebook, "news")
    assert silent_hub.connections == []


def test_a_hub_that_does_not_answer_costs_seconds_and_one_sentence(
    tmp_path: Path, silent_hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REAL_ASSETS", "1")
    started = time.monotonic()
    with pytest.raises(CellExecutionError) as raised:
        run(first_cells(), tmp_path, silent_hub.address, monkeypatch)
    assert time.monotonic() - started < SILENT_SECONDS
    assert raised.value.ename == "ConnectionError"
    assert "the Hugging Face hub cannot be reached: connect to the network" in raised.value.evalue
    assert "\n" not in raised.value.evalue
    assert len(silent_hub.connections) == 1


def test_real_assets_load_train_and_lose_their_duplicates(
    tmp_path: Path, silent_hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, test = shipped("train")[:60], shipped("test")[:30]
    put_real_assets(tmp_path, train, [*test, train[0], (train[1][0].upper(), train[1][1]), test[2]])
    monkeypatch.setenv("REAL_ASSETS", "1")
    notebook = build(Sample("solved"), NAME)
    run(notebook, tmp_path, silent_hub.address, monkeypatch)
    news = printed(notebook, "news")
    assert "60 headlines for training, 30 for testing\n3 were taken out" in news
    assert "1,000 tokens" in news
    curve = printed(notebook, "training").splitlines()[-1].split()
    assert curve[0] == "10"  # the epochs of the real setting
    assert float(curve[3].rstrip("%")) > 25  # it learns, as far as so few headlines allow
    pictures = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    assert sum("image/png" in output.get("data", {}) for output in pictures) >= 8


def test_the_notebook_names_the_real_assets() -> None:
    source = nbformat.read(ROOT / "source" / NAME / f"{NAME}.ipynb", as_version=4)
    settings = next(cell.source for cell in source.cells if cell.id == "settings")
    assert '"fancyzhx/ag_news", "google-bert/bert-base-uncased"' in settings
    assert '"embed_dim": 128, "num_heads": 8, "depth": 3' in settings
