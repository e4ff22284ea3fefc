"""What the box makes: models of the answers, and models that are handed to answers."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import probe


def built(
    answers: Any, input_dim: int, dim: int, classes: int, heads: int, layers: int, **sizes: int
) -> Any:
    return answers.TransformerPredictor(input_dim, dim, classes, heads, layers)


def dropping_inside(
    answers: Any, input_dim: int, dim: int, classes: int, heads: int, layers: int, **sizes: int
) -> Any:
    return answers.TransformerPredictor(input_dim, dim, classes, heads, layers, 0.7)


def dropping_input(
    answers: Any, input_dim: int, dim: int, classes: int, heads: int, layers: int, **sizes: int
) -> Any:
    return answers.TransformerPredictor(input_dim, dim, classes, heads, layers, input_dropout=0.7)


def stepping(
    answers: Any,
    digits: int,
    classes: int,
    scale: int,
    adaptive: int,
    stale: int,
    frozen: int,
    **sizes: int,
) -> Any:
    """Three steps on one model, which is in evaluation mode before each."""

    class Stepped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.input_dim = digits
            self.mix = nn.Parameter(torch.zeros(digits, digits))
            self.out = nn.Parameter(torch.zeros(classes, digits))
            self.level = nn.Parameter(torch.zeros(classes), requires_grad=not frozen)
            self.asked = False

        def logits(self, x: Any) -> Any:
            return scale * torch.tanh(x @ self.mix + x.flip(1)) @ self.out.T + self.level

        def forward(self, x: Any, y: Any = None) -> Any:
            if self.asked:
                return self.logits(x)
            self.asked = True
            learning = (self.mix, self.out)
            start = [parameter.detach().clone() for parameter in self.parameters()]
            groups = [{"params": [one]} for one in learning] if stale else learning
            chosen: Any = torch.optim.SGD(groups, lr=0.5 / scale, momentum=0.5)
            if adaptive > 1:
                chosen = torch.optim.AdamW(learning, lr=0.05, weight_decay=0.1)
            found = []
            for shift in range(3):
                for parameter in learning if stale else ():
                    parameter.grad = torch.ones_like(parameter)
                self.eval()
                with torch.enable_grad():
                    pair = answers.train_step(self, (x + shift) % digits, y, chosen)
                found.append([float(part) for part in pair])
            losses, accuracies = torch.tensor(found).unbind(1)
            ends = [parameter.detach().clone() for parameter in learning]
            with torch.no_grad():
                for parameter, was in zip(self.parameters(), start, strict=True):
                    parameter.copy_(was)
                    parameter.grad = None
            self.asked = False
            return losses, accuracies, *ends

    return Stepped()


def evaluating(answers: Any, digits: int, classes: int, scale: int, **sizes: int) -> Any:
    """An evaluation of a model that would drop numbers out in training mode."""

    class Evaluated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.input_dim = digits
            self.out = nn.Parameter(torch.zeros(classes, digits))
            self.level = nn.Parameter(torch.zeros(classes), requires_grad=False)
            self.dropout = nn.Dropout(0.5)
            self.asked = False

        def forward(self, x: Any, y: Any = None) -> Any:
            if self.asked:
                return scale * self.dropout(x + 0.5 * x.flip(1)) @ self.out.T + self.level
            self.asked = True
            pair = answers.eval_step(self, x, y)
            self.asked = False
            return tuple(torch.tensor(float(part)) for part in pair)

    return Evaluated()


@probe
def looked_at(answers: Any, x: Any, y: Any) -> dict[str, Any]:
    class Given(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.input_dim = 5
            self.inner = nn.Sequential(nn.Linear(5, 5), nn.Dropout(0.5))
            self.seen: list[Any] = []
            self.unhooked = 0

        def forward(self, x: Any, mask: Any = None, add_positional_encoding: bool = True) -> Any:
            self.unhooked += 1
            logits = self.inner(x)
            self.seen.append((self.inner[1].training, logits.requires_grad))
            return logits

    model = Given().eval()
    model.register_forward_hook(lambda *_: setattr(model, "unhooked", model.unhooked - 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    pairs = [answers.train_step(model, x, y, optimizer)]
    trains = bool(model.seen) and all(mode for mode, _ in model.seen)
    stays = all(part.training for part in model.modules())
    model.seen.clear()
    model.inner[1].eval()  # a part alone
    pairs.append(answers.train_step(model, x, y, optimizer))
    trains &= bool(model.seen) and all(mode for mode, _ in model.seen)
    model.train().seen.clear()
    pairs.append(answers.eval_step(model, x, y))
    model.eval().inner[1].train()
    pairs.append(answers.eval_step(model, x, y))
    return {
        "called": model.unhooked == 0,
        "trains": trains,
        "stays": stays,
        "evaluates": bool(model.seen) and not any(mode for mode, _ in model.seen),
        "without_gradients": bool(model.seen) and not any(flows for _, flows in model.seen),
        "floats": all(type(part) is float for pair in pairs for part in pair),
    }


@probe
def compared(answers: Any, x: Any, y: Any) -> dict[str, Any]:
    """How loss and accuracy compare with those of each answer that a model with dropout gave."""

    class Given(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.input_dim = 5
            self.inner = nn.Sequential(nn.Linear(5, 5), nn.Dropout(0.5))
            self.seen: list[Any] = []

        def forward(self, x: Any, mask: Any = None, add_positional_encoding: bool = True) -> Any:
            logits = self.inner(x)
            self.seen.append(logits.detach().double())
            return logits

    def apart(pair: Any, logits: Any) -> Any:
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        accuracy = (logits.argmax(dim=-1) == y).double().mean()
        return (torch.stack([loss, accuracy]) - torch.tensor([float(part) for part in pair])).abs()

    model = Given()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rounded, mixed = False, False
    for number in range(8):
        pair = answers.eval_step(model, x, y)
        if number % 2:
            model.seen.clear()
            pair = answers.train_step(model, x, y, optimizer)
        whole = [apart(pair, logits) for logits in model.seen if logits.shape[:2] == y.shape]
        model.seen.clear()
        near = torch.stack(whole) < 1e-3 if whole else torch.zeros(1, 2)
        exact = torch.stack(whole) < 2e-6 if whole else near
        rounded |= not torch.equal(near.any(dim=0), exact.any(dim=0))
        mixed |= bool(near.any(dim=0).all() and not near.all(dim=1).any())
    return {"rounded": rounded, "mixed": mixed}
