"""Stops after the attention function and leaves the rest as it was released.

score: 25
self_attention: unanswered 0
transformer_block: unanswered 0
positional_encoding: unanswered 0
text_classifier: unanswered 0
evaluate: unanswered 0
overfit_one_batch: unanswered 0
attention_weights: unanswered 0
empty: true
"""


# %% tokenize_batch
def tokenize_batch(tokenizer, texts, labels, max_length=48):
    """Turns headlines into tensors of one fixed length.

    texts: N strings, labels: N class numbers
    -> {"input_ids": (N, max_length), "attention_mask": (N, max_length), "labels": (N,)}, int64
    """
    encoded = tokenizer(
        texts, padding="max_length", truncation=True, max_length=max_length, return_tensors="pt"
    )
    return {
        "input_ids": encoded["input_ids"],
        "attention_mask": encoded["attention_mask"],
        "labels": torch.tensor(labels),
    }


# %% headline_dataset
class HeadlineDataset(Dataset):
    """Tokenized headlines, one at a time.

    columns: a dict of tensors that share their first dimension, N; "labels" is among them.
    """

    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        return len(self.columns["labels"])

    def __getitem__(self, index):
        """The dict of headline number `index`, with the same names as the columns."""
        return {name: column[index] for name, column in self.columns.items()}


# %% dot_product_attention
class DotProductAttention(nn.Module):
    """Scaled dot-product attention of several heads, which leaves out padding.

    dropout: share of the weights that is dropped in training.
    """

    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, padding_mask=None):
        """q: (B, heads, L_q, d), k: (B, heads, L_k, d), v: (B, heads, L_k, d_v),
        padding_mask: (B, L_k), True at real tokens -> (B, heads, L_q, d_v).
        """
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, heads, L_q, L_k)
        if padding_mask is not None:
            scores = scores.masked_fill(~padding_mask[:, None, None], -math.inf)
        return self.dropout(torch.softmax(scores, dim=-1)) @ v
