"""Prints, warns and leaves a figure open, but answers rightly.

score: 95
"""

# %% at the start
import warnings

warnings.warn("this student warns first", stacklevel=1)


# %% embedding
def make_embedding(vocab_size, d_model):
    print("a table of", vocab_size, "rows")
    table = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
    return table


# %% after embedding
plt.plot([1, 2, 3])
print(make_embedding(7, 3).weight.shape)


# %% greedy_tokens
def greedy_tokens(logits):
    probabilities = nn.Softmax(dim=-1)(logits)
    print("greedy on", tuple(logits.shape))
    return probabilities, torch.topk(probabilities, 1, dim=-1).indices[..., 0]
