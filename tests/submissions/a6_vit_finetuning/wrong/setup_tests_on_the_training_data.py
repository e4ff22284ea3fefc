"""Evaluates on the training data and forgets to measure the accuracy.

score: 96
training_setup: wrong 11
"""


# %% training_setup
def make_training_args(output_dir):
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
    return Trainer(
        model=model,
        args=args,
        train_dataset=train_dataset,
        eval_dataset=train_dataset,
        data_collator=collate_fn,
        processing_class=processor,
    )
