"""What `nbgrader_config.py` says about grading, for every door the same."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from traitlets import Bool, Dict, HasTraits, Integer, List, TraitError, Unicode
from traitlets.config import Configurable
from traitlets.config.loader import Config, PyFileConfigLoader

from autograder.course.assignments import CONFIG_NAME
from autograder.course.limits import Limits
from autograder.errors import UsageError

MISSPELT = 0.8
"""From this similarity on an unknown option is one of ours misspelt, and none of nbgrader's."""


@dataclass(frozen=True)
class Settings:
    """What `nbgrader_config.py` sets.

    Attributes:
        limits: what one submission may use.
        trust_notebooks: whether notebooks may run where nothing confines them.
        no_follow_through: assignments in which a wrong answer costs those that rest on it, too.
    """

    limits: Limits
    trust_notebooks: bool
    no_follow_through: tuple[str, ...] = ()


class GradingOptions(HasTraits):
    """What `c.GradeInBox` may say; `timeout` is that of nbgrader's `Execute`."""

    timeout: int | None

    limits = Dict(
        {}, help="What one submission may use, by the names in autograder/course/limits.py."
    ).tag(config=True)

    no_follow_through = List(
        Unicode(),
        help="Assignments in which a wrong answer also costs the points of those that rest on it.",
    ).tag(config=True)

    trust_notebooks = Bool(
        False, help="Grade even where nothing can confine the notebooks' code."
    ).tag(config=True)

    def settings(self) -> Settings:
        """The settings that follow.

        Raises:
            UsageError: a limit is unknown or no positive number.
        """
        return settings_from(
            self.limits,
            self.timeout,
            trust_notebooks=self.trust_notebooks,
            no_follow_through=self.no_follow_through,
        )


class Execute(Configurable):
    """That part of nbgrader's own which every door needs: nbgrader takes seconds to load."""

    timeout = Integer(int(Limits().cell_seconds), allow_none=True).tag(config=True)


class GradeInBox(GradingOptions, Execute):
    """The options of the preprocessor of this name, for doors that load no nbgrader."""


def read_settings(root: Path) -> Settings:
    """The settings of the course in `root`.

    Raises:
        UsageError: the configuration does not run, or a limit is unknown or no positive number.
    """
    return settings_of(read_config(root))


def settings_of(config: Config) -> Settings:
    """What a configuration says in `c.GradeInBox` and in `c.Execute.timeout`.

    Raises:
        UsageError: an option has a value of another kind or a name that is misspelt, or a limit is
            unknown or not positive.
    """
    names = GradeInBox.class_trait_names(config=True)
    for name in config.get(GradeInBox.__name__, {}):
        if name not in names and (near := get_close_matches(name, names, 1, MISSPELT)):
            raise unread(f"{GradeInBox.__name__}.{name}", near)
    known = {  # nbgrader has more options in both, which are none of ours
        section: {name: config[section][name] for name in names if name in config[section]}
        for section in (Execute.__name__, GradeInBox.__name__)
        if section in config
    }
    try:
        return GradeInBox(config=Config(known)).settings()
    except TraitError as error:
        raise wrong_value(error) from error


def unread(option: str, near: Sequence[str]) -> UsageError:
    """Says that an option, or a class, has no effect, and which one may be meant."""
    if not near:
        return UsageError(f"{CONFIG_NAME} sets c.{option}, which nothing reads: take it out")
    return UsageError(f"{CONFIG_NAME} sets c.{option}, which nothing reads: do you mean {near[0]}?")


def wrong_value(error: TraitError) -> UsageError:
    """Says that an option has a value of another kind."""
    return UsageError(f"{CONFIG_NAME} sets a wrong value: {error}")


def read_config(root: Path) -> Config:
    """What the configuration of the course in `root` says, to nbgrader too.

    Raises:
        UsageError: it does not run.
    """
    try:
        return PyFileConfigLoader(CONFIG_NAME, str(root)).load_config()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{root / CONFIG_NAME} fails in line {_line(error, root)}, mend it first: "
            f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
        ) from error


def _line(error: BaseException, root: Path) -> int:
    """The last line of the configuration that had begun when the error came."""
    file = str(root / CONFIG_NAME)
    frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    of_syntax = [error.lineno] if isinstance(error, SyntaxError) and error.filename == file else []
    return next(reversed([0, *frames, *of_syntax])) or 0


def settings_from(
    found: Mapping[str, Any],
    timeout: float | None,
    *,
    trust_notebooks: bool,
    no_follow_through: Sequence[str] = (),
) -> Settings:
    """Settings out of limits by name and nbgrader's `timeout`, in seconds a cell.

    A timeout of None, 0 or -1 sets no limit of its own.

    Raises:
        UsageError: a limit is unknown or no positive number.
    """
    limits = _limits(found)
    if "cell_seconds" not in found:
        seconds = float(timeout) if timeout and timeout > 0 else limits.submission_seconds
        whole = max(seconds, limits.submission_seconds)
        limits = replace(limits, cell_seconds=seconds, submission_seconds=whole)
    return Settings(limits, bool(trust_notebooks), tuple(no_follow_through))


def _limits(found: Mapping[str, Any]) -> Limits:
    """Limits by name; those not given keep their defaults."""
    counts = {field.name: field.type == "int" for field in fields(Limits)}
    for name, value in found.items():
        if name not in counts:
            raise UsageError(f"unknown limit '{name}' in {CONFIG_NAME}: use {', '.join(counts)}")
        if not _is_limit(value, zero=name == "search_seconds", whole=counts[name]):
            what = "a whole number" if counts[name] else "a number"
            least = ">= 0" if name == "search_seconds" else "> 0"
            raise UsageError(f"the limit {name} in {CONFIG_NAME} is {value!r}: give {what} {least}")
    return Limits(**{name: int(n) if counts[name] else n for name, n in found.items()})


def _is_limit(value: object, *, zero: bool, whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    return (value > 0 or (zero and value == 0)) and (not whole or value == int(value))
