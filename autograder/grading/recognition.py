"""Telling which known misconception a wrong answer shows, by what its probes brought back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autograder.checking.misconceptions import Misconception
from autograder.grading.mistakes import Cases, Known, Mistakes, by_case, wrong
from autograder.grading.prints import Print
from autograder.grading.transcripts import (
    OF_CHECKS,
    OF_MACHINES,
    Tolerance,
    Transcript,
    numbers_in,
    same,
    tells,
)
from autograder.results.model import CheckResult, Diagnosis
from autograder.results.sentences import beside_another, in_some_cases

SHARE = 0.5  # of the checks that tell a misconception, which must be matched to name it
FAR = 2  # times as many cases
PART = 0.25  # of the cases in which an answer is wrong, which one of several mistakes explains
LARGE_PART = 0.5  # where that is wrong in others
FEWEST = 2  # cases


def name_misconceptions(
    checks: Sequence[CheckResult],
    heard: Mapping[str, Transcript],
    library: Mapping[str, Known],
    sentences: Mapping[str, Misconception],
) -> list[CheckResult]:
    """`checks` of one question, each failed one with the misconception that it shows, if any.

    One that other checks tell, too, in which the answer says something else, it shows in part.
    """
    failed = {check.name for check in checks if not check.passed}
    answered = {check.name for check in checks if not check.passed and not check.is_lost}
    matches = {
        name: _matched(its, heard, answered)
        for name, its in library.items()
        if name in sentences and its.transcripts.keys() <= failed
    }
    matches = {n: m for n, m in matches.items() if m and _suffice(m, library[n], failed)}
    alike = {n: m | _matched(library[n], heard, answered, OF_MACHINES) for n, m in matches.items()}
    named = []
    for check in checks:
        name = _best({name: len(matches[name]) for name in alike if check.name in alike[name]})
        if name is not None:
            said = sentences[name].sentence
            if alike[name] < set(library[name].telling):
                said = in_some_cases(said)
            check = replace(check, diagnosis=Diagnosis("misconception", name, said))
        named.append(check)
    return named


def _suffice(matched: set[str], its: Known, failed: set[str]) -> bool:
    """Whether the checks that were matched are enough, all that tell it by facts alone among them.

    Numbers may be those of another mistake as well; what a module is made of is what it is. And
    nothing but zeros and NaN, which an answer has in common with a mistake in a part of the checks
    that tell it, is no sign of it in one that fails where the mistake is right.
    """
    by_facts = {check for check in its.telling if not numbers_in(its.transcripts[check])}
    if not by_facts <= matched or len(matched) < SHARE * len(its.telling):
        return False
    no_more = matched == its.telling or failed <= its.transcripts.keys()
    return no_more or any(tells(its.transcripts[check]) for check in matched)


def _matched(
    its: Known,
    heard: Mapping[str, Transcript],
    answered: set[str],
    within: Tolerance = OF_CHECKS,
) -> set[str]:
    """The checks in which a student said what this misconception says, and only it.

    Those are `answered` which failed, and not because the student's code hung or broke off.

    What is the same formula in another order differs in half precision as machines do.
    """
    return {
        check
        for check in answered
        if check in its.telling and same(its.transcripts[check], heard.get(check, ()), within)
    }


def _best(matches: Mapping[str, int]) -> str | None:
    """The misconception with most matches; None when two tie."""
    rivals = sorted((count, name) for name, count in matches.items())
    if not rivals or (len(rivals) > 1 and rivals[-1][0] == rivals[-2][0]):
        return None
    return rivals[-1][1]


def name_in_some_cases(
    checks: Sequence[CheckResult],
    heard: Mapping[str, Transcript],
    mistakes: Mistakes,
    sentences: Mapping[str, Misconception],
) -> list[CheckResult]:
    """`checks` of one question, where nothing is known of a failed one: what the cases show.

    That is the mistake that replies so in every case in which the answer is wrong, and is wrong in
    others as well, in which the answer is right: where sizes are equal, say, or in training, the
    answer makes that mistake. Else it is what replies so in a part of these cases: that mistake,
    and another one beside it.
    """
    failed = {check.name for check in checks if not check.passed}
    unknown = {c.name for c in checks if c.name in failed and c.is_open}
    if not unknown:
        return list(checks)
    its = wrong(by_case({name: heard.get(name, ()) for name in failed}), mistakes.right)
    its = _left_to_no_chance(its, heard)
    shown = {check for check, _ in its} & unknown
    if not any(numbers_in(heard.get(name, ())) for name in shown):
        return list(checks)
    known = {name: one.wrong for name, one in mistakes.known.items() if name in sentences}
    more = {n: len(cases) - len(its) for n, cases in known.items() if _explains(cases, its)}
    if name := _nearest(more):
        said = in_some_cases(sentences[name].sentence)
        told = dict.fromkeys(shown, Diagnosis("misconception", name, said))
    else:
        told = {
            check: Diagnosis("part", name, beside_another(sentences[name].sentence))
            for name, cases in reversed(parts(its, known).items())
            for check, _ in cases
        }
    return [
        replace(one, diagnosis=told[one.name]) if one.name in unknown & told.keys() else one
        for one in checks
    ]


def _left_to_no_chance(its: Cases, heard: Mapping[str, Transcript]) -> Cases:
    """Without the cases in which random numbers were drawn that no right answer draws."""
    drawn = {
        (check, case)
        for check, transcript in heard.items()
        for one in transcript
        for case, said in one.cases.items()
        if said.by_chance
    }
    return {case: one for case, one in its.items() if case not in drawn}


def _explains(mistake: Cases, its: Cases) -> bool:
    """Whether a mistake replies so in all of these cases."""
    return all(_is(one, mistake.get(case)) for case, one in its.items())


def _nearest(more: Mapping[str, int]) -> str | None:
    """The mistake that is wrong in fewest other cases; None unless all others are far from it."""
    ranked = sorted(more, key=more.__getitem__)
    if not ranked or (len(ranked) > 1 and more[ranked[1]] < FAR * max(1, more[ranked[0]])):
        return None
    return ranked[0]


def parts(its: Cases, known: Mapping[str, Cases]) -> dict[str, set[tuple[str, str]]]:
    """The mistakes that each explain a part of these cases by numbers, and the part.

    The largest part comes first. One that is wrong in further cases has to explain more. No mistake
    is among them whose part another one shares, unless that explains far fewer.
    """
    left = {}
    numbers = {case: one for case, one in its.items() if one.numbers}
    for name, cases in known.items():
        share = {case for case, one in numbers.items() if _is(one, cases.get(case))}
        part = PART if cases.keys() <= its.keys() else LARGE_PART
        if len(share) >= max(FEWEST, part * len(its)):
            left[name] = share
    found = {}
    while left:
        first = max(left, key=lambda name: len(left[name]))
        share = left.pop(first)
        rivals = [other for other in left.values() if other & share]
        if all(FAR * len(other) <= len(share) for other in rivals):
            found[first] = share
        left = {name: other for name, other in left.items() if not other & share}
    return found


def _is(one: Print, other: Print | None) -> bool:
    return other is not None and one.equals(other)
