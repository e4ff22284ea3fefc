"""Hands in the release as it is.

score: 0
tokenization: unanswered 0
embedding: unanswered 0
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
