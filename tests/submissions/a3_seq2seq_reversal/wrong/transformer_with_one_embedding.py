"""Shares one embedding, without a padding id, between source and target.

score: 94
transformer: wrong 9
"""


# %% transformer
class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.encoding = PositionalEncoding(d_model)
        self.encoder = nn.ModuleList(
            [EncoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)]
        )
        self.decoder = nn.ModuleList(
            [DecoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)]
        )
        self.to_logits = nn.Linear(d_model, vocab_size)

    def encode(self, src):
        x = self.encoding(self.embedding(src))
        for block in self.encoder:
            x = block(x, padding_mask(src, self.pad_id))
        return x

    def decode(self, tgt, memory, src):
        mask = causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, self.pad_id)
        x = self.encoding(self.embedding(tgt))
        for block in self.decoder:
            x = block(x, memory, mask, padding_mask(src, self.pad_id))
        return self.to_logits(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
