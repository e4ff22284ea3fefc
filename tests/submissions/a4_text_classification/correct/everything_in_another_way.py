"""Answers every question by other functions, orders and names than the instructor.

score: 95
"""


# %% tokenize_batch
def tokenize_batch(tokenizer, texts, labels, max_length=48):
    pad, rows, masks = tokenizer.pad_token_id, [], []
    for text in texts:
        ids = tokenizer.encode(text, truncation=True, max_length=max_length)
        missing = max_length - len(ids)
        rows.append(ids + [pad] * missing)
        masks.append([1] * len(ids) + [0] * missing)
    return dict(
        labels=torch.LongTensor(list(labels)),
        attention_mask=torch.LongTensor(masks),
        input_ids=torch.LongTensor(rows),
    )


# %% headline_dataset
class HeadlineDataset(torch.utils.data.Dataset):
    def __init__(self, columns):
        names = list(columns)
        self.rows = [dict(zip(names, row)) for row in zip(*columns.values())]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


# %% dot_product_attention
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.p = dropout

    def forward(self, q, k, v, padding_mask=None):
        d = q.size(-1)
        scores = torch.einsum("bhqd,bhkd->bhqk", q * d**-0.25, k * d**-0.25)
        if padding_mask is not None:
            allowed = padding_mask.reshape(padding_mask.size(0), 1, 1, -1).expand_as(scores)
            scores = torch.where(allowed, scores, torch.full_like(scores, float("-inf")))
        weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
        return torch.einsum(
            "bhqk,bhkd->bhqd", nn.functional.dropout(weights, self.p, self.training), v
        )


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.unify_heads = nn.Linear(embed_dim, embed_dim)
        self.to_values, self.to_keys, self.to_queries = (
            nn.Linear(embed_dim, embed_dim, bias=False) for _ in range(3)
        )
        self.attention = DotProductAttention(dropout)

    def forward(self, x, padding_mask=None):
        def cut(layer):
            return torch.stack(layer(x).chunk(self.heads, dim=-1), dim=1)

        mixed = self.attention(
            cut(self.to_queries), cut(self.to_keys), cut(self.to_values), padding_mask
        )
        return self.unify_heads(torch.cat(mixed.unbind(dim=1), dim=-1))


# %% transformer_block
class Mlp(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.up, self.down = nn.Linear(size, size * 2), nn.Linear(size * 2, size)

    def forward(self, x):
        return self.down(self.up(x).clamp(min=0))


class TransformerBlock(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.mlp = Mlp(embed_dim)
        self.norms = nn.ModuleDict(
            {"second": nn.LayerNorm(embed_dim), "first": nn.LayerNorm(embed_dim)}
        )
        self.attend = SelfAttention(embed_dim, num_heads)

    def forward(self, x, padding_mask=None):
        y = self.norms["first"](self.attend(x, padding_mask=padding_mask) + x)
        return self.norms["second"](self.mlp(y) + y)


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, embed_dim, dropout=0.1, max_len=512):
        super().__init__()
        exponents = torch.arange(embed_dim).div(2, rounding_mode="floor").mul(2) / embed_dim
        angles = torch.arange(max_len).unsqueeze(-1) * torch.pow(torch.tensor(1e4), -exponents)
        even = torch.arange(embed_dim) % 2 == 0
        self.register_buffer(
            "waves", torch.where(even, angles.sin(), angles.cos()), persistent=False
        )
        self.p = dropout

    def forward(self, x):
        places = torch.arange(x.shape[1], device=x.device)
        return nn.functional.dropout(
            x + nn.functional.embedding(places, self.waves), p=self.p, training=self.training
        )


# %% text_classifier
class TextClassifier(nn.Module):
    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        self.classify = nn.Sequential(nn.Linear(embed_dim, num_classes), nn.LogSoftmax(dim=1))
        self.blocks = nn.ModuleDict(
            {f"block {i}": TransformerBlock(embed_dim, num_heads) for i in range(depth)}
        )
        self.positions = PositionalEncoding(embed_dim, max_len=seq_length)
        self.tokens = nn.Embedding.from_pretrained(
            torch.randn(num_tokens, embed_dim) / embed_dim**0.5, freeze=False
        )

    def forward(self, input_ids, attention_mask):
        x = self.positions(self.tokens(input_ids) * self.tokens.embedding_dim**0.5)
        for block in self.blocks.values():
            x = block(x, padding_mask=attention_mask == 1)
        weights = nn.functional.normalize(attention_mask.to(x.dtype), p=1, dim=1)
        return self.classify((weights.unsqueeze(1) @ x).squeeze(1))


# %% evaluate
@torch.inference_mode()
def evaluate(model, loader):
    before = model.training
    try:
        model.eval()
        pairs = [(model(b["input_ids"], b["attention_mask"]), b["labels"]) for b in loader]
    finally:
        model.train(before)
    found, labels = (torch.cat(parts) for parts in zip(*pairs))
    loss = -found[torch.arange(len(labels)), labels].double().mean()
    return float(loss), float((found.topk(1).indices.squeeze(1) == labels).double().mean())
