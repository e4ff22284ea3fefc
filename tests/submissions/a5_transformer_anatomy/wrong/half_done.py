"""Stops after the embeddings and leaves the rest as it was released.

score: 11
positional_encoding: unanswered 0
bert_embeddings: unanswered 0
scaled_dot_product_attention: unanswered 0
multi_head_attention: unanswered 0
feed_forward: unanswered 0
encoder_layer: unanswered 0
look_ahead_mask: unanswered 0
greedy_tokens: unanswered 0
greedy_decode: unanswered 0
cross_attention: unanswered 0
prediction: unanswered 0
silence_head: unanswered 0
empty: true
"""


# %% tokenization
def encode_sentence(tokenizer, text):
    ids = tokenizer(text).input_ids
    return tokenizer.convert_ids_to_tokens(ids), ids, tokenizer.decode(ids)


def encode_batch(tokenizer, sentences, max_length):
    return tokenizer(
        sentences, padding=True, truncation=True, max_length=max_length, return_tensors="pt"
    )


# %% embedding
def make_embedding(vocab_size, d_model):
    return nn.Embedding(vocab_size, d_model)
