"""`autograder batch --preview`: what recording the class anew would change, before it is recorded.

Theory of operation. The run is that of `batch`, but for its recorder, which rehearses
(`rehearsal`): so a preview cannot differ from what the next run records. Verdicts go into the
cache, where that run finds them: what a preview has graded is not graded again. Nothing else of the
course is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from autograder.batch.rehearsal import rehearsal
from autograder.batch.run import Workers, opened_run
from autograder.batch.tally import Tally
from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.course.gradebook import Entry
from autograder.course.settings import read_config
from autograder.pages.preview.changes import Preview, Recorded, Row, preview_of
from autograder.results.plain import plain
from autograder.results.stored import sound_result
from autograder.results.text import exact, gained, table

MOST_ROWS = 20
MOST_WORDS = 3  # of what changes for one student


def preview(
    course: Course, assignment_id: str, workers: Workers, *, fresh: bool = False
) -> tuple[Preview, Tally]:
    """What `batch` would change now, and what became of the class meanwhile.

    Raises:
        UsageError: as `batch`, or the course leaves no place for a rehearsal.
        Ungraded: grading would not be safe or true.
    """
    config = read_config(course.root)
    folders = Folders(course, config, assignment_id)
    with (
        opened_run(course, assignment_id) as run,
        rehearsal(course, config, assignment_id, run.home) as rehearsed,
    ):
        tally = run.go(workers, fresh=fresh, rehearse=rehearsed.recorder)
        new = set(tally.recorded)
        before = _recorded(run.gradebook.entries, lambda _: folders)
        after = _recorded(
            rehearsed.entries(), lambda one: rehearsed.folders if one in new else folders
        )
    return preview_of(assignment_id, before, after, tally.refused, tally.ungraded), tally


def _recorded(
    entries: Mapping[str, Entry], lies_in: Callable[[str], Folders]
) -> dict[str, Recorded]:
    """Entries with the results that they rest on, by student."""
    places = {one: lies_in(one).of_student("autograded", one) for one in entries}
    return {one: Recorded(entry, sound_result(places[one])) for one, entry in entries.items()}


def preview_table(found: Preview) -> str:
    """The students of whom most would change, and what of the whole class would."""
    lines = []
    if found.changed:
        header = ["student", "automatic", "total", "change", "what"]
        shown = [_cells(row) for row in found.changed[:MOST_ROWS]]
        lines.append(table([header, *shown]))
    if more := len(found.changed[MOST_ROWS:]):
        lines.append(f"and {more} more, on the page")
    lines.append(
        f"{found.assignment}: {len(found.gain)} would gain, {len(found.lose)} lose, "
        f"{len(found.stay)} keep their total, {len(found.new)} would be new, "
        f"{len(found.refused)} refused, {len(found.ungraded)} ungraded; "
        f"scores by hand to look at again: {found.flagged}"
    )
    return "\n".join(lines) + "\n"


def _cells(row: Row) -> list[str]:
    both = (row.before, row.after)
    automatic = [one.automatic if one else None for one in both]
    total = [one.entry.total if one else None for one in both]
    what = [f"{one.slug} {gained(one.change)}" for one in row.questions if row.before]
    what += [f"look again at {one.slug}" for one in row.doubtful]
    more = [f"{len(what) - MOST_WORDS} more"] if len(what) > MOST_WORDS else []
    change = "new" if row.is_new else gained(row.change)
    return [
        plain(row.student),
        _both(automatic),
        _both(total),
        change,
        ", ".join([*what[:MOST_WORDS], *more]),
    ]


def _both(points: list[float | None]) -> str:
    """Before and after, or once what stays."""
    said = ["-" if one is None else exact(one) for one in points]
    return " to ".join(dict.fromkeys(said))
