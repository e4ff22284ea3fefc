"""The models that `overfit_one_batch` trains."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import Probe, probe


class Headlines(nn.Module):
    """The mean of the real tokens' vectors, and a layer; logits are `scale` times as large."""

    def __init__(self, tokens: int, size: int, classes: int, scale: int = 1) -> None:
        super().__init__()
        self.scale = scale
        self.words = nn.Parameter(torch.zeros(tokens, size))
        self.out = nn.Parameter(torch.zeros(classes, size))
        self.dropout = nn.Dropout(0.5)
        self.modes: list[bool] = []
        self.unhooked = 0

    def forward(self, input_ids: Any, attention_mask: Any) -> Any:
        self.modes.append(self.training or self.dropout.training)
        self.unhooked += 1
        real = attention_mask[..., None].to(self.words.dtype)
        mean = (self.words[input_ids] * real).sum(dim=1) / (1 + real.sum(dim=1))
        logits = self.scale * self.dropout(torch.tanh(mean)) @ self.out.T
        return torch.log_softmax(logits, dim=-1)


class Overfitted(nn.Module):
    """Asks for some steps on a model, whose weights it puts back."""

    def __init__(self, model: Any, train: Any, steps: int, adaptive: bool, stale: bool) -> None:
        super().__init__()
        self.model, self.train_on = model, train
        self.steps, self.adaptive, self.stale = steps, adaptive, stale

    def forward(self, input_ids: Any, attention_mask: Any, labels: Any) -> Any:
        own = [*self.model.parameters()]
        start = [parameter.detach().clone() for parameter in own]
        for parameter in own if self.stale else ():
            parameter.grad = torch.ones_like(parameter)
        groups = [{"params": [parameter]} for parameter in own] if self.stale else own
        chosen: Any = torch.optim.SGD(groups, lr=0.5 / self.model.scale**2, momentum=0.5)
        if self.adaptive:
            chosen = torch.optim.AdamW(own, lr=0.05, weight_decay=0.1)
        batch = {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}
        with torch.enable_grad():
            losses = self.train_on(self.model, batch, chosen, self.steps)
        ends = [parameter.detach().clone() for parameter in own]
        with torch.no_grad():
            for parameter, was in zip(own, start, strict=True):
                parameter.copy_(was)
                parameter.grad = None
        return torch.tensor([float(loss) for loss in losses]), *ends


def overfitted(
    answers: Any,
    tokens: int,
    size: int,
    classes: int,
    steps: int,
    adaptive: int,
    stale: int,
    scale: int,
    **sizes: int,
) -> Any:
    model = Headlines(tokens, size, classes, scale)
    return Overfitted(model, answers.overfit_one_batch, steps, adaptive > 1, stale > 0)


OVERFITTED = Probe(overfitted, uses=(Headlines, Overfitted))


@probe(uses=(Headlines,))
def watched(answers: Any, training: bool) -> dict[str, Any]:
    from autograder.box.inside import surroundings

    model = Headlines(6, 3, 4).train(training)
    with torch.no_grad():
        for parameter in model.parameters():
            cosines = torch.arange(1, 1 + parameter.numel()).double().cos()
            parameter.copy_(cosines.reshape(parameter.shape))
    model.register_forward_hook(lambda *_: setattr(model, "unhooked", model.unhooked - 1))
    batch = {
        "input_ids": torch.tensor([[1, 2, 3], [4, 5, 0], [2, 2, 0], [5, 1, 4], [3, 0, 0]]),
        "attention_mask": torch.tensor([[1, 1, 1], [1, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 0]]),
        "labels": torch.tensor([3, 1, 0, 2, 2]),
    }
    before = {name: column.clone() for name, column in batch.items()}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    made: list[None] = []
    counting = optimizer.register_step_post_hook(lambda *_: made.append(None))
    with surroundings.settled(3) as switches:
        drawn = torch.random.get_rng_state()
        losses = answers.overfit_one_batch(model, batch, optimizer, 3)
        drew = not torch.equal(drawn, torch.random.get_rng_state())
    counting.remove()
    floats = isinstance(losses, list) and all(type(loss) is float for loss in losses)
    modes, unhooked = list(model.modes), model.unhooked
    left = {part.training for part in model.modules()}
    at_rest = answers.overfit_one_batch(model, batch, torch.optim.SGD(model.parameters(), lr=0), 5)
    with torch.no_grad():  # all is known from the start
        model.out.mul_(1e4)
        known = model.eval()(batch["input_ids"], batch["attention_mask"]).argmax(dim=-1)
    sure = answers.overfit_one_batch(model, {**batch, "labels": known}, optimizer, 60)
    try:
        none = answers.overfit_one_batch(model, batch, optimizer, 0)
    except Exception:  # told by one check alone
        none = None  # which no loop gives
    model.eval().dropout.train()  # a part alone
    model.modes.clear()
    answers.overfit_one_batch(model, batch, optimizer, 1)
    modes += model.modes
    same = [surroundings.same(one, before[name]) for name, one in batch.items() if name in before]
    return {
        "first": torch.tensor(losses[:1]) if floats else None,
        "switches": " ".join(switches),
        "floats": floats and len(losses) == 3 and len(at_rest) == 5,
        "as many as steps": isinstance(sure, list) and len(sure) == 60,
        "none for no step": none == [],
        "raised for no step": none is None,
        "a step for each loss": len(made) == 3,
        "left_training": left.pop() if len(left) == 1 else None,
        "seen": bool(modes),
        "in_training": any(modes),
        "called": unhooked == 0,
        "kept": len(same) == len(batch) == len(before) and all(same),
        "paced": [group["lr"] for group in optimizer.param_groups] == [0.1],
        "drew": drew,
    }
