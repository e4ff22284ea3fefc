"""Known wrong answers to `make_training_args` and `make_trainer`."""

from __future__ import annotations

from autograder.checking import Misconception

TRAIN_SIZE = "        per_device_train_batch_size=TRAIN_BATCH,\n"
EVAL_SIZE = "        per_device_eval_batch_size=EVAL_BATCH,\n"
EPOCHS = "        num_train_epochs=EPOCHS,\n"
RATE = "        learning_rate=LEARNING_RATE,\n"
EVALUATION = '        eval_strategy="epoch",\n'
SAVING = '        save_strategy="no",\n'
LOGGING = "        logging_steps=LOG_STEPS,\n"
COLUMNS = "        remove_unused_columns=False,\n"
DATA = "        train_dataset=train_dataset,\n        eval_dataset=eval_dataset,\n"
LINE = "        {},\n"

MISCONCEPTIONS = [
    Misconception(
        "small_default_batches",
        "You leave the number of images in a step at its default. Say how many there should be.",
        {TRAIN_SIZE: ""},
        price="edge",
    ),
    Misconception(
        "batch_sizes_swapped",
        "Your batches in training and in evaluation have changed their sizes with each other.",
        {
            TRAIN_SIZE: LINE.format("per_device_train_batch_size=EVAL_BATCH"),
            EVAL_SIZE: LINE.format("per_device_eval_batch_size=TRAIN_BATCH"),
        },
        price="edge",
    ),
    Misconception(
        "evaluation_batch_default",
        "You leave the number of images at a time in an evaluation at its default.",
        {EVAL_SIZE: ""},
        price="edge",
    ),
    Misconception(
        "accumulated_on_top",
        "You accumulate the gradients of several full batches, so a step sees several times as "
        "many images as it should. Accumulation replaces large batches, it comes with smaller "
        "ones.",
        {TRAIN_SIZE: TRAIN_SIZE + LINE.format("gradient_accumulation_steps=4")},
        price="edge",
    ),
    Misconception(
        "three_epochs",
        "You train for the default number of epochs, which is more than the question asks for.",
        {EPOCHS: ""},
        price="edge",
    ),
    Misconception(
        "steps_instead_of_epochs",
        "You give a number of steps, which overrules the epochs. With other data the training ends "
        "too early or too late.",
        {EPOCHS: LINE.format("max_steps=100")},
        price="edge",
    ),
    Misconception(
        "last_batch_dropped",
        "You leave out the images at the end that do not fill a batch, in the training and in the "
        "test. All of them should count.",
        {COLUMNS: COLUMNS + LINE.format("dataloader_drop_last=True")},
        price="edge",
    ),
    Misconception(
        "default_learning_rate",
        "You leave the learning rate at its default, which is far too small for this model: it "
        "hardly moves in one epoch.",
        {RATE: ""},
        price="edge",
    ),
    Misconception(
        "learning_rate_of_the_real_model",
        "You wrote the learning rate of the large model into your code. The settings cell knows "
        "which model is in use.",
        {RATE: LINE.format("learning_rate=1e-4")},
        price="edge",
    ),
    Misconception(
        "loss_alone_in_evaluations",
        "Your evaluations keep no predictions, so that only the loss is left to be told. An "
        "accuracy needs the predictions: leave that argument at its default.",
        {EVALUATION: EVALUATION + LINE.format("prediction_loss_only=True")},
        price="edge",
    ),
    Misconception(
        "never_evaluated",
        "Your training is never interrupted for an evaluation, because that is the default. Say "
        "when it should happen.",
        {EVALUATION: ""},
        price="edge",
    ),
    Misconception(
        "evaluated_every_few_steps",
        "You evaluate every few steps, which costs more time than the training. Once at the end of "
        "each epoch is asked for.",
        {EVALUATION: LINE.format('eval_strategy="steps"')},
        price="edge",
    ),
    Misconception(
        "name_of_yesterday",
        "You use a name of an older version of the library, which the present one refuses. Look up "
        "how the argument for evaluation is called today.",
        {EVALUATION: LINE.format('evaluation_strategy="epoch"')},
        price="mathematics",
    ),
    Misconception(
        "checkpoints_saved",
        "You save a checkpoint after each epoch. Nothing should be written to the disk.",
        {SAVING: LINE.format('save_strategy="epoch"')},
        price="edge",
    ),
    Misconception(
        "checkpoints_by_default",
        "You say nothing about checkpoints, and by default they are saved. Switch them off.",
        {SAVING: ""},
        price="edge",
    ),
    Misconception(
        "hardly_ever_logged",
        "You leave the distance between two logs at its default, which is longer than the whole "
        "training. The learning curve would have no points.",
        {LOGGING: ""},
        price="edge",
    ),
    Misconception(
        "columns_removed",
        "You let the trainer remove the columns that the model does not ask for. One of them is "
        "the image, which your `transform` needs.",
        {COLUMNS: ""},
        price="edge",
    ),
    Misconception(
        "machine_forgotten",
        "You leave out what is known about the machine: precision, device and seed. The settings "
        "cell has it in one dictionary.",
        {"        **MACHINE,\n": ""},
        price="edge",
    ),
    Misconception(
        "mixed_precision_by_hand",
        "You switch on a precision without asking whether the device has it. On a processor "
        "without a GPU it is ignored, or it fails; the settings cell has found out what works.",
        {"**MACHINE": '**{**MACHINE, "fp16": True, "bf16": False}'},
        price="edge",
    ),
    Misconception(
        "data_sets_swapped",
        "You train on the images that were meant for the test and test on those for the training.",
        {
            DATA: LINE.format("train_dataset=eval_dataset")
            + LINE.format("eval_dataset=train_dataset")
        },
        price="edge",
    ),
    Misconception(
        "tested_on_the_training_data",
        "You evaluate on the images that you train on. That tells what was remembered, not what "
        "was learned.",
        {"eval_dataset=eval_dataset": "eval_dataset=train_dataset"},
        price="edge",
    ),
    Misconception(
        "collate_forgotten",
        "You let the library make the batches in its own way. Hand over your `collate_fn`.",
        {"        data_collator=collate_fn,\n": ""},
        price="edge",
    ),
    Misconception(
        "metrics_forgotten",
        "You do not say how to measure, so an evaluation knows the loss alone. Hand over your "
        "`compute_metrics`.",
        {"        compute_metrics=compute_metrics,\n": ""},
        price="edge",
    ),
    Misconception(
        "processor_forgotten",
        "Your trainer does not know the processor, so a saved model would lack it. Hand it over.",
        {"        processing_class=processor,\n": ""},
        price="edge",
    ),
    Misconception(
        "arguments_of_its_own",
        "Your trainer makes arguments of its own and ignores those that it is given.",
        {"args=args": 'args=make_training_args("runs")'},
        price="edge",
    ),
    Misconception(
        "model_of_its_own",
        "Your trainer trains another model than the one that it is given, which stays as it was.",
        {"model=model": "model=load_model(MODEL_NAME, LABELS)"},
        price="edge",
    ),
    Misconception(
        "folder_fixed",
        "You always write to one folder, whatever `output_dir` says.",
        {"output_dir=output_dir": 'output_dir="runs"'},
        price="edge",
    ),
    Misconception(
        "part_of_the_test_set",
        "You evaluate on the first images of the second data set. It is asked for whole.",
        {
            DATA: (
                "        train_dataset=train_dataset,\n"
                "        eval_dataset=eval_dataset.select(range(min(64, len(eval_dataset)))),\n"
            )
        },
    ),
    Misconception(
        "twice_the_images",
        "A step of yours sees twice as many images as it should. The size of a batch and the "
        "number of batches that are accumulated multiply.",
        {TRAIN_SIZE: TRAIN_SIZE + LINE.format("gradient_accumulation_steps=2")},
        price="edge",
    ),
    Misconception(
        "precision_alone",
        "You take the precision out of `MACHINE` and leave the rest of it behind. Precision and "
        "device belong together: hand the whole dictionary over.",
        {"**MACHINE": 'bf16=MACHINE["bf16"], fp16=MACHINE["fp16"]'},
        price="edge",
    ),
    Misconception(
        "data_of_the_notebook",
        "Your trainer takes the notebook's data sets and ignores those that it is given.",
        {
            DATA: LINE.format("train_dataset=train_set") + LINE.format("eval_dataset=test_set"),
        },
        price="edge",
    ),
    Misconception(
        "test_set_of_the_notebook",
        "Your trainer evaluates on the notebook's test set, whatever second data set it is given.",
        {"eval_dataset=eval_dataset": "eval_dataset=test_set"},
        price="edge",
    ),
    Misconception(
        "logged_once_an_epoch",
        "You log at the end of each epoch, and then a number of steps has no effect. One argument "
        "says by what to count, another how far.",
        {LOGGING: LOGGING + LINE.format('logging_strategy="epoch"')},
        price="edge",
    ),
    Misconception(
        "steps_beside_epochs",
        "You give a number of steps beside that of the epochs, and the library then takes no heed "
        "of the epochs. Leave one of the two out: which one is asked for?",
        {EPOCHS: EPOCHS + LINE.format("max_steps=100")},
        price="edge",
    ),
    Misconception(
        "body_frozen",
        "You freeze a part of the model before you hand it to the trainer. Which parameters learn "
        "is decided elsewhere: this function takes the model as it is.",
        {"    return Trainer(": "    model.vit.requires_grad_(False)\n    return Trainer("},
        price="edge",
    ),
    Misconception(
        "workers_left_out",
        "You hand over most of `MACHINE`, but not how many processes load the images. Hand over "
        "the whole dictionary.",
        {"**MACHINE": '**{name: MACHINE[name] for name in MACHINE if "workers" not in name}'},
        price="edge",
    ),
    Misconception(
        "answers_handed_to_the_metrics",
        "You turn logits into answers before an evaluation measures, and your `compute_metrics` "
        "takes these for logits. One of the two should choose the class, not both.",
        {
            "        processing_class=processor,\n": (
                "        processing_class=processor,\n"
                "        preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(-1),\n"
            )
        },
    ),
    Misconception(
        "cut_to_whole_batches",
        "You leave out the training images that do not fill a batch. All of them should be seen, "
        "and a last batch may be smaller.",
        {
            "    return Trainer(": (
                "    whole = max(len(train_dataset) // TRAIN_BATCH, 1) * TRAIN_BATCH\n"
                "    whole = min(whole, len(train_dataset))\n"
                "    return Trainer("
            ),
            "train_dataset=train_dataset": "train_dataset=train_dataset.select(range(whole))",
        },
        price="edge",
    ),
    Misconception(
        name="trains_at_once",
        sentence=(
            "You start the training already. What is asked for is the trainer, which others start."
        ),
        code="""def make_training_args(output_dir):
    return TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=TRAIN_BATCH,
        per_device_eval_batch_size=EVAL_BATCH,
        num_train_epochs=EPOCHS,
        learning_rate=LEARNING_RATE,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=LOG_STEPS,
        remove_unused_columns=False,
        **MACHINE,
    )


def make_trainer(model, args, train_dataset, eval_dataset):
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=train_dataset,
        eval_dataset=eval_dataset,
        data_collator=collate_fn,
        compute_metrics=compute_metrics,
        processing_class=processor,
    )
    trainer.train()
    return trainer
""",
        price="edge",
    ),
    Misconception(
        "optimizer_with_a_rate_of_its_own",
        "You hand the trainer an optimizer that you made, with a rate of your own, so the rate in "
        "`args` has no effect. A trainer makes its optimizer from its arguments.",
        {
            DATA: f"{DATA}        optimizers=("
            "torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE), None),\n"
        },
        price="edge",
    ),
]
