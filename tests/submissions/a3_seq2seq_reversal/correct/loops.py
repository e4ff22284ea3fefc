"""Writes everything as loops: over rows, positions, heads and queries.

score: 95
"""


# %% batching
def pad_sequences(sequences, pad_id=0):
    longest = 0
    for sequence in sequences:
        longest = max(longest, len(sequence))
    batch = torch.full((len(sequences), longest), pad_id, dtype=torch.long)
    for n, sequence in enumerate(sequences):
        for place, token in enumerate(sequence):
            batch[n, place] = token
    return batch


def shift_right(targets, bos_id):
    rows = [[bos_id, *row[:-1]] for row in targets.tolist()]
    return torch.tensor(rows, device=targets.device)


PAD_ID = 0
EOS_ID = 1
BOS_ID = 2


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        pe = torch.zeros(1, max_len, d_model)
        for pos in range(max_len):
            for i in range(d_model // 2):
                angle = pos / 10000 ** (2 * i / d_model)
                pe[0, pos, 2 * i] = math.sin(angle)
                pe[0, pos, 2 * i + 1] = math.cos(angle)
        self.register_buffer("pe", pe)

    def forward(self, x):
        rows = [x[:, pos] + self.pe[:, pos] for pos in range(x.shape[1])]
        return torch.stack(rows, dim=1)


# %% masks
def causal_mask(length):
    return torch.tensor([[key <= query for key in range(length)] for query in range(length)])


def padding_mask(ids, pad_id=0):
    rows = [[[[token != pad_id for token in row]]] for row in ids.tolist()]
    return torch.tensor(rows, device=ids.device)


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    *leading, queries, size = q.shape
    keys = k.shape[-2]
    if mask is None:
        mask = torch.ones(queries, keys, dtype=torch.bool)
    mask = mask.expand(*leading, queries, keys).reshape(-1, queries, keys)
    q, k, v = (tensor.reshape(-1, *tensor.shape[-2:]) for tensor in (q, k, v))
    outputs, tables = [], []
    for n in range(len(q)):
        for m in range(queries):
            weights = torch.zeros_like(k[n, :, 0])
            seen = mask[n, m].nonzero()[:, 0]
            if len(seen) > 0:
                scores = (k[n, seen] * q[n, m]).sum(dim=-1) / size**0.5
                parts = (scores - scores.max().detach()).exp()
                weights = weights.index_put((seen,), parts / parts.sum())
            tables.append(weights)
            outputs.append((weights[:, None] * v[n]).sum(dim=0))
    shape = (*leading, queries, -1)
    return torch.stack(outputs).reshape(shape), torch.stack(tables).reshape(shape)


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads = num_heads
        self.size = d_model // num_heads
        self.layers = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x_q, x_k, x_v, mask=None):
        q, k, v = (layer(x) for layer, x in zip(self.layers, (x_q, x_k, x_v), strict=False))
        if mask is not None:
            mask = mask.expand(len(x_q), self.heads, x_q.shape[1], x_k.shape[1])
        outputs, tables = [], []
        for head in range(self.heads):
            part = slice(head * self.size, (head + 1) * self.size)
            output, table = scaled_dot_product_attention(
                q[..., part], k[..., part], v[..., part], None if mask is None else mask[:, head]
            )
            outputs.append(output)
            tables.append(table)
        return self.layers[3](torch.cat(outputs, dim=-1)), torch.stack(tables, dim=1)


# %% train_step
def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    model.train()
    optimizer.zero_grad()
    logs = model(src, shift_right(tgt, bos_id)).log_softmax(dim=-1)
    losses = []
    for n, row in enumerate(tgt.tolist()):
        for place, token in enumerate(row):
            if token != pad_id:
                losses.append(-logs[n, place, token])
    loss = sum(losses) / len(losses)
    loss.backward()
    optimizer.step()
    return float(loss)


# %% greedy_decode
def greedy_decode(model, src, bos_id, eos_id, max_len):
    model.eval()
    rows = [[bos_id] for _ in range(len(src))]
    with torch.no_grad():
        memory = model.encode(src)
        for _ in range(max_len):
            if all(eos_id in row for row in rows):
                break
            logits = model.decode(torch.tensor(rows), memory, src)
            for n, row in enumerate(rows):
                row.append(int(logits[n, -1].argmax()))
    answers = []
    for row in rows:
        answer = []
        for token in row[1:]:
            if token == eos_id:
                break
            answer.append(token)
        answers.append(answer)
    return answers
