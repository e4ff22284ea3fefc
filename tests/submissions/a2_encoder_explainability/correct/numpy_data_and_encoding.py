"""Makes the encoding with exp and log in numpy, and keeps whole tensors of pairs.

score: 100
"""

# %% at the start
import numpy as np


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000):
        super().__init__()
        position = np.arange(max_len)[:, None]
        div_term = np.exp(np.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
        pe = np.zeros((1, max_len, d_model))
        pe[0, :, 0::2] = np.sin(position * div_term)
        pe[0, :, 1::2] = np.cos(position * div_term)
        self.register_buffer("pe", torch.tensor(pe, dtype=torch.float32), persistent=False)

    def forward(self, x):
        return x + self.pe[:, : x.size(1), :]


# %% reverse_dataset
class ReverseDataset(data.TensorDataset):
    def __init__(self, num_categories, seq_len, size):
        dice = np.random.default_rng(torch.randint(2**62, ()).item())
        x = torch.from_numpy(dice.integers(num_categories, size=(size, seq_len)))
        super().__init__(x, torch.flip(x, dims=[1]))

    def __len__(self):
        return self.tensors[0].size(0)

    def __getitem__(self, index):
        return self.tensors[0][index], self.tensors[1][index]


# %% standard_attention
def standard_attention(attention_maps, layer):
    return torch.einsum("bhij->bij", attention_maps[layer]) / attention_maps[layer].size(1)
