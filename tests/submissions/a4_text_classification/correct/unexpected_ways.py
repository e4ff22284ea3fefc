"""Is right in ways that nobody expects, in every answer.

score: 95
"""


# %% tokenize_batch
def tokenize_batch(tokenizer, texts, labels, max_length=48):
    """Turns headlines into tensors of one fixed length."""
    from torch.nn.utils.rnn import pad_sequence

    rows = [
        torch.tensor(
            tokenizer.encode(text, truncation=True, max_length=max_length), dtype=torch.long
        )
        for text in texts
    ]
    ruler = torch.zeros(max_length, dtype=torch.long)  # makes the rectangle max_length wide
    ids = pad_sequence([*rows, ruler], batch_first=True, padding_value=tokenizer.pad_token_id)
    lengths = torch.tensor([[len(row)] for row in rows])
    return {
        "input_ids": ids[:-1].clone(),
        "attention_mask": (torch.arange(max_length) < lengths).long(),
        "labels": torch.tensor(list(labels), dtype=torch.long),
    }


# %% headline_dataset
from torch.utils.data import TensorDataset


class HeadlineDataset(Dataset):
    """Tokenized headlines, one at a time."""

    def __init__(self, columns):
        self.keys, tensors = zip(*columns.items())
        self.inner = TensorDataset(*tensors)

    def __len__(self):
        return len(self.inner)

    def __getitem__(self, index):
        """The dict of headline number `index`, with the same names as the columns."""
        return dict(zip(self.keys, self.inner[index]))


# %% dot_product_attention
class DotProductAttention(nn.Module):
    """Scaled dot-product attention of several heads, which leaves out padding.

    dropout: share of the weights that is dropped in training.
    """

    def __init__(self, dropout):
        super().__init__()
        self.rate = dropout

    def forward(self, q, k, v, padding_mask=None):
        """q: (B, heads, L_q, d), k: (B, heads, L_k, d), v: (B, heads, L_k, d_v)."""
        keep = None
        if padding_mask is not None:
            keep = padding_mask[:, None, None, :].expand(-1, q.shape[1], q.shape[2], -1)
        return nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=keep, dropout_p=self.rate if self.training else 0.0
        )


# %% self_attention
class SelfAttention(nn.Module):
    """Multi-head self-attention.

    embed_dim: size of the vectors, a multiple of num_heads.
    """

    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.to_queries = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_keys = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_values = nn.Linear(embed_dim, embed_dim, bias=False)
        self.unify_heads = nn.Linear(embed_dim, embed_dim)
        self.attention = DotProductAttention(dropout)

    def fold(self, t):
        """(B, L, D) -> (B * h, 1, L, D / h)"""
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2).flatten(0, 1).unsqueeze(1)

    def forward(self, x, padding_mask=None):
        """x: (B, L, embed_dim), padding_mask: (B, L), True at real tokens -> (B, L, embed_dim)."""
        if padding_mask is not None:
            padding_mask = padding_mask.repeat_interleave(self.num_heads, dim=0)
        out = self.attention(
            self.fold(self.to_queries(x)),
            self.fold(self.to_keys(x)),
            self.fold(self.to_values(x)),
            padding_mask,
        )
        out = out.squeeze(1).unflatten(0, (x.shape[0], self.num_heads))
        return self.unify_heads(out.movedim(1, 2).flatten(-2))


# %% transformer_block
class Thought(nn.Module):
    """Two layers that look at each position alone; a mask is welcome and ignored."""

    def __init__(self, size):
        super().__init__()
        self.wide, self.back = nn.Linear(size, size * 2), nn.Linear(size * 2, size)

    def forward(self, y, _=None):
        return self.back(torch.relu(self.wide(y)))


class PostNorm(nn.Module):
    def __init__(self, part, size):
        super().__init__()
        self.part, self.norm = part, nn.LayerNorm([size])

    def forward(self, x, mask):
        return self.norm(self.part(x, mask) + x)


