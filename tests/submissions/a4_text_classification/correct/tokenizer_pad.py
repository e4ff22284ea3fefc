"""Encodes first and lets the tokenizer pad afterwards; keeps what it needs of the result.

score: 95
"""


# %% tokenize_batch
def tokenize_batch(tokenizer, texts, labels, max_length=48):
    cut = tokenizer(list(texts), max_length=max_length, truncation=True)
    padded = tokenizer.pad(cut, padding="max_length", max_length=max_length, return_tensors="pt")
    columns = {name: padded[name] for name in ("input_ids", "attention_mask")}
    columns["labels"] = torch.as_tensor(labels, dtype=torch.long)
    return columns


# %% headline_dataset
class HeadlineDataset(Dataset):
    def __init__(self, columns):
        self.__dict__.update(names=list(columns), tensors=list(columns.values()))

    def __len__(self):
        return self.tensors[0].size(0)

    def __getitem__(self, index):
        return {name: tensor[index] for name, tensor in zip(self.names, self.tensors)}
