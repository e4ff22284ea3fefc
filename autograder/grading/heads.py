"""What a student changed in the heads of functions that the question gives.

A head is the name of a function with what it takes. Who changes a default or the order of its
parameters sees nothing of it in own calls; a further parameter at the end, or another name for one,
does no harm.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder import helper
from autograder.course.cells import parsed
from autograder.errors import NotDone
from autograder.grading.parameters import functions, places

ORDER = "`{name}` takes its parameters in another order than the question gives them."
LOST = "`{name}` does not take `{parameter}`, which the question gives it."
DEFAULT = "`{parameter}` of `{name}` has another default than the question gives it."


def other_head(students: str, given: str) -> str:
    """What is told of the first head that is not as in the `given` cell; empty where none is.

    Empty, too, where reading what the student wrote takes too long.

    Raises:
        Ungraded: no helper can be started.
    """
    try:
        return str(helper.run("autograder.grading.heads:_other_head", students, given))
    except NotDone:
        return ""


def _other_head(students: str, given: str) -> str:
    """The helper's side."""
    mine = dict(functions(parsed(students)))
    for name, args in functions(parsed(given)):
        if name in mine and (said := next(_differences(name, mine[name], args), "")):
            return said
    return ""


def _differences(name: str, mine: ast.arguments, given: ast.arguments) -> Iterator[str]:
    if mine.vararg or mine.kwarg or given.vararg or given.kwarg:
        return
    told = name.removesuffix(".__init__")
    own, wanted = places(mine), places(given)
    if [one for one in own if one in wanted] != [one for one in wanted if one in own]:
        yield ORDER.format(name=told)
    known = {*own, *(one.arg for one in mine.kwonlyargs)}
    for lost in [one for one in wanted[len(own) :] if one not in known]:
        yield LOST.format(name=told, parameter=lost)
    own_defaults = _defaults(mine)
    for one, default in _defaults(given).items():
        if one in known and own_defaults.get(one) != default:
            yield DEFAULT.format(name=told, parameter=one)


def _defaults(args: ast.arguments) -> dict[str, str]:
    """What stands for each parameter that has a default."""
    by_place = places(args)
    own = zip(by_place[len(by_place) - len(args.defaults) :], args.defaults, strict=True)
    named = zip((one.arg for one in args.kwonlyargs), args.kw_defaults, strict=True)
    return {name: ast.dump(value) for name, value in (*own, *named) if value is not None}
