"""Checks of `encode_sentence` and `encode_batch`, with tokenizers that the probe makes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import torch

from autograder.checking import Expected, Reply, Student, expect, expect_shape, points

from . import wording
from .tokenizing import MARKED, PADDED_WITH_ENDS, STYLES, TWO_ENDS, encoded

LONG = " ".join(["the dog sees cats ."] * 90)
SENTENCES = ("The playful dogs sees .", "cats !", "the un dog played the cat !", "", LONG)
BATCHES = {  # of unequal length, the longest of them with 6 pieces, and batches of one
    "unequal": "the dog sees .|cats !|The playful cat played .",
    "one": "the un dog .",
    "empty": "|the cat !",
    "alike": "the dog .|The cat !",
    "long": f"the cat !|{LONG}",
}

ALL_STYLES = {
    **STYLES,
    **{"padded_with_ends": PADDED_WITH_ENDS, "marked": MARKED, "two_ends": TWO_ENDS},
}


def _sentence(student: Student, style: str, text: str, **other: str | bool) -> Reply:
    reply = student.run(encoded, texts=text, max_length=None, **ALL_STYLES[style], **other)
    expect(reply["parts"] == 3, wording.NOT_THREE)
    return reply


def _batch(student: Student, style: str, batch: str, max_length: int, **other: str | bool) -> Reply:
    given = {**ALL_STYLES[style], **other}
    reply = student.run(encoded, texts=BATCHES[batch], max_length=max_length, **given)
    for name in ("input_ids", "attention_mask"):
        expect(name in reply and isinstance(reply[name], torch.Tensor), wording.NOT_A_MAPPING)
        whole = reply.tensor(name).dtype in (torch.int64, torch.int32, torch.bool)
        expect(whole, wording.NOT_WHOLE_NUMBERS.format(name=name))
    return reply


def _pieces(batch: str) -> list[int]:
    """How many pieces each sentence of a batch has, special tokens left out."""
    counts = {"dogs": 2, "cats": 2, "playful": 2, "played": 2}
    return [sum(counts.get(w, 1) for w in text.split()) for text in BATCHES[batch].split("|")]


def _match_batch(
    student: Student,
    expected: Expected,
    batch: str,
    max_length: int,
    name: str,
    styles: Iterable[str] = STYLES,
    side: str = "right",
) -> None:
    for style in styles:
        reply = _batch(student, style, batch, max_length, side=side)
        ends = len(ALL_STYLES[style]["frame"].split()) - 1
        length = min(max_length, max(_pieces(batch)) + ends)
        found = expect_shape(reply, name, N=len(_pieces(batch)), L=length).long()
        key = f"{name}_{style}_{batch}_{max_length}{'' if side == 'right' else '_left'}"
        expected.match(key, Reply.of({name: found}))


@points(1.3, text="the list of their ids (integers; a tensor with one axis will do)")
def check_ids_hold_the_special_tokens(student: Student, expected: Expected) -> None:
    """The ids are those of the sentence, framed by the tokenizer's special tokens."""
    for style in STYLES:
        for number, text in enumerate(SENTENCES):
            reply = _sentence(student, style, text)
            expect(reply["whole"] is True, wording.NO_LIST_OF_IDS)
            expected.match(f"sentence_{style}_{number}", Reply.of({"ids": reply.tensor("ids")}))


@points(1.35, text="the list of tokens (strings)")
def check_tokens_are_those_of_the_ids(student: Student, expected: Expected) -> None:
    """The tokens are the tokenizer's pieces, the special ones too."""
    for style in (*STYLES, "marked"):
        pieces = ALL_STYLES[style]["pieces"].split()
        for number, text in enumerate(SENTENCES):
            reply = _sentence(student, style, text)
            expect(reply["listed"] is True, wording.NO_LIST_OF_TOKENS)
            tokens = str(reply["tokens"]).split()
            expect(all(token in pieces for token in tokens), wording.OTHER_TOKENS)
            places = torch.tensor([pieces.index(token) for token in tokens])
            expected.match(f"sentence_{style}_{number}", Reply.of({"ids": places}))


@points(1.35, text="**All three contain the special tokens** that the tokenizer adds.")
def check_decoded_text_holds_the_special_tokens(student: Student) -> None:
    """The decoded text is the sentence with its special tokens."""
    ends_of = {"framed": ("[B]", "[E]"), "ended": ("", "</s>"), "marked": ("", "</s>")}
    for style, ends in ends_of.items():
        for text in SENTENCES:
            decoded = _sentence(student, style, text)["decoded"]
            expect(isinstance(decoded, str), wording.NOTHING_SPECIAL)
            wanted = f"{ends[0]}{text}{ends[1]}".replace(" ", "")
            expect(str(decoded).replace(" ", "") == wanted, wording.NOTHING_SPECIAL)


@points(0.8, text="L is the number of tokens of the longest sentence, special tokens included")
def check_short_sentences_are_padded(student: Student, expected: Expected) -> None:
    """Short sentences are padded to the longest of the batch, and no further."""
    for batch in BATCHES:
        max_length = 900 if batch == "long" else 30
        _match_batch(student, expected, batch, max_length, "input_ids")


@points(0.8, text="**but at most max_length**: longer sentences are truncated")
def check_long_sentences_are_cut(student: Student, expected: Expected) -> None:
    """Sentences are truncated to max_length tokens, their special tokens included."""
    for batch, max_length in (("unequal", 5), ("unequal", 3), ("one", 4), ("unequal", 8)):
        styles = (*STYLES, "two_ends")
        _match_batch(student, expected, batch, max_length, "input_ids", styles)


@points(0.8, text="at the end at which the tokenizer does both")
def check_pads_and_cuts_where_the_tokenizer_does(student: Student, expected: Expected) -> None:
    """A tokenizer that pads at the beginning, and cuts there, does so in the batch."""
    for max_length in (30, 5):
        _match_batch(student, expected, "unequal", max_length, "input_ids", side="left")


@points(0.8, text="which tokens are real (1) and which are padding (0)")
def check_attention_mask_marks_the_padding(student: Student, expected: Expected) -> None:
    """`attention_mask` is 1 at real tokens and 0 at padding."""
    for batch, max_length in (("unequal", 30), ("unequal", 5), ("empty", 30), ("one", 30)):
        _match_batch(student, expected, batch, max_length, "attention_mask", ALL_STYLES)
    kind = _batch(student, "framed", "unequal", 30).tensor("attention_mask").dtype
    expect(kind != torch.bool, wording.NOT_WHOLE_NUMBERS.format(name="attention_mask"))


@points(0.8, text="after a call what they were before. A second call knows nothing of the first")
def check_leaves_no_trace(student: Student) -> None:
    """The tokenizer and the list of sentences stay as they are, and a later call gives the same."""
    for style, side, ending in product(STYLES, ("right", "left"), (False, True)):
        other: dict[str, str | bool] = {"side": side, "knows_its_end": ending}
        for reply in (
            _sentence(student, style, SENTENCES[0], **other),
            _batch(student, style, "unequal", 5, **other),
        ):
            expect(reply["kept"] is True, wording.CHANGED_GIVEN)
            expect(reply["again"] is True, wording.REMEMBERS_TEXTS)
