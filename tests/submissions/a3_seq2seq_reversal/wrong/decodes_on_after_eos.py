"""Always takes all steps, keeps gradients, and cuts nothing off at the end.

score: 85
greedy_decode: wrong 0
"""


# %% greedy_decode
def greedy_decode(model, src, bos_id, eos_id, max_len):
    memory = model.encode(src)
    tgt = torch.full((len(src), 1), bos_id)
    for _ in range(max_len):
        token = model.decode(tgt, memory, src)[:, -1].argmax(dim=-1)
        tgt = torch.cat([tgt, token[:, None]], dim=1)
    return tgt[:, 1:].tolist()
