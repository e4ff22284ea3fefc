"""Stops after the encoder block.

score: 20
encoder_block: unanswered 0
transformer_encoder: unanswered 0
positional_encoding: unanswered 0
transformer_predictor: unanswered 0
reverse_dataset: unanswered 0
training_step: unanswered 0
standard_attention: unanswered 0
attention_rollout: unanswered 0
attention_gradient: unanswered 0
gradient_times_input: unanswered 0
answers_when_hidden: unanswered 0
prediction: unanswered 0
empty: true
"""


# %% scaled_dot_product
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    attention = torch.softmax(scores, dim=-1)
    return attention @ v, attention


# %% multihead_attention
class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(f"embed_dim {embed_dim} and num_heads {num_heads} do not fit")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        for layer in (self.qkv_proj, self.o_proj):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x, mask=None, return_attention=False):
        batch, length, _ = x.shape
        qkv = self.qkv_proj(x).reshape(batch, length, self.num_heads, -1)
        q, k, v = qkv.transpose(1, 2).chunk(3, dim=-1)
        values, attention = scaled_dot_product(q, k, v, mask)
        output = self.o_proj(values.transpose(1, 2).reshape(batch, length, -1))
        return (output, attention) if return_attention else output
