"""Small tokenizers, made in the box, of which `encode_sentence` and `encode_batch` are asked."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import probe

WORDS = "the The dog cat sees play ##s ##ed ##ful un . !"
STYLES = {  # one frames a sentence as BERT's tokenizer does, the other only ends it, as T5's does
    "framed": {"pieces": f"[B] {WORDS} [E] <unk> [P]", "frame": "[B] $A [E]", "padding": "[P]"},
    "ended": {"pieces": f"_ <unk> # {WORDS} </s>", "frame": "$A </s>", "padding": "#"},
}
# It says in front of a word that one begins there, as T5's does.
MARKED = {
    "pieces": f"# <unk> {' '.join(f'▁{w}' if w[0] != '#' else w[2:] for w in WORDS.split())} </s>",
    "frame": "$A </s>",
    "padding": "#",
}
TWO_ENDS = {
    "pieces": f"[B] {WORDS} [S] [E] <unk> [P]",
    "frame": "[B] $A [S] [E]",
    "padding": "[P]",
}
PADDED_WITH_ENDS = {"pieces": f"<unk> {WORDS} </s>", "frame": "$A </s>", "padding": "</s>"}


@probe
def encoded(
    answers: Any,
    pieces: str,
    frame: str,
    padding: str,
    texts: str,
    max_length: int | None,
    side: str = "right",
    knows_its_end: bool = False,
) -> dict[str, Any]:
    # One text where there is no max_length, else a batch of them. `side` is where a tokenizer pads.
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    from autograder.box.inside import surroundings

    vocabulary = {piece: number for number, piece in enumerate(pieces.split())}
    marked = any(piece.startswith("▁") for piece in vocabulary)
    inner = {"continuing_subword_prefix": ""} if marked else {}
    raw: Any = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>", **inner))
    raw.pre_tokenizer = pre_tokenizers.Metaspace() if marked else pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.Metaspace() if marked else decoders.WordPiece(cleanup=False)
    ends = [part for part in frame.split() if part != "$A"]
    raw.post_processor = processors.TemplateProcessing(
        single=frame, special_tokens=[(end, vocabulary[end]) for end in ends]
    )
    said = ["input_ids", "token_type_ids", "attention_mask"]  # as BERT's does
    tokenizer = PreTrainedTokenizerFast(
        **{"tokenizer_object": raw, "pad_token": padding, "unk_token": "<unk>"},
        **{"additional_special_tokens": ends, "model_input_names": said},
        **({"eos_token": ends[-1]} if knows_its_end else {}),
        **{"padding_side": side, "truncation_side": side, "model_max_length": 64},
    )
    sentences = texts.split("|")

    def state() -> list[Any]:
        sides = [tokenizer.padding_side, tokenizer.truncation_side, tokenizer.model_max_length]
        sides += tokenizer.model_input_names
        return [*sides, len(tokenizer), str(tokenizer.special_tokens_map), str(sentences)]

    def ask(given: Any) -> Any:
        if max_length is None:
            return answers.encode_sentence(tokenizer, given[0])
        return answers.encode_batch(tokenizer, given, max_length)

    before = state()
    with surroundings.settled(5) as switches:
        found = ask(sentences)
    kept = state() == before and not switches
    ask(["the cat sees ."] * len(sentences))
    again = ask(sentences)
    if max_length is None:
        if not isinstance(found, tuple | list) or len(found) != 3:
            return {"parts": 0}
        tokens, ids, decoded = found
        listed = isinstance(tokens, tuple | list) and all(isinstance(one, str) for one in tokens)
        try:  # a tensor of ids holds integers as a list does
            numbers = torch.as_tensor(ids)
        except (RuntimeError, TypeError, ValueError):
            numbers = torch.zeros(0)
        whole = numbers.dim() == 1 and not numbers.is_floating_point()
        told = {
            "listed": listed,
            "whole": whole,
            "tokens": " ".join(tokens) if listed else "",
            "ids": numbers.long(),
        }
        same = str(again) == str(found)
        return {**told, "parts": 3, "decoded": decoded, "kept": kept, "again": same}
    try:
        names = ("input_ids", "attention_mask")
        columns = {name: found[name] for name in names}
        same = all(str(columns[name]) == str(again[name]) for name in names)
    except (KeyError, TypeError, IndexError):
        return {}
    return {**columns, "kept": kept, "again": same}
