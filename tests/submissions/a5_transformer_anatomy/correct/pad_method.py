"""Pads with the tokenizer's own method, and returns a boolean mask.

score: 95
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    encoded = tokenizer(text)
    return encoded.tokens(), list(encoded.input_ids), tokenizer.decode(encoded.input_ids)


def encode_batch(tokenizer, sentences, max_length):
    encoded = [tokenizer(s, max_length=max_length, truncation=True) for s in sentences]
    batch = tokenizer.pad(encoded, padding="longest", return_tensors="pt")
    return {
        "input_ids": batch.input_ids.int(),
        "attention_mask": batch.attention_mask.int(),
    }
