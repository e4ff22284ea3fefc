"""Encodes without the special tokens; the batch is right.

score: 91
tokenization: wrong 4.0
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    tokens = tokenizer.tokenize(text)
    ids = tokenizer.convert_tokens_to_ids(tokens)
    return tokens, ids, tokenizer.decode(ids)


def encode_batch(tokenizer, sentences, max_length):
    return tokenizer(
        sentences, padding=True, truncation=True, max_length=max_length, return_tensors="pt"
    )
