"""An answer that is made and asked more than once: what it keeps of one time for the next."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import zip_longest
from typing import Any

import torch
from torch import nn

from autograder.box.inside import likeness, surroundings
from autograder.box.inside.answer import Answer, Tensors
from autograder.box.inside.state import seed_torch

ROUNDING = 1e-4  # by which results may differ where gradients are kept


class Repeated(Answer):
    """One answer in one case of a plan, asked as often as it takes; its tensors go to `found`."""

    def __init__(self, *asked: Any, found: Tensors) -> None:
        super().__init__(*asked)
        self._found = found

    def asked(self, subject: Any, inputs: dict[str, torch.Tensor]) -> list[Any]:
        return self.parts(self._called(subject, inputs))

    def parts(self, answer: Any) -> list[Any]:
        """What an answer returned, one part for each result, if it returned so many."""
        names = self._plan["returns"]
        if isinstance(answer, Mapping) and (self._plan["dictionary"] or len(names) > 1):
            return [answer.get(name) for name in names]
        if len(names) == 1:
            return [answer]
        return list(answer) if isinstance(answer, tuple | list) else [answer]

    def started(self, subject: Any) -> dict[str, Any]:
        """What two answers that start with other random numbers have in common.

        Their first weights, where they make them; or random numbers that go on alike afterwards.
        With dropout also whether a second call drops what the first one has drawn.
        """
        chance = self._plan["random"] or self._plan["dropout"]  # else a call may draw nothing
        if not chance and not isinstance(subject, nn.Module):
            return {}
        starts, drawn, left = [], [], []
        for seed in (self.seed, self.seed + 1):
            seed_torch(seed)
            fresh = self.made()
            starts.append(likeness.matrices(fresh))
            drawn.append(torch.random.get_rng_state())
            by_chance = self._drawn_in_a_call(fresh) if chance else None
            left.append(torch.random.get_rng_state())
        alike = bool(starts[0]) and not self._is_wrapped(subject)
        drops = self._plan["dropout"] and self._case["training"]
        # what begins at fixed numbers, as gains and tables do, is no sign of a seed
        chosen = surroundings.same(*drawn) or any(map(likeness.share_memory, *starts))
        return {
            "same_start": alike and chosen and all(map(surroundings.same, *starts)),
            "seeded": surroundings.same(*left),
            "kept_pattern": drops and by_chance != self._drawn_in_a_call(fresh),
        }

    def _drawn_in_a_call(self, subject: Any) -> tuple[bool, int]:
        """Whether a call draws random numbers, and how often it asks torch for dropout."""
        before = torch.random.get_rng_state()
        with suppress(Exception):  # a call has cases of its own
            self._called(subject, self._inputs(self._case["data"]))
        return not surroundings.same(before, torch.random.get_rng_state()), len(self._rates)

    def _is_wrapped(self, subject: nn.Module) -> bool:
        """Whether it is the battery's own module around the answer."""
        if not self._plan["make"]:
            return False
        answer = getattr(self._answers, self._plan["answer"])
        return not (isinstance(answer, type) and isinstance(subject, answer))

    def asked_again(self, subject: Any, world: list[str]) -> dict[str, Any]:
        """What an answer keeps of one call for the next: inputs, weights, or what it returned.

        Also whether it returned something else while gradients were kept.
        """
        data = self._case["data"]
        halves = {n: likeness.other(t) for n, t in self._inputs(data, all_given=True).items()}
        own = self._inputs(data)
        with torch.no_grad():
            first = self.parts(self._called(subject, self._inputs(data)))
            if torch.is_grad_enabled():
                world.append("set_grad_enabled")
                torch.set_grad_enabled(False)
            used = self.made()
            if isinstance(used, nn.Module):
                self._of_fewer(used)  # before it has its weights
            self._laid(used)
            fewer = self._of_fewer(used)
            with suppress(Exception):  # other numbers have cases of their own
                self._called(used, halves)
            for name, tensor in own.items():
                halves[name].copy_(tensor)
            try:
                last = self.parts(self._called(used, {name: halves[name] for name in own}))
            except Exception:
                return {"forgets": True}
            pairs = [*zip(first, last, strict=False)]
            if fewer:  # now after larger ones
                pairs += zip_longest(fewer, self._of_fewer(used))
        return {
            "forgets": not all(likeness.near(a, b) for a, b in pairs),
            "needs_grad": not self._is_as_kept(first),
            "kept_result": any(map(likeness.share_memory, first, last)),
        }

    def _is_as_kept(self, parts: list[Any]) -> bool:
        """Whether these are the results of the case; torch may reckon otherwise for gradients."""
        if self._plan["random"] or self._plan["call"]:  # which may take gradients itself
            return True
        for name, part in zip(self._plan["returns"], parts, strict=False):
            kept = self._found.get(f"{self._case['id']}/{name}")
            if kept is not None and not likeness.near(part, kept, atol=ROUNDING):
                return False
        return True

    def _of_fewer(self, subject: Any) -> list[Any]:
        """Copies of what it returns for fewer and shorter sequences; empty where it raises."""
        try:
            inputs = self._inputs(f"{self._case['data']}/other", all_given=True)
            return [likeness.copy(part) for part in self.parts(self._called(subject, inputs))]
        except Exception:  # other sizes have cases of their own
            return []
