"""The model that `evaluate` is asked about: it looks its answers up and notes how it is asked."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import probe


@probe
def measured(
    answers: Any, table: Any, labels: Any, batch_size: int, drop_last: bool, training: bool
) -> dict[str, Any]:
    from torch.utils.data import DataLoader, default_collate

    from autograder.box.inside import surroundings

    class Recorded(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(table.clone())
            self.dropout = nn.Dropout(0.5)
            self.seen: list[Any] = []
            self.passed_by = 0  # how often `forward` ran without a call
            self.register_forward_hook(lambda *_: setattr(self, "passed_by", self.passed_by - 1))

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            self.passed_by += 1
            rows, weight = input_ids[:, 0], attention_mask.sum(dim=1, keepdim=True)
            training = self.training or self.dropout.training
            trained = [training, torch.is_grad_enabled()]
            self.seen += [(int(row), *trained) for row in rows]
            return torch.log_softmax(self.dropout(self.table)[rows] * weight, dim=-1)

    handed: list[Any] = []

    def collated(items: list[Any]) -> Any:
        batch = default_collate(items)
        handed.append((batch, {name: column.clone() for name, column in batch.items()}))
        return batch

    ids = torch.arange(len(labels))[:, None].repeat(1, 3)
    mask = (ids % 3 >= torch.arange(3)).long()
    columns = {"input_ids": ids, "attention_mask": mask, "labels": labels}
    items: Any = [{name: column[i] for name, column in columns.items()} for i in range(len(labels))]
    given: Any = {"collate_fn": collated, "generator": torch.Generator().manual_seed(1)}
    given |= {"batch_size": batch_size, "drop_last": drop_last}
    found: dict[str, Any] = {}
    with surroundings.settled(5) as switches:
        model = Recorded().train(training)
        model.table.grad = table.clone()
        random = torch.random.get_rng_state()
        pair = answers.evaluate(model, DataLoader(items, **given))
        found["drew"] = not torch.equal(random, torch.random.get_rng_state())
        modes = {part.training for part in model.modules()}
        found["left_training"] = modes.pop() if len(modes) == 1 else None
        found["trainable"] = model.table.requires_grad
        seen = torch.tensor(model.seen, dtype=torch.int64).reshape(-1, 3)
        answers.evaluate(model, DataLoader(items[:batch_size], **given))
        with torch.no_grad():
            again = answers.evaluate(model, DataLoader(items, **given))
            found["switched_on"] = torch.is_grad_enabled()
        model.eval().dropout.train()  # a part alone
        model.seen.clear()
        answers.evaluate(model, DataLoader(items[:batch_size], **given))
        partly = any(training for _, training, _ in model.seen)
        found["called"] = model.passed_by == 0
    kept = all(
        batch.keys() == was.keys() and all(surroundings.same(batch[n], was[n]) for n in was)
        for batch, was in handed
    )
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2
    plain = is_pair and all(isinstance(number, float) for number in pair)
    both = [torch.as_tensor(n).double().reshape(-1) for n in pair] if is_pair else [None, None]
    return {
        **found,
        "plain": plain,
        "loss": both[0],
        "accuracy": both[1],
        "same_again": not plain or list(again) == list(pair),
        "rows": seen[:, 0],
        "in_training": partly or bool(seen[:, 1].any()),
        "with_gradients": bool(seen[:, 2].any()),
        "switches": " ".join(switches),
        "kept": kept,
        "table": model.table,
        "gradient": model.table.grad,
    }
