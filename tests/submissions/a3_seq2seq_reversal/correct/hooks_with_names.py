"""Hands masks over by name, hooks named arguments, and takes the encoding off again.

score: 95
"""


# %% decoder_block
class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.past = MultiHeadAttention(d_model, num_heads)
        self.told = MultiHeadAttention(d_model, num_heads)
        self.rest = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        x = self.norms[0](x + self.past(x, x, x, mask=self_mask)[0])
        x = self.norms[1](x + self.told(x, memory, memory, mask=cross_mask)[0])
        return self.norms[2](x + self.rest(x))


# %% cross_attention
from contextlib import ExitStack


def cross_attention(model, src, tgt):
    maps = []

    def keep(module, given, named, answer):
        if given[0] is not given[1]:
            maps.append(answer[1].detach())

    with ExitStack() as stack, torch.no_grad():
        for module in model.modules():
            if isinstance(module, MultiHeadAttention):
                hook = module.register_forward_hook(keep, with_kwargs=True)
                stack.callback(hook.remove)
        model(src, tgt)
    return maps


# %% prediction
CHOICES = ("as before", "stuck", "cheats")
PREDICTION = dict.fromkeys(["residuals", "causal mask", "positions"], CHOICES[0])


# %% ablation
def take_out(model, part):
    def of(kind):
        return [module for module in model.modules() if isinstance(module, kind)]

    def take_off(module, given, answer):
        return answer - module.pe[:, : answer.shape[1]]

    def lessen(module, given, answer):
        return [answer[0] - given[0], answer[1]]

    def open_up(module, given, named):
        if "mask" in named:
            named["mask"] = named["mask"].any(dim=-2, keepdim=True)
        elif len(given) > 3:
            given = (*given[:3], given[3].any(dim=-2, keepdim=True))
        return given, named

    if part == "positions":
        return [module.register_forward_hook(take_off) for module in of(PositionalEncoding)]
    if part == "residuals":
        return [module.register_forward_hook(lessen) for module in of(MultiHeadAttention)]
    return [
        module.register_forward_pre_hook(open_up, with_kwargs=True)
        for module in of(MultiHeadAttention)
    ]
