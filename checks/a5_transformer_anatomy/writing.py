"""What runs beside `greedy_decode`: a model of our own, whose next token rests on all that is given
to it, and what it is asked to write."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import probe, sizes_of


class Walk(nn.Module):
    """Its next token follows from the real source and from all tokens so far, in their order.

    `table` holds the tokens that it may say, `special` the ids of start, EOS and padding. It is
    `plain` while it is called with its three inputs alone, and `in_steps` while the last of them
    is one token longer than in the call before, or the first one of a sentence.
    """

    def __init__(self, table: Any, special: Any) -> None:
        super().__init__()
        from types import SimpleNamespace

        names = ("decoder_start_token_id", "eos_token_id", "pad_token_id")
        self.config = SimpleNamespace(**dict(zip(names, special.tolist(), strict=True)))
        self.generation_config = self.config
        self.table = table
        self.calls = self.width = 0
        self.plain = self.in_steps = True

    def forward(
        self,
        input_ids: Any = None,
        attention_mask: Any = None,
        decoder_input_ids: Any = None,
        **others: Any,
    ) -> Any:
        from transformers.modeling_outputs import Seq2SeqLMOutput

        self.calls += 1
        width = decoder_input_ids.shape[1]
        self.plain &= not others
        self.in_steps &= width in (1, self.width + 1)
        self.width = width
        real = input_ids if attention_mask is None else input_ids * (attention_mask != 0)
        memory = (real * torch.arange(1, real.shape[1] + 1)).sum(dim=1, keepdim=True)
        places = torch.arange(1, decoder_input_ids.shape[1] + 1)
        walked = (decoder_input_ids * places).cumsum(dim=1) + memory
        following = self.table[walked % len(self.table)]
        logits = 2.0 * nn.functional.one_hot(following, 20) + torch.sin(torch.arange(20.0))
        return Seq2SeqLMOutput(logits=logits)


def written(answers: Any, **sizes: int) -> Any:
    class Written(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = Walk(torch.zeros(1), torch.tensor([0, 1, 0]))

        def forward(self, input_ids: Any, attention_mask: Any, table: Any, limit: Any) -> Any:
            self.model.table, longest = table, len(limit)
            ids = answers.greedy_decode(self.model, input_ids, attention_mask, longest)
            while ids.shape[1] > 1 and bool((ids[:, -1] == 0).all()):
                ids = ids[:, :-1]  # when it stops is asked by checks of their own
            return nn.functional.pad(ids, (0, longest - ids.shape[1]), value=0)

    return Written()


@probe(uses=[Walk])
def decoded(
    answers: Any, input_ids: Any, attention_mask: Any, table: Any, special: Any, max_length: int
) -> dict[str, Any]:
    model = Walk(table, special).eval()
    before = dict(vars(model.config))
    ids = answers.greedy_decode(model, input_ids, attention_mask, max_length)
    told = {"calls": model.calls, "plain": model.plain, "steps": model.in_steps}
    held = getattr(model.config, "__dict__", {})
    kept = held.keys() == before.keys() and all(held[name] is before[name] for name in before)
    return {"ids": ids, "kept": kept, **told}


SOURCE = torch.tensor([[5, 3, 3, 1, 0], [3, 4, 5, 6, 1], [9, 1, 0, 0, 0], [7, 8, 1, 0, 0]])
REAL = (SOURCE != 0).long()
# Rows that end after four different numbers of tokens, the last row not last.
BATCH: dict[str, Any] = {
    "input_ids": SOURCE,
    "attention_mask": REAL,
    "table": sizes_of(6, 8, 9, 5, 6, 14, 3, 4, 5, 6, 11, 6, 1, 13, 1, 10, 10),
    "special": sizes_of(0, 1, 0),
    "max_length": 40,
}
# Other ids for start, end and padding, and what is no padding for T5 is some here. The model says
# start and padding like other words, some tokens twice in a row, and ends one row at once.
OTHER: dict[str, Any] = {
    "input_ids": SOURCE.where(REAL == 1, 2),
    "attention_mask": REAL,
    "table": sizes_of(2, 9, 5, 2, 6, 15, 2, 2, 15, 6, 4, 2, 12, 6, 2, 6, 12),
    "special": sizes_of(15, 6, 2),
    "max_length": 40,
}
# A start token that is the end token, too.
STARTS_WITH_END: dict[str, Any] = {
    **OTHER,
    "special": sizes_of(6, 6, 2),
}
# One of the ids is 0, which no padding has.
ZEROS: dict[str, dict[str, Any]] = {
    "start_is_zero": {**OTHER, "special": sizes_of(0, 6, 2)},
    "end_is_zero": {
        **OTHER,
        "table": OTHER["table"].where(OTHER["table"] != 6, 0),
        "special": sizes_of(15, 0, 2),
    },
}
ENDLESS: dict[str, Any] = {**BATCH, "table": sizes_of(5, 7, 3, 9, 4, 11, 8, 3, 6, 13)}
