"""What a reply to a battery tells as JSON text, parsed as hostile."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from autograder.box.tensors import MAX_DIMENSIONS
from autograder.box.wire import parse_json_object
from autograder.checking.asking import Reply
from autograder.checking.expected import Shapes
from autograder.checking.failures import CheckFailure
from autograder.errors import BadReply
from autograder.results import sentences

_NAMES = (
    "absent",
    "altered",
    "by_forward",
    "changed",
    "forbidden",
    "marked",
    "replaced",
    "slopes",
    "unhooked",
    "unmarked",
    "unregistered",
    "world",
)
_TRUTHS = (
    "bypassed",
    "drew",
    "drops_by_hand",
    "emptied",
    "forgets",
    "frozen",
    "gradients_left",
    "kept_pattern",
    "kept_result",
    "mode",
    "needs_grad",
    "same_start",
    "seeded",
    "unfit",
)
_TABLES = ("attributes", "kinds", "places")
ERRORS = {"backward", "error"}
_FORMS: dict[str, type] = {
    **dict.fromkeys(_NAMES, list),
    **dict.fromkeys(_TRUTHS, bool),
    **dict.fromkeys((*_TABLES, *ERRORS), dict),
    "count": int,
    "device": str,
}
"""Every fact that a box tells of a case, with its type."""


def shapes_in(reply: Reply, name: str) -> Shapes:
    """Shapes by name, out of the JSON text `name` of a reply."""
    listed = _parsed(reply, name)
    if not isinstance(listed, list) or not all(map(_is_shape, listed)):
        raise _bad_reply(name)
    return {one: tuple(shape) for one, shape in listed}


def facts_in(reply: Reply) -> dict[str, dict[str, Any]]:
    """What a reply tells of each case, each fact in the form that it should have."""
    told = _parsed(reply, "told")
    cases = told.values() if isinstance(told, dict) else [None]
    if not all(isinstance(facts, dict) and _are_facts(facts) for facts in cases):
        raise _bad_reply("told")
    return dict(told)


def _are_facts(facts: dict[str, Any]) -> bool:
    return all(_is_fact(name, fact) for name, fact in facts.items())


def _is_fact(name: str, fact: Any) -> bool:
    formed = type(fact) is _FORMS.get(name)
    if formed and name in ERRORS:
        return _are_texts([fact.get("name"), fact.get("text")]) and _are_texts(fact.get("lines"))
    return formed and (not isinstance(fact, list) or _are_texts(fact))


def _are_texts(listed: Any) -> bool:
    return isinstance(listed, list) and all(isinstance(one, str) for one in listed)


def _is_shape(named: Any) -> bool:
    if not isinstance(named, list) or len(named) != 2:
        return False
    name, shape = named
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
        return False
    return isinstance(name, str) and all(type(size) is int for size in shape)


def _parsed(reply: Reply, name: str) -> Any:
    text = reply[name]
    if isinstance(text, str):
        data = f'{{"told":{text}}}'.encode(errors="surrogatepass")  # a list alone is refused
        with suppress(BadReply):
            whole = parse_json_object(data, max_bytes=len(data))
            if whole.keys() == {"told"}:
                return whole["told"]
    raise _bad_reply(name)


def _bad_reply(name: str) -> CheckFailure:
    return CheckFailure(sentences.missing_value(name), "bad_reply")
