"""Checks of `head_only(model)`: nothing but the head is left to train."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import Expected, Reply, Student, expect, numbers, points, probe

from . import wording

CASES = {
    "as loaded": "",
    "in training mode": "training",
    "frozen before": "all",
    "head frozen before": "head",
    "some of the body frozen before": "part",
    "in double precision": "double",
}


@probe
def frozen(
    answers: Any, images: Any, labels: Any, before: str, layers: int, classes: int
) -> dict[str, Any]:
    from transformers import ViTConfig, ViTForImageClassification

    torch.manual_seed(3)
    sizes = {"hidden_size": 8, "num_hidden_layers": layers, "num_attention_heads": 2}
    sizes |= {"image_size": 8, "patch_size": 4, "intermediate_size": 8, "num_labels": classes}
    parts = {"head": "classifier", "part": "vit.embeddings"}
    config = ViTConfig(**sizes, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.2)
    model, other = ViTForImageClassification(config), ViTForImageClassification(config)
    if before == "double":
        model, images = model.double(), images.double()
    for name, parameter in model.named_parameters():
        held = before == "all" or name.startswith(parts.get(before, "nothing"))
        parameter.requires_grad_(not held)
        parameter.data += 0.1 * torch.randn(parameter.shape)  # biases start with zeros
        parameter.grad = torch.full_like(parameter, 0.25)
    model.train(before == "training")
    kept = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    switched = torch.is_grad_enabled()
    settings, drew = (str(model), str(model.config)), torch.random.get_rng_state()
    returned = answers.head_only(model)
    drawn = not torch.equal(drew, torch.random.get_rng_state())
    gradients = [parameter.grad for parameter in model.parameters()]
    head = [*model.classifier.parameters()] if isinstance(model.classifier, torch.nn.Linear) else []
    found = {
        "returned": returned is model,
        "is_model": isinstance(returned, ViTForImageClassification),
        "head": bool(head) and all(one.requires_grad for one in head),
        "free_before": sum(one.requires_grad for one in model.vit.parameters()),
        "modes": all(part.training is (before == "training") for part in model.modules()),
        "others": all(one.requires_grad for one in other.parameters()),
        "settings": (str(model), str(model.config)) == settings,
        "drew": drawn,
        "gradients": all(one is not None and bool((one == 0.25).all()) for one in gradients),
        "switch": torch.is_grad_enabled() == switched,
        "kept": all(
            kept[name].dtype == now.dtype and torch.equal(kept[name], now)
            for name, now in model.state_dict().items()
        ),
    }
    torch.set_grad_enabled(True)
    model.zero_grad()
    if head:
        model.classifier.bias.data.zero_()  # where a step leads shall not rest on what it was
    start = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    if not any(one.requires_grad for one in model.parameters()):
        return {**found, "learns": False}
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.5)
    model.eval()(pixel_values=images, labels=labels).loss.backward()
    optimizer.step()
    moved = {name for name, now in model.state_dict().items() if not torch.equal(start[name], now)}
    learns = moved == {"classifier.weight", "classifier.bias"}
    weight = model.classifier.weight.detach()
    answers.head_only(other)
    answers.head_only(model.requires_grad_(True))
    found["again"] = not any(one.requires_grad for one in model.vit.parameters())
    model.requires_grad_(True).zero_grad()
    model(pixel_values=images, labels=labels).loss.backward()
    reached = (one.grad is not None and bool(one.grad.any()) for one in model.vit.parameters())
    found["unfreezes"] = any(reached)
    return {**found, "learns": learns, "after a step": weight}


def _reply(student: Student, case: str, layers: int = 2, classes: int = 3) -> Reply:
    images, labels = numbers(1, 4, 3, 8, 8), torch.tensor([2, 0, 1, 0])
    sizes = {"layers": layers, "classes": classes}
    return student.run(frozen, images=images, labels=labels, before=CASES[case], **sizes)


def _match_step(expected: Expected, case: str, reply: Reply) -> None:
    """Facts can be told without an answer; where a step leads cannot."""
    name = "after a step"
    expected.match(case, Reply.of({name: reply.tensor(name)}), atol=1e-3)


@points(
    1.75, text="Afterwards the head, `model.classifier`, requires gradients, and nothing else does"
)
def check_only_the_head_is_trained(student: Student, expected: Expected) -> None:
    """All parameters before the head are frozen, those of the head are not, and a step shows it."""
    for layers, classes in ((2, 3), (11, 8)):  # 8 numbers have the vectors of the body, too
        reply = _reply(student, "as loaded", layers, classes)
        expect(reply["head"] is True, wording.HEAD_FROZEN)
        expect(reply["free_before"] == 0, wording.BODY_FREE)
        expect(reply["learns"] is True, wording.OTHER_STEP)
        _match_step(expected, f"{layers} layers", reply)


@points(0.75, text="whatever was frozen before")
def check_whatever_was_frozen_before(student: Student, expected: Expected) -> None:
    """A model of which some or all was frozen comes out alike."""
    of_which = (
        ("frozen before", 3),
        ("head frozen before", 6),
        ("some of the body frozen before", 4),
    )
    for case, classes in of_which:
        reply = _reply(student, case, classes=classes)
        expect(reply["head"] is True, wording.FROZEN_BEFORE)
        expect(reply["free_before"] == 0, wording.FROZEN_BEFORE)
        _match_step(expected, case, reply)
        expect(reply["again"] is True, wording.SECOND_CALL)


@points(0.5, text="It returns the same model")
def check_the_model_is_handed_back(student: Student) -> None:
    """The model itself is returned, its numbers and its mode as before."""
    for case in ("as loaded", "in training mode", "in double precision"):
        reply = _reply(student, case)
        expect(reply["returned"] is True, wording.OTHER_MODEL)
        expect(reply["kept"] is True and reply["modes"] is True, wording.MODEL_CHANGED)
        expect(reply["others"] is True and reply["switch"] is True, wording.ALL_FROZEN)
        expect(reply["gradients"] is True, wording.GRADIENTS_CHANGED)
        expect(reply["settings"] is True, wording.SETTINGS_CHANGED)
        expect(reply["drew"] is False, wording.NUMBERS_DRAWN)
        expect(reply["unfreezes"] is True, wording.CUT_OFF)
