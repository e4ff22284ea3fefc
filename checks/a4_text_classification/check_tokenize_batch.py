"""Checks of `tokenize_batch(tokenizer, texts, labels, max_length=48)`, with small tokenizers."""

from __future__ import annotations

import torch

from autograder.checking import CheckFailure, Expected, Reply, Student, expect, expect_shape, points

from . import wording
from .tokenizing import TOKENIZERS, tokenized

TEXTS: dict[str, tuple[str, int | None]] = {
    "mixed": ("Rebels sign a treaty\nstocks falling\nAs stocks fall, rebels storm a embassy", 9),
    "one": ("storm", 5),
    "all_short": ("a\nas stocks\nsign", 12),
    "all_long": ("as stocks fall , rebels sign\nrebels storm a embassy , falling", 6),
    "just_so": ("rebels sign a\nFalling Kestrel stocks\n\nstorm a embassy", 6),
    "by_default": ("stocks\n" + "rebels sign a treaty , " * 9, None),
    "wide": ("a treaty\nas rebels storm\nas a\n, ,", 70),
    "twice": ("sign a treaty\nstocks\nsign a treaty", 8),
    "long_words": ("embassy treaty stocks embassy\nembassy", 6),
}
SHORT = ("one", "all_short", "wide", "twice", "long_words")
LONG = {"all_long": 1, "mixed": 2, "just_so": 1, "by_default": 1}  # and a text that fills its row
COLUMNS = ("input_ids", "attention_mask", "labels")


def _labels(texts: str) -> torch.Tensor:
    return torch.arange(len(texts.split("\n"))) * 7 % 5


def _tokenized(student: Student, case: str, tokenizer: str = "usual") -> Reply:
    texts, width = TEXTS[case]
    given = {"texts": texts, "labels": _labels(texts), "max_length": width}
    reply = student.run(tokenized, vocabulary=TOKENIZERS[tokenizer], **given)
    expect(reply["is_dict"] is True, wording.NO_DICT)
    return reply


def _match(
    student: Student, expected: Expected, case: str, name: str, tokenizer: str = "usual"
) -> None:
    found = _tokenized(student, case, tokenizer).tensor(name)
    expected.match(f"{tokenizer}_{case}_{name}", Reply.of({name: found}))


@points(0.5, text="It returns a dict with exactly these three tensors of integers (int64)")
def check_returns_three_tensors_of_integers(student: Student) -> None:
    """The dict holds `input_ids`, `attention_mask` and `labels`, of their shapes and int64."""
    for case, (texts, max_length) in TEXTS.items():
        reply = _tokenized(student, case)
        names = str(reply["names"]).split()
        expect(names == sorted(COLUMNS), wording.columns(names))
        n = len(texts.split("\n"))
        for name in ("input_ids", "attention_mask"):
            expect_shape(reply, name, N=n, max_length=max_length or 48)
        expect_shape(reply, "labels", N=n)
        for name in COLUMNS:
            sentence = f"`{name}` does not hold integers (int64)."
            expect(reply.tensor(name).dtype == torch.int64, sentence)


@points(0.75, text="The width is always max_length, also when all texts are shorter.")
def check_short_texts_are_padded(student: Student, expected: Expected) -> None:
    """Texts that are all shorter than `max_length` are padded to it at the end."""
    for case in SHORT:
        _match(student, expected, case, "input_ids")


@points(0.75, text="or truncated so that the last token is still the tokenizer's end token")
def check_long_texts_are_truncated(student: Student, expected: Expected) -> None:
    """Texts that are too long are truncated, and still have both their ends."""
    end = TOKENIZERS["usual"].split().index("[SEP]")
    for case, row in LONG.items():
        ids = _tokenized(student, case).tensor("input_ids")
        expect(ids.dim() == 2 and (ids[row:, -1:][:1] == end).all(), wording.NO_END)
        _match(student, expected, case, "input_ids")


@points(1.5, text="attention_mask, shape (N, max_length): 1 at real tokens, 0 at padding")
def check_mask_tells_real_tokens(student: Student, expected: Expected) -> None:
    """The attention mask is 1 at real tokens, the two ends among them, and 0 at padding."""
    for case in TEXTS:
        _match(student, expected, case, "attention_mask")


@points(0.5, text="labels a list of $N$ class numbers")
def check_labels_are_handed_on(student: Student) -> None:
    """The labels come back as they went in."""
    for case in SHORT:
        texts, _ = TEXTS[case]
        labels = _tokenized(student, case).tensor("labels")
        wanted = _labels(texts)
        kept = labels.shape == wanted.shape and bool((labels == wanted).all())
        expect(kept, wording.OTHER_LABELS)


@points(0.5, text="padded at the end with the tokenizer's own padding token")
def check_works_with_another_tokenizer(student: Student, expected: Expected) -> None:
    """Tokenizers that tell capitals, pad with the end token, or tell no token types work, too."""
    for case in ("mixed", "all_short", "by_default"):
        for name in ("input_ids", "attention_mask"):
            _match_another(student, expected, case, name, "padding_last")
        for other in ("padded_with_ends", "of_two_tensors"):
            _match_another(student, expected, case, "attention_mask", other)


def _match_another(
    student: Student, expected: Expected, case: str, name: str, tokenizer: str
) -> None:
    try:
        _match(student, expected, case, name, tokenizer)
    except CheckFailure as failure:
        if failure.status != "wrong":
            raise
        usual = Reply.of({name: _tokenized(student, case).tensor(name)})
        if not expected.accepts(f"usual_{case}_{name}", usual):
            raise
        raise failure.anew(wording.with_another_tokenizer(str(failure))) from failure


@points(0.5, text="after a call what they were before. A second call knows nothing of the first")
def check_leaves_no_trace(student: Student) -> None:
    """The tokenizer and both lists stay as they are, and a later call gives the same again."""
    for case in ("mixed", "by_default"):
        reply = _tokenized(student, case)
        expect(reply["kept"] is True, wording.CHANGED_GIVEN)
        expect(reply["again"] is True, wording.REMEMBERS_TEXTS)
