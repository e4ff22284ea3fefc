"""Waits for an EOS that may never come, without a limit.

score: 87.5
greedy_decode: timeout 2.5
"""


# %% greedy_decode
def greedy_decode(model, src, bos_id, eos_id, max_len):
    model.eval()
    with torch.no_grad():
        memory = model.encode(src)
        tgt = torch.full((len(src), 1), bos_id)
        while not (tgt == eos_id).any(dim=1).all():
            token = model.decode(tgt, memory, src)[:, -1].argmax(dim=-1)
            tgt = torch.cat([tgt, token[:, None]], dim=1)
    rows = [[*row, eos_id] for row in tgt[:, 1:].tolist()]
    return [row[: row.index(eos_id)] for row in rows]
