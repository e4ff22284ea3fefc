"""Has another library attend.

score: 97
attention: wrong 27
"""

# %% attention
from transformers.models.bert.modeling_bert import eager_attention_forward


def attention(q, k, v):
    output, weights = eager_attention_forward(
        nn.Identity(), q[:, None], k[:, None], v[:, None], None
    )
    return output.squeeze(2), weights.squeeze(1)
