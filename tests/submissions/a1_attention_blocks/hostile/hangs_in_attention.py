"""Never comes back from attention, on which the later modules rest.

score: 0
"""


# %% attention
def attention(q, k, v):
    while True:
        pass
