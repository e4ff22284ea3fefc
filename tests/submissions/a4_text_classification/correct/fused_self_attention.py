"""Calls PyTorch's fused attention inside of self-attention, with the dropout handed over.

score: 95
"""


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        self.num_heads, self.dropout = num_heads, dropout
        self.to_queries = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_keys = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_values = nn.Linear(embed_dim, embed_dim, bias=False)
        self.unify_heads = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, padding_mask=None):
        shape = (x.shape[0], x.shape[1], self.num_heads, x.shape[2] // self.num_heads)
        q = self.to_queries(x).view(shape).transpose(1, 2)
        k = self.to_keys(x).view(shape).transpose(1, 2)
        v = self.to_values(x).view(shape).transpose(1, 2)
        if padding_mask is not None:
            padding_mask = padding_mask.reshape(shape[0], 1, 1, shape[1])
        heads = nn.functional.scaled_dot_product_attention(
            q, k, v, padding_mask, dropout_p=self.dropout * self.training
        )
        return self.unify_heads(heads.transpose(1, 2).reshape(x.shape))


# %% text_classifier
class TextClassifier(nn.Module):
    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        self.embed_dim = embed_dim
        self.output = nn.Linear(embed_dim, num_classes)
        self.table = nn.Embedding(num_tokens, embed_dim)
        nn.init.normal_(self.table.weight, 0, embed_dim**-0.5)
        self.encoding = PositionalEncoding(embed_dim, max_len=max(seq_length, 512))
        self.layers = nn.ModuleDict(
            {str(n): TransformerBlock(embed_dim, num_heads) for n in range(depth)}
        )

    def forward(self, input_ids, attention_mask):
        x = self.encoding(self.table(input_ids) * math.sqrt(self.embed_dim))
        for layer in self.layers.values():
            x = layer(x, attention_mask.bool())
        counted = attention_mask.unsqueeze(-1)
        mean = (x * counted).sum(1) / counted.sum(1).clamp(min=1)
        return torch.log_softmax(self.output(mean), -1)
