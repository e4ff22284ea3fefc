"""Cuts the blocks into small modules: residual with norm, feed-forward, a stack.

score: 95
"""


# %% encoder_block
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.down(nn.functional.relu(self.up(x)))


class AddAndNorm(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, added):
        return self.norm(x + added)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.mha = MultiHeadAttention(d_model, num_heads)
        self.ff = FeedForward(d_model, d_ff)
        self.after_mha, self.after_ff = AddAndNorm(d_model), AddAndNorm(d_model)

    def forward(self, x, mask=None):
        x = self.after_mha(x, self.mha(x, x, x, mask)[0])
        return self.after_ff(x, self.ff(x))


# %% decoder_block
class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.own = MultiHeadAttention(d_model, num_heads)
        self.other = MultiHeadAttention(d_model, num_heads)
        self.ff = FeedForward(d_model, d_ff)
        self.after = nn.ModuleList([AddAndNorm(d_model) for _ in range(3)])

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        after_own, after_other, after_ff = self.after
        x = after_own(x, self.own(x, x, x, self_mask)[0])
        x = after_other(x, self.other(x, memory, memory, cross_mask)[0])
        return after_ff(x, self.ff(x))


# %% transformer
class Embed(nn.Module):
    def __init__(self, vocab_size, d_model, pad_id):
        super().__init__()
        self.table = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.position = PositionalEncoding(d_model, max_len=200)

    def forward(self, ids):
        return self.position(self.table(ids))


class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.padding = pad_id
        self.embed = nn.ModuleDict(
            {side: Embed(vocab_size, d_model, pad_id) for side in ("src", "tgt")}
        )
        self.blocks = nn.ModuleDict(
            {
                "encoder": nn.ModuleList(
                    [EncoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)]
                ),
                "decoder": nn.ModuleList(
                    [DecoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)]
                ),
            }
        )
        self.scores = nn.Linear(d_model, vocab_size)

    def encode(self, src):
        x = self.embed["src"](src)
        for block in self.blocks["encoder"]:
            x = block(x, padding_mask(src, self.padding))
        return x

    def decode(self, tgt, memory, src):
        places = torch.arange(tgt.shape[1], device=tgt.device)
        mask = (places[None] <= places[:, None]) & padding_mask(tgt, self.padding)
        x = self.embed["tgt"](tgt)
        for block in self.blocks["decoder"]:
            x = block(x, memory, mask, padding_mask(src, self.padding))
        return self.scores(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
