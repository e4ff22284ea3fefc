"""Hands in the notebook as it was released.

score: 0
scaled_dot_product: unanswered 0
multihead_attention: unanswered 0
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
