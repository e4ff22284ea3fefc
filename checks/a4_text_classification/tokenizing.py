"""Small tokenizers, made in the box, of which `tokenize_batch` is asked."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import probe

WORDS = "rebel ##s sign treaty storm embassy as stocks fall ##ing , a"
TOKENIZERS = {
    "usual": f"[PAD] [UNK] [CLS] [SEP] {WORDS}",
    "padding_last": f"{WORDS} Rebel As Falling [UNK] </s> <s> <pad>",  # and capitals count
    "padded_with_ends": f"[UNK] [CLS] [SEP] {WORDS}",
    "of_two_tensors": f"{WORDS} [PAD] [UNK] [CLS] [SEP] storms",
}


@probe
def tokenized(
    answers: Any, vocabulary: str, texts: str, labels: Any, max_length: int | None
) -> dict[str, Any]:
    from collections.abc import Mapping

    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    from autograder.box.inside import surroundings

    numbers = {token: number for number, token in enumerate(vocabulary.split())}
    raw = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer(lowercase="Rebel" not in numbers)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = ("<s>", "</s>") if "<s>" in numbers else ("[CLS]", "[SEP]")
    raw.post_processor = processors.TemplateProcessing(
        single=f"{ends[0]} $A {ends[1]}",
        special_tokens=[(end, numbers[end]) for end in ends],
    )
    special: dict[str, Any] = {"unk_token": "[UNK]", "cls_token": ends[0], "sep_token": ends[1]}
    special["pad_token"] = next((one for one in ("[PAD]", "<pad>") if one in numbers), ends[1])
    said = ["input_ids", "token_type_ids", "attention_mask"]  # as BERT's does
    if "storms" in numbers:
        said.remove("token_type_ids")  # as GPT's does
    if "Rebel" in numbers:
        special["model_max_length"] = 10  # what a model takes is no matter of this question
    special |= {"tokenizer_object": raw, "model_input_names": said}
    tokenizer = PreTrainedTokenizerFast(**special)
    given = {} if max_length is None else {"max_length": max_length}
    listed: Any = (texts.split("\n"), labels.tolist())

    def state() -> list[Any]:
        sides = [tokenizer.padding_side, tokenizer.truncation_side, tokenizer.model_max_length]
        return [*sides, len(tokenizer), str(tokenizer.special_tokens_map), str(listed)]

    before = state()
    with surroundings.settled(5) as switches:
        found = answers.tokenize_batch(tokenizer, *listed, **given)
    kept = state() == before and not switches
    if not isinstance(found, Mapping):
        return {"is_dict": False, "names": "", "kept": kept}
    first = {name: torch.as_tensor(column).clone() for name, column in found.items()}
    others = [(number + 1) % 7 for number in listed[1]]
    other = answers.tokenize_batch(tokenizer, ["storm" for _ in others], others, **given)
    last = answers.tokenize_batch(tokenizer, *listed, **given)
    again = all(torch.equal(torch.as_tensor(last[name]), first[name]) for name in first)
    again = again and torch.as_tensor(other["labels"]).tolist() == others
    told = {"is_dict": True, "names": " ".join(sorted(map(str, found))), "kept": kept}
    return {**told, "again": again, **found}
