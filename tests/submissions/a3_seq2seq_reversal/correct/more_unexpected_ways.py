"""Is right in other ways that nobody expects, in every answer.

score: 95
"""


# %% batching
def pad_sequences(sequences, pad_id=0):
    """Makes one tensor of lists of unequal length: a list of N lists -> (N, L)."""
    lengths = torch.tensor([len(s) for s in sequences])
    real = torch.arange(int(lengths.max()))[None] < lengths[:, None]
    batch = torch.full(real.shape, pad_id, dtype=torch.int64)
    batch[real] = torch.tensor([token for s in sequences for token in s], dtype=torch.int64)
    return batch


def shift_right(targets, bos_id):
    """What the decoder sees while it learns to write the targets: (N, L) -> (N, L)."""
    place = torch.arange(targets.shape[1], device=targets.device)
    before = targets.index_select(1, (place - 1).clamp(min=0))
    return before.masked_fill(place == 0, bos_id)


PAD_ID = 0
BOS_ID = FIRST_ID - 1
EOS_ID = FIRST_ID - 2


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position.

    d_model: size of the vectors, even. max_len: length of the longest sequence.
    """

    def __init__(self, d_model, max_len=50):
        super().__init__()

        def number(pos, column):
            wave = math.cos if column % 2 else math.sin
            return wave(pos * math.exp(-(column - column % 2) / d_model * math.log(10000)))

        grid = [[number(pos, column) for column in range(d_model)] for pos in range(max_len)]
        self.register_buffer("pe", torch.tensor([grid], dtype=torch.float32))

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        marked = [vectors + mark for vectors, mark in zip(x.unbind(1), self.pe[0])]
        return torch.stack(marked, dim=1)


# %% masks
def causal_mask(length):
    """True where a query may attend: at itself and before. -> (length, length), bool"""
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0) > 0


def padding_mask(ids, pad_id=0):
    """True where a key is a real token. ids: (N, L) -> (N, 1, 1, L), bool"""
    count, length = ids.shape
    return torch.stack([~(row == pad_id) for row in ids.unbind()]).reshape(count, 1, 1, length)


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    """Mixes the values, weighted by how well their keys match each query.

    q: (..., L_q, d_k), k: (..., L_k, d_k), v: (..., L_k, d_v)
    mask: bool, True = may attend, broadcast to (..., L_q, L_k)
    -> output: (..., L_q, d_v), attention: (..., L_q, L_k)
    """
    scores = torch.einsum("...md,...nd->...mn", q, k) / q.shape[-1] ** 0.5
    if mask is None:
        mask = torch.tensor(True, device=q.device)
    allowed = torch.broadcast_to(mask, scores.shape).reshape(-1, scores.shape[-1])
    rows = []
    for row, visible in zip(scores.reshape(-1, scores.shape[-1]), allowed):
        weights = row.masked_fill(torch.ones_like(visible), 0)
        if visible.any():
            weights = weights.masked_scatter(visible, row[visible].softmax(0))
        rows.append(weights)
    attention = torch.stack(rows).reshape(scores.shape)
    return torch.einsum("...mn,...nd->...md", attention, v), attention


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    """Several heads attend at once, each with its share of the vectors.

    d_model: size of all vectors, a multiple of num_heads.
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.into = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(3))
        self.out = nn.Linear(d_model, d_model)
        self.num_heads = num_heads

    def forward(self, x_q, x_k, x_v, mask=None):
        """x_q: (N, L_q, d_model), x_k, x_v: (N, L_k, d_model)

        -> output: (N, L_q, d_model), attention: (N, num_heads, L_q, L_k)
        """
        pieces = [
            layer(x).chunk(self.num_heads, dim=2) for layer, x in zip(self.into, (x_q, x_k, x_v))
        ]
        if mask is None:
            masks = [None] * self.num_heads
        else:
            size = (x_q.size(0), self.num_heads, x_q.size(1), x_k.size(1))
            masks = mask.broadcast_to(size).unbind(dim=1)
        found = [scaled_dot_product_attention(*qkv) for qkv in zip(*pieces, masks)]
        return (
            self.out(torch.cat([mixed for mixed, _ in found], dim=2)),
            torch.stack([weights for _, weights in found], dim=1),
        )


# %% encoder_block
class EncoderBlock(nn.Module):
    """Self-attention and a feed-forward network, each with a residual and a norm after it."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.widen, self.narrow = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(2)])

    def feed_forward(self, vectors):
        active = self.widen(vectors)
        return self.narrow(torch.where(active > 0, active, torch.zeros_like(active)))

    def forward(self, x, mask=None):
        """x: (N, L, d_model) -> (N, L, d_model)."""

        h = self.norms[0](self.attention(x, x, x, mask=mask)[0] + x)
        return torch.stack(
            [self.norms[1](vector + self.feed_forward(vector)) for vector in h.unbind(dim=1)], dim=1
        )


# %% decoder_block
class _PostNormStack(nn.Module):
    """Adds one update after the other to a stream, with a norm after each."""

    def __init__(self, d_model, count):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(count)])

    def run(self, stream, updates):
        for norm, update in zip(self.norms, updates):
            stream = norm(stream + update(stream))
        return stream


class DecoderBlock(_PostNormStack):
    """Self-attention, attention to the memory and a feed-forward network, each with a norm."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__(d_model, 3)
        self.to_itself = MultiHeadAttention(d_model, num_heads)
        self.to_memory = MultiHeadAttention(d_model, num_heads)
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        """x: (N, L, d_model), memory: (N, L_src, d_model) -> (N, L, d_model)."""

        def past(stream):
            mixed, _ = self.to_itself(stream, stream, stream, self_mask)
            return mixed

        def told(stream):
            mixed, _ = self.to_memory(stream, memory, memory, cross_mask)
            return mixed

        return self.run(x, [past, told, lambda stream: self.down(self.up(stream).clamp(min=0))])


