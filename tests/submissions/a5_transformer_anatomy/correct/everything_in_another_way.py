"""Answers every question by other functions, orders and names than the instructor.

score: 95
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    ids = tokenizer.encode(text, add_special_tokens=True)
    tokens = [tokenizer.convert_ids_to_tokens(i) for i in ids]
    return tokens, ids, tokenizer.decode(ids, skip_special_tokens=False)


def encode_batch(tokenizer, sentences, max_length):
    rows = tokenizer(list(sentences), truncation=True, max_length=max_length)["input_ids"]
    rows = [torch.tensor(row) for row in rows]
    side, pad = tokenizer.padding_side, nn.utils.rnn.pad_sequence
    ids = pad(rows, True, tokenizer.pad_token_id, padding_side=side)
    mask = pad([torch.ones_like(row) for row in rows], True, 0, padding_side=side)
    return {"attention_mask": mask, "input_ids": ids}


# %% embedding
class Table(nn.Embedding):
    pass


def make_embedding(vocab_size, d_model):
    return Table(num_embeddings=vocab_size, embedding_dim=d_model)


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        frequency = torch.logspace(0, -4 + 8 / d_model, d_model // 2, dtype=torch.float64)
        angle = torch.arange(max_len, dtype=torch.float64)[:, None] * frequency
        waves = torch.polar(torch.ones_like(angle), math.pi / 2 - angle)
        self.register_buffer("pe", torch.view_as_real(waves).reshape(1, max_len, d_model).float())
        self.p = dropout

    def forward(self, x):
        return nn.functional.dropout(x + self.pe.narrow(1, 0, x.size(1)), self.p, self.training)


# %% bert_embeddings
def bert_embeddings(model, input_ids):
    parts = dict(model.embeddings.named_children())
    tables = [parts[f"{kind}_embeddings"].weight for kind in ("word", "position", "token_type")]
    length = input_ids.size(-1)
    summed = tables[0][input_ids] + tables[1][:length] + tables[2][0]
    norm = parts["LayerNorm"]
    return nn.functional.layer_norm(summed, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(d_model, d_model))
        self.n_heads, self.rate = n_heads, dropout

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        heads, maps = [], []
        if mask is not None:
            mask = mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1])
        kept = nn.functional.dropout(
            q.new_ones(len(query), self.n_heads, query.shape[1], key.shape[1]),
            self.rate,
            self.training,
        )
        for i, parts in enumerate(zip(*(t.chunk(self.n_heads, -1) for t in (q, k, v)))):
            weights = scaled_dot_product_attention(*parts, None if mask is None else mask[:, i])[1]
            maps.append(weights)
            heads.append((weights * kept[:, i]) @ parts[2])
        return self.W_o(torch.cat(heads, -1)), torch.stack(maps, 1)


# %% feed_forward
class PositionwiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.gelu = nn.GELU()
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(d_ff, d_model)


# %% encoder_layer
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = nn.LayerNorm(d_model, 1e-6), nn.LayerNorm(d_model, 1e-6)
        self.drop = nn.ModuleList([nn.Dropout(dropout), nn.Dropout(dropout)])

    def forward(self, x, mask=None):
        for part, norm, drop in zip(
            (lambda x: self.attention(x, x, x, mask)[0], self.feed_forward),
            (self.norm1, self.norm2),
            self.drop,
        ):
            x = norm(drop(part(x)) + x)
        return x


# %% look_ahead_mask
def create_look_ahead_mask(size):
    return torch.triu(torch.ones((1, 1, size, size)), diagonal=1) == 0


# %% greedy_tokens
def greedy_tokens(logits):
    probabilities = logits.log_softmax(-1).exp()
    return probabilities, probabilities.max(dim=2)[1]


# %% prediction
PREDICTION = ("none", "one", "two or three", "about half", "nearly all")[-1]


# %% silence_head
class Silence:
    def __init__(self, heads, head):
        self.heads, self.head = heads, head

    def __call__(self, module, inputs):
        parts = list(inputs[0].chunk(self.heads, dim=-1))
        parts[self.head - 1] = torch.zeros_like(parts[self.head - 1])
        return (torch.cat(parts, dim=-1),)


def silence_head(model, layer, head):
    mixing = model.get_submodule(f"encoder.layer.{layer - 1}.attention.output.dense")
    return mixing.register_forward_pre_hook(Silence(model.config.num_attention_heads, head))
