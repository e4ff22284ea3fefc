"""Ends with a softmax, and starts the embedding as PyTorch does.

score: 75
text_classifier: wrong 0
"""


# %% text_classifier
class TextClassifier(nn.Module):
    """An encoder that reads token ids and tells the class of the text.

    embed_dim, num_heads: as in TransformerBlock. depth: number of blocks.
    seq_length: length of the longest sequence. num_tokens: size of the vocabulary.
    """

    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        self.scale = math.sqrt(embed_dim)
        self.embedding = nn.Embedding(num_tokens, embed_dim)
        self.encoding = PositionalEncoding(embed_dim, max_len=seq_length)
        self.blocks = nn.ModuleList(TransformerBlock(embed_dim, num_heads) for _ in range(depth))
        self.output = nn.Linear(embed_dim, num_classes)

    def forward(self, input_ids, attention_mask):
        """input_ids: (B, L), attention_mask: (B, L), 1 at real tokens
        -> log-probabilities (B, num_classes)
        """
        real = attention_mask.bool()
        x = self.encoding(self.embedding(input_ids) * self.scale)  # (B, L, embed_dim)
        for block in self.blocks:
            x = block(x, real)
        x = x.masked_fill(~real.unsqueeze(-1), 0)
        mean = x.sum(dim=1) / real.sum(dim=1, keepdim=True)  # (B, embed_dim)
        return torch.softmax(self.output(mean), dim=-1)
