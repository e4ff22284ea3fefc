"""One way in which an answer is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from autograder.checking.inputs import Data

Sizes = Mapping[str, int]
Aspect = Literal["values", "bare", "sizes", "extremes", "modes", "kind", "device"]


@dataclass(frozen=True)
class Case:
    """One way in which an answer is asked.

    Attributes:
        id: its name; the same in expected tensors and in replies.
        aspect: what it is judged for.
        sizes: by name.
        data: what kind of numbers.
        of: the id of the case whose inputs and expected tensors it shares; its own by default.
        again: whether it is asked a second and a third time.
        omitted: names of inputs that are left out.
        shared: how many inputs of one shape, from the first on, are one and the same tensor.
        chosen: which of its values a setting has, by its name; the first where nothing is said.
    """

    id: str
    aspect: Aspect
    sizes: Sizes
    data: Data = "ordinary"
    of: str = ""
    dtype: Literal["float32", "float64", "bfloat16"] = "float32"
    training: bool = True
    strided: bool = False
    gradients: bool = False
    again: bool = False
    omitted: Sequence[str] = ()
    shared: int = 0
    chosen: Mapping[str, int] = field(default_factory=dict)

    @property
    def source(self) -> str:
        return self.of or self.id
