"""Reaches the same tokens by other calls of the tokenizer.

score: 95
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    ids = tokenizer.encode(text, return_tensors="pt").squeeze(0)
    decoded = tokenizer.batch_decode([ids])[0]
    return [tokenizer.convert_ids_to_tokens(int(number)) for number in ids], ids, decoded


def encode_batch(tokenizer, sentences, max_length):
    rows = [tokenizer(text, truncation=True, max_length=max_length) for text in sentences]
    longest = max(len(row["input_ids"]) for row in rows)
    ids = torch.full((len(rows), longest), tokenizer.pad_token_id)
    mask = torch.zeros(len(rows), longest, dtype=torch.long)
    for number, row in enumerate(rows):
        count = len(row["input_ids"])
        real = slice(longest - count, None) if tokenizer.padding_side == "left" else slice(count)
        ids[number, real] = torch.tensor(row["input_ids"])
        mask[number, real] = 1
    return {"input_ids": ids, "attention_mask": mask}
