"""What the makers of the small models of a5 share: one training loop, one way to save."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import torch
from tqdm import tqdm
from transformers import PreTrainedModel, PreTrainedTokenizerBase

ASSETS = Path(__file__).resolve().parent.parent / "source" / "a5_transformer_anatomy" / "assets"
LARGEST_CHECKPOINT_BYTES = 2_000_000
WARM_UP_STEPS = 100


def options(name: str, steps: int) -> argparse.Namespace:
    """The command line of a maker: where to, and how long."""
    parser = argparse.ArgumentParser(description=f"Train {name} and save it.")
    parser.add_argument("--output", type=Path, default=ASSETS / name)
    parser.add_argument("--steps", type=int, default=steps)
    return parser.parse_args()


def train(
    model: PreTrainedModel,
    loss_of_a_batch: Callable[[], torch.Tensor],
    steps: int,
    learning_rate: float,
) -> None:
    """AdamW with a linear warm-up and a linear decay to a hundredth; leaves the model in eval."""
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=learning_rate, betas=(0.9, 0.98), weight_decay=0.01
    )
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: max(0.01, min(1.0, (step + 1) / WARM_UP_STEPS) * (1 - step / steps)),
    )
    model.train()
    progress = tqdm(range(steps), unit="step")
    for step in progress:
        loss = loss_of_a_batch()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if step % 100 == 0:
            progress.set_postfix(loss=f"{loss.item():.3f}")
    model.eval()


def save(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Writes weights, configuration and tokenizer; the model card beside them stays.

    Raises:
        ValueError: the weights are larger than an asset may be.
    """
    model.save_pretrained(folder)
    tokenizer.backend_tokenizer.no_padding()  # what a batch asked for stays out of the file
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.save_pretrained(folder)
    weights = folder / "model.safetensors"
    weights.chmod(0o644)
    size = weights.stat().st_size
    if size > LARGEST_CHECKPOINT_BYTES:
        raise ValueError(f"{folder.name} has {size:,} bytes of weights, which is too large")
    print(f"{folder}: {model.num_parameters():,} parameters, {size:,} bytes of weights")
