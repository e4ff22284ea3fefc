"""Makes the WordPiece tokenizer of a4 out of the headlines of its training split.

    python tools/make_tokenizer.py

The vocabulary grows from single letters: again and again the pair of pieces that stands together
most often becomes a piece of its own. Of pairs that are equally frequent the first in the alphabet
is taken, so that the same headlines always make the same vocabulary.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

ASSETS = Path(__file__).resolve().parents[1] / "source/a4_text_classification/assets"
SPECIAL = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
TOKENS = 1000
MAX_LENGTH = 512

Pieces = tuple[str, ...]


def normalizer() -> normalizers.Normalizer:
    """What happens to a text first: small letters, no accents."""
    return normalizers.BertNormalizer(lowercase=True)


def count_words(texts: Iterable[str]) -> Counter[str]:
    """How often each word and each mark of punctuation occurs."""
    split = pre_tokenizers.BertPreTokenizer()
    words: Counter[str] = Counter()
    for text in texts:
        words.update(word for word, _ in split.pre_tokenize_str(normalizer().normalize_str(text)))
    return words


def train_vocabulary(texts: Iterable[str], size: int) -> list[str]:
    """At most `size` tokens, the special ones first; a piece inside a word begins with ##."""
    words = {
        (word[0], *(f"##{letter}" for letter in word[1:])): count
        for word, count in count_words(texts).items()
    }
    vocabulary = [*SPECIAL.values(), *sorted({piece for word in words for piece in word})]
    while len(vocabulary) < size:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        vocabulary.append(best[0] + best[1].removeprefix("##"))
        words = {_merged(word, best): count for word, count in words.items()}
    return vocabulary


def _merged(word: Pieces, pair: tuple[str, str]) -> Pieces:
    """The word with every occurrence of `pair` joined."""
    joined: list[str] = []
    for piece in word:
        if joined and (joined[-1], piece) == pair:
            joined[-1] += piece.removeprefix("##")
        else:
            joined.append(piece)
    return tuple(joined)


def build_tokenizer(vocabulary: list[str]) -> Tokenizer:
    """A tokenizer that works as BERT's does."""
    numbers = {token: number for number, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token=SPECIAL["unk"]))
    tokenizer.normalizer = normalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(SPECIAL[name], numbers[SPECIAL[name]]) for name in ("cls", "sep")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    tokenizer.add_special_tokens([*SPECIAL.values()])
    return tokenizer


def save_tokenizer(vocabulary: list[str], folder: Path) -> None:
    """Writes the two files that `AutoTokenizer.from_pretrained` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": MAX_LENGTH,
        **{f"{name}_token": token for name, token in SPECIAL.items()},
    }
    build_tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    text = json.dumps(settings, indent=2) + "\n"
    (folder / "tokenizer_config.json").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the tokenizer of a4.")
    parser.add_argument("--assets", type=Path, default=ASSETS)
    folder = parser.parse_args().assets
    with (folder / "headlines" / "train.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    save_tokenizer(train_vocabulary(texts, TOKENS), folder / "tokenizer")


if __name__ == "__main__":
    main()
