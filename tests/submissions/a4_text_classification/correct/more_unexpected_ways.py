"""Is right in other ways that nobody expects, in every answer.

score: 95
"""


# %% tokenize_batch
def tokenize_batch(tokenizer, texts, labels, max_length=48):
    """Turns headlines into tensors of one fixed length."""

    def fit(ids):
        return ids if len(ids) <= max_length else ids[: max_length - 1] + ids[-1:]

    whole = [fit(list(tokenizer(text)["input_ids"])) for text in texts]
    gaps = [max_length - len(ids) for ids in whole]
    pad = tokenizer.pad_token_id
    columns = (
        [ids + gap * [pad] for ids, gap in zip(whole, gaps)],
        [len(ids) * [1] + gap * [0] for ids, gap in zip(whole, gaps)],
        [int(label) for label in labels],
    )
    names = ("input_ids", "attention_mask", "labels")
    return {name: torch.tensor(column) for name, column in zip(names, columns)}


# %% headline_dataset
class HeadlineDataset(Dataset):
    """Tokenized headlines, one at a time."""

    def __init__(self, columns):
        self.pairs = tuple(columns.items())

    def __len__(self):
        (_, first), *_ = self.pairs
        return first.shape[0]

    def __getitem__(self, index):
        """The dict of headline number `index`, with the same names as the columns."""
        item = {}
        for name, column in self.pairs:
            item[name] = column.narrow(0, index, 1)[0]
        return item


# %% dot_product_attention
class DotProductAttention(nn.Module):
    """Scaled dot-product attention of several heads, which leaves out padding.

    dropout: share of the weights that is dropped in training.
    """

    def __init__(self, dropout):
        super().__init__()
        self.drop = nn.Dropout(dropout)

    def forward(self, q, k, v, padding_mask=None):
        """q: (B, heads, L_q, d), k: (B, heads, L_k, d), v: (B, heads, L_k, d_v)."""
        answers = []
        for number, (queries, keys, values) in enumerate(zip(q, k, v)):
            if padding_mask is not None:
                real = padding_mask[number].nonzero().flatten()
                keys, values = keys.index_select(1, real), values.index_select(1, real)
            scores = torch.einsum("hmd,hnd->hmn", queries, keys) / math.sqrt(queries.shape[-1])
            answers.append(self.drop(scores.softmax(dim=2)) @ values)
        return torch.stack(answers)


# %% self_attention
class SelfAttention(nn.Module):
    """Multi-head self-attention.

    embed_dim: size of the vectors, a multiple of num_heads.
    """

    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        step = embed_dim // num_heads
        self.bounds = [(first, first + step) for first in range(0, embed_dim, step)]
        for name, bias in dict(
            to_queries=False, to_keys=False, to_values=False, unify_heads=True
        ).items():
            setattr(self, name, nn.Linear(embed_dim, embed_dim, bias=bias))
        self.look = DotProductAttention(dropout)

    def forward(self, x, padding_mask=None):
        """x: (B, L, embed_dim), padding_mask: (B, L), True at real tokens -> (B, L, embed_dim)."""

        def cut(t):
            return torch.stack([t[:, :, a:b] for a, b in self.bounds], dim=1)

        keys, values = cut(self.to_keys(x)), cut(self.to_values(x))
        rows = []
        for query in cut(self.to_queries(x)).split(1, dim=2):
            found = self.look(query, keys, values, padding_mask)  # (B, h, 1, D / h)
            rows.append(found.squeeze(2).flatten(1))
        return self.unify_heads(torch.stack(rows, dim=1))