# %% transformer
class Transformer(nn.Module):
    """An encoder that reads ids, and a decoder that scores the next id at every position."""

    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id, self.num_layers = pad_id, num_layers
        self.add_module("source", nn.Embedding(vocab_size, d_model, padding_idx=pad_id))
        self.add_module("target", nn.Embedding(vocab_size, d_model, padding_idx=pad_id))
        for n in range(num_layers):
            self.add_module(f"encoder_{n}", EncoderBlock(d_model, num_heads, d_ff))
        for n in range(num_layers):
            self.add_module(f"decoder_{n}", DecoderBlock(d_model, num_heads, d_ff))
        self.add_module("vocabulary", nn.Linear(d_model, vocab_size))
        self.add_module("place", PositionalEncoding(d_model))

    def blocks(self, kind):
        return (self.get_submodule(f"{kind}_{n}") for n in range(self.num_layers))

    def encode(self, src):
        """src: (N, L_src) ids -> memory: (N, L_src, d_model)."""
        x = self.place(self.source(src))
        for block in self.blocks("encoder"):
            x = block(x, mask=padding_mask(src, self.pad_id))
        return x

    def decode(self, tgt, memory, src):
        """tgt: (N, L) ids, memory: of src, src: (N, L_src) ids -> logits: (N, L, vocab_size)."""
        future = ~causal_mask(tgt.shape[1]).to(tgt.device)
        blank = ~padding_mask(tgt, pad_id=self.pad_id)
        x = self.place(self.target(tgt))
        for block in self.blocks("decoder"):
            x = block(
                x,
                memory,
                self_mask=~(future | blank),
                cross_mask=padding_mask(src, pad_id=self.pad_id),
            )
        return self.vocabulary(x)

    def forward(self, src, tgt):
        """src: (N, L_src) ids, tgt: (N, L) ids -> logits: (N, L, vocab_size)."""
        return self.decode(src=src, memory=self.encode(src), tgt=tgt)


# %% train_step
def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    """One step of teacher forcing. src: (N, L_src), tgt: (N, L) ids -> the loss, a number."""

    def closure():
        optimizer.zero_grad()
        logits = model(src, shift_right(tgt, bos_id))
        total = nn.functional.cross_entropy(
            logits.transpose(1, 2), tgt, ignore_index=pad_id, reduction="sum"
        )
        loss = total / (tgt != pad_id).sum()
        loss.backward()
        return loss

    model.train()
    return optimizer.step(closure).item()


# %% greedy_decode
def _write_on(model, tgt, memory, src, eos_id, left):
    said = tgt[:, 1:]
    if left == 0 or bool(said.eq(eos_id).any(dim=1).all()):
        return said
    token = model.decode(tgt, memory, src)[:, -1].argmax(dim=-1, keepdim=True)
    return _write_on(model, torch.cat((tgt, token), dim=1), memory, src, eos_id, left - 1)


def greedy_decode(model, src, bos_id, eos_id, max_len):
    """Lets the model write. src: (N, L_src) ids -> N lists of ids, without BOS and EOS."""
    mode = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            start = torch.full_like(src[:, :1], bos_id)
            rows = _write_on(model, start, model.encode(src), src, eos_id, max_len).tolist()
    finally:
        for part, training in mode:
            part.training = training
    return [(row + [eos_id])[: (row + [eos_id]).index(eos_id)] for row in rows]


# %% cross_attention
def cross_attention(model, src, tgt):
    """What each head of the decoder attends to in the source, while the model reads both.

    src: (N, L_src), tgt: (N, L) ids -> for each decoder block (N, num_heads, L, L_src)
    """
    from contextlib import ExitStack

    memory, maps = model.encode(src), []
    with ExitStack() as undo:
        for part in model.modules():
            if isinstance(part, MultiHeadAttention):
                handle = part.register_forward_hook(
                    lambda _module, _inputs, answer: maps.append(answer[1])
                )
                undo.callback(handle.remove)
        model.decode(tgt, memory, src)
    return maps[1::2]


# %% ablation
def take_out(model, part):
    """Lets a model answer without a part of it, until the handles that it returns are removed.

    part: "positions", "causal mask", or "residuals"
    """

    def every(kind):
        return [module for module in model.modules() if isinstance(module, kind)]

    def shown(mask):
        return mask if mask is None else mask.sum(dim=-2, keepdim=True).gt(0)

    match part:
        case "positions":

            def hook(module, inputs, answer):
                (x,) = inputs
                return x.clone()

            return [module.register_forward_hook(hook) for module in every(PositionalEncoding)]
        case "residuals":

            def hook(module, inputs, answer):
                output, attention = answer
                return torch.stack((output, inputs[0].neg())).sum(dim=0), attention

            return [module.register_forward_hook(hook) for module in every(MultiHeadAttention)]
        case "causal mask":

            def hook(module, inputs, named):
                if len(inputs) == 4:
                    return (*inputs[:3], shown(inputs[3])), named
                if "mask" in named:
                    return inputs, {**named, "mask": shown(named["mask"])}
                return None

            return [
                module.register_forward_pre_hook(hook, with_kwargs=True)
                for module in every(MultiHeadAttention)
            ]
    raise ValueError(part)
