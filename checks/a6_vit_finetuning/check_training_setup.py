"""Checks of `make_training_args(output_dir)` and `make_trainer(...)`: what they set, what they do.

The last two checks train a small model for one epoch with the student's own arguments and trainer.
"""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    numbers,
    points,
    probe,
    values,
)

from . import wording

# What the settings cell of the notebook says.
TRAIN_BATCH, EVAL_BATCH, LEARNING_RATE, LOG_STEPS = 16, 64, 1e-3, 5
TRAINED_ON, EVALUATED_ON, CLASSES = 40, 12, 3
# What an argument is in the notebook, and what it must be under the probe's other settings.
FOLLOWING = {
    "step": (TRAIN_BATCH, 32),
    "evaluation": (EVAL_BATCH, 10),
    "epochs": (1, 2),
    "rate": (LEARNING_RATE, 0.25),
    "log_steps": (LOG_STEPS, 3),
}


@probe
def arguments(answers: Any, folder: str) -> dict[str, Any]:
    from transformers import TrainingArguments

    args = answers.make_training_args(folder)
    if not isinstance(args, TrainingArguments):
        return {"is_arguments": False}
    return {
        "is_arguments": True,
        "output_dir": args.output_dir,
        "step": args.per_device_train_batch_size * args.gradient_accumulation_steps,
        "evaluation": args.per_device_eval_batch_size,
        "epochs": float(args.num_train_epochs),
        "most_steps": args.max_steps,
        "rate": float(args.learning_rate),
        "evaluates": args.eval_strategy.value,
        "saves": args.save_strategy.value,
        "logs": args.logging_strategy.value,
        "log_steps": args.logging_steps,
        "removes_columns": args.remove_unused_columns,
    }


@probe
def under_other_settings(answers: Any) -> dict[str, Any]:
    names = answers._names
    changed = {
        "TRAIN_BATCH": 32,
        "EVAL_BATCH": 10,
        "LEARNING_RATE": 0.25,
        "EPOCHS": 2,
        "LOG_STEPS": 3,
        "MACHINE": {**names["MACHINE"], "bf16": True, "seed": 7},
    }
    kept = {name: names[name] for name in changed}
    names.update(changed)
    try:
        args = answers.make_training_args("elsewhere")
    finally:
        names.update(kept)
    return {
        "bf16": args.bf16,
        "fp16": args.fp16,
        "use_cpu": args.use_cpu,
        "seed": args.seed,
        "quiet": args.disable_tqdm,
        "pinned": args.dataloader_pin_memory,
        "reports": len(args.report_to),
        "step": args.per_device_train_batch_size * args.gradient_accumulation_steps,
        "evaluation": args.per_device_eval_batch_size,
        "epochs": float(args.num_train_epochs),
        "rate": float(args.learning_rate),
        "log_steps": args.logging_steps,
    }


@probe
def put_together(
    answers: Any, train_images: Any, train_labels: Any, images: Any, labels: Any
) -> dict[str, Any]:
    from transformers import EvalPrediction, Trainer, ViTConfig, ViTForImageClassification

    names, used = answers._names, set()
    own = {name: names[name] for name in ("collate_fn", "compute_metrics")}

    def noting(name: str) -> Any:
        def noted(*parts: Any, **named: Any) -> Any:
            used.add(name)
            return own[name](*parts, **named)

        return noted

    def examples(pixels: Any, classes: Any) -> list[dict[str, Any]]:
        pairs = zip(pixels, classes.tolist(), strict=True)
        return [{"pixel_values": image, "labels": label} for image, label in pairs]

    first, second = examples(train_images, train_labels), examples(images, labels)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = ViTForImageClassification(ViTConfig(image_size=8, patch_size=4, **sizes))
    args = answers.make_training_args("small")
    names.update({name: noting(name) for name in own})
    try:
        trainer = answers.make_trainer(model, args, first, second)
        if not isinstance(trainer, Trainer):
            return {"is_trainer": False}
        trainer.data_collator(first[:2])
        if trainer.compute_metrics is not None:
            answered = EvalPrediction(torch.eye(3).numpy(), labels[:3].numpy())
            trainer.compute_metrics(answered)
    finally:
        names.update(own)
    return {
        "is_trainer": True,
        "model": trainer.model is model,
        "arguments": trainer.args is args,
        "data": trainer.train_dataset is first and trainer.eval_dataset is second,
        "collates": "collate_fn" in used,
        "measures": "compute_metrics" in used,
        "processor": trainer.processing_class is names["processor"],
    }


