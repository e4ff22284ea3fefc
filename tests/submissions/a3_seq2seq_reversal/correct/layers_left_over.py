"""Layers and a parameter that are left over from an attempt, which no call uses.

score: 95
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    """Several heads attend at once, each with its share of the vectors.

    d_model: size of all vectors, a multiple of num_heads.
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.attempt = nn.Linear(d_model, d_model)
        # four linear layers, in the order query, key, value, output
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

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


# %% encoder_block
class EncoderBlock(nn.Module):
    """Self-attention and a feed-forward network, each with a residual and a norm after it."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        # attention, two linear layers, two norms
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        )
        self.attention_norm = nn.LayerNorm(d_model)
        self.feed_forward_norm = nn.LayerNorm(d_model)

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
        self.attempts = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(2)])
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
        told, _ = self.cross_attention(x, memory, memory, cross_mask)
        x = self.cross_norm(x + told)
        return self.feed_forward_norm(x + self.feed_forward(x))


# %% transformer
class Transformer(nn.Module):
    """An encoder that reads ids, and a decoder that scores the next id at every position."""

    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.norm_before = nn.LayerNorm(d_model)
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
