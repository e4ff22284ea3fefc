"""Is right in ways that nobody expects, in every answer.

score: 95
"""

# %% batching
from itertools import zip_longest


def pad_sequences(sequences, pad_id=0):
    """Makes one tensor of lists of unequal length: a list of N lists -> (N, L)."""
    columns = list(zip_longest(*sequences, fillvalue=pad_id))
    return torch.tensor(columns, dtype=torch.int64).T.contiguous()


def shift_right(targets, bos_id):
    """What the decoder sees while it learns to write the targets: (N, L) -> (N, L)."""
    moved = targets.roll(1)  # over the end of the rows, too, but only into the first column
    moved[:, 0] = bos_id
    return moved


PAD_ID = 0
EOS_ID, BOS_ID = 1, 2


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position.

    d_model: size of the vectors, even. max_len: length of the longest sequence.
    """

    def __init__(self, d_model, max_len=50):
        super().__init__()
        column = torch.arange(d_model, dtype=torch.float64)
        odd = column.remainder(2)
        omega = torch.exp((odd - column) * (math.log(10000) / d_model))
        place = torch.arange(max_len, dtype=torch.float64).view(1, -1, 1)
        self.register_buffer("pe", torch.sin(place * omega + odd * (math.pi / 2)).float())

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        return x + self.pe[:, : x.shape[-2]]


# %% masks
def causal_mask(length):
    """True where a query may attend: at itself and before. -> (length, length), bool"""
    return nn.Transformer.generate_square_subsequent_mask(length) == 0


def padding_mask(ids, pad_id=0):
    """True where a key is a real token. ids: (N, L) -> (N, 1, 1, L), bool"""
    return torch.isin(ids, torch.tensor([pad_id], device=ids.device), invert=True)[:, None, None]


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    """Mixes the values, weighted by how well their keys match each query.

    q: (..., L_q, d_k), k: (..., L_k, d_k), v: (..., L_k, d_v)
    mask: bool, True = may attend, broadcast to (..., L_q, L_k)
    -> output: (..., L_q, d_v), attention: (..., L_q, L_k)
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand_as(scores)
    scores = scores.masked_fill(~mask, -math.inf)
    idle = torch.zeros_like(scores[..., :1]).masked_fill(mask.any(-1, keepdim=True), -math.inf)
    attention = torch.cat([scores, idle], dim=-1).softmax(dim=-1)[..., :-1]
    return attention @ v, attention


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    """Several heads attend at once, each with its share of the vectors.

    d_model: size of all vectors, a multiple of num_heads.
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.query, self.key, self.value, self.output = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )
        self.num_heads = num_heads

    def fold(self, x):
        N, L, D = x.shape
        x = x.view(N, L, self.num_heads, D // self.num_heads).permute(0, 2, 1, 3)
        return x.reshape(N * self.num_heads, L, -1)

    def forward(self, x_q, x_k, x_v, mask=None):
        """x_q: (N, L_q, d_model), x_k, x_v: (N, L_k, d_model)

        -> output: (N, L_q, d_model), attention: (N, num_heads, L_q, L_k)
        """
        q, k, v = self.fold(self.query(x_q)), self.fold(self.key(x_k)), self.fold(self.value(x_v))
        table = (len(x_q), self.num_heads, x_q.shape[1], x_k.shape[1])
        if mask is not None:
            mask = torch.broadcast_to(mask, table).flatten(0, 1)
        heads, attention = scaled_dot_product_attention(q, k, v, mask)
        heads = heads.unflatten(0, table[:2])
        return self.output(torch.cat(heads.unbind(1), dim=-1)), attention.view(table)


# %% encoder_block
class AddAndNorm(nn.Module):
    """What goes in plus what its part makes of it, normalised."""

    def __init__(self, part, size):
        super().__init__()
        self.part = part
        self.norm = nn.LayerNorm(size)

    def forward(self, x, *others):
        answer = self.part(x, *others)
        if isinstance(answer, tuple):
            answer, *_ = answer
        return self.norm(answer + x)


class EncoderBlock(nn.Module):
    """Self-attention and a feed-forward network, each with a residual and a norm after it."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.first = AddAndNorm(MultiHeadAttention(d_model, num_heads), d_model)
        network = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.second = AddAndNorm(network, d_model)

    def forward(self, x, mask=None):
        """x: (N, L, d_model) -> (N, L, d_model)."""

        return self.second(self.first(x, x, x, mask))


# %% decoder_block
from functools import partial


