"""Trains the tiny T5 of a5 to translate made English into French, in a few minutes on one core.

python tools/make_tiny_t5.py [--output FOLDER] [--steps 3000]
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from math import log
from pathlib import Path

import torch
from make_checkpoint import options, save, train
from make_sentences import Sentence, sentences, unseen
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

SEED = 0
CORPUS_SEED, CORPUS_SIZE = 11, 20_000
STEPS = 3000
BATCH_SIZE = 64
LEARNING_RATE = 5e-3
LONGEST = 32
IGNORED = -100
RARE = -15.0
"""The score of a single letter: a word of the corpus is always the better choice."""

PAD, END, UNKNOWN = "<pad>", "</s>", "<unk>"
SPACE = "▁"
ACCENTED = "àâçèéêëîïôùûü"


def make_tokenizer(corpus: Sequence[Sentence]) -> PreTrainedTokenizerBase:
    """A unigram model, as in T5: whole words of the corpus, and letters for everything else."""
    normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    splitter = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=SPACE),
            pre_tokenizers.Split("'", behavior="merged_with_previous"),
            pre_tokenizers.Split(".", behavior="isolated"),
        ]
    )
    counts: Counter[str] = Counter()
    for one in corpus:
        for text in (one.english_text, one.french_text):
            words = splitter.pre_tokenize_str(normalizer.normalize_str(text))
            counts.update(word for word, _ in words)
    total = counts.total()
    pieces = [(PAD, 0.0), (END, 0.0), (UNKNOWN, 0.0)]
    pieces += [(word, log(counts[word] / total)) for word in sorted(counts)]
    letters = [SPACE, *string.ascii_lowercase, *ACCENTED, *string.digits, *".,!?'-:"]
    pieces += [(letter, RARE) for letter in letters if letter not in counts]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.Metaspace(replacement=SPACE)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        unk_token=UNKNOWN,
        model_max_length=LONGEST,
        clean_up_tokenization_spaces=False,
    )


def make_model(vocabulary_size: int) -> T5ForConditionalGeneration:
    torch.manual_seed(SEED)
    return T5ForConditionalGeneration(
        T5Config(
            vocab_size=vocabulary_size,
            d_model=64,
            d_kv=16,
            d_ff=128,
            num_layers=2,
            num_decoder_layers=2,
            num_heads=4,
            dropout_rate=0.05,
            relative_attention_num_buckets=16,
            relative_attention_max_distance=24,
            pad_token_id=0,
            eos_token_id=1,
            decoder_start_token_id=0,
            attn_implementation="eager",
        )
    )


def fit(
    model: T5ForConditionalGeneration,
    tokenizer: PreTrainedTokenizerBase,
    corpus: Sequence[Sentence],
    steps: int,
) -> None:
    """Trains with teacher forcing: every French word is asked for, given those before it."""
    english = tokenizer([one.english_text for one in corpus], padding=True, return_tensors="pt")
    french = tokenizer([one.french_text for one in corpus], padding=True, return_tensors="pt")
    labels = french.input_ids.masked_fill(french.attention_mask == 0, IGNORED)
    random_numbers = torch.Generator().manual_seed(SEED)

    def loss_of_a_batch() -> torch.Tensor:
        drawn = torch.randint(len(corpus), (BATCH_SIZE,), generator=random_numbers)
        given, given_length = english.attention_mask[drawn], _longest(english, drawn)
        return model(
            input_ids=english.input_ids[drawn, :given_length],
            attention_mask=given[:, :given_length],
            labels=labels[drawn, : _longest(french, drawn)],
        ).loss

    train(model, loss_of_a_batch, steps, LEARNING_RATE)


def _longest(encoded: dict[str, torch.Tensor], rows: torch.Tensor) -> int:
    return int(encoded["attention_mask"][rows].sum(dim=1).max())


def translate(
    model: T5ForConditionalGeneration, tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]
) -> list[str]:
    """Greedy translations."""
    given = tokenizer(list(texts), padding=True, return_tensors="pt")
    with torch.no_grad():
        made = model.generate(
            input_ids=given.input_ids,
            attention_mask=given.attention_mask,
            max_new_tokens=LONGEST,
            num_beams=1,
            do_sample=False,
        )
    return tokenizer.batch_decode(made, skip_special_tokens=True)


def test_sentences(count: int) -> list[Sentence]:
    """Different sentences that are not in the training corpus."""
    return list(islice(unseen(seed=12, known=sentences(CORPUS_SEED, CORPUS_SIZE)), count))


def share_of_exact_translations(
    model: T5ForConditionalGeneration, tokenizer: PreTrainedTokenizerBase, count: int
) -> float:
    """How many unseen sentences are translated word for word as the grammar does it."""
    tested = test_sentences(count)
    made = translate(model, tokenizer, [one.english_text for one in tested])
    right = [text == one.french_text for text, one in zip(made, tested, strict=True)]
    return sum(right) / count


def share_of_aligned_words(
    model: T5ForConditionalGeneration, tokenizer: PreTrainedTokenizerBase, count: int
) -> float:
    """For how many French words the weights are largest on the English word they translate.

    Weights are those of the last decoder layer's cross-attention, averaged over its heads.
    """
    found = total = 0
    for one in test_sentences(count):
        given = tokenizer(one.english_text, return_tensors="pt")
        labels = tokenizer(one.french_text, return_tensors="pt").input_ids
        with torch.no_grad():
            maps = model(**given, labels=labels, output_attentions=True).cross_attentions
        looked_at = maps[-1][0].mean(dim=0).argmax(dim=-1)[: len(one.french)]
        found += int((looked_at == torch.tensor(one.alignment)).sum())
        total += len(one.french)
    return found / total


def make(
    folder: Path, steps: int = STEPS, corpus_size: int = CORPUS_SIZE
) -> tuple[T5ForConditionalGeneration, PreTrainedTokenizerBase]:
    """Trains and saves to `folder`."""
    torch.set_num_threads(1)
    corpus = sentences(CORPUS_SEED, corpus_size)
    tokenizer = make_tokenizer(corpus)
    model = make_model(len(tokenizer))
    fit(model, tokenizer, corpus, steps)
    save(model, tokenizer, folder)
    return model, tokenizer


def main() -> None:
    """Makes the model and prints how well it went."""
    asked = options("tiny-t5", STEPS)
    made = make(asked.output, asked.steps)
    exact = share_of_exact_translations(*made, count=300)
    aligned = share_of_aligned_words(*made, count=300)
    print(f"{exact:.1%} of 300 unseen sentences translated exactly, {aligned:.1%} of words aligned")


if __name__ == "__main__":
    main()
