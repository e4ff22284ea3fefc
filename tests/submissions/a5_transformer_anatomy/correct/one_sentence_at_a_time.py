"""Translates each sentence alone and pads at the end; splits heads by chunks in a loop.

score: 95
"""


# %% greedy_decode
def greedy_decode(model, input_ids, attention_mask, max_length):
    config, rows = model.config, []
    for source, real in zip(input_ids, attention_mask):
        row = [config.decoder_start_token_id]
        while len(row) < max_length:
            out = model(
                input_ids=source[None],
                attention_mask=real[None],
                decoder_input_ids=torch.tensor([row]),
            )
            row.append(int(out.logits[0, -1].argmax()))
            if row[-1] == config.eos_token_id:
                break
        rows.append(torch.tensor(row))
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=config.pad_token_id)


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        inner = n_heads * d_kv
        self.o = nn.Linear(inner, d_model, bias=False)
        for name in ("v", "k", "q"):
            setattr(self, name, nn.Linear(d_model, inner, bias=False))
        self.n_heads = n_heads

    def forward(self, x, memory, mask=None):
        outputs, maps = [], []
        sides = self.q(x), self.k(memory), self.v(memory)
        for q, k, v in zip(*(side.chunk(self.n_heads, dim=-1) for side in sides)):
            scores = torch.bmm(q, k.mT)
            if mask is not None:
                scores = torch.where(mask[:, None, :], scores, -torch.inf)
            weights = torch.softmax(scores, dim=-1)
            maps.append(weights)
            outputs.append(weights @ v)
        return self.o(torch.cat(outputs, dim=-1)), torch.stack(maps, dim=1)
