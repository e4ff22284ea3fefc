"""Hands on what the tokenizer returns, less what is not asked for.

score: 95
"""


# %% tokenize_batch
def tokenize_batch(tokenizer, texts, labels, max_length=48):
    batch = tokenizer(
        texts,
        max_length=max_length,
        padding="max_length",
        truncation="longest_first",
        return_token_type_ids=False,
        return_tensors="pt",
    )
    batch["labels"] = torch.LongTensor(labels)
    return batch


# %% headline_dataset
class HeadlineDataset(Dataset):
    def __init__(self, columns):
        self.columns = {name: list(column) for name, column in columns.items()}

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, index):
        return dict((name, rows[index].clone()) for name, rows in self.columns.items())


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        self.h = num_heads
        for name in ("to_keys", "to_queries", "to_values"):
            setattr(self, name, nn.Linear(embed_dim, embed_dim, bias=False))
        self.unify_heads = nn.Linear(embed_dim, embed_dim)
        self.dot = DotProductAttention(dropout)

    def forward(self, x, padding_mask=None):
        parts = []
        for layer in (self.to_queries, self.to_keys, self.to_values):
            parts.append(torch.stack(layer(x).chunk(self.h, dim=-1), dim=1))
        attended = self.dot(*parts, padding_mask=padding_mask)
        return self.unify_heads(torch.cat(attended.unbind(dim=1), dim=-1))
