"""Hands in the notebook as it was released.

score: 0
batching: unanswered 0
positional_encoding: unanswered 0
masks: unanswered 0
scaled_dot_product_attention: unanswered 0
multi_head_attention: unanswered 0
encoder_block: unanswered 0
decoder_block: unanswered 0
transformer: unanswered 0
train_step: unanswered 0
greedy_decode: unanswered 0
ablation: unanswered 0
prediction: unanswered 0
cross_attention: unanswered 0
empty: true
"""
