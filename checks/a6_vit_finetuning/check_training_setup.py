"""Checks of `make_training_args(output_dir)` and `make_trainer(...)`: what they set, what they do.

The last two train a small model: one with the arguments, the other with the trainer.
"""

from __future__ import annotations

from autograder.checking import Expected, Reply, Student, expect, expect_floats, points

from . import wording
from .training import (
    CLASSES,
    EVAL_BATCH,
    LARGE,
    LEARNING_RATE,
    LOG_STEPS,
    OTHER_RATE,
    SMALL,
    TRAIN_BATCH,
    TRAINED_ON,
    arguments,
    expect_trained,
    near,
    note_truth,
    put_together,
    trained_by_arguments,
    trained_by_trainer,
    under_other_settings,
)

# What an argument is in the notebook, and what it must be under the probe's other settings.
FOLLOWING = {
    "step": (TRAIN_BATCH, 32),
    "evaluation": (EVAL_BATCH, 10),
    "epochs": (1, 2),
    "rate": (LEARNING_RATE, 0.25),
    "log_steps": (LOG_STEPS, 3),
}
MACHINE = {
    **{"bf16": True, "fp16": False, "use_cpu": True, "seed": 7},
    **{"quiet": True, "pinned": False, "workers": 2},
}


def _arguments(student: Student) -> Reply:
    reply = student.run(arguments, folder="some/folder")
    expect(reply["is_arguments"] is True, wording.NO_ARGUMENTS)
    return reply


@points(1.75, text="images in one step of the optimizer")
def check_batches_have_the_right_sizes(student: Student) -> None:
    """A step sees TRAIN_BATCH images, accumulated or not; an evaluation EVAL_BATCH at a time."""
    reply = _arguments(student)
    expect(near(reply, "step", TRAIN_BATCH), wording.STEP_SIZE)
    expect(near(reply, "evaluation", EVAL_BATCH), wording.EVALUATION_SIZE)


@points(1.25, text="`EPOCHS`, which is 1; no image is left out")
def check_one_epoch(student: Student) -> None:
    """The training goes EPOCHS times through the images, however many there are."""
    reply = _arguments(student)
    expect(near(reply, "epochs", 1) and near(reply, "most_steps", -1), wording.OTHER_EPOCHS)


@points(1.5, text="learning rate | `LEARNING_RATE`")
def check_the_learning_rate(student: Student) -> None:
    """The learning rate is LEARNING_RATE."""
    expect(near(_arguments(student), "rate", LEARNING_RATE), wording.OTHER_RATE)


@points(1.75, text="the loss is logged | every `LOG_STEPS` steps")
def check_evaluates_logs_and_does_not_save(student: Student) -> None:
    """It is evaluated after each epoch, logged every LOG_STEPS steps, and nothing is saved."""
    reply = _arguments(student)
    expect(reply["output_dir"] == "some/folder", wording.OTHER_FOLDER)
    expect(reply["evaluates"] == "epoch", wording.EVALUATION_TIME)
    expect(reply["loss_alone"] is not True, wording.LOSS_ALONE)
    expect(reply["saves"] == "no", wording.SAVES)
    expect(reply["logs"] == "steps" and near(reply, "log_steps", LOG_STEPS), wording.LOG_TIME)


@points(1.5, text="stay, also those that the model does not ask for")
def check_columns_stay(student: Student) -> None:
    """The columns that `transform` reads are not removed from the data set."""
    expect(_arguments(student)["removes_columns"] is False, wording.COLUMNS)


@points(1.5, text="everything in the dictionary `MACHINE`")
def check_follows_settings_and_machine(student: Student) -> None:
    """Other numbers in the settings cell, and another MACHINE, change the arguments."""
    reply = student.run(under_other_settings)
    told = all(repr(reply[name]) == repr(wanted) for name, wanted in MACHINE.items())
    expect(told and reply["reports"] is False, wording.MACHINE_IGNORED)
    expect(reply["machine_kept"] is True, wording.MACHINE_CHANGED)
    for name, (before, after) in FOLLOWING.items():
        paid_for = not near(_arguments(student), name, before)  # another check has told
        expect(paid_for or near(reply, name, after), wording.SETTINGS_IGNORED)


@points(2.25, text="returns a `Trainer` that trains `model` with `args` on the first data set")
def check_the_trainer_uses_what_it_was_given(student: Student) -> None:
    """It holds the model, the arguments, both data sets, your two functions and the processor."""
    reply = student.run(put_together, **LARGE)
    for name, sentence in wording.PUT_TOGETHER.items():
        expect(reply[name] is True, sentence)


@points(1.75, text="no image is left out")
def check_the_arguments_train_a_small_model(student: Student, expected: Expected) -> None:
    """With your arguments 40 images take 3 steps, at your rate or below; all parameters move."""
    reply = student.run(trained_by_arguments, **SMALL)
    expect_trained(reply, LEARNING_RATE)
    expect(near(reply, "steps", -(-TRAINED_ON // TRAIN_BATCH)), wording.STEP_COUNT)
    note_truth(expected, reply, "order", 1e-5)


@points(1.75, text="with `args` on the first data set and evaluates on the second")
def check_the_trainer_trains_a_small_model(student: Student, expected: Expected) -> None:
    """With other arguments your trainer trains all of the model, and measures it truly."""
    reply = student.run(trained_by_trainer, **SMALL)
    expect_trained(reply, OTHER_RATE)
    expect(bool((reply.floats("rates") > OTHER_RATE / 2).any()), wording.OTHER_RATE_IN_TRAINING)
    labels = SMALL["labels"]
    logits = expect_floats(reply, "logits", images=len(labels), classes=CLASSES)
    share = float((logits.argmax(dim=-1) == labels).double().mean())
    expect(abs(reply.number("accuracy") - share) < 1e-6, wording.OTHER_METRICS)
    note_truth(expected, reply, "logits", 1e-2)
