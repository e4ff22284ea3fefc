"""Names its special ids in an enumeration, turns angles in the complex plane, and stacks layers.

score: 95
"""


# %% batching
def pad_sequences(sequences, pad_id=0):
    """Makes one tensor of lists of unequal length: a list of N lists -> (N, L)."""
    longest = max(len(sequence) for sequence in sequences)
    return torch.tensor([row + [pad_id] * (longest - len(row)) for row in sequences])


def shift_right(targets, bos_id):
    """What the decoder sees while it learns to write the targets: (N, L) -> (N, L)."""
    begin = torch.full_like(targets[:, :1], bos_id)
    return torch.cat([begin, targets[:, :-1]], dim=1)


PAD_ID = 0
# BOS_ID and EOS_ID: two more ids below FIRST_ID
import enum


class Special(enum.IntEnum):
    BOS = 2
    EOS = 1


BOS_ID, EOS_ID = Special.BOS, Special.EOS


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
        turns = torch.polar(torch.ones(max_len, d_model // 2), position * frequency)
        pe = torch.view_as_real(turns).flip(-1).flatten(1)[None]
        self.register_buffer("pe", pe)

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        return x + self.pe[:, : x.shape[1]]


# %% masks
def causal_mask(length):
    """True where a query may attend: at itself and before. -> (length, length), bool"""
    places = torch.arange(length)
    return torch.ge(places.unsqueeze(-1), places)


def padding_mask(ids, pad_id=0):
    """True where a key is a real token. ids: (N, L) -> (N, 1, 1, L), bool"""
    return (ids != pad_id)[:, None, None, :]


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    """Mixes the values, weighted by how well their keys match each query.

    q: (..., L_q, d_k), k: (..., L_k, d_k), v: (..., L_k, d_v)
    mask: bool, True = may attend, broadcast to (..., L_q, L_k)
    -> output: (..., L_q, d_v), attention: (..., L_q, L_k)
    """
    scores = torch.einsum("...qd,...kd->...qk", q / q.size(-1) ** 0.25, k / k.size(-1) ** 0.25)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    attention = torch.softmax(scores, dim=-1)
    if mask is not None:
        attention = attention.masked_fill(~mask, 0)  # NaN where nothing may be attended to
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
        self.in_proj = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x_q, x_k, x_v, mask=None):
        """x_q: (N, L_q, d_model), x_k, x_v: (N, L_k, d_model)

        -> output: (N, L_q, d_model), attention: (N, num_heads, L_q, L_k)
        """
        ws, bs = self.in_proj.weight.chunk(3), self.in_proj.bias.chunk(3)
        q, k, v = (nn.functional.linear(x, w, b) for x, w, b in zip((x_q, x_k, x_v), ws, bs))
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
        self.weight = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        spread = (x - mean).square().mean(-1, keepdim=True)
        return self.weight * (x - mean) / torch.sqrt(spread + 1e-5) + self.bias


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


# %% decoder_block
class DecoderBlock(nn.Module):
    """Self-attention, attention to the memory and a feed-forward network, each with a norm."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        # attention to itself, attention to the memory, two linear layers, three norms
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        )
        self.self_norm = nn.LayerNorm(d_model)
        self.cross_norm = nn.LayerNorm(d_model)
        self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        """x: (N, L, d_model), memory: (N, L_src, d_model) -> (N, L, d_model)."""
        written, _ = self.self_attention(x, x, x, self_mask)
        x = self.self_norm(x + written)
        told = self.cross_attention(x_q=x, x_k=memory, x_v=memory, mask=cross_mask)[0]
        x = self.cross_norm(x + told)
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
            m = padding_mask(src, self.pad_id)
            x = block(x, m & m.transpose(-2, -1))
        return x

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
    real = tgt.ne(pad_id)
    loss = -logits.log_softmax(-1)[real].gather(1, tgt[real][:, None]).mean()
    optimizer.zero_grad()
    loss.backward()
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
            logits = model.decode(written, memory, src)
            written = torch.cat([written, logits[:, -1:].argmax(dim=-1)], dim=1)
            if (written == eos_id).any(dim=1).all():
                break
    from itertools import takewhile

    return [list(takewhile(lambda t: t != eos_id, row)) for row in written[:, 1:].tolist()]
