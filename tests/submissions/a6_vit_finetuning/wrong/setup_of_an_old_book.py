"""Copies argument names out of an old book.

score: 85
training_setup: error 0
"""


# %% training_setup
def make_training_args(output_dir):
    return TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=TRAIN_BATCH,
        evaluation_strategy="epoch",
        num_train_epochs=EPOCHS,
        fp16=True,
        learning_rate=LEARNING_RATE,
        remove_unused_columns=False,
    )


def make_trainer(model, args, train_dataset, eval_dataset):
    return Trainer(
        model=model,
        args=args,
        data_collator=collate_fn,
        compute_metrics=compute_metrics,
        train_dataset=train_dataset,
        eval_dataset=eval_dataset,
        tokenizer=processor,
    )
