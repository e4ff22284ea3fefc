"""Hands in the notebook as it was released.

score: 0
positional_encoder: unanswered 0
positional_encoder_plot: unanswered 0
attention: unanswered 0
self_attention: unanswered 0
cross_attention: unanswered 0
multi_headed_attention: unanswered 0
masked_attention: unanswered 0
empty: true
"""
