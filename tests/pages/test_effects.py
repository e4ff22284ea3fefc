"""What the sentences of a class did, by the attempts of its students."""

from __future__ import annotations

from dataclasses import replace

from autograder.pages.class_report.effects import PLACE, Effect, effects
from autograder.results.history import Answer, Attempt
from autograder.results.model import Diagnosis, Status
from autograder.results.sentences import in_some_cases

LATE = Diagnosis("misconception", "late", "Too late.")
LATER = Diagnosis("misconception", "late", "Another sentence of the same mistake.")
EARLY = Diagnosis("misconception", "early", "Too early.")
UNWRITTEN = Diagnosis("misconception", "adopted_1", "")


def attempt(*told: Diagnosis, status: Status = "wrong", slug: str = "triple") -> Attempt:
    return Attempt(str(id(told)), {slug: Answer(status, list(told))})


RIGHT = attempt(status="ok")


def only(**history: list[Attempt]) -> Effect:
    (found,) = effects(history)
    return found


def test_of_those_who_were_told_and_handed_in_again_some_no_longer_make_it() -> None:
    found = only(
        never=[attempt(LATE)],
        mended=[attempt(LATE), RIGHT],
        still=[attempt(LATE), attempt(LATE)],
        another=[attempt(LATE), attempt()],
        right=[RIGHT, RIGHT],
    )
    assert found.told == ["another", "mended", "never", "still"]
    assert found.again == ["another", "mended", "still"]
    assert found.gone == ["another", "mended"]
    assert found.right == ["mended"]


def test_the_latest_work_counts_and_nobody_counts_twice() -> None:
    back = only(demo=[attempt(LATE), RIGHT, attempt(LATE)])
    assert (back.told, back.again, back.gone) == (["demo"], ["demo"], [])
    late = only(demo=[RIGHT, attempt(LATE)])
    assert (late.told, late.again) == (["demo"], [])


def test_the_same_mistake_with_another_sentence_is_not_gone() -> None:
    first, second = effects({"demo": [attempt(LATE), attempt(LATER)]})
    assert (first.sentence, first.again, first.gone) == (LATE.sentence, ["demo"], [])
    assert (second.sentence, second.again) == (LATER.sentence, [])


def test_one_mistake_may_go_and_another_come() -> None:
    first, second = effects({"demo": [attempt(LATE), attempt(EARLY)]})
    assert (first.sentence, first.gone, first.right) == (LATE.sentence, ["demo"], [])
    assert second.told == ["demo"]


def test_what_has_no_sentence_was_told_to_nobody() -> None:
    assert effects({"demo": [attempt(UNWRITTEN), RIGHT]}) == []


def test_places_in_the_code_count_together() -> None:
    places = [Diagnosis("place", "line", f"Look at line {line}.") for line in (3, 4)]
    found = only(one=[attempt(places[0]), RIGHT], two=[attempt(places[0]), attempt(places[1])])
    assert found.sentence == PLACE
    assert (found.again, found.gone) == (["one", "two"], ["one"])


def test_what_an_error_means_is_no_line_of_their_own() -> None:
    meant = Diagnosis("broad", "unknown_key", "There is no such entry.")
    found = only(one=[attempt(meant), RIGHT])
    assert (found.name, found.sentence) == ("unknown_key", meant.sentence)


def test_a_mistake_in_some_cases_counts_with_the_same_one_in_all() -> None:
    some = replace(LATE, sentence=in_some_cases(LATE.sentence))
    found = only(one=[attempt(LATE), RIGHT], two=[attempt(some), attempt(LATE)])
    assert found.sentence == LATE.sentence
    assert (found.again, found.gone) == (["one", "two"], ["one"])


def test_the_same_name_in_another_question_is_another_mistake() -> None:
    first, second = effects({"demo": [attempt(LATE), attempt(LATE, slug="double")]})
    assert {first.slug, second.slug} == {"triple", "double"}


def test_a_question_that_is_gone_says_nothing() -> None:
    found = only(demo=[attempt(LATE), attempt(slug="double")])
    assert (found.again, found.gone) == (["demo"], [])
