"""What came of asking an answer in all cases of its domain, judged aspect by aspect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import torch
from torch.nn.functional import cosine_similarity

from autograder.checking.cases import Case
from autograder.checking.chance import are_alike, is_chance
from autograder.checking.examined import ALL_SIZES, Examined
from autograder.checking.failures import CheckFailure
from autograder.checking.structures import LAID, SEEDED
from autograder.results import battery_sentences, sentences

GRADIENT_ATOL = 1e-4
GRADIENT_RTOL = 1e-3
GRADIENT_NOISE = 1e-6  # of what is zero by the formula, as that of a bias that a softmax cancels
GRADIENT_TRACE = 1e-2  # of a right one's largest number: with less an input is there for show
ALIGNED = 0.5  # the cosine between a gradient and the right one, where no result is right
OTHERS = {"float64": (torch.float32,), "bfloat16": (torch.float32, torch.float64)}
"""What has lost the dtype of inputs and parameters; a mask, or ids, need not have it."""
IN_PLACE = "modified by an inplace operation"
"""What autograd says of a tensor that was overwritten."""


class Examination(Examined):
    """What came of asking one answer in all cases, aspect by aspect."""

    def expect_parts(self) -> None:
        """The module's parameters and attributes are those of the question."""
        self._expect_registered("parts")
        for case in self._that_ran("parts"):
            if self._fact(case, "unfit"):  # other aspects tell that, and nothing was asked
                continue
            for attribute, size in self._domain.attributes.items():
                wanted = self._domain.shape(size, case.sizes)[0]
                if (self._fact(case, "attributes") or {}).get(attribute) != wanted:
                    raise CheckFailure(battery_sentences.attribute(attribute, size))
        if self._inquiry.weights != LAID:
            raise self._other_layers(self._cases[0])
        if not self._inquiry.layers(self._cases[0]) and self._inquiry.outline:
            raise CheckFailure(battery_sentences.nothing_to_train())

    def expect_everywhere(self) -> None:
        """The results in all cases in one, for a question with few points."""
        self._expect_right("everywhere")
        self._expect_gradients_in_modes()

    def expect_bare(self) -> None:
        """The results where optional inputs are left out."""
        self._expect_right("bare")

    def expect_values(self) -> None:
        """The results at the sizes of the notebook's own example."""
        self._expect_right("values")

    def expect_sizes(self) -> None:
        """The results at all other sizes."""
        self._expect_right("sizes")

    def expect_extremes(self) -> None:
        """The results for zero, large and equal inputs."""
        self._expect_right("extremes")

    def expect_modes(self) -> None:
        """The results in the other mode and their gradients, where those of this mode are right."""
        self._expect_right("modes")
        self._expect_gradients_in_modes()

    def _expect_gradients_in_modes(self) -> None:
        for case in self._of("modes"):
            if case.gradients and self._drops_by_hand(case):
                self._expect_flow(case)
            elif case.gradients:
                try:
                    self._match_gradients(case)
                except CheckFailure as failure:
                    right = self._has_right_gradients()
                    asked = any(one.gradients and one.aspect in ALL_SIZES for one in self._cases)
                    observed = "mode_alone" if right and asked else ""
                    if right or self._domain.dropout:
                        raise failure.anew(observed=observed) from failure

    def _expect_right(self, aspect: str) -> None:
        for case in self._of(aspect):
            self._expect_ran(case)
            by_hand = self._drops_by_hand(case)
            with self._blaming_chance(case):
                for name in self._domain.returns:
                    if by_hand:
                        self._match_mean(case, name)
                    else:
                        self._match(case, name)

    def _match_mean(self, case: Case, name: str) -> None:
        """The result `name`, of which an answer drops some by itself, on the mean of many calls."""
        self._tensor(case, name)
        wanted = self._expected.stored(f"{self._inquiry.weights}{case.source}.{name}")
        if wanted is None or not wanted.is_floating_point():
            return
        kept = (self._inquiry.found.get(f"{case.id}/{part}/{name}") for part in ("mean", "spread"))
        if not is_chance(wanted, *kept):
            with self._said_of(case):
                raise CheckFailure(battery_sentences.other_mean(name), observed="other_mean")

    def expect_gradients(self) -> None:
        """The gradients of inputs and parameters, where the results are right if any are.

        Zeros are right for many reasons: where no other case is right, gradients flow in these too.
        """
        self._expect_registered("gradients")
        cases = [case for case in self._of("gradients") if case.gradients]
        if self._inquiry.weights == SEEDED:
            raise self._other_layers(self._cases[0])
        right = [case for case in cases if self._is_right(case) and self._is_told(case)]
        if self._expected.recording:  # then gradients of some cases may be stored, and no others
            right = cases
        in_sizes = any(case.aspect in ALL_SIZES for case in right)
        match = self._match_gradients_of_right_results if in_sizes else self._match_gradients
        for case in right or cases:
            with self._blaming_chance(case):
                match(case)
        if not in_sizes:
            for case in cases:
                self._expect_flow(case)
            self._expect_direction([case for case in cases if case.aspect in ALL_SIZES])

    def _match_gradients_of_right_results(self, case: Case) -> None:
        try:
            self._match_gradients(case)
        except CheckFailure as failure:
            if failure.status != "wrong" or self._wrong_cases():
                raise
            raise failure.anew(observed="part_of_the_gradient") from failure

    def _is_told(self, case: Case) -> bool:
        """Whether a right answer has gradients there that are not zero."""
        return any(self._wanted(case, key) is not None for key, _ in self._gradients(case))

    def _wanted(self, case: Case, key: str) -> torch.Tensor | None:
        """The gradient that a right answer has; None where it has none, or zeros."""
        stored = self._expected.stored(f"{self._inquiry.weights}{case.source}.gradient.{key}")
        return stored if stored is not None and _flows(stored) else None

    def _expect_flow(self, case: Case) -> None:
        """A gradient that is no mere trace wherever that of a right answer is not zero."""
        self._expect_shapes(case)
        for key, told in self._gradients(case):
            wanted = self._wanted(case, key)
            if wanted is None:
                continue
            found = self._inquiry.found.get(f"{case.id}/gradient/{key}")
            with self._said_of(case):
                if found is None or not found.any():
                    raise CheckFailure(sentences.no_gradient_at(told), observed="cut_gradient")
                if found.abs().max() < GRADIENT_TRACE * wanted.abs().max():
                    raise CheckFailure(sentences.hardly_a_gradient_at(told))

    def _expect_direction(self, cases: Sequence[Case]) -> None:
        """Gradients that in most cases point roughly where those of a right answer do."""
        cosines: dict[str, list[float]] = {}
        for case in cases:
            for told, cosine in self._cosines(case):
                cosines.setdefault(told, []).append(cosine)
        for told, several in cosines.items():
            if not median(several) > ALIGNED:
                raise CheckFailure(battery_sentences.other_direction(told))

    def _cosines(self, case: Case) -> Iterator[tuple[str, float]]:
        """Between each gradient and the right one, where that is more than rounding leaves."""
        keys = list(self._gradients(case))
        right = {key: one for key, _ in keys if (one := self._wanted(case, key)) is not None}
        largest = max((float(one.abs().max()) for one in right.values()), default=0.0)
        for key, told in keys:
            found, wanted = self._inquiry.found.get(f"{case.id}/gradient/{key}"), right.get(key)
            if found is None or wanted is None or found.shape != wanted.shape:
                continue
            if wanted.abs().max() > GRADIENT_RTOL * largest:
                mine, its = (one.double().flatten() for one in (found, wanted))
                yield told, float(cosine_similarity(mine, its, dim=0))

    def _expect_registered(self, aspect: str) -> None:
        """All that learns is a parameter of the module."""
        for case in self._of(aspect):
            if unregistered := self._fact(case, "unregistered"):
                said = battery_sentences.unregistered([str(name) for name in unregistered])
                raise CheckFailure(said, observed="unregistered")

    def _match_gradients(self, case: Case) -> None:
        self._expect_ran(case)
        backward = self._fact(case, "backward")
        if isinstance(backward, dict):
            observed = "changed" if IN_PLACE in str(backward.get("text")) else ""
            raise CheckFailure(
                battery_sentences.backward_raised(backward), "error", observed=observed
            )
        if self._expected.recording and (slopes := self._fact(case, "slopes")):
            raise CheckFailure(battery_sentences.false_slopes([str(name) for name in slopes]))
        self._expect_shapes(case)
        for key, told in self._gradients(case):
            self._match_gradient(case, key, told)

    def _expect_shapes(self, case: Case) -> None:
        """What is not there, or of another shape than was asked for, no gradient was taken of."""
        for name in self._domain.returns:
            found = self._tensor(case, name)
            with self._said_of(case):
                self._expect_shape(case, name, found)

    def _has_right_gradients(self) -> bool:
        try:
            self.expect_gradients()
        except CheckFailure:
            return False
        return True

    def _match_gradient(self, case: Case, key: str, told: str) -> None:
        found = self._inquiry.found.get(f"{case.id}/gradient/{key}")
        stored = f"{self._inquiry.weights}{case.source}.gradient.{key}"
        right = self._expected.stored(stored)
        wanted = self._expected.recording or right is not None
        if found is None and right is not None and not _flows(right):
            return  # where nothing flows it may be that nothing is used
        with self._said_of(case):
            if found is not None and wanted:
                name, atol = (
                    battery_sentences.gradient_of(told),
                    max(self._domain.atol, GRADIENT_ATOL),
                )
                self._expected.match_one(stored, name, found, atol=atol, rtol=GRADIENT_RTOL)
            elif wanted and not self._expected.recording:
                raise CheckFailure(sentences.no_gradient_at(told), observed="cut_gradient")

    def _gradients(self, case: Case) -> Iterator[tuple[str, str]]:
        """Inputs and roles by their keys, with what to call them."""
        for name in self._domain.inputs:
            yield name, name
        yield from self._inquiry.roles(case)

    def expect_kind(self) -> None:
        """Results keep dtype and device, and strides do not matter."""
        for case in self._of("kind"):
            if case.aspect == "device":
                if self._fact(case, "device") == "other":
                    raise CheckFailure(sentences.other_device(), observed="other_device")
                continue
            if self._is_beyond_torch(case):
                continue
            self._expect_ran(case)
            for name in self._domain.returns:
                found = self._tensor(case, name)
                if case.dtype != "float32" and found.dtype in OTHERS[case.dtype]:
                    said = sentences.dtype_of_all_lost(name, found.dtype, case.dtype)
                    raise CheckFailure(said, observed="other_kind")
                if case.dtype == "bfloat16":
                    self._match_roughly(case, name)
                else:
                    self._match(case, name)

    def _match_roughly(self, case: Case, name: str) -> None:
        """The result `name` in numbers of few digits: shape, kind, and how its numbers vary."""
        found = self._tensor(case, name)
        wanted = self._expected.stored(f"{self._inquiry.weights}{case.source}.{name}")
        with self._said_of(case):
            self._expect_shape(case, name, found)
            if wanted is None or not wanted.is_floating_point():
                return
            if not found.is_floating_point():
                said = sentences.dtype(name, found.dtype, torch.bfloat16)
                raise CheckFailure(said, observed="other_kind")
            if not are_alike(found, wanted):
                raise CheckFailure(battery_sentences.other_in_half(name))

    def expect_way(self) -> None:
        """No function that the question rules out is called."""
        for case in self._that_ran("way"):
            used = self._fact(case, "forbidden")
            if used:
                said = battery_sentences.forbidden([str(name) for name in used])
                raise CheckFailure(said, observed="forbidden")

    def expect_care(self) -> None:
        """Nothing but the results is different after a call."""
        for case in self._that_ran("care"):
            for fact in battery_sentences.CARE:
                what = self._fact(case, fact)
                if what and fact == "mode" and self._domain.sets_mode:
                    said = battery_sentences.left_in_another_mode(self._domain.sets_mode)
                    raise CheckFailure(said, observed="other_mode_left")
                if what:
                    names = [str(one) for one in what] if isinstance(what, list) else []
                    raise CheckFailure(battery_sentences.care(fact, names), observed=fact)


def _flows(gradient: torch.Tensor) -> bool:
    """Whether it is more than what rounding leaves of a zero."""
    return bool(gradient.abs().max() > GRADIENT_NOISE) if gradient.numel() else False
