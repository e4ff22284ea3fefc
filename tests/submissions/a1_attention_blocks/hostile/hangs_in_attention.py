"""Never comes back from attention, on which the later modules rest.

score: 38
attention: timeout 0
self_attention: timeout 0
cross_attention: timeout 0
multi_headed_attention: timeout 18
"""


# %% attention
def attention(q, k, v):
    while True:
        pass
