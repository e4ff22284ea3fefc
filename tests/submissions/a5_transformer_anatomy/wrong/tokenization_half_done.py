"""Writes the first of the two functions only.

score: 91
tokenization: error 4.0
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    ids = tokenizer(text).input_ids
    return tokenizer.convert_ids_to_tokens(ids), ids, tokenizer.decode(ids)


def encode_batch(tokenizer, sentences, max_length):
    raise NotImplementedError()
