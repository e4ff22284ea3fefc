"""Is right in other ways that nobody expects, in every answer.

score: 95
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    """Tokens (strings), their ids, and the text they decode to, each with the special tokens."""
    [ids] = tokenizer([text])["input_ids"]
    [decoded] = tokenizer.batch_decode([ids])
    return tokenizer.convert_ids_to_tokens(ids), ids, decoded


def encode_batch(tokenizer, sentences, max_length):
    """A mapping with "input_ids" and "attention_mask", both (N, L), L at most max_length."""
    single = [tokenizer(text, truncation=True, max_length=max_length) for text in sentences]
    features = [{"input_ids": one["input_ids"]} for one in single]
    return tokenizer.pad(features, padding=True, return_attention_mask=True, return_tensors="pt")


# %% embedding
def make_embedding(vocab_size, d_model):
    """A table of vocab_size vectors: ids (N, L) -> vectors (N, L, d_model)."""
    start = torch.randn(vocab_size, d_model)
    return nn.Embedding.from_pretrained(start, freeze=False)


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position, then drops some numbers."""

    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        flat = []
        for pos in range(max_len):
            for i in range(d_model // 2):
                angle = pos * 10000 ** (-2 * i / d_model)
                flat.extend((math.sin(angle), math.cos(angle)))
        self.register_buffer("pe", torch.tensor(flat).view(1, max_len, d_model))
        self.last = nn.Dropout(dropout)

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        _, length, _ = x.shape
        return self.last(torch.stack([x[:, t] + self.pe[0, t] for t in range(length)], 1))


# %% bert_embeddings
def bert_embeddings(model, input_ids):
    """The first hidden state of a BertModel, put together by hand: (N, L) -> (N, L, D)."""
    part = model.embeddings
    zero = torch.zeros((), dtype=torch.long, device=input_ids.device)

    def vector(token, pos):
        return (
            part.word_embeddings(token)
            + part.position_embeddings(zero + pos)
            + part.token_type_embeddings(zero)
        )

    rows = [torch.stack([vector(token, pos) for pos, token in enumerate(row)]) for row in input_ids]
    return part.LayerNorm(torch.stack(rows))


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    """q: (..., L_q, d_k), k: (..., L_k, d_k), v: (..., L_k, d_v), mask: True = may attend"""
    L_q, L_k = q.shape[-2], k.shape[-2]
    keep = torch.ones(L_q, L_k, dtype=torch.bool, device=q.device) if mask is None else mask
    keep = keep.broadcast_to(*q.shape[:-1], L_k)

    def row(m):
        s = (k @ q[..., m, :, None]).squeeze(-1) * k.shape[-1] ** -0.5
        return torch.where(keep[..., m, :], s, torch.full_like(s, -math.inf)).softmax(dim=-1)

    weights = torch.stack([row(m) for m in range(L_q)], dim=-2)
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-2), weights


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    """Several heads look at a sequence at the same time, each in a piece of the vectors."""

    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.heads, self.p = n_heads, dropout

    def forward(self, query, key, value, mask=None):
        """-> output: (N, L_q, d_model), weights: (N, n_heads, L_q, L_k)"""
        h = self.heads
        q = torch.stack(self.W_q(query).tensor_split(h, dim=2), dim=1)
        k = torch.stack(self.W_k(key).tensor_split(h, dim=2), dim=1)
        v = self.W_v(value).unflatten(2, (h, -1))  # (N, L_k, h, d_k)
        one = torch.eye(k.shape[2], dtype=k.dtype, device=k.device).expand(*k.shape[:2], -1, -1)
        weights, _ = scaled_dot_product_attention(q, k, one, mask)
        dropped = nn.functional.dropout(weights, self.p, self.training)
        return self.W_o(torch.einsum("nhqk,nkhd->nqhd", dropped, v).flatten(2)), weights


# %% feed_forward
class PositionwiseFeedForward(nn.Module):
    """The same two-layer network at every position."""

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.share = dropout

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        z = self.linear1(x)
        a = torch.mul(z, torch.special.ndtr(z))
        return self.linear2(nn.functional.dropout(a, p=self.share, training=self.training))


