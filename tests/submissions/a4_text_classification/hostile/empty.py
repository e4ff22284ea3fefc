"""Hands in the notebook as it was released.

score: 0
tokenize_batch: unanswered 0
headline_dataset: unanswered 0
dot_product_attention: unanswered 0
self_attention: unanswered 0
transformer_block: unanswered 0
positional_encoding: unanswered 0
text_classifier: unanswered 0
evaluate: unanswered 0
overfit_one_batch: unanswered 0
attention_weights: unanswered 0
empty: true
"""
