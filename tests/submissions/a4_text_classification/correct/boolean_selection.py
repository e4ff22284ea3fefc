"""Selects real tokens with booleans, and drops weights by hand.

score: 95
"""


# %% dot_product_attention
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.p = dropout

    def forward(self, q, k, v, padding_mask=None):
        if padding_mask is None:
            padding_mask = torch.ones(len(k), k.shape[2], dtype=torch.bool, device=k.device)
        rows = []
        for one_q, one_k, one_v, real in zip(q, k, v, padding_mask):
            weights = (one_q @ one_k[:, real].mT / one_q.shape[-1] ** 0.5).softmax(-1)
            if self.training and self.p > 0:
                weights = (
                    weights * torch.bernoulli(torch.full_like(weights, 1 - self.p)) / (1 - self.p)
                )
            rows.append(weights @ one_v[:, real])
        return torch.stack(rows)


# %% text_classifier
class TextClassifier(nn.Module):
    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        self.last = nn.Linear(embed_dim, num_classes)
        self.stack = nn.ModuleList(TransformerBlock(embed_dim, num_heads) for _ in range(depth))
        self.where = PositionalEncoding(embed_dim, max_len=seq_length)
        self.what = nn.Embedding(
            num_tokens, embed_dim, _weight=torch.randn(num_tokens, embed_dim) / embed_dim**0.5
        )

    def forward(self, input_ids, attention_mask):
        real = attention_mask > 0
        x = self.where(self.what(input_ids) * self.what.embedding_dim**0.5)
        for block in self.stack:
            x = block(x, padding_mask=real)
        means = torch.stack([vectors[kept].mean(dim=0) for vectors, kept in zip(x, real)])
        return self.last(means).log_softmax(-1)