# %% encoder_layer
class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward network, each with a residual connection and a norm."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        table = [
            ("attention", MultiHeadAttention, (d_model, n_heads, dropout)),
            ("norm1", nn.LayerNorm, (d_model, 1e-6)),
            ("feed_forward", PositionwiseFeedForward, (d_model, d_ff, dropout)),
            ("norm2", nn.LayerNorm, (d_model, 1e-6)),
        ]
        for name, kind, arguments in table:
            setattr(self, name, kind(*arguments))
        self.drops = nn.ModuleList([nn.Dropout(dropout), nn.Dropout(dropout)])

    def forward(self, x, mask=None):
        """x: (N, L, d_model), mask: True = may attend -> (N, L, d_model)."""
        attended = self.attention(x, x, x, mask=mask)[0]
        middle = self.norm1(torch.stack((x, self.drops[0](attended))).sum(dim=0))
        return self.norm2(
            torch.stack((middle, self.drops[1](self.feed_forward(middle)))).sum(dim=0)
        )


# %% look_ahead_mask
def create_look_ahead_mask(size):
    """Who may look at whom when the future is hidden: boolean, (1, 1, size, size)."""
    return nn.Transformer.generate_square_subsequent_mask(size).eq(0).reshape(1, 1, size, size)


# %% greedy_tokens
def greedy_tokens(logits):
    """logits: (N, L, V) -> probabilities: (N, L, V), ids of the best tokens: (N, L)."""
    rows = logits.reshape(-1, logits.shape[-1])
    chances = torch.stack([torch.exp(row - row.logsumexp(0)) for row in rows])
    ids = torch.stack([row.argmax() for row in rows])
    return chances.view(logits.shape), ids.view(logits.shape[:-1])


# %% greedy_decode
def greedy_decode(model, input_ids, attention_mask, max_length):
    """What an encoder-decoder writes, always the most probable token."""
    c, device = model.config, input_ids.device
    rows = [[c.decoder_start_token_id] for _ in range(len(input_ids))]
    alive = list(range(len(rows)))
    for _ in range(max_length - 1):
        pick = torch.tensor(alive, device=device)
        answer = model(
            input_ids=input_ids[pick],
            attention_mask=attention_mask[pick],
            decoder_input_ids=torch.tensor([rows[n] for n in alive], device=device),
        )
        tokens = answer.logits[:, -1].argmax(dim=-1).tolist()
        for n, token in zip(alive, tokens):
            rows[n].append(token)
        alive = [n for n, token in zip(alive, tokens) if token != c.eos_token_id]
        if not alive:
            break
    longest = max(map(len, rows))
    return torch.tensor(
        [row + [c.pad_token_id] * (longest - len(row)) for row in rows], device=device
    )


# %% cross_attention
class CrossAttention(nn.Module):
    """The attention that T5's decoder pays to the source."""

    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        self.h, self.size = n_heads, d_kv
        self.q = nn.Linear(d_model, n_heads * d_kv, bias=False)
        self.k = nn.Linear(d_model, n_heads * d_kv, bias=False)
        self.v = nn.Linear(d_model, n_heads * d_kv, bias=False)
        self.o = nn.Linear(n_heads * d_kv, d_model, bias=False)

    def forward(self, x, memory, mask=None):
        """-> output: (N, L, d_model), weights: (N, n_heads, L, L_s)"""
        asks, keys, says = (
            t.split(self.size, dim=-1) for t in (self.q(x), self.k(memory), self.v(memory))
        )
        extra = 0 if mask is None else mask[:, None].to(x.dtype).log()
        tables, mixed = [], []
        for a, b, c in zip(asks, keys, says):
            s = a.bmm(b.transpose(1, 2)) + extra
            tables.append((s - torch.logsumexp(s, dim=-1, keepdim=True)).exp())
            mixed.append(tables[-1].bmm(c))
        return self.o(torch.cat(mixed, dim=-1)), torch.stack(tables, dim=1)


# %% silence_head
def silence_head(model, layer, head):
    """The output of one head of a BertModel is 0 until the handle that this returns is removed."""
    size = model.config.hidden_size // model.config.num_attention_heads

    def hook(module, inputs, answer):
        heads_of_columns = torch.arange(answer[0].shape[-1], device=answer[0].device) // size + 1
        changed = torch.where(heads_of_columns == head, torch.zeros_like(answer[0]), answer[0])
        return (changed, *answer[1:])

    return model.encoder.layer[layer - 1].attention.self.register_forward_hook(hook)
