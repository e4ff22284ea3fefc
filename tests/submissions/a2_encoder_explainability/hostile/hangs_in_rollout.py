"""Never comes back from the rollout.

score: 90
attention_rollout: timeout 0
"""


# %% attention_rollout
def attention_rollout(attention_maps):
    while True:
        pass
