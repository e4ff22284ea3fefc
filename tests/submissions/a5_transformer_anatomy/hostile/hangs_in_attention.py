"""Waits forever when the attention is called.

score: 85
scaled_dot_product_attention: timeout 0
"""


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    while True:
        pass