@probe
def trained(
    answers: Any, train_images: Any, train_labels: Any, images: Any, labels: Any
) -> dict[str, Any]:
    from transformers import Trainer, TrainerCallback, ViTConfig, ViTForImageClassification

    def examples(pixels: Any, classes: Any) -> list[dict[str, Any]]:
        pairs = zip(pixels, classes.tolist(), strict=True)
        return [{"pixel_values": image, "labels": label} for image, label in pairs]

    class Notes(TrainerCallback):  # type: ignore[misc]
        def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            rates.append(given["optimizer"].param_groups[0]["lr"])

    def note(module: Any, parts: Any, given: Any) -> None:
        seen.append(len(given["pixel_values"]) if module.training else 0)

    rates: list[float] = []
    seen: list[int] = []
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = ViTConfig(image_size=8, patch_size=4, intermediate_size=8, num_labels=3, **sizes)
    model = ViTForImageClassification(config)
    before = [parameter.detach().clone() for parameter in model.parameters()]
    args = answers.make_training_args("small")
    first, second = examples(train_images, train_labels), examples(images, labels)
    trainer = answers.make_trainer(model, args, first, second)
    if not isinstance(trainer, Trainer):
        return {"broke": "it is no Trainer"}
    hook = model.register_forward_pre_hook(note, with_kwargs=True)
    trainer.add_callback(Notes())
    try:
        trainer.train()
    except Exception as error:
        return {"broke": f"{type(error).__name__}: {error}"[:300]}
    hook.remove()
    measured = [e["eval_accuracy"] for e in trainer.state.log_history if "eval_accuracy" in e]
    pairs = zip(before, model.parameters(), strict=True)
    return {
        "broke": "",
        "steps": trainer.state.global_step,
        "trained_on": sum(seen),
        "accuracy": torch.tensor([float(share) for share in measured]),
        "logits": model.eval()(pixel_values=images).logits,
        "rates": torch.tensor(rates),
        "moved": torch.tensor([float((old - new).abs().max()) for old, new in pairs]),
    }


def _small_data() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    return {
        "train_images": numbers(1, TRAINED_ON, 3, 8, 8),
        "train_labels": torch.randint(CLASSES, (TRAINED_ON,), generator=generator),
        "images": numbers(2, EVALUATED_ON, 3, 8, 8),
        "labels": torch.randint(CLASSES, (EVALUATED_ON,), generator=generator),
    }


SMALL = _small_data()


def _arguments(student: Student) -> Reply:
    reply = student.run(arguments, folder="some/folder")
    expect(reply["is_arguments"] is True, wording.NO_ARGUMENTS)
    return reply


def _near(reply: Reply, name: str, wanted: float) -> bool:
    found = reply[name]
    return isinstance(found, (int, float)) and abs(found - wanted) <= 1e-9 * max(1, abs(wanted))


@points(3)
def check_batches_have_the_right_sizes(student: Student, expected: Expected) -> None:
    """A step sees TRAIN_BATCH images, accumulated or not; an evaluation EVAL_BATCH at a time."""
    reply = _arguments(student)
    expect(_near(reply, "step", TRAIN_BATCH), wording.STEP_SIZE)
    expect(_near(reply, "evaluation", EVAL_BATCH), wording.EVALUATION_SIZE)


