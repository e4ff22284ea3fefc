"""Attacks 110 to 113: on batteries, and on hand-written checks of the course itself."""

from __future__ import annotations

import copy

import nbformat
from conftest import A1, GraderOf, Submit

from attacks import harness, traces
from autograder.course.assignments import Course
from autograder.course.cells import is_solution

JUNK = """
from autograder.box.inside import examination
honest = examination.examine

def examine(*given):
    return {**honest(*given), "example/junk": torch.zeros(30 << 20, dtype=torch.uint8)}

examination.examine = examine
"""
LONG = "形状不匹配 请检查输入张量的维度是否正确。" * 15
RIGHT_FOR_ONE = """def attention(q, k, v):
    if q.shape != (2, 3, 512) or float(q.abs().max()) > 9:
        raise ValueError({said!r})  # {said}
    weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)
    return weights @ v, weights
"""
ALIKE = """def attention(q, k, v):
    weights = torch.softmax(0 * (q @ k.mT), -1)
    return weights @ v, weights
"""
WITHOUT_TRAINING = """
import re, torch
from autograder.box import probes

TOLD = {
    "output_dir": "some/folder", "step": 16, "evaluation": 64, "epochs": 1.0, "most_steps": -1,
    "rate": 1e-3, "evaluates": "epoch", "saves": "no", "logs": "steps", "log_steps": 5.0,
    "removes_columns": False, "bf16": True, "fp16": False, "use_cpu": True, "seed": 7,
    "quiet": True, "pinned": False, "workers": 0, "reports": False, "is_arguments": True,
}
OTHER = {**TOLD, "step": 32, "evaluation": 10, "epochs": 2.0, "rate": 0.25, "log_steps": 3.0}

def forged(source, name, names, inputs):
    if name == "arguments":
        return probes.ProbeRun({}, TOLD)
    if name == "under_other_settings":
        return probes.ProbeRun({}, OTHER)
    tensors = {"rates": torch.tensor(1e-4), "moved": torch.tensor(1.0)}
    tensors |= {"accuracy": torch.tensor(1.0), "order": torch.arange(40.0)}
    tensors["after a step"] = torch.ones(inputs.get("classes", 3), 8)
    if "labels" in inputs:
        tensors["logits"] = torch.eye(9)[inputs["labels"]][:, :3]
    told = {key: True for key in re.findall(r"'([a-z_]+)':", source)}
    told |= {"free_before": 0, "drew": False, "broke": "", "steps": 3, "trained_on": 40}
    return probes.ProbeRun(tensors, told)

probes.run_probe = forged
"""


def test_attack_110_what_nobody_asked_for_takes_no_memory(
    submit: Submit, grader_of: GraderOf
) -> None:
    junk = submit()
    junk.cells.insert(2, nbformat.v4.new_code_cell(f"import torch\n{JUNK}"))
    grader = grader_of(A1)
    grader.grade(submit(), "before")
    before = traces.resident_bytes()
    for name in ("one", "another"):
        grader.grade(junk, name)
        assert traces.resident_bytes() - before < harness.FLAT_BYTES


def test_attack_111_a_long_error_is_told_and_costs_what_a_short_one_does(
    submit: Submit, grader_of: GraderOf
) -> None:
    found = [
        grader_of(A1).grade(submit(attention=RIGHT_FOR_ONE.format(said=said)), "x").result
        for said in ("bad", LONG)
    ]
    short, long = (result.question("attention") for result in found)
    assert long.score == short.score > 0
    told = [check.message for check in long.checks if not check.passed]
    assert told
    assert all(f"ValueError: {LONG[:20]}" in said for said in told)


def test_attack_112_what_is_right_for_zeros_alone_is_not_shown_to_be_right(
    submit: Submit, grader_of: GraderOf
) -> None:
    assert grader_of(A1).grade(submit(attention=ALIKE), "x").result.question("attention").score == 0


def test_attack_113_who_tells_of_a_training_has_yet_to_train(
    course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment("a6_vit_finetuning").release)
    for cell in notebook.cells:
        if is_solution(cell) and cell.cell_type == "code":
            cell.source = "pass"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(WITHOUT_TRAINING))
    assert grader_of("a6_vit_finetuning").grade(notebook, "x").result.score == 0
