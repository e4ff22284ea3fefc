"""What students read of checks of every kind: the rule, what was expected, what was found.

No sentence may carry an expected value: sizes and names only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograder.course.limits import Limits
from autograder.results.model import Status
from autograder.results.plain import in_code, one_line

NAMED = 3  # of cells of which the same is told
NOTED = 30  # sentences about one notebook
STOPPED_CHARS = 300


def listed(words: Sequence[str]) -> str:
    """Words as they are said one after the other: `a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def named(names: Sequence[str]) -> str:
    """Names, which may be the student's: none of them makes a line of its own."""
    return listed([f"`{one_line(name)}`" for name in names])


def shape(name: str, found: Sequence[int], dims: Iterable[tuple[str, int]]) -> str:
    named = list(dims)
    rule = ", ".join(what for what, _ in named)
    return (
        f"`{name}` has shape {_tuple(found)}; expected ({rule}) = {_tuple([n for _, n in named])}."
    )


def plain_shape(name: str, found: Sequence[int], wanted: Sequence[int]) -> str:
    return f"`{name}` has shape {_tuple(found)}; expected {_tuple(wanted)}."


def dtype(name: str, found: object, wanted: object) -> str:
    return f"`{name}` has dtype {_bare(found)}; expected {_bare(wanted)}."


def not_a_tensor(name: str, kind: str) -> str:
    return f"`{name}` is of type {one_line(kind)}; expected a torch.Tensor."


def missing_value(name: str) -> str:
    return f"Your code returned no `{name}`."


def not_finite(name: str) -> str:
    return f"`{name}` holds NaN or infinite values; expected finite numbers."


def values(name: str, share: float) -> str:
    part = "all" if share == 1 else f"{max(share, 0.001):.1%}"
    return f"`{name}` has the right shape, but {part} of its values are wrong."


ALL_ZERO = "All of them are 0."
OFF_BY_A_CONSTANT = "They are all off by the same amount."
TRANSPOSED = "They are the right ones with the last two axes exchanged."
REORDERED = "The right rows are there, in another order."
RIGHT_BUT_ZEROS = "They are right but for zeros: 0 where a number belongs, or the other way round."
INFINITE_ELSEWHERE = "Infinite ones do not stand where they should."
NEARLY = "They are close to the right ones, and yet not the same."


def off_by_a_factor(factor: float) -> str:
    if abs(factor + 1) < 1e-3:
        return "They have the wrong sign."
    size = f"{abs(factor):.2g}" if abs(factor) >= 0.1 else f"1/{1 / abs(factor):.0f}"
    return f"They are the right ones times about {'-' if factor < 0 else ''}{size}."


def constant_along(axis: int) -> str:
    return f"They are all the same along axis {axis}, where they should differ."


def wrong_along(axis: int, places: range) -> str:
    """`places`: where along the axis numbers are wrong."""
    first, last = places[0], places[-1]
    where = f"index {first}" if first == last else f"the indices {first} to {last}"
    if len(places) == 2:
        where = f"the indices {first} and {last}"
    elif places.step > 1:
        where = f"every second index from {first} to {last}"
    return f"Along axis {axis} they are wrong at {where}, and right at the others."


SOME_CASES = "In some cases: "


def in_some_cases(said: str) -> str:
    """What is said of a mistake where an answer is right in other cases; nothing of nothing."""
    return said and f"{SOME_CASES}{said}"


def in_whatever_cases(said: str) -> str:
    """The same sentence, whether it was said of all cases or of some."""
    return said.removeprefix(SOME_CASES)


def beside_another(said: str) -> str:
    """What is said of a mistake beside which there is another one; nothing of nothing."""
    return said and f"In some cases at least: {said} There may be more to mend."


def no_gradient_at(name: str) -> str:
    return f"No gradient reaches `{name}`: something cuts it off."


def hardly_a_gradient_at(name: str) -> str:
    return f"Next to no gradient reaches `{name}`, of which a right answer makes far more."


def dtype_of_all_lost(name: str, found: object, given: object) -> str:
    return f"For {_bare(given)} inputs and parameters `{name}` has dtype {_bare(found)}."


def other_device() -> str:
    return (
        "On another device than the CPU your code does not stay there: it makes a tensor "
        "elsewhere, or moves one."
    )


AS_ABOVE = "The same as above."


def cell_raised(error: str, text: str, line: int | None, so: str) -> str:
    """Of a question's own cell; `so` says what there is not therefore."""
    where = f", line {line}" if line else ""
    return f"Your cell raised {quoted(error, text)}{where}, and so {so}."


def not_defined(name: str) -> str:
    return f"{named([name])} is not defined"


def missing_name(name: str) -> str:
    return f"{not_defined(name)}: keep the name that the question gives."


def kept_by_magic(name: str, magic: str) -> str:
    return (
        f"{not_defined(name)}: the line `{magic}` keeps what the cell defines from the notebook. "
        "Take that line out."
    )


IN_CELL = "in your cell, "


def raised(name: str, text: str, lines: Sequence[str]) -> str:
    said = f"Your code raised {quoted(name, text)}" + ("" if text.strip() else ".")
    return "\n".join([said, *(f"  {IN_CELL}{' '.join(line.splitlines())}" for line in lines)])


def quoted(name: str, text: str) -> str:
    """An exception's name and text, whose further lines nobody takes for the grader's."""
    first, *more = [line for line in text.splitlines() if line.strip()] or [""]
    said = " ".join(name.split()) + (f": {first}" if first else "")
    return "\n".join([said, *(f"  {line}" for line in more)])


NOT_TO_BE_USED = "Your answer, or what it gives back, cannot be used as the question says."


def unfit(name: str, text: str) -> str:
    """Of an answer, or what it gave back, that cannot be used as the question says."""
    return f"{NOT_TO_BE_USED} Using it raised {quoted(name, text)}"


def not_implemented() -> str:
    return "This part is not written yet: it still raises NotImplementedError."


def unanswered() -> str:
    return "This question was not answered."


def lost(status: Status, limits: Limits, where: str, seconds: float | None = None) -> str:
    """Why a box had to be given up while `where` ran.

    `seconds` is what that might have taken; None when it was the whole notebook's time.
    """
    if status == "timeout":
        if seconds is None:
            whole = f"the whole notebook may take {limits.submission_seconds:g} s"
            return f"{where} ran out of time: {whole}."
        return f"{where} ran out of time: it may take {round(seconds, 1):g} s."
    if status == "memory":
        return f"{where} needed more than the {_mib(limits.memory_bytes)} of memory it may use."
    if status == "output":
        return (
            f"{where} wrote more than the {_mib(limits.disk_bytes)} in {limits.files:,} files that "
            f"it may, or a file of more than {_mib(limits.file_bytes)}."
        )
    if status == "bad_reply":
        return f"{where} disturbed the channel to the grader, so nothing of it could be judged."
    return f"{where} ended the Python process, so nothing of it could be judged."


def no_time_left(where: str, limits: Limits, own_seconds: float | None) -> str:
    """Of what was not begun; `own_seconds`: what the student's own cells took, if all they may."""
    whole = f"the whole notebook may take {limits.submission_seconds:g} s"
    if own_seconds is None:
        return f"No time was left for {_within(where)}: {whole}."
    return (
        f"No time was left for {_within(where)}: the cells that you added took "
        f"{own_seconds:.0f} s, and {whole}."
    )


def own_cells_over(where: str, seconds: float) -> str:
    """Of a student's own cell that was ended when all of them had taken `seconds`."""
    return (
        f"{where} ran out of time: the cells that you added may take {_seconds(seconds)} together."
    )


def own_cells_left_out(seconds: float) -> str:
    """Of those that follow, and are not needed."""
    return (
        f"The cells that you added took the {_seconds(seconds)} that they may take together: "
        "from there on, those on which no answer rests were left out."
    )


def processes(limits: Limits) -> str:
    return f"A notebook may have {limits.processes} processes and threads at one time."


def no_processes() -> str:
    return "the sandbox on this machine (tier restricted) lets a notebook start no processes"


def not_graded() -> str:
    return (
        "This submission could not be graded, through a fault that is not yours. It has no score; "
        "your instructors see why, and will have it graded again."
    )


def truncated(where: str, limits: Limits) -> str:
    return f"the output of {where} was cut at {_mib(limits.cell_output_bytes)}"


def too_much_output(limits: Limits) -> str:
    return (
        f"the output of later cells was dropped: the whole notebook may show "
        f"{_mib(limits.submission_output_bytes)}"
    )


def not_shown() -> str:
    return "This output is not shown: to make it safe to show takes too long, or cannot be done."


def rests_on_hung(where: str, slugs: Iterable[str]) -> str:
    """Of a cell that would wait for an answer that has just run out of time."""
    return f"{where} rests on {listed(sorted(slugs))}, which ran out of time."


def lacks(where: str, error: str, *, went_on: bool) -> str:
    """Of a cell that asks for what is not installed."""
    return f"{where}: {error}." + (" What follows in it ran without that." if went_on else "")


def stopped(where: str, error: str, text: str, line: int | None) -> str:
    """Of a cell of the student's own on which answers rest that lost points."""
    said = in_code(f"{error}: {text}".rstrip(": ."), STOPPED_CHARS)
    return f"{where} stopped{f' in line {line}' if line else ''}: {said}. Answers rest on it."


def left_out(why: str, others: Sequence[str] = ()) -> str:
    """Of a cell, and of `others` of which the same is to be said."""
    said = f"{why} It was left out"
    if not others:
        return f"{said}."
    shown = [place[:1].lower() + place[1:] for place in others[:NAMED]]
    more = [f"{len(others) - NAMED} more"] if len(others) > NAMED else []
    return f"{said}, and for the same reason {listed([*shown, *more])}."


def noted(flags: Sequence[str]) -> list[str]:
    """As many of the sentences about a notebook as somebody would read."""
    if len(flags) <= NOTED:
        return list(flags)
    return [*flags[:NOTED], f"There are {len(flags) - NOTED} more notes of these kinds."]


def followed_through(slugs: Sequence[str], *, all_right: bool) -> str:
    names = named(slugs)
    said = (
        f"Graded a second time with the instructor's answer to {names} in place of yours, so that "
        "an earlier mistake costs only its own points."
    )
    if all_right:
        return said
    return (
        f"{said} Little can be told of what failed there as well, and attributes or helpers of "
        "your own in what was replaced were not there: mend that first."
    )


def place(line: int, clause: str) -> str:
    said = f"One change in line {line} of your cell makes every check of this question pass"
    return f"{said}: {clause}." if clause else f"{said}."


def place_and_more(line: int, clause: str, sentence: str) -> str:
    which = f" ({clause})" if clause else ""
    return f"One change in line {line} of your cell{which} leaves one known mistake. {sentence}"


def two_places(line: int, left: str, other_line: int, other_left: str) -> str:
    if line == other_line:
        where = f"in line {line} of your cell leaves one known mistake. {left} Another there leaves"
        return f"One change {where} another. {other_left}"
    return (
        f"One change in line {line} of your cell leaves one known mistake. {left} One in line "
        f"{other_line} leaves another. {other_left}"
    )


def check_failed(title: str) -> str:
    return f"This does not hold: {title}"


def not_judged(title: str) -> str:
    return f"What your code returned is of a kind that cannot be judged here: {title}"


def not_counted() -> str:
    return "This counts only once a check of this question's values holds."


def is_not_counted(message: str) -> bool:
    """Whether a check that says this only does not count."""
    return message == not_counted()


def _tuple(sizes: Sequence[int]) -> str:
    return str(tuple(int(size) for size in sizes))


def _bare(kind: object) -> str:
    return str(kind).removeprefix("torch.")


def _seconds(count: float) -> str:
    return f"{round(count, 1):g} s"


def _within(where: str) -> str:
    """A place that begins a sentence, as it stands within one."""
    return where[:1].lower() + where[1:]


def _mib(count: int) -> str:
    return f"{count / (1 << 20):g} MiB"
