"""Masks padding everywhere and the future nowhere.

score: 85
transformer: wrong 0
"""


# %% transformer
class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.src_embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.tgt_embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.encoding = PositionalEncoding(d_model)
        self.encoder = nn.ModuleList(
            [EncoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)]
        )
        self.decoder = nn.ModuleList(
            [DecoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)]
        )
        self.to_logits = nn.Linear(d_model, vocab_size)

    def encode(self, src):
        x = self.encoding(self.src_embedding(src))
        for block in self.encoder:
            x = block(x, padding_mask(src, self.pad_id))
        return x

    def decode(self, tgt, memory, src):
        x = self.encoding(self.tgt_embedding(tgt))
        for block in self.decoder:
            x = block(x, memory, padding_mask(tgt, self.pad_id), padding_mask(src, self.pad_id))
        return self.to_logits(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
