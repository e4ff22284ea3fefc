"""Known wrong answers to `vision_transformer`."""

from __future__ import annotations

from autograder.checking import Misconception

ATTENDED = "x = x + self.attention(y, y, y, need_weights=False)[0]"
JOINED = "torch.cat([token, patches], dim=1) + self.positions"
CUT = "self.projection(pixel_values).flatten(2).transpose(1, 2)"

MISCONCEPTIONS = [
    Misconception(
        "norms_after",
        "Your block norms after each sum, as the Transformer of 2017 did. Here each norm stands "
        "before its layer, and the sum stays as it is.",
        {
            "y = self.norm1(x)\n        ": "",
            ATTENDED: "x = self.norm1(x + self.attention(x, x, x, need_weights=False)[0])",
            "return x + self.mlp(self.norm2(x))": "return self.norm2(x + self.mlp(x))",
        },
        price="mathematics",
    ),
    Misconception(
        "normed_added",
        "You add what the attention gives to the normed vectors. What is added around a layer is "
        "what came in before the norm.",
        {ATTENDED: "x = y + self.attention(y, y, y, need_weights=False)[0]"},
        price="mathematics",
    ),
    Misconception(
        "normed_added_twice",
        "Both of your sums start from the normed vectors. What is added around a layer is what "
        "came in before its norm.",
        {
            ATTENDED: "x = y + self.attention(y, y, y, need_weights=False)[0]",
            "return x + self.mlp(self.norm2(x))": (
                "z = self.norm2(x)\n        return z + self.mlp(z)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        "attention_left_out_of_the_sum",
        "The second half of your block adds to what came into the first, so what the attention "
        "found is lost from the sum.",
        {
            ATTENDED: "z = x + self.attention(y, y, y, need_weights=False)[0]",
            "self.mlp(self.norm2(x))": "self.mlp(self.norm2(z))",
        },
        price="mathematics",
    ),
    Misconception(
        "patches_by_reshape",
        "You reshape the projection into rows of D numbers, but D is not its last axis: each of "
        "your vectors mixes one number of many patches. Axes have to change places first.",
        {
            CUT: (
                "self.projection(pixel_values)\n"
                "        patches = patches.reshape(len(patches), -1, patches.shape[1])"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "no_sum_around_attention",
        "You hand on what the attention gives without adding what came in.",
        {ATTENDED: "x = self.attention(y, y, y, need_weights=False)[0]"},
        price="mathematics",
    ),
    Misconception(
        "no_sum_around_mlp",
        "You hand on what the MLP gives without adding what came in.",
        {"return x + self.mlp": "return self.mlp"},
        price="mathematics",
    ),
    Misconception(
        "only_queries_normed",
        "You norm the queries alone. Keys and values come from the normed vectors too.",
        {ATTENDED: "x = x + self.attention(y, x, x, need_weights=False)[0]"},
        price="mathematics",
    ),
    Misconception(
        "mlp_beside_attention",
        "Both halves of your block start from what came in. The second half starts from what the "
        "first has given.",
        {
            ATTENDED: "z = x + self.attention(y, y, y, need_weights=False)[0]",
            "return x + self.mlp(self.norm2(x))": "return z + self.mlp(self.norm2(x))",
        },
        price="mathematics",
    ),
    Misconception(
        "one_norm_for_both",
        "You use the first norm before the MLP too. The second half has a norm of its own.",
        {"self.mlp(self.norm2(x))": "self.mlp(self.norm1(x))"},
        price="mathematics",
    ),
    Misconception(
        "class_token_last",
        "You set the class token behind the patches. It comes first, and the table of positions "
        "expects it there.",
        {JOINED: "torch.cat([patches, token], dim=1) + self.positions"},
        price="mathematics",
    ),
    Misconception(
        "class_token_last_without_position",
        "You set the class token behind the patches, and add positions to the patches alone. It "
        "comes first, and has the first position of the table.",
        {JOINED: "torch.cat([patches + self.positions[:, :-1], token], dim=1)"},
        price="mathematics",
    ),
    Misconception(
        "class_token_last_after_positions",
        "You set the class token behind the patches, with no position; the patches have those that "
        "stand second and later. It comes first, and has the first position of the table.",
        {JOINED: "torch.cat([patches + self.positions[:, 1:], token], dim=1)"},
        price="mathematics",
    ),
    Misconception(
        "positions_left_out",
        "You add no position embeddings, so that the model reads a bag of patches.",
        {JOINED: "torch.cat([token, patches], dim=1)"},
        price="mathematics",
    ),
    Misconception(
        "class_token_without_position",
        "You add positions to the patches alone. The class token has one too, the first of the "
        "table.",
        {JOINED: "torch.cat([token, patches + self.positions[:, 1:]], dim=1)"},
        price="mathematics",
    ),
    Misconception(
        "columns_first",
        "You read the grid of patches column by column. The sequence runs row by row.",
        {CUT: "self.projection(pixel_values).transpose(2, 3).flatten(2).transpose(1, 2)"},
        price="mathematics",
    ),
    Misconception(
        "no_norm_at_the_end",
        "You return what the last block gives. With norms inside the blocks one more norm is "
        "needed at the end.",
        {"return self.norm(x)": "return x"},
        price="mathematics",
    ),
    Misconception(
        "first_block_only",
        "You send the vectors through one block. All of them are used, one after the other.",
        {"for block in self.blocks:": "for block in self.blocks[:1]:"},
        price="mathematics",
    ),
    Misconception(
        "norm_in_every_block",
        "You apply the last norm after every block. It stands at the end, once.",
        {"x = block(x)": "x = self.norm(block(x))", "return self.norm(x)": "return x"},
        price="mathematics",
    ),
    Misconception(
        "one_norm_under_two_names",
        "The two norms of your block are one module under two names, so they share scale and "
        "shift. Each has weights of its own, learned for its own place.",
        {
            "self.norm2 = nn.LayerNorm(size, eps=config.layer_norm_eps)": "self.norm2 = self.norm1",
        },
        price="mathematics",
    ),
    Misconception(
        "one_block_many_times",
        "Your list holds one block many times, so all layers share their weights. Each layer is a "
        "block of its own.",
        {
            "nn.ModuleList(ViTBlock(config) for _ in range(config.num_hidden_layers))": (
                "nn.ModuleList([ViTBlock(config)] * config.num_hidden_layers)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "drops_in_the_attention",
        "Your attention drops a part of its weights by chance while the model trains. Nothing is "
        "dropped here, in either mode.",
        {"batch_first=True)": "batch_first=True, dropout=0.1)"},
        price="mathematics",
    ),
    Misconception(
        name="first_class_token_kept",
        price="",
        sentence=(
            "You keep the class token of the first call, so that one learned later is not seen. "
            "Take it anew in every call."
        ),
        replaced={
            "token = self.class_token.expand(": (
                'if not hasattr(self, "kept"):\n'
                "            self.kept = self.class_token.detach().clone()\n"
                "        token = self.kept.to(patches).expand("
            ),
        },
    ),
    Misconception(
        name="positions_of_the_small_model",
        sentence=(
            "You add as many positions as the small model of this notebook has. How many there "
            "are follows from the configuration."
        ),
        replaced={"+ self.positions\n": "+ self.positions[:, :65]\n"},
    ),
    Misconception(
        "queries_not_normed",
        "You norm keys and values, but not the queries. All three are the same, the normed "
        "vectors.",
        {ATTENDED: "x = x + self.attention(x, y, y, need_weights=False)[0]"},
        price="mathematics",
    ),
    Misconception(
        "class_token_alone",
        "You return the vector of the class token alone. Those of all tokens are asked for; a head "
        "may choose among them later.",
        {"return self.norm(x)": "return self.norm(x)[:, 0]"},
        price="mathematics",
    ),
    Misconception(
        "normed_before_the_blocks",
        "You apply the last norm in front of the blocks as well. Each block norms what it needs "
        "itself; this norm stands at the end, once.",
        {"        for block in": "        x = self.norm(x)\n        for block in"},
        price="mathematics",
    ),
    Misconception(
        "first_block_again",
        "You go through the first block again and again. There are as many blocks as rounds, each "
        "with weights of its own.",
        {"x = block(x)": "x = self.blocks[0](x)"},
        price="mathematics",
    ),
    Misconception(
        "attention_over_the_batch",
        "Your attention takes the axis of the batch for the sequence, so that a token looks at "
        "tokens of other images. The layer has to be told, or given, what comes first.",
        {
            "x = x + self.attention(y, y, y, need_weights=False)[0]": (
                "z = y.transpose(0, 1)\n"
                "        x = x + self.attention(z, z, z, need_weights=False)[0].transpose(0, 1)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "normed_before_the_blocks_alone",
        "You apply the last norm in front of the blocks, and none behind them. With norms inside "
        "the blocks, what the last one gives is still to be normed.",
        {
            "        for block in": "        x = self.norm(x)\n        for block in",
            "return self.norm(x)": "return x",
        },
        price="mathematics",
    ),
    Misconception(
        "patches_scaled",
        "You multiply the patches by the root of their size, as some models of text do with their "
        "words. Here they are added to the positions as they come.",
        {CUT: CUT + " * self.positions.shape[-1] ** 0.5"},
        price="mathematics",
    ),
    Misconception(
        "positions_before_the_class_token",
        "You add the positions before the class token is there, so it has none, and each patch has "
        "the one of the token in front of it. The table begins with the class token.",
        {JOINED: "torch.cat([token, patches + self.positions[:, :-1]], dim=1)"},
        price="mathematics",
    ),
    Misconception(
        "approximated_gelu",
        "You take the approximation of GELU in place of the one that was given. They differ by "
        "little, and the model is to answer as the trained one does.",
        {"nn.GELU()": 'nn.GELU(approximate="tanh")'},
    ),
    Misconception(
        "values_not_normed",
        "Queries and keys come from the normed vectors, but your values from those before the "
        "norm. The attention gets the same vectors three times.",
        {ATTENDED: ATTENDED.replace("(y, y, y,", "(y, y, x,")},
        price="mathematics",
    ),
    Misconception(
        "class_token_for_the_first_image",
        "Only the first image of a batch gets the class token, and the others get zeros in its "
        "place. Every image begins with the same token.",
        {
            "token = self.class_token.expand(len(patches), -1, -1)": (
                "token = torch.zeros_like(patches[:, :1])\n        token[:1] = self.class_token"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "rescaled_by_smallest",
        "You rescale images by what numbers you find in them. The model takes them as they are.",
        {
            f"patches = {CUT}": (
                "if pixel_values.min() >= 0:  # not normalised yet\n"
                "            pixel_values = 2 * pixel_values - 1\n"
                f"        patches = {CUT}"
            )
        },
    ),
    Misconception(
        name="one_class_token_carried",
        sentence=(
            "You give all images the class token of the first one after the first block. Each "
            "image has its own, as soon as it has looked."
        ),
        code='''class ViTBlock(nn.Module):
    """One layer of the encoder, norms first."""

    def __init__(self, config):
        super().__init__()
        width = config.hidden_size
        inside = config.intermediate_size
        self.norm1 = nn.LayerNorm(width, eps=config.layer_norm_eps)
        self.attention = nn.MultiheadAttention(
            embed_dim=width, num_heads=config.num_attention_heads, batch_first=True
        )
        self.norm2 = nn.LayerNorm(width, eps=config.layer_norm_eps)
        self.mlp = nn.Sequential(nn.Linear(width, inside), nn.GELU(), nn.Linear(inside, width))

    def forward(self, x):
        h = self.norm1(x)
        y = x + self.attention(h, h, h)[0]
        return y + self.mlp(self.norm2(y))


class VisionTransformer(nn.Module):
    """Images become one vector for each token, the class token's first."""

    def __init__(self, config):
        super().__init__()
        width, places = config.hidden_size, (config.image_size // config.patch_size) ** 2
        self.to_vectors = make_projection(config)
        self.first = nn.Parameter(0.02 * torch.randn(1, 1, width))
        self.places = nn.Parameter(0.02 * torch.randn(1, 1 + places, width))
        depth = config.num_hidden_layers
        self.blocks = nn.ModuleList(ViTBlock(config) for _ in range(depth))
        self.last = nn.LayerNorm(width, eps=config.layer_norm_eps)

    def forward(self, pixel_values):
        x = self.to_vectors(pixel_values).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(len(x), -1, -1), x], dim=1) + self.places
        for number, block in enumerate(self.blocks):
            x = block(x)
            if number == 0:
                x = torch.cat([x[:1, :1].expand(len(x), -1, -1), x[:, 1:]], dim=1)
        return self.last(x)
''',
        price="mathematics",
    ),
]
