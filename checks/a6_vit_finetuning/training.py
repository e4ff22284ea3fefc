"""How the training arguments and the trainer are asked, with a model of a few parameters."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import Expected, Reply, expect, numbers, probe
from autograder.results.plain import one_line

from . import wording

# What the settings cell of the notebook says.
TRAIN_BATCH, EVAL_BATCH, LEARNING_RATE, LOG_STEPS = 16, 64, 1e-3, 5
TRAINED_ON, EVALUATED_ON, CLASSES = 40, 12, 3
OTHER_RATE = 0.01  # of the arguments that the probes hand to a trainer


def described(args: Any) -> dict[str, Any]:
    """The fields of training arguments that the question names."""
    reports = args.report_to
    silent = not reports or reports in ("none", ["none"])
    return {
        "output_dir": str(args.output_dir),
        "step": args.per_device_train_batch_size * args.gradient_accumulation_steps,
        "evaluation": args.per_device_eval_batch_size,
        "epochs": float(args.num_train_epochs),
        "most_steps": args.max_steps,
        "rate": float(args.learning_rate),
        "evaluates": args.eval_strategy.value,
        "loss_alone": args.prediction_loss_only,
        "saves": args.save_strategy.value,
        "logs": args.logging_strategy.value,
        "log_steps": float(args.logging_steps),
        "removes_columns": args.remove_unused_columns,
        "bf16": args.bf16,
        "fp16": args.fp16,
        "use_cpu": args.use_cpu,
        "seed": args.seed,
        "quiet": args.disable_tqdm,
        "pinned": args.dataloader_pin_memory,
        "workers": args.dataloader_num_workers,
        "reports": not silent,
    }


def small_model() -> Any:
    from transformers import ViTConfig, ViTForImageClassification

    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = ViTConfig(image_size=8, patch_size=4, intermediate_size=8, num_labels=3, **sizes)
    return ViTForImageClassification(config)


def dataset_of(images: Any, labels: Any) -> Any:
    """A data set like those of the notebook, whose images are looked up by their numbers."""
    from datasets import Dataset

    def look_up(batch: Any) -> Any:
        return {"pixel_values": list(images[batch["image"]]), "labels": batch["label"]}

    columns = {"image": list(range(len(images))), "label": labels.tolist()}
    return Dataset.from_dict(columns).with_transform(look_up)


@probe(uses=[described])
def arguments(answers: Any, folder: str) -> dict[str, Any]:
    from transformers import TrainingArguments

    args = answers.make_training_args(folder)
    if not isinstance(args, TrainingArguments):
        return {"is_arguments": False}
    return {"is_arguments": True, **described(args)}


@probe(uses=[described])
def under_other_settings(answers: Any) -> dict[str, Any]:
    names = answers._names
    machine = {**names["MACHINE"], "bf16": True, "seed": 7, "dataloader_num_workers": 2}
    changed = {
        "TRAIN_BATCH": 32,
        "EVAL_BATCH": 10,
        "LEARNING_RATE": 0.25,
        "EPOCHS": 2,
        "LOG_STEPS": 3,
        "MACHINE": dict(machine),
    }
    kept = {name: names[name] for name in changed}
    names.update(changed)
    try:
        found = described(answers.make_training_args("elsewhere"))
        return {**found, "machine_kept": names["MACHINE"] == machine}
    finally:
        names.update(kept)


@probe(uses=[small_model, dataset_of])
def put_together(
    answers: Any, train_images: Any, train_labels: Any, images: Any, labels: Any
) -> dict[str, Any]:
    from transformers import EvalPrediction, Trainer

    names, used = answers._names, set()
    own = {name: names[name] for name in ("collate_fn", "compute_metrics")}

    def noting(name: str) -> Any:
        def noted(*parts: Any, **named: Any) -> Any:
            used.add(name)
            return own[name](*parts, **named)

        return noted

    def is_same(found: Any, data: Any) -> bool:  # in any order
        if not isinstance(found, type(data)):
            return False
        sets = (
            [(row["labels"], float(row["pixel_values"].sum())) for row in one]
            for one in (found, data)
        )
        return len({tuple(sorted(rows)) for rows in sets}) == 1

    first, second = dataset_of(train_images, train_labels), dataset_of(images, labels)
    model = small_model()
    args = answers.make_training_args("small")
    args.learning_rate, args.seed, args.logging_steps = 0.0321, 11, 9
    names.update({name: noting(name) for name in own})
    try:
        trainer = answers.make_trainer(model, args, first, second)
        if not isinstance(trainer, Trainer):
            return {"is_trainer": False}
        untrained = trainer.state.global_step == 0
        trainer.data_collator([first[0], first[1]])
        if trainer.compute_metrics is not None:
            answered = EvalPrediction(torch.eye(3).numpy(), labels[:3].numpy())
            trainer.compute_metrics(answered)
    finally:
        names.update(own)
    kept = trainer.args.learning_rate, trainer.args.seed, trainer.args.logging_steps
    return {
        "is_trainer": True,
        "untrained": untrained,
        "model": trainer.model is model,
        "arguments": kept == (0.0321, 11, 9),
        "train_data": is_same(trainer.train_dataset, first),
        "test_data": is_same(trainer.eval_dataset, second),
        "collates": "collate_fn" in used,
        "measures": "compute_metrics" in used,
        "processor": trainer.processing_class is names["processor"],
    }


def watched(trainer: Any, model: Any) -> dict[str, Any]:
    """What happens while a trainer trains; `broke` holds what it raised."""
    from transformers import TrainerCallback

    class Notes(TrainerCallback):  # type: ignore[misc]
        def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            rates.append(given["optimizer"].param_groups[0]["lr"])

    def note(module: Any, parts: Any, given: Any) -> None:
        if module.training:
            seen.append(given["pixel_values"][:, 0, 0, 0].detach().clone())

    rates: list[float] = []
    seen: list[Any] = []
    before = [parameter.detach().clone() for parameter in model.parameters()]
    hook = model.register_forward_pre_hook(note, with_kwargs=True)
    trainer.add_callback(Notes())
    try:
        trainer.train()
        measured = trainer.evaluate()
    except Exception as error:
        return {"broke": f"{type(error).__name__}: {error}"[:300]}
    hook.remove()
    pairs = zip(before, model.parameters(), strict=True)
    return {
        "broke": "",
        "steps": trainer.state.global_step,
        "trained_on": sum(map(len, seen)),
        "order": torch.cat(seen) if seen else torch.zeros(0),
        "accuracy": torch.tensor(float(measured.get("eval_accuracy", -1))),
        "rates": torch.tensor(rates),
        "moved": torch.tensor([bool((old - new).abs().max() > 0) for old, new in pairs]),
    }


@probe(uses=[small_model, dataset_of, watched])
def trained_by_arguments(
    answers: Any, train_images: Any, train_labels: Any, images: Any, labels: Any
) -> dict[str, Any]:
    """The student's arguments in a trainer of ours; columns have a check of their own."""
    from transformers import Trainer

    torch.manual_seed(0)
    model = small_model()
    args = answers.make_training_args("small")
    args.remove_unused_columns, args.data_seed = False, None
    first, second = dataset_of(train_images, train_labels), dataset_of(images, labels)
    return watched(Trainer(model, args, train_dataset=first, eval_dataset=second), model)


