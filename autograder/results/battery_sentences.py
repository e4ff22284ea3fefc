"""Every sentence on what a battery of inputs found in an answer, and on what it looks at.

As of all sentences, none may carry an expected value: sizes and names only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autograder.results.sentences import (
    listed,
    named,
    not_implemented,
    quoted,
    raised,
    unfit,
)

BY_USE = ("AttributeError", "KeyError")
"""What is raised outside of an answer where that, or what it gave back, is of another kind."""

ASPECTS = {
    "values": "`{answer}` gives {returns} with the right values, at sizes like the example's.",
    "bare": "`{answer}` gives the right values where what is optional is left out.",
    "everywhere": "`{answer}` gives {returns} with the right values, in all cases that may come.",
    "sizes": "It does so at other sizes too: equal, exchanged, 1, a batch of one, long sequences.",
    "extremes": "It does so too where inputs are zero, large, or all alike.",
    "gradients": "The right gradients reach the inputs and every parameter.",
    "modes": "Evaluation mode gives the same as training mode, and gradients flow as there.",
    "dropout": "But for dropout, training mode gives the same as evaluation mode.",
    "random": "Evaluation mode gives the right values, which may be others than in training mode.",
    "kind": "dtype and device are those of the inputs, however these lie in memory.",
    "way": "The answer takes the way that the question asks for.",
    "parts": "The module has the parameters that the question asks for, and knows its sizes.",
    "care": "A call changes nothing else, and the next call knows nothing of it.",
}
"""What each aspect of a battery looks at."""


def aspect(name: str, answer: str, returns: Mapping[str, str], settings: Sequence[str] = ()) -> str:
    shapes = listed(
        [f"{what} ({', '.join(spec.split())})" if spec else what for what, spec in returns.items()]
    )
    said = ASPECTS[name].format(answer=answer, returns=shapes)
    if name == "sizes" and settings:
        return f"{said[:-1]}; and with other values of {named(settings)}."
    return said


def said_about(about: str, said: str) -> str:
    """A sentence of one part of a question's checks, which begins with what is special there."""
    return f"{about[:1].upper()}{about[1:]}: {said}" if about else said


CASES = {
    "bare": "where what is optional is left out",
    "bare_other": "where what is optional is left out and other sizes are taken",
    "bare_single": "where what is optional is left out and the batch holds one",
    "bare_large": "where what is optional is left out and inputs are large",
    "training": "in training mode, where dropout is made to drop nothing",
    "other": "where small and large sizes are exchanged",
    "one_input": "where one tensor is given for several inputs",
    "two_inputs": "where one tensor is given for two inputs, and another for a third",
    "bare_one_input": "where one tensor is given for several inputs and nothing optional",
    "equal": "where all sizes are equal",
    "equal_lengths": "where all lengths are equal",
    "equal_widths": "where all sizes but those of batch and sequences are equal",
    "ones": "where all sizes are as small as they may be",
    "single": "for a batch of one",
    "long": "for long sequences",
    "short": "for sequences of one position",
    "zeros": "where all inputs are zero",
    "gaps": "where some rows of an input are zero",
    "large": "where inputs are large",
    "huge": "where inputs are very large",
    "distant": "where inputs are very large",
    "alike": "where all rows of an input are alike",
    "evaluation": "in evaluation mode",
    "double": "for float64 inputs and parameters",
    "half": "for bfloat16 inputs and parameters",
    "strided": "where inputs do not lie in memory row by row",
}
"""What is special about each case of a battery."""

NEARLY = {
    "bare_single": "where what is optional is left out and the batch is as small as it may be",
    "equal": "where most sizes are equal",
    "equal_lengths": "for sequences of another length",
    "equal_widths": "at another size",
    "single": "for the smallest batch",
    "short": "for the shortest sequences",
}
"""What is said instead where the sizes of a domain cannot be so."""


def in_case(name: str, told: Mapping[str, Any], *, nearly: bool = False) -> str:
    """The beginning of a sentence on one case, with its sizes and settings.

    `nearly`: whether its sizes cannot be what its name says.
    """
    words = {k: f'"{value}"' if isinstance(value, str) else value for k, value in told.items()}
    listed = ", ".join(f"{what} {value}" for what, value in words.items())
    special = NEARLY[name] if nearly else CASES.get(name, name)
    return f"{special[:1].upper()}{special[1:]} ({listed}):"


def with_another(settings: Sequence[str], told: Mapping[str, Any]) -> str:
    """The same, where only `settings` differ from the example."""
    return in_case(f"where {' and '.join(settings)} is not what it is in the example", told)


def other_mean(name: str) -> str:
    return f"on the mean of many calls `{name}` is not what it is without dropout."


def left_in_another_mode(mode: str) -> str:
    return f"A module is left neither in {mode} mode nor in the mode in which it came."


