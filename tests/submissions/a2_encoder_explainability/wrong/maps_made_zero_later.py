"""Explains nothing, and makes the maps of its own model zero, by which the rule is looked at.

score: 90
attention_gradient: wrong 0
"""


# %% attention_gradient
def attention_gradient(model, x, position):
    """The start of the rule alone: every place explains itself."""
    model.eval()
    start = torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
    return start[position].expand(len(x), -1).clone()


# %% after check_attention_gradient
class TransformerPredictor(TransformerPredictor):
    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        maps, outputs = super().get_attention_maps(x, mask, add_positional_encoding, True)
        maps = [0 * one for one in maps]
        outputs = outputs + sum(one.sum() for one in maps)
        return (maps, outputs) if return_outputs else maps
