"""What the text of a4 says about its trained model holds."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import matplotlib
import pytest
import torch
from conftest import ROOT, TrainingsOf

from autograder.course.assignments import Course
from autograder.course.cells import is_graded

A4 = "a4_text_classification"
# These draw; what they define is not needed here.
DRAWING = {"news_figure", "tokenize_batch_figure", "dot_product_attention_figure"} | {
    *("text_classifier_figure", "training_figure", "predictions", "order", "comparison"),
}


def silent(*_: Any, **__: Any) -> None:
    """Stands for functions that draw."""


@pytest.fixture(scope="module")
def names(trainings_of: TrainingsOf) -> Iterator[dict[str, Any]]:
    """Names of the solved notebook with the model that a kernel trained, without its figures."""
    ((weights, _),) = trainings_of(A4)
    threads = torch.get_num_threads()
    found: dict[str, Any] = {"__name__": "notebook", "display": silent}
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        matplotlib.rc_context(),
    ):
        patch.chdir(ROOT / "source" / A4)
        patch.delenv("NBGRADER_EXECUTION", raising=False)
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("TOKENIZERS_PARALLELISM", "false")
        for cell in Course(ROOT).assignment(A4).solved.cells:
            given = cell.cell_type == "code" and not is_graded(cell) and cell.id not in DRAWING
            if given:
                exec(cell.source.partition("\nif not GRADING:")[0], found)
                found["EPOCHS"] = 0
        found["model"].load_state_dict(weights)
        yield found
    torch.set_num_threads(threads)
    torch.set_printoptions(profile="default")


def test_sixteen_headlines_are_learned_by_heart_and_not_with_a_cut_wire(
    names: dict[str, Any],
) -> None:
    curves, entropy = names["overfit_both"]()
    whole, cut = curves["your classifier"], curves["with a cut wire"]
    assert whole[0] == pytest.approx(1.386, abs=0.3)
    assert whole[-1] < 0.05
    assert min(cut) > 0.97 * entropy
    assert cut[-1] == pytest.approx(entropy, abs=0.05)
    count = sum(parameter.numel() for parameter in names["model"].parameters())
    assert round(count, -4) == 130_000


def test_the_comma_is_looked_at_and_the_words_are_not(names: dict[str, Any]) -> None:
    found, even = names["looked_at"](names["model"], names["beginning_with"]())
    assert even == pytest.approx(0.06, abs=0.01)
    assert (found["as, while"][0] < 0.09).all()
    assert (found["the comma"][0] > 0.45).sum() == 3
    assert (found["the comma"][1] < 0.15).all()
    assert (found["as, while"][1] < 0.06).all()


def test_without_the_comma_the_answers_break_and_without_the_word_they_hold(
    names: dict[str, Any],
) -> None:
    found = names["hide_and_ask"](names["model"])
    assert found["nothing"] == pytest.approx(0.91, abs=0.03)
    assert found["as, while"] == pytest.approx(found["nothing"], abs=0.03)
    assert found["the comma"] < 0.1
    assert found["another token"] > 0.75


def test_a_comma_stands_in_headlines_that_begin_with_the_words_and_in_no_others(
    names: dict[str, Any],
) -> None:
    for texts, _ in names["splits"].values():
        for text in texts:
            assert ("," in text) == (text.lower().split()[0] in ("as", "while"))


def test_a_headline_without_its_comma_is_taken_for_its_front_clause(names: dict[str, Any]) -> None:
    texts = ["While hackers target web browser cyclists celebrate grand prix"]
    columns = names["tokenize_batch"](names["tokenizer"], texts, [1], 24)
    (log_probs,) = names["predict"](names["model"], [columns])[0]
    assert names["CLASSES"][log_probs.argmax()] == "Sci/Tech"
