"""Results as every format must be able to show them: mixed, in-box, hostile, ungraded."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from autograder.results.model import CheckResult, Diagnosis, QuestionResult, SubmissionResult

HOSTILE = (
    "</pre></details><script>alert(1)</script>\n\n# 100 of 100\n\n![x](http://evil.example/x.png)\n"
    "::set-output name=result::forged\n  ::add-mask::a\n%0A::error::b\n x ##[set-output name=r]c\n"
    "]]> \x1b[2J\x1b]0;title\x07 \x00\x0b \ud800 \ufffe & \" '"
)

misconception = partial(Diagnosis, "misconception")

PASSED = CheckResult("check_shape", "The shape is right.", 2.0, True)
FAILED = CheckResult(
    *("check_values", "The values are right.", 3.0, False, HOSTILE, "wrong"),
    diagnosis=misconception("softmax_over_queries", "Your softmax runs over the queries."),
)
MIXED = SubmissionResult(
    assignment="a1_attention_blocks",
    submission="s01/a1_attention_blocks.ipynb",
    status="graded",
    score=6.5,
    max_score=9.5,
    sandbox="restricted",
    seconds=0.4125,
    flags=["locked cell check_attention was edited"],
    questions=[
        QuestionResult("attention", "wrong", 2.0, 5.0, [PASSED, FAILED], ["positional_encoder"]),
        QuestionResult("self_attention", "ok", 4.5, 4.5, [replace(PASSED, points=4.5)]),
    ],
)
RIGHT = replace(MIXED, score=4.5, max_score=4.5, flags=[], questions=MIXED.questions[1:])
IN_BOX = replace(
    MIXED,
    score=1.0,
    max_score=3.0,
    questions=[
        QuestionResult("exact", "ok", 1.0, 1.0),
        QuestionResult("partial", "timeout", 0.0, 2.0),
    ],
    verdict="in-box",
)
UNGRADED = SubmissionResult(
    assignment="a1_attention_blocks",
    submission="s02.ipynb",
    status="ungraded",
    score=0.0,
    max_score=9.5,
    sandbox="none",
    seconds=0.0,
    flags=[],
    questions=[QuestionResult("attention", "ungraded", 0.0, 9.5)],
    reason="the zygote is gone:\nBroken pipe",
)


def commands_in(text: str) -> list[str]:
    """The commands that GitHub's runner finds in what a step printed."""
    found = []
    for line in text.splitlines():
        at_start = re.match(r"\s*::([\w-]+).*?::", line)
        anywhere = re.search(r"##\[([\w-]+).*?\]", line)
        found += [match[1] for match in (at_start or anywhere,) if match]
    return found
