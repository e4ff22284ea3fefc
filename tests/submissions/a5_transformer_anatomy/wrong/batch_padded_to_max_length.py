"""Pads every batch up to max_length.

score: 92.6
tokenization: wrong 5.6
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    ids = tokenizer(text).input_ids
    return tokenizer.convert_ids_to_tokens(ids), ids, tokenizer.decode(ids)


def encode_batch(tokenizer, sentences, max_length):
    return tokenizer(
        sentences,
        padding="max_length",
        truncation=True,
        max_length=max_length,
        return_tensors="pt",
    )