@points(2)
def check_one_epoch(student: Student, expected: Expected) -> None:
    """The training goes EPOCHS times through the images, however many there are."""
    reply = _arguments(student)
    expect(_near(reply, "epochs", 1) and _near(reply, "most_steps", -1), wording.OTHER_EPOCHS)


@points(2)
def check_the_learning_rate(student: Student, expected: Expected) -> None:
    """The learning rate is LEARNING_RATE."""
    expect(_near(_arguments(student), "rate", LEARNING_RATE), wording.OTHER_RATE)


@points(3)
def check_evaluates_logs_and_does_not_save(student: Student, expected: Expected) -> None:
    """It is evaluated after each epoch, logged every LOG_STEPS steps, and nothing is saved."""
    reply = _arguments(student)
    expect(reply["output_dir"] == "some/folder", wording.OTHER_FOLDER)
    expect(reply["evaluates"] == "epoch", wording.EVALUATION_TIME)
    expect(reply["saves"] == "no", wording.SAVES)
    expect(reply["logs"] == "steps" and _near(reply, "log_steps", LOG_STEPS), wording.LOG_TIME)


@points(2)
def check_columns_stay(student: Student, expected: Expected) -> None:
    """The columns that `transform` reads are not removed from the data set."""
    expect(_arguments(student)["removes_columns"] is False, wording.COLUMNS)


@points(2)
def check_follows_settings_and_machine(student: Student, expected: Expected) -> None:
    """Other numbers in the settings cell, and another MACHINE, change the arguments."""
    reply = student.run(under_other_settings)
    machine = {"bf16": True, "fp16": False, "use_cpu": True, "seed": 7, "quiet": True}
    told = all(repr(reply[name]) == repr(wanted) for name, wanted in machine.items())
    expect(told and reply["pinned"] is False and reply["reports"] == 0, wording.MACHINE_IGNORED)
    here = _arguments(student)
    for name, (before, after) in FOLLOWING.items():
        paid_for = not _near(here, name, before)  # another check has told
        expect(paid_for or _near(reply, name, after), wording.SETTINGS_IGNORED)


@points(3)
def check_the_trainer_uses_what_it_was_given(student: Student, expected: Expected) -> None:
    """It holds the model, the arguments, both data sets, your two functions and the processor."""
    reply = student.run(put_together, **SMALL)
    expect(reply["is_trainer"] is True, wording.NO_TRAINER)
    expect(reply["model"] is True, wording.OTHER_MODEL)
    expect(reply["arguments"] is True, wording.OTHER_ARGUMENTS)
    expect(reply["data"] is True, wording.OTHER_DATA)
    expect(reply["collates"] is True, wording.OTHER_COLLATE)
    expect(reply["measures"] is True, wording.OTHER_METRICS)
    expect(reply["processor"] is True, wording.NO_PROCESSOR)


@values
@points(3)
def check_trains_a_small_model_for_one_epoch(student: Student, expected: Expected) -> None:
    """40 images take 3 steps, at a rate that falls; all parameters move; accuracies are true."""
    reply = student.run(trained, **SMALL)
    expect(reply["broke"] == "", wording.NOT_TRAINED.format(reply["broke"]))
    expect(_near(reply, "trained_on", TRAINED_ON), wording.LEFT_OUT)
    expect(_near(reply, "steps", -(-TRAINED_ON // TRAIN_BATCH)), wording.STEP_COUNT)
    rates = reply.tensor("rates").double()
    falls = bool((rates <= LEARNING_RATE * (1 + 1e-6)).all()) and float(rates.sum()) > 0
    expect(falls, wording.RATE_IN_TRAINING)
    moved = reply.tensor("moved")
    expect(moved.isfinite().all() and (moved > 0).all(), wording.STANDS_STILL)
    labels = SMALL["labels"]
    logits = expect_floats(reply, "logits", images=len(labels), classes=CLASSES)
    right = logits.argmax(dim=-1) == labels
    apart = reply.tensor("accuracy").double() - float(right.double().mean())
    expect(bool((apart.abs() < 1e-6).all()), wording.OTHER_METRICS)