@probe(uses=[small_model, dataset_of, watched])
def trained_by_trainer(
    answers: Any, train_images: Any, train_labels: Any, images: Any, labels: Any
) -> dict[str, Any]:
    """The student's trainer with arguments of ours."""
    from transformers import Trainer, TrainingArguments

    torch.manual_seed(0)
    model = small_model()
    args = TrainingArguments(
        "small",
        per_device_train_batch_size=8,
        num_train_epochs=1,
        learning_rate=1e-2,
        save_strategy="no",
        remove_unused_columns=False,
        **{**answers._names["MACHINE"], "report_to": "none"},
    )
    first, second = dataset_of(train_images, train_labels), dataset_of(images, labels)
    trainer = answers.make_trainer(model, args, first, second)
    if not isinstance(trainer, Trainer):
        return {"broke": "it is no Trainer"}
    found = watched(trainer, model)
    return {**found, "logits": model.eval()(pixel_values=images).logits}


def _data(trained_on: int, evaluated_on: int) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    return {
        "train_images": numbers(1, trained_on, 3, 8, 8),
        "train_labels": torch.randint(CLASSES, (trained_on,), generator=generator),
        "images": numbers(2, evaluated_on, 3, 8, 8),
        "labels": torch.randint(CLASSES, (evaluated_on,), generator=generator),
    }


SMALL = _data(TRAINED_ON, EVALUATED_ON)
LARGE = _data(300, 200)  # more than any batch of an evaluation; nothing is trained with them


def note_truth(expected: Expected, reply: Reply, name: str, atol: float) -> None:
    """Where a training led, or in which order it went, is known to who has trained.

    All else that is told of one can be told without. Nothing is lost where it differs, as by an
    argument of the student's choice.
    """
    expected.accepts(name, Reply.of({name: reply.tensor(name)}), atol=atol)


def near(reply: Reply, name: str, wanted: float) -> bool:
    """Whether the number `name` of the reply is `wanted`."""
    found = reply[name]
    return isinstance(found, (int, float)) and abs(found - wanted) <= 1e-9 * max(1, abs(wanted))


def expect_trained(reply: Reply, rate: float) -> None:
    """Every image was seen once, the rate was at most `rate`, and all parameters moved."""
    expect(reply["broke"] == "", wording.NOT_TRAINED.format(one_line(str(reply["broke"]))))
    expect(near(reply, "trained_on", TRAINED_ON), wording.LEFT_OUT)
    rates = reply.floats("rates")
    fits = bool((rates <= rate * (1 + 1e-6)).all()) and float(rates.sum()) > 0
    expect(fits, wording.RATE_IN_TRAINING)
    expect(reply.tensor("moved").all(), wording.STANDS_STILL)
