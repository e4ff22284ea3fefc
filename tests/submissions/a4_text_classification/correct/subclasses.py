"""Builds small classes under the ones that the questions ask for.

score: 95
"""


# %% after self_attention
class AddAndNorm(nn.Module):
    def __init__(self, part, embed_dim):
        super().__init__()
        self.part = part
        self.norm = nn.LayerNorm(embed_dim)

    def forward(self, x, *more):
        return self.norm(x + self.part(x, *more))


# %% transformer_block
class TransformerBlock(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        mlp = [nn.Linear(embed_dim, 2 * embed_dim), nn.ReLU(), nn.Linear(2 * embed_dim, embed_dim)]
        self.second = AddAndNorm(nn.Sequential(*mlp), embed_dim)
        self.first = AddAndNorm(SelfAttention(embed_dim, num_heads), embed_dim)

    def forward(self, x, padding_mask=None):
        return self.second(self.first(x, padding_mask))


# %% after positional_encoding
class ScaledEmbedding(nn.Embedding):
    def forward(self, ids):
        return super().forward(ids) * math.sqrt(self.embedding_dim)


# %% text_classifier
class TextClassifier(nn.Module):
    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        self.embed = nn.Sequential(
            ScaledEmbedding(num_tokens, embed_dim),
            PositionalEncoding(embed_dim, max_len=seq_length),
        )
        nn.init.normal_(self.embed[0].weight, std=1 / math.sqrt(embed_dim))
        self.blocks = nn.ModuleList(TransformerBlock(embed_dim, num_heads) for _ in range(depth))
        self.head = nn.Sequential(nn.Linear(embed_dim, num_classes), nn.LogSoftmax(dim=-1))

    def forward(self, input_ids, attention_mask):
        mask = attention_mask.bool()
        x = self.embed(input_ids)
        for block in self.blocks:
            x = block(x, mask)
        return self.head((x * mask.unsqueeze(2)).sum(1) / mask.sum(1).unsqueeze(1))
