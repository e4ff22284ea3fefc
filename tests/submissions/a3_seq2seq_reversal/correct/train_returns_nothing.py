"""Freezes nothing, but overrides `train`, and forgets that it returns the module.

score: 95
"""


# %% transformer
class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.words = nn.ModuleDict(
            {side: nn.Embedding(vocab_size, d_model, padding_idx=pad_id) for side in ("src", "tgt")}
        )
        self.positions = PositionalEncoding(d_model)
        blocks = range(num_layers)
        self.encoder = nn.ModuleList([EncoderBlock(d_model, num_heads, d_ff) for _ in blocks])
        self.decoder = nn.ModuleList([DecoderBlock(d_model, num_heads, d_ff) for _ in blocks])
        self.out = nn.Linear(d_model, vocab_size)

    def train(self, mode=True):
        print("training" if mode else "evaluating")
        super().train(mode)

    def eval(self):
        self.train(False)

    def encode(self, src):
        hidden = self.positions(self.words["src"](src))
        for block in self.encoder:
            hidden = block(hidden, padding_mask(src, self.pad_id))
        return hidden

    def decode(self, tgt, memory, src):
        seen = causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, self.pad_id)
        hidden = self.positions(self.words["tgt"](tgt))
        for block in self.decoder:
            hidden = block(hidden, memory, seen, padding_mask(src, self.pad_id))
        return self.out(hidden)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