# %% transformer_block
class TransformerBlock(nn.Module):
    """Self-attention and a small network at each position, each added to its input and normalised.

    embed_dim: size of the vectors, a multiple of num_heads.
    """

    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.reader = SelfAttention(embed_dim, num_heads)
        self.inner, self.outer = (
            nn.Linear(embed_dim, 2 * embed_dim),
            nn.Linear(2 * embed_dim, embed_dim),
        )
        self.calm_1, self.calm_2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)

    def at_one_place(self, y):
        """(B, embed_dim) -> (B, embed_dim)"""
        return self.calm_2(y + self.outer(nn.functional.relu(self.inner(y))))

    def forward(self, x, padding_mask=None):
        """x: (B, L, embed_dim), padding_mask: (B, L), True at real tokens -> (B, L, embed_dim)."""
        read = self.calm_1(x + self.reader(x, padding_mask))
        return torch.stack([self.at_one_place(place) for place in read.unbind(dim=1)], dim=1)


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position, then drops some numbers out.

    embed_dim: size of the vectors, even. max_len: length of the longest sequence.
    """

    def __init__(self, embed_dim, dropout=0.1, max_len=512):
        super().__init__()
        powers = torch.arange(0, embed_dim, 2, dtype=torch.float64) / embed_dim
        angles = torch.arange(max_len, dtype=torch.float64).outer(10000.0**-powers)
        circle = torch.polar(torch.ones_like(angles), angles)
        pairs = torch.view_as_real(circle).flip(-1)  # sine first
        self.register_buffer("marks", pairs.flatten(1).float())
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        """x: (B, L, embed_dim) -> (B, L, embed_dim)."""
        places = torch.arange(x.shape[1], device=x.device)
        return self.dropout(x + nn.functional.embedding(places, self.marks))


# %% text_classifier
class TextClassifier(nn.Module):
    """An encoder that reads token ids and tells the class of the text.

    embed_dim, num_heads: as in TransformerBlock. depth: number of blocks.
    seq_length: length of the longest sequence. num_tokens: size of the vocabulary.
    """

    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        self.embedding = nn.Embedding(num_tokens, embed_dim)
        nn.init.normal_(self.embedding.weight, std=embed_dim**-0.5)
        self.places = PositionalEncoding(embed_dim, max_len=seq_length)
        self.blocks = nn.ModuleList(TransformerBlock(embed_dim, num_heads) for _ in range(depth))
        self.last = nn.Linear(embed_dim, num_classes)

    def forward(self, input_ids, attention_mask):
        """input_ids: (B, L), attention_mask: (B, L), 1 at real tokens
        -> log-probabilities (B, num_classes)
        """
        real = attention_mask.eq(1)
        h = self.places(self.embedding(input_ids) * math.sqrt(self.embedding.embedding_dim))
        for block in self.blocks:
            h = block(h, real)
        owner = real.nonzero()[:, 0]  # the headline of each real token
        sums = h.new_zeros(len(h), h.shape[-1]).index_add(0, owner, h[real])
        counts = owner.bincount(minlength=len(h)).to(h.dtype)
        return nn.functional.log_softmax(self.last(sums / counts[:, None]), dim=-1)


# %% evaluate
def evaluate(model, loader):
    """Loss and accuracy of a classifier, both as the mean over all headlines of the loader.

    loader: a DataLoader of dicts with input_ids, attention_mask and labels
    -> (loss, accuracy), two Python floats
    """
    from sklearn.metrics import accuracy_score

    @torch.no_grad()
    def collect():
        truth, guessed, surprise = [], [], []
        for batch in loader:
            rows = model(batch["input_ids"], batch["attention_mask"]).tolist()
            for row, label in zip(rows, batch["labels"].tolist(), strict=True):
                truth.append(label)
                guessed.append(row.index(max(row)))
                surprise.append(-row[label])
        return truth, guessed, surprise

    modes = {part: part.training for part in model.modules()}
    model.eval()
    truth, guessed, surprise = collect()
    for part, mode in modes.items():
        part.training = mode
    return math.fsum(surprise) / len(surprise), float(accuracy_score(truth, guessed))


# %% overfit_one_batch
def overfit_one_batch(model, batch, optimizer, steps):
    """Trains on one batch again and again.

    batch: a dict with input_ids, attention_mask and labels
    -> the losses before each of the steps, a list of Python floats
    """

    def closure():
        optimizer.zero_grad()
        guesses = model(batch["input_ids"], batch["attention_mask"])
        loss = nn.functional.nll_loss(guesses, batch["labels"])
        loss.backward()
        return loss

    mode = model.training
    model.eval()
    try:
        return [optimizer.step(closure).item() for _ in range(steps)]
    finally:
        model.train(mode)


# %% attention_weights
def attention_weights(layer, x, num_heads, padding_mask=None):
    """The weights of each head of self-attention, without dropout.

    x: (B, L, D), padding_mask: (B, L), True at real tokens -> (B, num_heads, L, L)
    """
    q, k = layer.to_queries(x), layer.to_keys(x)
    batch, length, size = q.shape
    width = size // num_heads
    table = q.new_zeros(batch, num_heads, length, length)
    for b in range(batch):
        real = torch.arange(length, device=q.device)
        if padding_mask is not None:
            real = real[padding_mask[b]]
        for h in range(num_heads):
            queries, keys = (t[b, :, h * width : (h + 1) * width] for t in (q, k))
            shares = torch.softmax(queries @ keys[real].T / math.sqrt(width), dim=-1)
            table[b, h][:, real] = shares
    return table
