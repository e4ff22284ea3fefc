"""How a check fails: with a sentence that the student reads."""

from __future__ import annotations

from typing import Self

import torch

from autograder.checking.kinds import OBSERVED
from autograder.results import sentences
from autograder.results.model import ErrorMap, Status


class Seen(str):
    """A sentence of a check that names a mistake by itself, with where to look for it.

    Attributes:
        name: of the mistake.
        hint: where to look; that of `kinds.OBSERVED` where none is given.
    """

    name: str
    hint: str

    def __new__(cls, sentence: str, name: str, hint: str = "") -> Self:
        made = super().__new__(cls, sentence)
        made.name, made.hint = name, hint or OBSERVED[name]
        return made


class CheckFailure(AssertionError):
    """A check did not hold; the text is for the student.

    Attributes:
        status: what stood in the way; "wrong" for a wrong answer.
        error_map: where compared values are wrong.
        observed: what was seen to be wrong, a name in `kinds.OBSERVED` or that of a sentence that
            is `Seen`; empty for nothing of these.
        hint: where to look for what was seen.
    """

    def __init__(
        self,
        sentence: str,
        status: Status = "wrong",
        error_map: ErrorMap | None = None,
        observed: str = "",
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.error_map = error_map
        self.observed, self.hint = observed, OBSERVED.get(observed, "")
        if isinstance(sentence, Seen):
            self.observed, self.hint = sentence.name, sentence.hint

    def anew(self, sentence: str = "", observed: str = "") -> CheckFailure:
        """The same, in other words if any are given; `observed` where nothing was seen before.

        It is without the frames of whoever raised it, which hold all that they knew.
        """
        said = sentence or self.args[0]
        return CheckFailure(said, self.status, self.error_map, self.observed or observed)


class MissingAnswer(CheckFailure):
    """The notebook does not define what a probe asked for.

    Attributes:
        name: what is not defined.
    """

    def __init__(self, name: str) -> None:
        super().__init__(sentences.missing_name(name), "error")
        self.name = name


def expect(holds: bool | torch.Tensor, sentence: str) -> None:
    """Fails the check with `sentence` unless it holds; a tensor does when it is a single truth."""
    single = not isinstance(holds, torch.Tensor) or holds.numel() == 1
    if not (single and bool(holds)):
        raise CheckFailure(sentence)
