"""The sample class: right answers in many styles earn everything, others what is written there."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import A1, build, read_sample, samples

from autograder.grading import Grader
from autograder.report import submission_text


@pytest.mark.parametrize("path", samples(A1), ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_sample_student_gets_the_verdict_written_beside_the_answer(
    path: Path, grader: Grader
) -> None:
    sample = read_sample(path)
    result = grader.grade(build(sample, A1), sample.name).result
    found = {q.slug: (q.status, q.score) for q in result.questions if q.status != "ok"}
    assert found == sample.verdicts, submission_text(result)
    assert result.score == pytest.approx(sample.score)


def test_the_sample_class_has_what_a_real_class_has() -> None:
    kinds = {kind: samples(A1, kind) for kind in ("correct", "wrong", "hostile")}
    assert len(kinds["correct"]) >= 4
    wrong = [slug for path in kinds["wrong"] for slug in read_sample(path).answers]
    for slug in ("positional_encoder", "positional_encoder_plot", "attention", "self_attention"):
        assert wrong.count(slug) >= 2
    for slug in ("cross_attention", "multi_headed_attention", "masked_attention"):
        assert wrong.count(slug) >= 2
    assert any(read_sample(path).empty for path in kinds["hostile"])
    assert all(read_sample(path).score == 100 for path in kinds["correct"])
