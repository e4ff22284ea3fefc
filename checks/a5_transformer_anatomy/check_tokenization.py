"""Checks of `encode_sentence` and `encode_batch`, with tokenizers that the probes make.

One of them frames a sentence as BERT's does, the other only ends it, as T5's does.
"""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    CheckFailure,
    Expected,
    Reply,
    Student,
    expect,
    expect_shape,
    points,
    probe,
    values,
)
from autograder.results import sentences

from . import wording


@probe
def sentence_encoded(
    answers: Any, pieces: str, frame: str, padding: str, text: str
) -> dict[str, Any]:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {piece: number for number, piece in enumerate(pieces.split())}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece(cleanup=False)
    ends = [part for part in frame.split() if part != "$A"]
    made.post_processor = processors.TemplateProcessing(
        single=frame, special_tokens=[(end, vocabulary[end]) for end in ends]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token=padding, unk_token="<unk>", additional_special_tokens=ends
    )
    found = answers.encode_sentence(tokenizer, text)
    if not isinstance(found, (tuple, list)) or len(found) != 3:
        return {"parts": 0}
    tokens, ids, decoded = found
    told = tokens if isinstance(tokens, str) else " ".join(str(token) for token in tokens)
    return {"parts": 3, "tokens": told, "ids": torch.as_tensor(ids), "decoded": decoded}


@probe
def batch_encoded(
    answers: Any, pieces: str, frame: str, padding: str, text: str, max_length: int
) -> dict[str, Any]:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {piece: number for number, piece in enumerate(pieces.split())}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [part for part in frame.split() if part != "$A"]
    made.post_processor = processors.TemplateProcessing(
        single=frame, special_tokens=[(end, vocabulary[end]) for end in ends]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token=padding, unk_token="<unk>", additional_special_tokens=ends
    )
    found = answers.encode_batch(tokenizer, text.split("|"), max_length)
    try:
        return {name: found[name] for name in ("input_ids", "attention_mask")}
    except (KeyError, TypeError, IndexError):
        return {}


WORDS = "the dog cat sees play ##s ##ed ##ful un . !"
STYLES = {
    "framed": {"pieces": f"[B] {WORDS} [E] <unk> [P]", "frame": "[B] $A [E]", "padding": "[P]"},
    "ended": {"pieces": f"_ <unk> # {WORDS} </s>", "frame": "$A </s>", "padding": "#"},
}
SENTENCES = "the dog sees .|cats !|the playful cat played ."
LONGEST = {"framed": 9, "ended": 8}


def _sentence(student: Student, style: str) -> Reply:
    reply = student.run(sentence_encoded, text="the playful dogs sees .", **STYLES[style])
    expect(reply["parts"] == 3, wording.NOT_THREE)
    return reply


def _batch(student: Student, style: str, max_length: int) -> Reply:
    reply = student.run(batch_encoded, text=SENTENCES, max_length=max_length, **STYLES[style])
    for name in ("input_ids", "attention_mask"):
        expect(name in reply, wording.NOT_A_MAPPING)
        whole = reply.tensor(name).dtype in (torch.int64, torch.int32, torch.bool)
        expect(whole, wording.NOT_WHOLE_NUMBERS.format(name=name))
    return reply


def _tokens(style: str, ids: torch.Tensor) -> list[str]:
    pieces = STYLES[style]["pieces"].split()
    known = ids.dim() == 1 and ids.dtype == torch.int64 and len(ids) > 0
    if not known or bool((ids < 0).any() | (ids >= len(pieces)).any()):
        raise CheckFailure(wording.OTHER_TOKENS)
    return [pieces[number] for number in ids.tolist()]


@points(2)
def check_ids_hold_the_special_tokens(student: Student, expected: Expected) -> None:
    """The ids are those of the sentence, framed by the tokenizer's special tokens."""
    for style in STYLES:
        reply = _sentence(student, style)
        expected.match(f"sentence_{style}", Reply.of({"ids": reply.tensor("ids")}))


@values
@points(1)
def check_tokens_are_those_of_the_ids(student: Student, expected: Expected) -> None:
    """The tokens are the tokenizer's pieces, one for each id."""
    for style in STYLES:
        reply = _sentence(student, style)
        wanted = _tokens(style, reply.tensor("ids"))
        expect(reply["tokens"] == " ".join(wanted), wording.OTHER_TOKENS)
        expect(any("##" in token for token in wanted), wording.OTHER_TOKENS)


@points(1)
def check_decoded_text_holds_the_special_tokens(student: Student, expected: Expected) -> None:
    """The decoded text is the sentence with its special tokens."""
    for style, ends in (("framed", ("[B]", "[E]")), ("ended", ("", "</s>"))):
        decoded = _sentence(student, style)["decoded"]
        expect(isinstance(decoded, str), wording.NOTHING_SPECIAL)
        wanted = f"{ends[0]}theplayfuldogssees.{ends[1]}"
        expect(str(decoded).replace(" ", "") == wanted, wording.NOTHING_SPECIAL)


@points(2)
def check_batch_is_as_long_as_its_longest_sentence(student: Student, expected: Expected) -> None:
    """Short sentences are padded to the longest of the batch, and no further."""
    for style, length in LONGEST.items():
        for name in ("input_ids", "attention_mask"):
            found = _batch(student, style, 30).tensor(name)
            expect(tuple(found.shape) == (3, length), wording.NOT_AS_SHORT)


@points(1)
def check_long_sentences_are_cut(student: Student, expected: Expected) -> None:
    """Sentences are truncated to max_length tokens, their special tokens included."""
    for style in STYLES:
        for max_length in (5, 3):
            reply = _batch(student, style, max_length)
            for name in ("input_ids", "attention_mask"):
                expect(tuple(reply.tensor(name).shape) == (3, max_length), wording.NOT_CUT)
            ids = reply.tensor("input_ids").long()
            expected.match(f"cut_{style}_{max_length}", Reply.of({"input_ids": ids}))


@points(1)
def check_batch_has_the_right_ids(student: Student, expected: Expected) -> None:
    """Each row of `input_ids` is a sentence, framed by special tokens, then padded."""
    for style, length in LONGEST.items():
        reply = _batch(student, style, length)
        expect_shape(reply, "input_ids", N=3, L=length)
        ids = reply.tensor("input_ids").long()
        expected.match(f"batch_{style}", Reply.of({"input_ids": ids}))


@values
@points(2)
def check_attention_mask_marks_the_padding(student: Student, expected: Expected) -> None:
    """`attention_mask` is 1 at real tokens and 0 at padding."""
    for style in STYLES:
        for max_length in (30, 5):
            mask = _batch(student, style, max_length).tensor("attention_mask")
            if mask.dim() != 2 or mask.shape[0] != 3:
                raise CheckFailure(
                    sentences.shape("attention_mask", mask.shape, [("N", 3), ("L", 5)])
                )
            wanted = _real_tokens(style, max_length, mask.shape[1])
            expect(torch.equal(mask.long(), wanted), wording.NOT_PADDING)


def _real_tokens(style: str, max_length: int, columns: int) -> torch.Tensor:
    ends = len(STYLES[style]["frame"].split()) - 1
    words = torch.tensor([[4], [3], [7]])  # pieces of each sentence
    return (torch.arange(columns) < (words + ends).clamp(max=max_length)).long()