def other_in_half(name: str) -> str:
    return f"`{name}` is far from what it is in single precision."


def raised_in(where: str, error: Mapping[str, Any]) -> str:
    """What an exception of one case says; it is the student's only if a line of theirs raised."""
    name, text = str(error.get("name")), str(error.get("text"))
    lines = [str(line) for line in error.get("lines", [])]
    if name == "NotImplementedError" and not text:
        return not_implemented()
    if lines:
        said = raised(name, text, lines)
    else:
        said = unfit(name, text) if name in BY_USE else not_called(name, text)
    return f"{where} {said}" if where else said


def not_called(name: str, text: str) -> str:
    return f"Calling your answer as the question says ended with {quoted(name, text)}"


def backward_raised(error: Mapping[str, Any]) -> str:
    name, text = str(error.get("name")), str(error.get("text"))
    return f"The gradient could not be computed: {quoted(name, text)}"


def false_slopes(names: Sequence[str]) -> str:
    """Of a solution, along whose inputs its results change otherwise than its gradients say."""
    return (
        f"The solution's gradient with respect to {listed(names)} is not that of its results, as "
        "small differences show: answers with the right one would lose points. Mend the solution, "
        "or say `differentiable=False` in the domain."
    )


def other_direction(told: str) -> str:
    return f"The gradient that reaches {told} points another way than the right one."


def gradient_of(name: str) -> str:
    return f"gradient that reaches {name}"


def number_of_results(names: Sequence[str]) -> str:
    return f"Your answer should return {len(names)} results: {', '.join(names)}."


def results_in_all(names: Sequence[str]) -> str:
    """As `number_of_results`, of an answer that may be called more than once."""
    return f"In all, your answer should give {len(names)} results here: {', '.join(names)}."


def entries(names: Sequence[str]) -> str:
    told = named(names)
    return f"Your answer should return a dictionary with numbers in {told}."


def no_entry(name: str, names: Sequence[str]) -> str:
    """Of a dictionary where several results are asked for, one after the other."""
    return (
        f"Your answer returned a dictionary without an entry `{name}`. {number_of_results(names)}"
    )


def attribute(name: str, size: str) -> str:
    return f"The module's attribute `{name}` does not hold the size {size}."


def layers_do_not_fit(count: int) -> str:
    if count == 0:
        return "The module has parameters, and the question asks for no layer that has any."
    layers = "the one layer" if count == 1 else f"the {count} layers"
    return (
        f"The module's parameters are not those of {layers} that the question asks for: a "
        "layer or a bias is missing, shared or too many, or has another size."
    )


def no_such_layer(names: Sequence[str]) -> str:
    """Parameters that have no counterpart, by the names that the student gave."""
    return f"None of them has the shape of {named(names[:3])}."


def unregistered(names: Sequence[str]) -> str:
    return (
        f"PyTorch does not find what learns in {named(names)}: no "
        "optimizer would train it, and `to` and `eval` pass it by."
    )


def nothing_to_train() -> str:
    return "The module has parameters; the question asks for nothing that is trained."


def forbidden(names: Sequence[str]) -> str:
    called = named(names)
    return f"Your code calls {called}, which this question wants you to work out yourself."


CARE = {
    "changed": "A call changes its input {names} in place; an input must stay as it is.",
    "marked": "A call makes its input {names} require gradients; an input must stay as it is.",
    "unmarked": "A call takes `requires_grad` away from its input {names}, for good.",
    "emptied": "A list that was handed in is not what it was before.",
    "bypassed": "A module that was handed in is not called, or only its `forward`, past its hooks.",
    "by_forward": "A call uses the `forward` of {names} itself, which skips its hooks.",
    "unhooked": "A call takes hooks away from {names} that others have put there.",
    "altered": "A call changes parameters or buffers of the module: {names}.",
    "mode": "A module is left in another mode than it came in (training or evaluation).",
    "frozen": "A call changes which parameters of the module require gradients.",
    "gradients_left": "A call changes the gradients that lie at the module's parameters.",
    "drew": "A call draws random numbers, though nothing in the question is random.",
    "replaced": "A call puts something else in the place of {names}, for all later calls.",
    "world": "A call leaves a switch of torch changed for everybody: {names}.",
    "forgets": "A second call with the same inputs, after one with others, gives another result.",
    "needs_grad": "While torch keeps no gradients (`torch.no_grad`), a call gives another result.",
    "kept_result": "Two calls return one and the same tensor: whoever changes one changes both.",
    "kept_pattern": "In training one call drops what an earlier one has drawn; each draws anew.",
    "same_start": "Two modules made one after the other start with the same weights.",
    "seeded": "A seed is set, so random numbers are the same for everybody from there on.",
}
"""What may be found changed after a call."""


def care(what: str, names: Sequence[str]) -> str:
    return CARE[what].format(names=named(names))
