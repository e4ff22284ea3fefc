"""Says strategies by the library's own names for them, and hands arguments over by their places.

score: 100
"""

# %% training_setup
from transformers.trainer_utils import IntervalStrategy, SaveStrategy


def make_training_args(output_dir):
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=TRAIN_BATCH,
        per_device_eval_batch_size=EVAL_BATCH,
        num_train_epochs=float(EPOCHS),
        learning_rate=LEARNING_RATE,
        eval_strategy=IntervalStrategy.EPOCH,
        save_strategy=SaveStrategy.NO,
        logging_steps=LOG_STEPS,
        remove_unused_columns=False,
        bf16=MACHINE["bf16"],
        fp16=MACHINE["fp16"],
        use_cpu=MACHINE["use_cpu"],
        dataloader_num_workers=MACHINE["dataloader_num_workers"],
        dataloader_pin_memory=MACHINE["dataloader_pin_memory"],
        disable_tqdm=MACHINE["disable_tqdm"],
        report_to=MACHINE["report_to"],
        seed=MACHINE["seed"],
    )
    return args


def make_trainer(model, args, train_dataset, eval_dataset):
    return Trainer(
        model,
        args,
        collate_fn,
        train_dataset,
        eval_dataset,
        processor,
        compute_metrics=compute_metrics,
    )
