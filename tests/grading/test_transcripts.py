"""What was heard of a question is made small for whoever looks at it, and for nobody else."""

from __future__ import annotations

import torch

from autograder.grading.transcripts import Heard, Utterance


def test_what_was_heard_is_made_once_and_only_where_somebody_looks() -> None:
    made: list[str] = []

    def said(word: str) -> Utterance:
        made.append(word)
        return Utterance({}, {"word": word})

    heard = Heard()
    for slug, check, word in [("a", "x", "1"), ("a", "x", "2"), ("a", "y", "3"), ("b", "x", "4")]:
        heard.hear(slug, check, lambda word=word: said(word))
    assert made == []
    words = {check: [one.facts["word"] for one in ones] for check, ones in heard.of("a").items()}
    assert words == {"x": ["1", "2"], "y": ["3"]}
    assert heard.of("a") == heard.of("a")
    assert made == ["1", "2", "3"]


def test_what_is_forgotten_is_not_heard() -> None:
    heard = Heard()
    heard.hear("a", "x", lambda: Utterance.noted({"y": torch.ones(3)}, {}))
    heard.forget("a")
    heard.forget("never asked")
    assert heard.of("a") == {}
