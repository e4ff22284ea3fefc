"""Gets the gradients by retain_grad and backward, and tidies the model up after it.

score: 100
"""


# %% attention_gradient
def attention_gradient(model, x, position):
    was_training = model.training
    model.eval()
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    for attention in maps:
        attention.retain_grad()
    predicted = logits[:, position].argmax(dim=-1)
    chosen = F.one_hot(predicted, logits.shape[-1]).to(logits.dtype)
    (logits[:, position] * chosen).sum().backward()
    length = x.shape[1]
    start = torch.eye(length, device=x.device, dtype=x.dtype)
    relevance = start.unsqueeze(0).repeat(x.shape[0], 1, 1)
    for attention in maps:
        cam = (attention.grad * attention.detach()).clamp(min=0).mean(dim=1)
        relevance += torch.bmm(cam, relevance)
    model.zero_grad()
    model.train(was_training)
    return relevance[:, position, :]


# %% standard_attention
def standard_attention(attention_maps, layer):
    return torch.stack(list(attention_maps))[layer].mean(dim=-3)
