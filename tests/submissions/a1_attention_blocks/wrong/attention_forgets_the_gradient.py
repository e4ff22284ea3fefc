"""Makes the weights with numpy, on the CPU, so that no gradient reaches queries, and overflows.

score: 85
attention: wrong 15
"""

# %% attention
import numpy as np


def attention(q, k, v):
    queries, keys = q.detach().numpy(), k.detach().numpy()
    scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[-1])
    exponentials = np.exp(scores)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    att_values = torch.from_numpy(weights).to(v.dtype)
    return att_values @ v, att_values
