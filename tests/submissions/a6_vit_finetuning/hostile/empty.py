"""Hands in the notebook as it was released.

score: 0
transform: unanswered 0
collate: unanswered 0
compute_metrics: unanswered 0
load_model: unanswered 0
training_setup: unanswered 0
head_only: unanswered 0
predict: unanswered 0
patchify: unanswered 0
patch_projection: unanswered 0
vision_transformer: unanswered 0
position_similarity: unanswered 0
attention_distance: unanswered 0
attention_heatmap: unanswered 0
cover: unanswered 0
prediction: unanswered 0
empty: true
"""
