"""Replaces fields of arguments made before, accumulates eight batches, and lets torch collate.

score: 100
"""

# %% collate
from torch.utils.data import default_collate


def collate_fn(batch):
    return default_collate([{key: x[key] for key in ("pixel_values", "labels")} for x in batch])


# %% compute_metrics
def compute_metrics(eval_prediction):
    logits, labels = (torch.from_numpy(array) for array in eval_prediction)
    return {"accuracy": (logits.argmax(-1) == labels).float().mean()}


# %% training_setup
import dataclasses


def make_training_args(output_dir):
    plain = TrainingArguments(output_dir=output_dir, **MACHINE)
    return dataclasses.replace(
        plain,
        per_device_train_batch_size=max(1, TRAIN_BATCH // 8),
        gradient_accumulation_steps=8,
        per_device_eval_batch_size=EVAL_BATCH,
        num_train_epochs=EPOCHS,
        learning_rate=LEARNING_RATE,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=LOG_STEPS,
        logging_first_step=True,
        remove_unused_columns=False,
        lr_scheduler_type="constant_with_warmup",
        warmup_steps=1,
        optim="adafactor",
        max_grad_norm=0.5,
        label_names=["labels"],
        data_seed=3,
    )


def make_trainer(model, args, train_dataset, eval_dataset):
    chosen = {"processing_class": processor, "data_collator": collate_fn}
    trainer = Trainer(model, args, eval_dataset=eval_dataset, **chosen)
    trainer.train_dataset = train_dataset
    trainer.compute_metrics = compute_metrics
    return trainer


# %% attention_distance
def attention_distance(attentions, patch_size, grid):
    places = np.stack(np.mgrid[0 : grid[0], 0 : grid[1]], axis=-1).reshape(-1, 2) * patch_size
    apart = np.linalg.norm((places[:, None] - places[None]).astype(float), axis=-1)
    weights = F.normalize(torch.stack(attentions)[..., 1:, 1:], p=1, dim=-1)
    return (weights * torch.from_numpy(apart).to(weights)).sum(-1).mean(-1).mean(1)
