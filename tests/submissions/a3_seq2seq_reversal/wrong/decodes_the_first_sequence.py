"""Writes one sequence only, the first of the batch, and encodes it anew at each step.

score: 85
greedy_decode: error 0
"""


# %% greedy_decode
def greedy_decode(model, src, bos_id, eos_id, max_len):
    model.eval()
    tokens = [bos_id]
    with torch.no_grad():
        for _ in range(max_len):
            logits = model(src[:1], torch.tensor([tokens]))
            token = logits[0, -1].argmax().item()
            if token == eos_id:
                break
            tokens.append(token)
    return tokens[1:]
