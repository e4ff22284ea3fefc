"""What `nbgrader_config.py` sets in vain of nbgrader's classes: misspelt, or of another kind.

nbgrader itself warns of a name in its log, and goes on; of a value it fails at each late student.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from traitlets import TraitError
from traitlets.config import Configurable
from traitlets.config.loader import Config
from traitlets.utils.importstring import import_item

from autograder.course.assignments import CONFIG_NAME
from autograder.course.configuration import SETTINGS, class_name
from autograder.course.settings import MISSPELT, unread, wrong_value
from autograder.errors import UsageError

LATE = ("AssignLatePenalties", "LateSubmissionPlugin")
PERCENT = "autograder.nbgrader.late.PercentPerDay"
SAME_CLASS = 0.9  # from this similarity on an unknown class is one of these misspelt


def expect_late_rule(config: Config, root: Path) -> None:
    """Refuses a rule of lateness that would not cost what it says.

    Loads nbgrader, unless being late costs nothing. The rule may be a class in a file in `root`.

    Raises:
        UsageError: there is no such class, or it has no such option, or none of this value.
    """
    if not any(section in config for section in LATE):
        return
    from nbgrader.preprocessors import AssignLatePenalties

    _expect_options(config, [AssignLatePenalties.__name__], AssignLatePenalties)
    found = config.AssignLatePenalties.get("plugin_class", LATE[1])
    with _importing_from(root):
        plugin = _plugin(found)
        sections = [kind.__name__ for kind in plugin.__mro__ if _is_plugin(kind)]
        _expect_options(config, sections, plugin)
        try:
            AssignLatePenalties(config=config).init_plugin()
        except TraitError as error:
            raise wrong_value(error) from error
        except Exception as error:
            raise _unusable(found, f"{type(error).__name__}: {error}") from error


def _plugin(found: Any) -> type:
    """The class that a configuration names."""
    from nbgrader.plugins import LateSubmissionPlugin

    if found == LATE[1]:
        return LateSubmissionPlugin  # type: ignore[no-any-return]
    try:
        plugin = import_item(found) if isinstance(found, str) else found
    except Exception as error:
        raise _unusable(found, f"{type(error).__name__}: {error}") from error
    if not _is_plugin(plugin):
        raise _unusable(found, "it is no nbgrader plugin with a method late_submission_penalty")
    return plugin  # type: ignore[no-any-return]


def _is_plugin(found: Any) -> bool:
    from nbgrader.plugins import BasePlugin

    is_plugin = isinstance(found, type) and issubclass(found, BasePlugin)
    return is_plugin and hasattr(found, "late_submission_penalty")


def _unusable(found: Any, why: str) -> UsageError:
    named = class_name(found) if isinstance(found, str | type) else repr(found)
    return UsageError(
        f"c.AssignLatePenalties.plugin_class in {CONFIG_NAME} is {named}, which cannot be used: "
        f"{why}: name a class like autograder.nbgrader.late.PercentPerDay"
    )


def _expect_options(config: Config, sections: Iterable[str], kind: type[Configurable]) -> None:
    names = kind.class_trait_names(config=True)
    for section in sections:
        for name in config.get(section, ()):
            if name not in names:
                raise unread(f"{section}.{name}", get_close_matches(name, names, 1, 0))


@contextmanager
def _importing_from(root: Path) -> Iterator[None]:
    """Classes in files in `root` are found, as nbgrader's own commands find them there."""
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path.remove(str(root))


def misspelt(config: Config) -> Iterator[str]:
    """What a configuration says to classes that nbgrader's commands know, and they do not read.

    Only what is much like something that they do read: other programs have options, too. Loads
    nbgrader.
    """
    options = _options()
    for section, found in config.items():
        if not isinstance(found, Config):
            continue
        if section not in options:
            if near := get_close_matches(section, options, 1, SAME_CLASS):
                yield str(unread(section, near))
            continue
        for name in found:
            near = get_close_matches(name, options[section], 1, MISSPELT)
            if near and name not in options[section]:
                yield str(unread(f"{section}.{name}", near))


def _options() -> Mapping[str, set[str]]:
    """The options of each class, by its name, and of those that take them over from it."""
    import nbgrader.apps  # noqa: F401 - all that nbgrader's commands know

    for name in (PERCENT, *_classes_of(SETTINGS)):
        import_item(name)
    options: defaultdict[str, set[str]] = defaultdict(set)
    for kind in _below(Configurable):
        for base in kind.__mro__:
            if issubclass(base, Configurable):
                options[base.__name__].update(kind.class_trait_names(config=True))
    return options


def _classes_of(settings: Any) -> Iterator[str]:
    """The classes that settings name."""
    if isinstance(settings, str):
        if settings.rpartition(".")[2][:1].isupper():
            yield settings
    elif isinstance(settings, dict | list):
        for one in settings.values() if isinstance(settings, dict) else settings:
            yield from _classes_of(one)


def _below(kind: type[Configurable]) -> Iterator[type[Configurable]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