class DecoderBlock(nn.Module):
    """Self-attention, attention to the memory and a feed-forward network, each with a norm."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        parts = [MultiHeadAttention(d_model, num_heads), MultiHeadAttention(d_model, num_heads)]
        parts.append(nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)))
        self.stages = nn.ModuleList(nn.ModuleList([p, nn.LayerNorm(d_model)]) for p in parts)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        """x: (N, L, d_model), memory: (N, L_src, d_model) -> (N, L, d_model)."""

        (own, own_norm), (other, other_norm), (network, last_norm) = self.stages
        past = partial(own, mask=self_mask)
        told = partial(other, x_k=memory, x_v=memory, mask=cross_mask)
        x = own_norm(x + past(x, x, x)[0])
        x = other_norm(x + told(x)[0])
        return last_norm(x + network(x))


# %% transformer
from functools import reduce


class Stack(nn.Module):
    """Ids -> vectors, through an embedding, positions and blocks."""

    def __init__(self, embedding, blocks, d_model):
        super().__init__()
        self.embedding, self.blocks = embedding, nn.ModuleList(blocks)
        self.positions = PositionalEncoding(d_model)

    def forward(self, ids, *context):
        start = self.positions(self.embedding(ids))
        return reduce(lambda x, block: block(x, *context), self.blocks, start)


class Transformer(nn.Module):
    """An encoder that reads ids, and a decoder that scores the next id at every position."""

    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        tables = [nn.Embedding(vocab_size, d_model, padding_idx=pad_id) for _ in range(2)]
        sizes = d_model, num_heads, d_ff
        encoders = [EncoderBlock(*sizes) for _ in range(num_layers)]
        decoders = [DecoderBlock(*sizes) for _ in range(num_layers)]
        self.reader = Stack(tables[0], encoders, d_model)
        self.writer = Stack(tables[1], decoders, d_model)
        self.to_logits = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def real(self, ids):
        return ids.ne(self.pad_id)[:, None, None, :]

    def encode(self, src):
        """src: (N, L_src) ids -> memory: (N, L_src, d_model)."""
        return self.reader(src, self.real(src))

    def decode(self, tgt, memory, src):
        """tgt: (N, L) ids, memory: of src, src: (N, L_src) ids -> logits: (N, L, vocab_size)."""
        place = torch.arange(tgt.shape[1], device=tgt.device)
        past = place >= place[:, None]  # [key, query]
        return self.to_logits(self.writer(tgt, memory, past.T & self.real(tgt), self.real(src)))

    def forward(self, src, tgt):
        """src: (N, L_src) ids, tgt: (N, L) ids -> logits: (N, L, vocab_size)."""
        return self.decode(tgt, self.encode(src), src)


# %% train_step
def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    """One step of teacher forcing. src: (N, L_src), tgt: (N, L) ids -> the loss, a number."""
    model.train()
    real = tgt != pad_id
    logits = model(src, shift_right(tgt, bos_id))[real]  # (tokens, vocab_size)
    chosen = logits.gather(1, tgt[real].unsqueeze(1)).squeeze(1)
    loss = (logits.logsumexp(dim=1) - chosen).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


# %% greedy_decode
from itertools import takewhile


def greedy_decode(model, src, bos_id, eos_id, max_len):
    """Lets the model write. src: (N, L_src) ids -> N lists of ids, without BOS and EOS."""
    model.eval()
    with torch.inference_mode():
        memory = model.encode(src)
        table = torch.full((src.shape[0], max_len + 1), eos_id, dtype=src.dtype, device=src.device)
        table[:, 0] = bos_id
        for step in range(max_len):
            logits = model.decode(table[:, : step + 1], memory, src)
            table[:, step + 1] = logits.select(1, -1).argmax(dim=-1)
            if (table[:, 1 : step + 2] == eos_id).any(dim=1).all():
                break
    return [list(takewhile(lambda token: token != eos_id, row)) for row in table[:, 1:].tolist()]


# %% cross_attention
def cross_attention(model, src, tgt):
    """What each head of the decoder attends to in the source, while the model reads both.

    src: (N, L_src), tgt: (N, L) ids -> for each decoder block (N, num_heads, L, L_src)
    """
    mine = {id(part) for part in model.modules() if isinstance(part, MultiHeadAttention)}
    answers = []

    def look(module, inputs, answer):
        if id(module) in mine:
            answers.append(answer[1])

    handle = nn.modules.module.register_module_forward_hook(look)
    try:
        model(src, tgt)
    finally:
        handle.remove()
    return answers[len(answers) // 3 + 1 :: 2]


# %% ablation
def _hand_on(module, inputs, named, answer):
    return inputs[0] if inputs else named["x"]


def _answer_less_question(module, inputs, named, answer):
    question = inputs[0] if inputs else named["x_q"]
    return answer[0] - question, answer[1]


def _last_row(module, inputs, named):
    inputs, named = list(inputs), dict(named)
    where, key = (inputs, 3) if len(inputs) > 3 else (named, "mask")
    if len(inputs) > 3 or "mask" in named:
        where[key] = None if where[key] is None else where[key][..., -1:, :]
    return tuple(inputs), named


def take_out(model, part):
    """Lets a model answer without a part of it, until the handles that it returns are removed.

    part: "positions", "causal mask", or "residuals"
    """
    kind, attach, hook = {
        "positions": (PositionalEncoding, "register_forward_hook", _hand_on),
        "residuals": (MultiHeadAttention, "register_forward_hook", _answer_less_question),
        "causal mask": (MultiHeadAttention, "register_forward_pre_hook", _last_row),
    }[part]
    return [
        getattr(module, attach)(hook, with_kwargs=True)
        for module in model.modules()
        if isinstance(module, kind)
    ]