class TransformerBlock(nn.Module):
    """Self-attention and a small network at each position, each added to its input and normalised.

    embed_dim: size of the vectors, a multiple of num_heads.
    """

    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.steps = nn.ModuleList(
            [
                PostNorm(SelfAttention(embed_dim, num_heads), embed_dim),
                PostNorm(Thought(embed_dim), embed_dim),
            ]
        )

    def forward(self, x, padding_mask=None):
        """x: (B, L, embed_dim), padding_mask: (B, L), True at real tokens -> (B, L, embed_dim)."""
        for step in self.steps:
            x = step(x, padding_mask)
        return x


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position, then drops some numbers out.

    embed_dim: size of the vectors, even. max_len: length of the longest sequence.
    """

    def __init__(self, embed_dim, dropout=0.1, max_len=512):
        super().__init__()
        number = torch.arange(embed_dim)
        odd = number % 2
        rate = 10000.0 ** (-(number - odd).double() / embed_dim)
        angles = torch.arange(max_len).double()[:, None] * rate + odd * (math.pi / 2)
        self.register_buffer("marks", angles.sin().to(torch.get_default_dtype()))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        """x: (B, L, embed_dim) -> (B, L, embed_dim)."""
        return self.dropout(x + self.marks[: x.shape[1]].expand_as(x))


# %% text_classifier
class TextClassifier(nn.Module):
    """An encoder that reads token ids and tells the class of the text.

    embed_dim, num_heads: as in TransformerBlock. depth: number of blocks.
    seq_length: length of the longest sequence. num_tokens: size of the vocabulary.
    """

    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        rows = torch.randn(num_tokens, embed_dim) / math.sqrt(embed_dim)
        self.words = nn.Embedding.from_pretrained(rows, freeze=False)
        self.where = PositionalEncoding(embed_dim, max_len=seq_length)
        self.tower = nn.ModuleList()
        while len(self.tower) < depth:
            self.tower.append(TransformerBlock(embed_dim, num_heads))
        self.verdict = nn.Linear(embed_dim, num_classes)

    def climb(self, x, real, floor=0):
        return (
            x
            if floor == len(self.tower)
            else self.climb(self.tower[floor](x, real), real, floor + 1)
        )

    def forward(self, input_ids, attention_mask):
        """input_ids: (B, L), attention_mask: (B, L), 1 at real tokens
        -> log-probabilities (B, num_classes)
        """
        real = attention_mask.bool()
        vectors = self.words(input_ids)
        top = self.climb(self.where(vectors * math.sqrt(vectors.shape[-1])), real)
        means = torch.stack([one[keep].mean(dim=0) for one, keep in zip(top, real)])
        scores = self.verdict(means)
        return scores - scores.logsumexp(dim=1, keepdim=True)


# %% evaluate
def evaluate(model, loader):
    """Loss and accuracy of a classifier, both as the mean over all headlines of the loader.

    loader: a DataLoader of dicts with input_ids, attention_mask and labels
    -> (loss, accuracy), two Python floats
    """
    mode, seen, loss, accuracy = model.training, 0, 0.0, 0.0
    model.train(False)
    try:
        with torch.inference_mode():
            for batch in loader:
                labels = batch["labels"]
                log_probs = model(batch["input_ids"], batch["attention_mask"])
                seen += len(labels)
                part = len(labels) / seen
                loss += part * (nn.functional.nll_loss(log_probs, labels).item() - loss)
                hit = (log_probs.max(dim=-1).indices == labels).double().mean().item()
                accuracy += part * (hit - accuracy)
    finally:
        model.train(mode)
    return loss, accuracy


# %% overfit_one_batch
def overfit_one_batch(model, batch, optimizer, steps):
    """Trains on one batch again and again.

    batch: a dict with input_ids, attention_mask and labels
    -> the losses before each of the steps, a list of Python floats
    """
    mode = model.training
    model.eval()
    trained = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
    losses = []
    for _ in range(steps):
        log_probs = model(batch["input_ids"], batch["attention_mask"])
        loss = -log_probs[range(len(log_probs)), batch["labels"]].mean()
        gradients = torch.autograd.grad(loss, trained, allow_unused=True)
        for parameter, gradient in zip(trained, gradients):
            parameter.grad = gradient
        optimizer.step()
        losses.append(loss.item())
    model.train(mode)
    return losses


# %% attention_weights
def attention_weights(layer, x, num_heads, padding_mask=None):
    """The weights of each head of self-attention, without dropout.

    x: (B, L, D), padding_mask: (B, L), True at real tokens -> (B, num_heads, L, L)
    """
    q, k = (
        torch.stack(made.chunk(num_heads, dim=-1), dim=1)
        for made in (layer.to_queries(x), layer.to_keys(x))
    )
    length = x.shape[1]
    one_hot = torch.eye(length, dtype=q.dtype, device=q.device)
    one_hot = one_hot.expand(len(x), num_heads, length, length)
    return DotProductAttention(0.0).eval()(q, k, one_hot, padding_mask)
