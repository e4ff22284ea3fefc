"""Takes the layers' weights into its own products, stacked or by einsum.

score: 95
"""


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.unify_heads = nn.Linear(embed_dim, embed_dim)
        self.to_values = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_keys = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_queries = nn.Linear(embed_dim, embed_dim, bias=False)
        self.mix = DotProductAttention(dropout)

    def forward(self, x, padding_mask=None):
        layers = (self.to_queries, self.to_keys, self.to_values)
        q, k, v = (
            torch.einsum("bld,hed->bhle", x, layer.weight.unflatten(0, (self.heads, -1)))
            for layer in layers
        )
        joined = self.mix(q, k, v, padding_mask).movedim(1, 2).flatten(-2)
        return torch.einsum("bld,ed->ble", joined, self.unify_heads.weight) + self.unify_heads.bias


# %% transformer_block
class TransformerBlock(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.second, self.first = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.narrow = nn.Linear(2 * embed_dim, embed_dim)
        self.wide = nn.Linear(embed_dim, 2 * embed_dim)
        self.heads = SelfAttention(embed_dim, num_heads)

    def forward(self, x, padding_mask=None):
        y = self.first(torch.add(x, self.heads(x, padding_mask)))
        hidden = torch.addmm(self.wide.bias, y.flatten(0, 1), self.wide.weight.T).relu()
        return self.second(
            y + nn.functional.linear(hidden, self.narrow.weight, self.narrow.bias).view_as(y)
        )


# %% evaluate
def evaluate(model, loader):
    training, found, labels = model.training, [], []
    with torch.inference_mode():
        for batch in loader:
            found.append(model.eval()(batch["input_ids"], attention_mask=batch["attention_mask"]))
            labels.append(batch["labels"])
    model.train(mode=training)
    found, labels = torch.cat(found), torch.cat(labels)
    right = found.argmax(1).eq(labels)
    return nn.NLLLoss()(found, labels).item(), right.sum().item() / right.numel()
