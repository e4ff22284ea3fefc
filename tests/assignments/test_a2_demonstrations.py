"""What the text of a2 says about its trained models holds."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any

import matplotlib
import pytest
import torch
from conftest import ROOT, TrainingsOf

from autograder.course.assignments import Course
from autograder.course.cells import is_graded

A2 = "a2_encoder_explainability"


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """As the notebook's settings have it; numbers depend on it."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    torch.set_printoptions(profile="default")


@pytest.fixture(scope="module")
def notebook() -> tuple[dict[str, Any], str]:
    """Names and printed text of the solved notebook, run with the short settings."""
    names: dict[str, Any] = {"__name__": "notebook"}
    said = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(said),
        matplotlib.rc_context(),
    ):
        patch.setenv("NBGRADER_EXECUTION", "autograde")
        for cell in Course(ROOT).assignment(A2).solved.cells:
            if cell.cell_type == "code" and not is_graded(cell):
                exec(cell.source, names)
    return names, said.getvalue()


@pytest.fixture(scope="module")
def deep(
    notebook: tuple[dict[str, Any], str], trainings_of: TrainingsOf
) -> tuple[Any, dict[str, Any]]:
    """The model with three layers as a kernel trained it, and its explanations."""
    names, _ = notebook
    ((weights, _),) = trainings_of(A2)
    model = names["TransformerPredictor"](10, 32, 10, num_heads=4, num_layers=3)
    model.load_state_dict(weights)
    x = names["one_hot"](names["test_x"])
    return model, names["explanations"](model, x)


def test_one_layer_and_one_head_reverse_more_than_99_percent(
    notebook: tuple[dict[str, Any], str],
) -> None:
    names, said = notebook
    found = re.search(r"1 layer, 1 head, test accuracy: ([\d.]+)%", said)
    assert found is not None
    assert float(found[1]) > 99
    assert names["simple_accuracy"] > 0.99


def test_the_anti_diagonal_carries_most_of_the_weight(
    notebook: tuple[dict[str, Any], str],
) -> None:
    names, said = notebook
    found = re.search(r"Weight on the anti-diagonal: ([\d.]+) of 1", said)
    assert found is not None
    assert float(found[1]) > 0.5
    assert names["points_at_flipped_index"](names["simple_map"]).float().mean() > 0.99


def test_the_best_weights_are_those_that_are_kept(notebook: tuple[dict[str, Any], str]) -> None:
    names, _ = notebook
    accuracies = iter([0.3, 0.9, 0.9, 0.5])
    seen: list[float] = []
    model = torch.nn.Linear(1, 1, bias=False)

    def train_step(model: Any, x: Any, y: Any, optimizer: Any) -> tuple[float, float]:
        optimizer.step()
        model.weight.data += 1
        return 0.0, 0.0

    def eval_step(model: Any, x: Any, y: Any) -> tuple[float, float]:
        seen.append(model.weight.item())
        return 0.0, next(accuracies)

    dataset = names["ReverseDataset"](3, 4, 8)
    plan = names["Plan"](8, batch_size=2, epochs=1, lr=1e-3, warmup=1, looks=4)
    own = {"train_step": train_step, "eval_step": eval_step}
    theirs = {name: names[name] for name in own}
    names.update(own)
    try:
        names["fit"](model, plan, dataset, dataset, "")
    finally:
        names.update(theirs)
    assert len(seen) == 4
    assert model.weight.item() == seen[2]


def test_changing_the_flipped_index_and_no_other_changes_the_answer(
    notebook: tuple[dict[str, Any], str], deep: tuple[Any, dict[str, Any]]
) -> None:
    names, _ = notebook
    changed = names["changed_answers"](deep[0], names["test_x"])
    there = names["at_flipped_index"](changed)
    assert there.mean() > 0.99
    assert (changed.sum() - there.sum()) / (changed.numel() - there.numel()) < 0.001


def test_the_five_explanations_compare_as_the_text_says(
    notebook: tuple[dict[str, Any], str], deep: tuple[Any, dict[str, Any]]
) -> None:
    names, _ = notebook
    model, tables = deep
    with contextlib.redirect_stdout(io.StringIO()) as said:
        shares = names["measure"](model, names["test_x"], tables)
    table, _, last = said.getvalue().rpartition("\n\n")
    assert len(table.splitlines()) == 1 + len(shares)
    said_first = f"Your prediction: {names['PREDICTION']}. "
    assert last == said_first + "Most answers stay right: attention, first layer.\n"
    found = {name: (a.mean().item(), b.mean().item(), c) for name, (a, b, c) in shares.items()}
    guess = 1 / 16
    assert found["attention, last layer"][0] > 0.6
    assert found["attention, first layer"][0] < 2 * guess
    assert guess < found["rollout"][0] < 0.3
    assert found["gradient"][0] < 2 * guess
    assert found["gradient"][1] > 0.3
    assert found["gradient x input"][0] == pytest.approx(0.54, abs=0.03)
    assert found["gradient x input"][2] == pytest.approx(0.29, abs=0.04)
    for name, told in (("gradient x input", 0.56), ("rollout", 0.20), ("gradient", 0.41)):
        assert found[name][1] == pytest.approx(told, abs=0.03)
    assert found["random"] == pytest.approx((guess, 1 / 15, 0.94), abs=0.02)
    for name in ("attention, last layer", "rollout", "gradient"):
        assert found[name][2] < 0.25
    kept = {name: found[name][2] for name in names["EXPLANATIONS"]}
    assert max(kept, key=lambda name: kept[name]) == "attention, first layer"
    assert kept["attention, first layer"] == pytest.approx(0.5, abs=0.05)
    pointed = names["without_self"](tables["gradient x input"])
    points = names["points_at_flipped_index"](pointed).float().mean()
    assert points == pytest.approx(0.79, abs=0.03)
    others = names["without_self"](tables["rollout"])
    assert names["points_at_flipped_index"](others).float().mean() > 0.99


def test_even_attention_hurts_the_last_layer_and_not_the_first(
    notebook: tuple[dict[str, Any], str], deep: tuple[Any, dict[str, Any]]
) -> None:
    names, _ = notebook

    def accuracy(model: Any, layer: int) -> float:
        even = names["with_even_attention"](model, layer)
        x = names["one_hot"](names["test_x"])
        weights = even.get_attention_maps(x)[layer]
        assert torch.allclose(weights, torch.full_like(weights, 1 / 16))
        return float(names["eval_step"](even, names["test_x"], names["test_y"])[1])

    assert accuracy(names["simple_model"], 0) < 0.3
    assert accuracy(deep[0], 0) > 0.99
    assert accuracy(deep[0], 2) < 0.3
