"""Looks for the largest logit along the images.

score: 95
compute_metrics: wrong 0
"""


# %% compute_metrics
def compute_metrics(eval_prediction):
    answers = np.argmax(eval_prediction.predictions, axis=0)
    count = min(len(answers), len(eval_prediction.label_ids))
    return {"accuracy": float((answers[:count] == eval_prediction.label_ids[:count]).mean())}
