"""Writes a trainer class of its own, which computes the loss itself.

score: 100
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


class PlainLossTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs["labels"]
        outputs = model(pixel_values=inputs["pixel_values"])
        loss = F.cross_entropy(outputs.logits, labels)
        return (loss, {"loss": loss, "logits": outputs.logits}) if return_outputs else loss


def make_trainer(model, args, train_dataset, eval_dataset):
    return PlainLossTrainer(
        model=model,
        args=args,
        train_dataset=train_dataset,
        eval_dataset=eval_dataset,
        data_collator=lambda examples: collate_fn(examples),
        compute_metrics=lambda found: compute_metrics(found),
        processing_class=processor,
    )
