"""Cuts and joins heads with einsum and permute, and masks with a large negative bias.

score: 95
"""


# %% dot_product_attention
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = dropout

    def forward(self, q, k, v, padding_mask=None):
        scores = torch.einsum("bhmd,bhnd->bhmn", q, k) / q.size(-1) ** 0.5
        if padding_mask is not None:
            away = torch.logical_not(padding_mask).unsqueeze(1).unsqueeze(2)
            scores = scores.masked_fill(away, torch.finfo(scores.dtype).min)
        weights = nn.functional.dropout(scores.softmax(-1), self.dropout, self.training)
        return torch.einsum("bhmn,bhnd->bhmd", weights, v)


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.to_queries, self.to_keys, self.to_values = (
            nn.Linear(embed_dim, embed_dim, bias=False) for _ in range(3)
        )
        self.unify_heads = nn.Linear(embed_dim, embed_dim)
        self.core = DotProductAttention(dropout)

    def forward(self, x, padding_mask=None):
        b, t, e = x.size()

        def cut(vectors):
            return vectors.reshape(b, t, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

        found = self.core(
            cut(self.to_queries(x)), cut(self.to_keys(x)), cut(self.to_values(x)), padding_mask
        )
        return self.unify_heads(found.permute(0, 2, 1, 3).contiguous().view(b, t, e))


# %% text_classifier
class TextClassifier(nn.Module):
    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        self.embed_dim = embed_dim
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(TransformerBlock(embed_dim, num_heads))
        self.classify = nn.Linear(embed_dim, num_classes)
        self.places = PositionalEncoding(embed_dim, max_len=seq_length)
        self.words = nn.Embedding(num_tokens, embed_dim)
        self.words.weight.data.normal_(0, embed_dim**-0.5)

    def forward(self, input_ids, attention_mask):
        x = self.places(math.sqrt(self.embed_dim) * self.words(input_ids))
        for block in self.blocks:
            x = block(x, padding_mask=attention_mask.to(torch.bool))
        weights = attention_mask / attention_mask.sum(dim=1, keepdim=True)
        mean = torch.einsum("bld,bl->bd", x, weights.to(x.dtype))
        return nn.functional.log_softmax(self.classify(mean), dim=1)
