"""Knows its own attributes, exchanges a part for another, and makes handles of its own.

score: 95
"""


# %% transformer
class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.reads = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.writes = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        sizes = (d_model, num_heads, d_ff)
        self.left = nn.ModuleList([EncoderBlock(*sizes) for _ in range(num_layers)])
        self.right = nn.ModuleList([DecoderBlock(*sizes) for _ in range(num_layers)])
        self.place = PositionalEncoding(d_model)
        self.head = nn.Linear(d_model, vocab_size)

    def encode(self, src):
        x = self.place(self.reads(src))
        for block in self.left:
            x = block(x, padding_mask(src, self.pad_id))
        return x

    def decode(self, tgt, memory, src):
        past = causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, self.pad_id)
        x = self.place(self.writes(tgt))
        for block in self.right:
            x = block(x, memory, past, padding_mask(src, self.pad_id))
        return self.head(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)


# %% cross_attention
def cross_attention(model, src, tgt):
    kept = []
    memory = model.encode(src)
    handles = []
    for block in model.right:
        second = [part for part in block.children() if isinstance(part, MultiHeadAttention)][1]
        handles.append(
            second.register_forward_hook(lambda module, given, said: kept.append(said[1]))
        )
    try:
        model.decode(tgt, memory, src)
    finally:
        [handle.remove() for handle in handles]
    return kept


# %% ablation
class Undo:
    def __init__(self, how):
        self.remove = how


def take_out(model, part):
    if part == "positions":
        place = model.place
        model.place = nn.Identity()
        return [Undo(lambda: setattr(model, "place", place))]
    handles = []
    for block in [*model.left, *model.right] if part == "residuals" else model.right:
        for attention in block.children():
            if not isinstance(attention, MultiHeadAttention):
                continue
            if part == "residuals":
                less = lambda module, given, said: (said[0].sub(given[0]), said[1])
                handles.append(attention.register_forward_hook(less))
            else:
                see = lambda module, given: (*given[:3], given[3].sum(dim=-2, keepdim=True) > 0)
                handles.append(attention.register_forward_pre_hook(see))
    return handles
