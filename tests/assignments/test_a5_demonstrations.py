"""What the text of a5 says about the trained models holds."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import matplotlib
import pytest
import torch
from conftest import ROOT, ExecutedOf

from autograder.course.assignments import Course
from autograder.course.cells import is_graded

A5 = "a5_transformer_anatomy"
PLOTLY = "application/vnd.plotly.v1+json"
HEADS = [(layer, head) for layer in (1, 2, 3) for head in (1, 2, 3, 4)]


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    """The names of the solved notebook, with the tiny models and without its figures."""
    found: dict[str, Any] = {"__name__": "notebook"}
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(io.StringIO()),
        matplotlib.rc_context(),
    ):
        patch.setenv("NBGRADER_EXECUTION", "autograde")
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("TOKENIZERS_PARALLELISM", "false")
        patch.chdir(ROOT / "source" / A5)
        for cell in Course(ROOT).assignment(A5).solved.cells:
            if cell.cell_type == "code" and not is_graded(cell):
                exec(cell.source, found)
    yield found
    torch.set_printoptions(profile="default")


@pytest.fixture(scope="module")
def text() -> str:
    """All that a student can read in the released notebook, in one line."""
    cells = Course(ROOT).assignment(A5).release.cells
    return " ".join("\n".join(cell.source for cell in cells).split())


def essay() -> str:
    cells = Course(ROOT).assignment(A5).solved.cells
    (found,) = [cell.source for cell in cells if cell.id == "attention_essay"]
    return " ".join(found.split())


def test_bert_is_asked_56_questions_and_is_always_right(names: dict[str, Any], text: str) -> None:
    texts, meant = names["questions_about_it"]()
    assert len(set(texts)) == len(texts) == len(meant) == 56
    assert "in 56 sentences like *The dog visits the street because it is tired*" in text
    assert texts[0] == "The dog visits the street because it is tired."
    assert all(noun in words for noun, words in zip(meant, texts, strict=True))
    assert names["ask"]() == (1.0, 1.0)
    assert "is always right" in text


def test_one_head_alone_is_needed_and_a_large_weight_is_not(
    names: dict[str, Any], text: str
) -> None:
    alone = {one: names["ask"]([one]) for one in HEADS}
    assert [one for one, (right, _) in alone.items() if right < 0.9] == [(3, 2)]
    assert "**Head 2 of layer 3 is needed.**" in text
    right, kind = alone[3, 2]
    assert right < 1 / 10
    assert "fewer than one answer in ten is right, no more than by guessing" in text
    assert right < min(1 / len(names["ANIMALS"]), 1 / len(names["PLACES"]))
    assert kind == 1
    assert "all answers are still of the right kind" in text
    assert alone[3, 4] == (1.0, 1.0)
    weights = names["weight_on_nouns"]()
    assert "In its map *it* gives the noun 0.93" in text
    assert weights[2, 1] == pytest.approx(0.93, abs=0.005)
    assert "Head 4 of the same layer gives the noun 0.40" in text
    assert weights[2, 3] == pytest.approx(0.40, abs=0.005)
    assert weights.flatten().topk(2).indices.tolist() == [9, 11]


def test_the_story_of_early_and_late_is_refuted_by_silent_heads(names: dict[str, Any]) -> None:
    """As the rubric says; the maps show what the text reads in them."""
    tokens, maps = names["self_attention_maps"](
        "The horse does not cross the street because it is tired."
    )
    it, means = tokens.index("it"), maps.mean(dim=1)
    assert [tokens[means[layer, it].argmax()] for layer in (0, -1)] == ["tired", "horse"]
    assert names["ask"]([(1, head) for head in (1, 2, 3, 4)]) == (1.0, 1.0)


def test_the_essay_of_the_instructor_tells_what_comes_out(names: dict[str, Any]) -> None:
    said = essay()
    assert 100 <= len(said.split()) <= 200
    right, kind = names["ask"]([(2, 3), (2, 4)])
    assert (
        f"they leave {right:.0%} right and {kind:.0%} of the right kind".replace("%", " %") in said
    )
    tokens, maps = names["self_attention_maps"]("The fox visits the park because it is hungry.")
    it, hungry, fox = (tokens.index(word) for word in ("it", "hungry", "fox"))
    assert maps[1, 2, it, hungry] == pytest.approx(0.99, abs=0.005)
    assert maps[1, 3, it, hungry] == pytest.approx(0.89, abs=0.005)
    assert maps[1, 2:, it, fox].max() < 0.005
    assert maps[1, 3, hungry, it] == pytest.approx(0.31, abs=0.005)


def test_a_silent_head_can_be_heard_again_after_a_question(names: dict[str, Any]) -> None:
    """Also when the question ends with an error."""
    hooks = [len(part._forward_hooks) for part in names["bert"].modules()]
    with pytest.raises(IndexError):
        names["ask"]([(1, 1), (9, 1)])
    assert names["ask"]([(3, 2)]) != names["ask"]()
    assert [len(part._forward_hooks) for part in names["bert"].modules()] == hooks


@pytest.mark.parametrize("which", ["interactive", "cross_interactive"])
def test_an_interactive_figure_is_the_same_in_another_process(
    which: str,
    names: dict[str, Any],
    executed_of: ExecutedOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[dict[str, Any]] = []
    monkeypatch.setitem(names, "GRADING", False)
    monkeypatch.setitem(names, "display", lambda data, raw: drawn.append(data))
    (cell,) = [cell for cell in executed_of(A5).cells if cell.id == which]
    exec(cell.source, names)
    (found,) = [data[PLOTLY] for data in drawn if PLOTLY in data]
    (wanted,) = [o.data[PLOTLY] for o in cell.outputs if PLOTLY in o.get("data", {})]
    assert found == wanted
