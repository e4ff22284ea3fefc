"""Writes its norms itself, names them as the papers do, and leaves finished sequences alone.

score: 95
"""


# %% batching
def pad_sequences(sequences, pad_id=0):
    """Makes one tensor of lists of unequal length: a list of N lists -> (N, L)."""
    import numpy as np

    out = np.full((len(sequences), max(map(len, sequences))), pad_id, dtype=np.int64)
    for n, row in enumerate(sequences):
        out[n, : len(row)] = row
    return torch.from_numpy(out)


def shift_right(targets, bos_id):
    """What the decoder sees while it learns to write the targets: (N, L) -> (N, L)."""
    begin = torch.full_like(targets[:, :1], bos_id)
    return torch.cat([begin, targets[:, :-1]], dim=1)


PAD_ID = 0
# BOS_ID and EOS_ID: two more ids below FIRST_ID
BOS_ID, EOS_ID = 1, 2


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position.

    d_model: size of the vectors, even. max_len: length of the longest sequence.
    """

    def __init__(self, d_model, max_len=50):
        super().__init__()
        # fills the buffer `pe`, shape (1, max_len, d_model)
        position = torch.arange(max_len).unsqueeze(1)  # (max_len, 1)
        frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * frequency)
        pe[0, :, 1::2] = torch.cos(position * frequency)
        self.register_buffer("pe", pe)

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        return torch.add(x, self.pe.narrow(1, 0, x.size(1)).expand_as(x))


# %% masks
def causal_mask(length):
    """True where a query may attend: at itself and before. -> (length, length), bool"""
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(ids, pad_id=0):
    """True where a key is a real token. ids: (N, L) -> (N, 1, 1, L), bool"""
    return ~torch.eq(ids, pad_id).unsqueeze(1).unsqueeze(2)


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    """Mixes the values, weighted by how well their keys match each query.

    q: (..., L_q, d_k), k: (..., L_k, d_k), v: (..., L_k, d_v)
    mask: bool, True = may attend, broadcast to (..., L_q, L_k)
    -> output: (..., L_q, d_v), attention: (..., L_q, L_k)
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (..., L_q, L_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    attention = torch.softmax(scores, dim=-1)
    if mask is not None:
        empty = ~mask.any(dim=-1, keepdim=True)
        if empty.any():
            attention = torch.where(empty, torch.zeros_like(attention), attention)
    return attention @ v, attention


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    """Several heads attend at once, each with its share of the vectors.

    d_model: size of all vectors, a multiple of num_heads.
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        # four linear layers, in the order query, key, value, output
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x_q, x_k, x_v, mask=None):
        """x_q: (N, L_q, d_model), x_k, x_v: (N, L_k, d_model)

        -> output: (N, L_q, d_model), attention: (N, num_heads, L_q, L_k)
        """
        d = x_q.shape[-1]
        q = self.qkv(x_q)[..., :d]
        k = self.qkv(x_k)[..., d : 2 * d]
        v = self.qkv(x_v)[..., 2 * d :]
        q, k, v = (
            tensor.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # (N, heads, L, d_head)
            for tensor in (q, k, v)
        )
        heads, attention = scaled_dot_product_attention(q, k, v, mask)
        return self.output(heads.transpose(1, 2).flatten(2)), attention


# %% encoder_block
class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(size))
        self.beta = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return nn.functional.layer_norm(x, x.shape[-1:], self.gamma, self.beta)


class EncoderBlock(nn.Module):
    """Self-attention and a feed-forward network, each with a residual and a norm after it."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        # attention, two linear layers, two norms
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        )
        self.attention_norm = Norm(d_model)
        self.feed_forward_norm = Norm(d_model)

    def forward(self, x, mask=None):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        attended, _ = self.attention(x, x, x, mask)
        x = self.attention_norm(x + attended)
        return self.feed_forward_norm(x + self.feed_forward(x))


# %% transformer
class Transformer(nn.Module):
    """An encoder that reads ids, and a decoder that scores the next id at every position."""

    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        # two embeddings, the encoder's blocks, the decoder's blocks, a linear layer
        self.pad_id = pad_id
        self.src_embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.tgt_embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.encoding = PositionalEncoding(d_model)
        sizes = (d_model, num_heads, d_ff)
        self.encoder = nn.ModuleList(EncoderBlock(*sizes) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderBlock(*sizes) for _ in range(num_layers))
        self.to_logits = nn.Linear(d_model, vocab_size)

    def encode(self, src):
        """src: (N, L_src) ids -> memory: (N, L_src, d_model)."""
        x = self.encoding(self.src_embedding(src))
        for block in self.encoder:
            x = block(x, padding_mask(src, self.pad_id))
        return x * (src != self.pad_id)[..., None]

    def decode(self, tgt, memory, src):
        """tgt: (N, L) ids, memory: of src, src: (N, L_src) ids -> logits: (N, L, vocab_size)."""
        self_mask = causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, self.pad_id)
        cross_mask = padding_mask(src, self.pad_id)
        x = self.encoding(self.tgt_embedding(tgt))
        for block in self.decoder:
            x = block(x, memory, self_mask, cross_mask)
        return self.to_logits(x)

    def forward(self, src, tgt):
        """src: (N, L_src) ids, tgt: (N, L) ids -> logits: (N, L, vocab_size)."""
        return self.decode(tgt, self.encode(src), src)


# %% train_step
def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    """One step of teacher forcing. src: (N, L_src), tgt: (N, L) ids -> the loss, a number."""
    model.train()
    logits = model(src, shift_right(tgt, bos_id))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=pad_id)
    params = list(model.parameters())
    for p, g in zip(params, torch.autograd.grad(loss, params)):
        p.grad = g
    optimizer.step()
    return loss.item()


# %% greedy_decode
def greedy_decode(model, src, bos_id, eos_id, max_len):
    """Lets the model write. src: (N, L_src) ids -> N lists of ids, without BOS and EOS."""
    model.eval()
    with torch.no_grad():
        memory = model.encode(src)
        written = torch.full_like(src[:, :1], bos_id)
        for _ in range(max_len):
            live = ~(written == eos_id).any(dim=1)
            column = torch.full_like(written[:, :1], eos_id)
            column[live] = model.decode(written[live], memory[live], src[live])[:, -1:].argmax(
                dim=-1
            )
            written = torch.cat([written, column], dim=1)
            if (written == eos_id).any(dim=1).all():
                break
    rows = [[*row, eos_id] for row in written[:, 1:].tolist()]
    return [row[: row.index(eos_id)] for row in rows]
