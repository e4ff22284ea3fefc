"""Pads by zipping, returns pairs as lists, makes layers late, and puts the mode back.

score: 95
"""


# %% batching
def pad_sequences(sequences, pad_id=0):
    """Makes one tensor of lists of unequal length: a list of N lists -> (N, L)."""
    from itertools import zip_longest

    return torch.tensor(list(zip(*zip_longest(*sequences, fillvalue=pad_id))))


def shift_right(targets, bos_id):
    """What the decoder sees while it learns to write the targets: (N, L) -> (N, L)."""
    begin = torch.full_like(targets[:, :1], bos_id)
    return torch.cat([begin, targets[:, :-1]], dim=1)


PAD_ID = 0
# BOS_ID and EOS_ID: two more ids below FIRST_ID
BOS_ID, EOS_ID = 1, 2


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
        attention = attention.masked_fill(~mask, 0)  # NaN where nothing may be attended to
    return [attention @ v, attention]


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    """Several heads attend at once, each with its share of the vectors.

    d_model: size of all vectors, a multiple of num_heads.
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        # four linear layers, in the order query, key, value, output
        self.num_heads = num_heads
        self.query = nn.LazyLinear(d_model)
        self.key = nn.LazyLinear(d_model)
        self.value = nn.LazyLinear(d_model)
        self.output = nn.LazyLinear(d_model)

    def forward(self, x_q, x_k, x_v, mask=None):
        """x_q: (N, L_q, d_model), x_k, x_v: (N, L_k, d_model)

        -> output: (N, L_q, d_model), attention: (N, num_heads, L_q, L_k)
        """
        q, k, v = self.query(x_q), self.key(x_k), self.value(x_v)
        q, k, v = (
            tensor.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # (N, heads, L, d_head)
            for tensor in (q, k, v)
        )
        heads, attention = scaled_dot_product_attention(q, k, v, mask)
        return self.output(heads.transpose(1, 2).flatten(2)), attention


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
        pairs = [(EncoderBlock(*sizes), DecoderBlock(*sizes)) for _ in range(num_layers)]
        self.decoder = nn.ModuleList(p[1] for p in pairs)
        self.encoder = nn.ModuleList(p[0] for p in pairs)
        self.to_logits = nn.Linear(d_model, vocab_size)

    def encode(self, src):
        """src: (N, L_src) ids -> memory: (N, L_src, d_model)."""
        x = self.encoding(self.src_embedding(src))
        for block in self.encoder:
            x = block(x, padding_mask(src, self.pad_id))
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
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=pad_id)
    for p in model.parameters():
        p.grad = None
    loss.backward()
    optimizer.step()
    return loss.item()


# %% greedy_decode
def greedy_decode(model, src, bos_id, eos_id, max_len):
    """Lets the model write. src: (N, L_src) ids -> N lists of ids, without BOS and EOS."""
    was = model.training
    model.eval()
    with torch.no_grad():
        memory = model.encode(src)
        written = torch.full_like(src[:, :1], bos_id)
        for _ in range(max_len):
            logits = model.decode(written, memory, src)
            written = torch.cat([written, logits[:, -1:].argmax(dim=-1)], dim=1)
            if (written == eos_id).any(dim=1).all():
                break
    model.train(was)
    rows = [[*row, eos_id] for row in written[:, 1:].tolist()]
    return [row[: row.index(eos_id)] for row in rows]
