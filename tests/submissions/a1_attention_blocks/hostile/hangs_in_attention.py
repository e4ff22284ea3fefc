"""Never comes back from attention, on which the later modules rest.

score: 70
attention: timeout 0
"""


# %% attention
def attention(q, k, v):
    while True:
        pass
