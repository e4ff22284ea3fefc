"""Keeps parts in dictionaries, made last to first, and writes every function in another way.

score: 95
"""


# %% batching
def pad_sequences(sequences, pad_id=0):
    rows = [torch.tensor(row, dtype=torch.long) for row in sequences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad_id)


def shift_right(targets, bos_id):
    shifted = targets.roll(1, dims=1)
    shifted[:, 0] = bos_id
    return shifted


PAD_ID, BOS_ID, EOS_ID = 0, 2, 1


# %% masks
def causal_mask(length):
    return ~nn.Transformer.generate_square_subsequent_mask(length).bool()


def padding_mask(ids, pad_id=0):
    return ids.ne(pad_id).view(ids.shape[0], 1, 1, -1)


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        position = torch.arange(max_len, dtype=torch.float64)
        frequency = torch.exp(
            -math.log(10000.0) * torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
        )
        angle = torch.outer(position, frequency)
        pe = torch.stack((angle.sin(), angle.cos()), -1).reshape(1, max_len, d_model)
        self.register_buffer("pe", pe.float())

    def forward(self, x):
        return x + self.pe[:, : x.size(1), :].to(x.dtype)


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.matmul(q, k.mT) * q.size(-1) ** -0.5
    if mask is None:
        weights = scores.softmax(-1)
    else:
        m = mask.expand_as(scores)
        top = scores.detach().masked_fill(~m, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
        e = (scores - top).masked_fill(~m, -math.inf).exp()
        weights = e / e.sum(-1, keepdim=True).clamp_min(1e-30)
    return torch.matmul(weights, v), weights


# %% train_step
def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    model.train()
    optimizer.zero_grad()
    with torch.enable_grad():
        log_probs = model(src, shift_right(tgt, bos_id)).log_softmax(-1)
        picked = -log_probs.gather(-1, tgt.unsqueeze(-1)).squeeze(-1)
        real = tgt != pad_id
        loss = picked[real].mean()
        loss.backward()
    optimizer.step()
    return float(loss.detach())


# %% greedy_decode
@torch.inference_mode()
def greedy_decode(model, src, bos_id, eos_id, max_len):
    model.eval()
    memory = model.encode(src)
    tgt = src.new_full((src.size(0), 1), bos_id)
    answers = [[] for _ in range(len(src))]
    done = [False] * len(src)
    for _ in range(max_len):
        if all(done):
            break
        best = model.decode(tgt, memory, src)[:, -1].argmax(-1)
        for n, token in enumerate(best.tolist()):
            if token == eos_id:
                done[n] = True
            elif not done[n]:
                answers[n].append(token)
        tgt = torch.hstack([tgt, best[:, None]])
    return answers


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.parts = nn.ModuleDict({n: nn.Linear(d_model, d_model) for n in ("out", "k", "v", "q")})
        self.shape = (num_heads, d_model // num_heads)

    def forward(self, x_q, x_k, x_v, mask=None):
        k, v, q = (
            self.parts[n](x).reshape(*x.shape[:2], *self.shape).movedim(2, 1)
            for n, x in (("k", x_k), ("v", x_v), ("q", x_q))
        )
        out, att = scaled_dot_product_attention(q, k, v, mask=mask)
        return self.parts["out"](out.movedim(1, 2).reshape(x_q.shape)), att


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.parts = nn.ModuleDict(
            {
                "norm b": nn.LayerNorm(d_model),
                "norm a": nn.LayerNorm(d_model),
                "mlp": nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)),
                "look": MultiHeadAttention(d_model, num_heads),
            }
        )

    def forward(self, x, mask=None):
        part = self.parts
        x = part["norm a"](x + part["look"](x, x, x, mask)[0])
        return part["norm b"](x + part["mlp"](x))


# %% decoder_block
class DecoderBlock(EncoderBlock):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__(d_model, num_heads, d_ff)
        self.cross = MultiHeadAttention(d_model, num_heads)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        part = self.parts
        x = part["norm a"](x + part["look"](x, x, x, self_mask)[0])
        x = self.norm(x + self.cross(x, memory, memory, cross_mask)[0])
        return part["norm b"](x + part["mlp"](x))


# %% transformer
class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "dec": DecoderBlock(d_model, num_heads, d_ff),
                    "enc": EncoderBlock(d_model, num_heads, d_ff),
                }
            )
            for _ in range(num_layers)
        )
        self.register_buffer("past", causal_mask(100), persistent=False)
        self.embeds = nn.ModuleList(nn.Embedding(vocab_size, d_model, pad_id) for _ in "ts")
        self.pos = PositionalEncoding(d_model, 100)
        self.lin = nn.Linear(d_model, vocab_size)

    def encode(self, src):
        x = self.pos(self.embeds[1](src))
        for block in self.blocks:
            x = block["enc"](x, mask=padding_mask(src, self.pad_id))
        return x

    def decode(self, tgt, memory, src):
        x = self.pos(self.embeds[0](tgt))
        length = tgt.shape[1]
        mask = self.past[:length, :length] & padding_mask(tgt, self.pad_id)
        for block in self.blocks:
            x = block["dec"](x, memory, cross_mask=padding_mask(src, self.pad_id), self_mask=mask)
        return self.lin(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
