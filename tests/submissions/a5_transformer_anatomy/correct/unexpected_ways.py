"""Is right in ways that nobody expects, in every answer.

score: 95
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    """Tokens (strings), their ids, and the text they decode to, each with the special tokens."""
    ids = tokenizer.encode(text, add_special_tokens=True)
    tokens = [tokenizer.convert_ids_to_tokens([number])[0] for number in ids]
    return tokens, ids, tokenizer.decode(ids, skip_special_tokens=False)


def encode_batch(tokenizer, sentences, max_length):
    """A mapping with "input_ids" and "attention_mask", both (N, L), L at most max_length."""
    longest = max(len(tokenizer.encode(sentence)) for sentence in sentences)
    length = min(longest, max_length)
    rows = [
        tokenizer(
            s, padding="max_length", truncation=True, max_length=length, return_attention_mask=True
        )
        for s in sentences
    ]
    return {
        key: torch.tensor([row[key] for row in rows]) for key in ("input_ids", "attention_mask")
    }


# %% embedding
def make_embedding(vocab_size, d_model):
    """A table of vocab_size vectors: ids (N, L) -> vectors (N, L, d_model)."""

    class Table(nn.Module):
        def __init__(self):
            super().__init__()
            self.rows = nn.Parameter(torch.randn(vocab_size, d_model))

        def forward(self, ids):
            return self.rows.index_select(0, ids.reshape(-1)).reshape(*ids.shape, d_model)

    return Table()


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position, then drops some numbers."""

    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        w = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
        hands = torch.exp(1j * torch.outer(torch.arange(max_len, dtype=torch.float64), w))
        table = torch.stack([hands.imag, hands.real], dim=-1).reshape(1, max_len, d_model)
        self.register_buffer("pe", table.float())
        self.rate = float(dropout)

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        return torch.dropout(self.pe[:, : x.shape[1]] + x, self.rate, self.training)


# %% bert_embeddings
def bert_embeddings(model, input_ids):
    """The first hidden state of a BertModel, put together by hand: (N, L) -> (N, L, D)."""
    e, ones = model.embeddings, torch.ones_like(input_ids)
    pairs = [
        (e.token_type_embeddings, ones - 1),
        (e.position_embeddings, ones.cumsum(dim=1) - 1),
        (e.word_embeddings, input_ids),
    ]
    first_table, first_ids = pairs.pop()
    hidden = first_table(first_ids)
    while pairs:
        table, ids = pairs.pop()
        hidden = hidden + table(ids)
    return e.LayerNorm(hidden)


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    """q: (..., L_q, d_k), k: (..., L_k, d_k), v: (..., L_k, d_v), mask: True = may attend"""
    scores = torch.einsum("...qd,...kd->...qk", q / math.sqrt(q.shape[-1]), k)
    if mask is not None:
        scores = scores + mask.to(scores.dtype).log()
    weights = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
    return torch.einsum("...qk,...kv->...qv", weights, v), weights


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    """Several heads look at a sequence at the same time, each in a piece of the vectors."""

    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        """-> output: (N, L_q, d_model), weights: (N, n_heads, L_q, L_k)"""
        N, L_q, L_k = query.shape[0], query.shape[1], key.shape[1]
        masks = [None] * self.n_heads
        if mask is not None:
            masks = mask.expand(N, self.n_heads, L_q, L_k).unbind(1)
        blocks = zip(
            *(
                t.chunk(self.n_heads, dim=-1)
                for t in (self.W_q(query), self.W_k(key), self.W_v(value))
            )
        )
        outputs, tables = [], []
        for (q, k, v), own in zip(blocks, masks):
            table = scaled_dot_product_attention(q, k, v, own)[1]
            tables.append(table)
            outputs.append(torch.bmm(self.drop(table), v))
        return self.W_o(torch.cat(outputs, -1)), torch.stack(tables, 1)


# %% feed_forward
class PositionwiseFeedForward(nn.Module):
    """The same two-layer network at every position."""

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        outputs = []
        for z in map(self.linear1, x.unbind(1)):
            outputs.append(self.linear2(self.dropout(z * 0.5 * torch.erfc(-z / math.sqrt(2)))))
        return torch.stack(outputs, dim=1)


# %% encoder_layer
class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward network, each with a residual connection and a norm."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model, eps=1e-6)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-6)
        self.rate = dropout

    def forward(self, x, mask=None):
        """x: (N, L, d_model), mask: True = may attend -> (N, L, d_model)."""

        def around(norm, block, z):
            return norm(z + torch.dropout(block(z), self.rate, self.training))

        x = around(self.norm1, lambda z: self.attention(z, z, z, mask)[0], x)
        return around(self.norm2, self.feed_forward, x)


# %% look_ahead_mask
def create_look_ahead_mask(size):
    """Who may look at whom when the future is hidden: boolean, (1, 1, size, size)."""
    mask = torch.full((1, 1, size, size), False)
    mask[0, 0][tuple(torch.tril_indices(size, size))] = True
    return mask


# %% greedy_tokens
def greedy_tokens(logits):
    """logits: (N, L, V) -> probabilities: (N, L, V), ids of the best tokens: (N, L)."""
    logs = nn.functional.log_softmax(logits, dim=2)
    token_ids = logs.max(dim=2).indices
    return logs.exp(), token_ids


# %% greedy_decode
def greedy_decode(model, input_ids, attention_mask, max_length):
    """What an encoder-decoder writes, always the most probable token."""
    c = model.config
    table = torch.full(
        (len(input_ids), max_length), c.pad_token_id, dtype=torch.long, device=input_ids.device
    )
    table[:, 0] = c.decoder_start_token_id
    running = torch.ones(len(input_ids), dtype=torch.bool, device=input_ids.device)
    place = 0
    while place + 1 < max_length and running.any():
        place += 1
        answer = model(
            input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=table[:, :place]
        )
        best = answer.logits[:, -1].argmax(dim=-1)
        table[running, place] = best[running]
        running = running & (best != c.eos_token_id)
    return table[:, : place + 1].clone()


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

        def heads(t):
            return torch.stack(t.chunk(self.h, dim=-1), dim=1)

        longer = heads(self.q(x)) * math.sqrt(self.size)
        key_mask = None if mask is None else mask.unsqueeze(1).unsqueeze(1)
        found, weights = scaled_dot_product_attention(
            longer, heads(self.k(memory)), heads(self.v(memory)), key_mask
        )
        return self.o(torch.cat(found.unbind(dim=1), dim=-1)), weights


# %% silence_head
def silence_head(model, layer, head):
    """The output of one head of a BertModel is 0 until the handle that this returns is removed."""
    config = model.config

    def hook(module, inputs):
        pieces = inputs[0].unflatten(-1, (config.num_attention_heads, -1)).unbind(dim=-2)
        quiet = [torch.zeros_like(p) if n == head else p for n, p in enumerate(pieces, 1)]
        return (torch.stack(quiet, dim=-2).flatten(-2),) + tuple(inputs[1:])

    return model.get_submodule(
        f"encoder.layer.{layer - 1}.attention.output.dense"
    ).register_forward_pre_hook(hook)
