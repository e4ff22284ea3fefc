"""Trains with small batches whose gradients are accumulated, and with settings of its own.

score: 100
"""


# %% training_setup
def make_training_args(output_dir):
    accumulated = 4
    options = dict(MACHINE)
    options.update(
        per_device_train_batch_size=TRAIN_BATCH // accumulated,
        gradient_accumulation_steps=accumulated,
        per_device_eval_batch_size=EVAL_BATCH,
        num_train_epochs=EPOCHS,
        learning_rate=LEARNING_RATE,
        lr_scheduler_type="cosine",
        weight_decay=0.01,
        warmup_steps=1,
        eval_strategy="epoch",
        save_strategy="no",
        logging_strategy="steps",
        logging_steps=LOG_STEPS,
        remove_unused_columns=False,
    )
    return TrainingArguments(output_dir, **options)


def make_trainer(model, args, train_dataset, eval_dataset):
    trainer = Trainer(
        model,
        args,
        data_collator=collate_fn,
        train_dataset=train_dataset,
        eval_dataset=eval_dataset,
        compute_metrics=compute_metrics,
        processing_class=processor,
    )
    return trainer
