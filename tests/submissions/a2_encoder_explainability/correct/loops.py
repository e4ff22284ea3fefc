"""Treats heads, sequences and digits one after the other.

score: 100
"""


# %% multihead_attention
class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim // num_heads * num_heads != embed_dim:
            raise ValueError("%d heads cannot share %d numbers" % (num_heads, embed_dim))
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        for layer in [self.qkv_proj, self.o_proj]:
            nn.init.xavier_uniform_(layer.weight)
            nn.init.constant_(layer.bias, 0.0)

    def forward(self, x, mask=None, return_attention=False):
        qkv = self.qkv_proj(x)
        if mask is not None:
            mask = mask.expand(x.shape[0], self.num_heads, x.shape[1], x.shape[1])
        maps, all_values = [], []
        for head in range(self.num_heads):
            start = 3 * self.head_dim * head
            q = qkv[:, :, start : start + self.head_dim]
            k = qkv[:, :, start + self.head_dim : start + 2 * self.head_dim]
            v = qkv[:, :, start + 2 * self.head_dim : start + 3 * self.head_dim]
            own = None if mask is None else mask[:, head]
            maps.append(scaled_dot_product(q, k, v, own)[1])
            all_values.append(v)
        attention = torch.stack(maps, dim=1)
        outputs = [attention[:, head] @ values for head, values in enumerate(all_values)]
        output = self.o_proj(torch.cat(outputs, dim=2))
        return (output, attention) if return_attention else output


# %% transformer_encoder
class TransformerEncoder(nn.Module):
    def __init__(self, num_layers, **block_args):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderBlock(**block_args))

    def forward(self, x, mask=None):
        for number in range(len(self.layers)):
            x = self.layers[number](x, mask=mask)
        return x

    def get_attention_maps(self, x, mask=None, return_outputs=False):
        maps = []
        for number in range(len(self.layers)):
            x, one = self.layers[number](x, mask=mask, return_attention=True)
            maps.append(one)
        if not return_outputs:
            return maps
        return maps, x


# %% reverse_dataset
class ReverseDataset(data.Dataset):
    def __init__(self, num_categories, seq_len, size):
        self.pairs = []
        for _ in range(size):
            digits = torch.randint(0, num_categories, (seq_len,))
            self.pairs.append((digits, torch.tensor(digits.tolist()[::-1])))

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        return self.pairs[index]


# %% standard_attention
def standard_attention(attention_maps, layer):
    chosen = attention_maps[layer]
    total = 0
    for head in range(chosen.shape[1]):
        total = total + chosen[:, head]
    return total / chosen.shape[1]


# %% attention_rollout
def attention_rollout(attention_maps):
    results = []
    for number in range(attention_maps[0].shape[0]):
        result = None
        for attention in attention_maps:
            table = attention[number].mean(dim=0) / 2
            table = table + torch.eye(len(table), dtype=table.dtype, device=table.device) / 2
            rows = [row / row.sum() for row in table]
            table = torch.stack(rows)
            result = table if result is None else torch.matmul(table, result)
        results.append(result)
    return torch.stack(results)


# %% attention_gradient
def attention_gradient(model, x, position):
    model.eval()
    rows = []
    for sequence in x:
        maps, logits = model.get_attention_maps(sequence[None], return_outputs=True)
        best = logits[0, position].argmax()
        slopes = torch.autograd.grad(logits[0, position, best], maps)
        relevance = torch.eye(len(sequence)).to(sequence)
        for table, slope in zip(maps, slopes):
            helpful = sum(torch.relu(s * t) for s, t in zip(slope[0], table[0])) / len(table[0])
            relevance = relevance + helpful @ relevance
        rows.append(relevance[position])
    return torch.stack(rows)
