"""Checks of `tokenize_batch(tokenizer, texts, labels, max_length=48)`, with small tokenizers."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import Expected, Reply, Student, expect, expect_shape, points, probe

from . import wording

WORDS = "rebel ##s sign treaty storm embassy as stocks fall ##ing , a"
TOKENIZERS = {
    "usual": f"[PAD] [UNK] [CLS] [SEP] {WORDS}",
    "padding_last": f"{WORDS} [UNK] [SEP] [CLS] [PAD]",
}
TEXTS = {
    "mixed": ("Rebels sign a treaty\nstocks falling\nAs stocks fall, rebels storm a embassy", 9),
    "one": ("storm", 5),
    "all_short": ("a\nas stocks\nsign", 12),
    "all_long": ("as stocks fall , rebels sign\nrebels storm a embassy , falling", 6),
}
COLUMNS = ("input_ids", "attention_mask", "labels")


@probe
def tokenized(
    answers: Any, vocabulary: str, texts: str, labels: Any, max_length: int | None
) -> dict[str, Any]:
    from collections.abc import Mapping

    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    numbers = {token: number for number, token in enumerate(vocabulary.split())}
    raw = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer(lowercase=True)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(end, numbers[end]) for end in ("[CLS]", "[SEP]")],
    )
    names = ("pad", "unk", "cls", "sep")
    special = {f"{name}_token": f"[{name.upper()}]" for name in names}
    said = ["input_ids", "token_type_ids", "attention_mask"]  # as BERT's does
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, model_input_names=said, **special)
    given = {} if max_length is None else {"max_length": max_length}
    found = answers.tokenize_batch(tokenizer, texts.split("\n"), labels.tolist(), **given)
    if not isinstance(found, Mapping):
        return {"is_dict": False, "names": ""}
    return {"is_dict": True, "names": " ".join(sorted(map(str, found))), **found}


def _labels(texts: str) -> torch.Tensor:
    return torch.arange(len(texts.split("\n"))) * 2 % 5


def _tokenized(student: Student, tokenizer: str, case: str) -> Reply:
    texts, max_length = TEXTS[case]
    reply = student.run(
        tokenized,
        vocabulary=TOKENIZERS[tokenizer],
        texts=texts,
        labels=_labels(texts),
        max_length=max_length,
    )
    expect(reply["is_dict"] is True, wording.NO_DICT)
    return reply


def _match(student: Student, expected: Expected, tokenizer: str, case: str, name: str) -> None:
    found = _tokenized(student, tokenizer, case).tensor(name)
    expected.match(f"{tokenizer}_{case}_{name}", Reply.of({name: found}))


@points(2)
def check_returns_three_tensors_of_integers(student: Student, expected: Expected) -> None:
    """The dict holds `input_ids`, `attention_mask` and `labels`, of their shapes and int64."""
    for case, (texts, max_length) in TEXTS.items():
        reply = _tokenized(student, "usual", case)
        names = str(reply["names"]).split()
        expect(names == sorted(COLUMNS), wording.columns(names))
        n = len(texts.split("\n"))
        for name in ("input_ids", "attention_mask"):
            expect_shape(reply, name, N=n, max_length=max_length)
        expect_shape(reply, "labels", N=n)
        for name in COLUMNS:
            sentence = f"`{name}` does not hold integers (int64)."
            expect(reply.tensor(name).dtype == torch.int64, sentence)


@points(2)
def check_short_texts_are_padded(student: Student, expected: Expected) -> None:
    """Texts that are all shorter than `max_length` are padded to it at the end."""
    for case in ("one", "all_short"):
        _match(student, expected, "usual", case, "input_ids")


@points(2)
def check_long_texts_are_truncated(student: Student, expected: Expected) -> None:
    """Texts that are too long are truncated, and still have both their ends."""
    end = TOKENIZERS["usual"].split().index("[SEP]")
    for case in ("all_long", "mixed"):
        ids = _tokenized(student, "usual", case).tensor("input_ids")
        expect(ids.dim() == 2 and (ids[-1, -1:] == end).all(), wording.NO_END)
        _match(student, expected, "usual", case, "input_ids")


@points(2)
def check_mask_tells_real_tokens(student: Student, expected: Expected) -> None:
    """The attention mask is 1 at real tokens, the two ends among them, and 0 at padding."""
    for case in TEXTS:
        _match(student, expected, "usual", case, "attention_mask")


@points(1)
def check_labels_are_handed_on(student: Student, expected: Expected) -> None:
    """The labels come back as they went in."""
    for case, (texts, _) in TEXTS.items():
        labels = _tokenized(student, "usual", case).tensor("labels")
        expect(torch.equal(labels, _labels(texts)), wording.OTHER_LABELS)


@points(1)
def check_works_with_another_tokenizer(student: Student, expected: Expected) -> None:
    """A tokenizer with other numbers for its padding and its ends works as well."""
    for case in ("mixed", "all_short"):
        for name in ("input_ids", "attention_mask"):
            _match(student, expected, "padding_last", case, name)
    texts = TEXTS["mixed"][0]
    reply = student.run(
        tokenized,
        vocabulary=TOKENIZERS["padding_last"],
        texts=texts,
        labels=_labels(texts),
        max_length=None,
    )
    expect(reply["is_dict"] is True, wording.OTHER_WIDTH)
    expect(reply.tensor("input_ids").shape[-1:] == (48,), wording.OTHER_WIDTH)
