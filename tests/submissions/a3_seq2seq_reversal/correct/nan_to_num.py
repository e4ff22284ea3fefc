"""Replaces NaN after the softmax, and decodes with a list of those who are done.

score: 95
"""


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == False, float("-inf"))  # noqa: E712
    attention = torch.nan_to_num(scores.softmax(dim=-1))
    return attention @ v, attention


# %% train_step
def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    model.train()
    criterion = nn.CrossEntropyLoss(ignore_index=pad_id)
    decoder_input = shift_right(tgt, bos_id)
    logits = model.decode(decoder_input, model.encode(src), src)
    loss = criterion(logits.transpose(1, 2), tgt)
    model.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach().cpu().item()


# %% greedy_decode
@torch.inference_mode()
def greedy_decode(model, src, bos_id, eos_id, max_len):
    was_training = model.training
    model.eval()
    device = next(model.parameters()).device
    memory = model.encode(src.to(device))
    tgt = torch.full((src.shape[0], 1), bos_id, dtype=torch.long, device=device)
    done = torch.zeros(src.shape[0], dtype=torch.bool, device=device)
    answers = [[] for _ in range(src.shape[0])]
    steps = 0
    while steps < max_len and not done.all():
        probabilities = model.decode(tgt, memory, src)[:, -1].softmax(dim=-1)
        token = probabilities.max(dim=-1).indices
        done |= token == eos_id
        for n, answer in enumerate(answers):
            if not done[n]:
                answer.append(token[n].item())
        tgt = torch.cat([tgt, token.masked_fill(done, eos_id).unsqueeze(1)], dim=1)
        steps += 1
    model.train(was_training)
    return answers
