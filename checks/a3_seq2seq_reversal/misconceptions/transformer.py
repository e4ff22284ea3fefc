"""Wrong answers to question 8 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="decoder_sees_the_future",
        sentence=(
            "Your decoder has no causal mask, so in training each position finds its answer "
            "in its own input, and when it writes there is nothing to copy. The mask of the "
            "target is made of two."
        ),
        replaced={
            (
                "causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, self.pad_id)"
            ): "padding_mask(tgt, self.pad_id)",
        },
        price="mathematics",
    ),
    Misconception(
        name="target_padding_seen",
        sentence=(
            "Your decoder attends to padding in the target: its mask holds the future only. "
            "Both masks of question 3 belong there."
        ),
        replaced={
            " & padding_mask(tgt, self.pad_id)": "",
        },
        price="edge",
    ),
    Misconception(
        name="masks_combined_by_or",
        sentence=(
            "You combine the two masks by “or”, which allows what either of them allows, "
            "the future included. Both must allow a pair."
        ),
        replaced={
            ".to(tgt.device) &": ".to(tgt.device) |",
        },
        price="mathematics",
    ),
    Misconception(
        name="source_padding_seen_by_the_decoder",
        sentence=(
            "Your decoder looks at the padding of the source: its second attention gets no "
            "mask. That is what decode is given the source ids for."
        ),
        replaced={
            "cross_mask = padding_mask(src, self.pad_id)": "cross_mask = None",
        },
        price="mathematics",
    ),
    Misconception(
        name="source_padding_seen_by_the_encoder",
        sentence=(
            "Your encoder attends to padding, so the memory of a sequence depends on how "
            "long the others in its batch are. Give its blocks the mask of the source."
        ),
        replaced={
            "block(x, padding_mask(src, self.pad_id))": "block(x)",
        },
        price="mathematics",
    ),
    Misconception(
        name="padding_is_always_zero",
        sentence=(
            "Your masks take padding to be 0 whatever padding id the model was made with. "
            "Keep that id, and hand it on."
        ),
        replaced={
            "padding_mask(tgt, self.pad_id)": "padding_mask(tgt)",
            "cross_mask = padding_mask(src, self.pad_id)": "cross_mask = padding_mask(src)",
            "block(x, padding_mask(src, self.pad_id))": "block(x, padding_mask(src))",
        },
        price="edge",
    ),
    Misconception(
        name="decoder_without_positions",
        sentence=(
            "Your decoder does not add the positional encoding, so it knows which tokens it "
            "has written but not where. Both sequences need their positions."
        ),
        replaced={
            "self.encoding(self.tgt_embedding(tgt))": "self.tgt_embedding(tgt)",
        },
        price="mathematics",
    ),
    Misconception(
        name="encoder_without_positions",
        sentence=(
            "Your encoder does not add the positional encoding, so the source is a bag of "
            "tokens without any order. Both sequences need their positions."
        ),
        replaced={
            "self.encoding(self.src_embedding(src))": "self.src_embedding(src)",
        },
        price="mathematics",
    ),
    Misconception(
        name="one_embedding_for_both",
        sentence=(
            "You use one embedding for source and target. The question asks for one each, "
            "since they could as well be two languages."
        ),
        replaced={
            (
                "self.tgt_embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)"
            ): "self.tgt_embedding = self.src_embedding",
        },
        price="edge",
    ),
    Misconception(
        name="padding_is_trained",
        sentence=(
            "The vector of padding is not zero: the embeddings are not told which id is padding, "
            "or their numbers are drawn anew after that. They have an argument for it, which sets "
            "the vector to zero when they are made."
        ),
        replaced={
            (
                "self.src_embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)"
            ): "self.src_embedding = nn.Embedding(vocab_size, d_model)",
            (
                "self.tgt_embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)"
            ): "self.tgt_embedding = nn.Embedding(vocab_size, d_model)",
        },
        price="edge",
    ),
    Misconception(
        name="blocks_in_a_plain_list",
        sentence=(
            "You keep the blocks in plain lists or dictionaries, which PyTorch does not look into: "
            "no optimizer would ever find their parameters. There is a kind of list for modules."
        ),
        replaced={
            "nn.ModuleList(EncoderBlock(*sizes) for _ in range(num_layers))": (
                "[EncoderBlock(*sizes) for _ in range(num_layers)]"
            ),
            "nn.ModuleList(DecoderBlock(*sizes) for _ in range(num_layers))": (
                "[DecoderBlock(*sizes) for _ in range(num_layers)]"
            ),
        },
        price="learning",
    ),
    Misconception(
        name="probabilities_for_logits",
        sentence=(
            "You return probabilities where logits are asked for. The loss takes the "
            "softmax itself, and twice is once too often."
        ),
        replaced={
            "return self.to_logits(x)": "return torch.softmax(self.to_logits(x), dim=-1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="layers_share_one_block",
        sentence=(
            "You use the same block in every layer, so they all share one set of weights. "
            "Make a new one for each layer."
        ),
        replaced={
            "ModuleList(EncoderBlock(*sizes) for _ in range(num_layers))": (
                "ModuleList([EncoderBlock(*sizes)] * num_layers)"
            ),
            "ModuleList(DecoderBlock(*sizes) for _ in range(num_layers))": (
                "ModuleList([DecoderBlock(*sizes)] * num_layers)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_kept_from_the_encoder",
        sentence=(
            "`decode` uses a mask that `encode` has left behind, which belongs to whatever was "
            "encoded last. `decode` gets the ids of its own source."
        ),
        replaced={
            ("            x = block(x, padding_mask(src, self.pad_id))\n        return x"): (
                "            x = block(x, padding_mask(src, self.pad_id))\n"
                "        self.kept = padding_mask(src, self.pad_id)\n"
                "        return x"
            ),
            ("        cross_mask = padding_mask(src, self.pad_id)\n"): (
                '        cross_mask = getattr(self, "kept", padding_mask(src, self.pad_id))\n'
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="two_blocks_at_most",
        sentence=(
            "Your model has a fixed number of blocks at most. It is told how many it should have."
        ),
        replaced={
            "EncoderBlock(*sizes) for _ in range(num_layers)": (
                "EncoderBlock(*sizes) for _ in range(min(num_layers, 2))"
            ),
        },
    ),
    Misconception(
        name="last_layers_never_run",
        sentence=(
            "Your model makes all its blocks, and of many it runs the first few alone. Each block "
            "reads what the one before has answered."
        ),
        replaced={
            "for block in self.encoder:": "for block in self.encoder[:3]:",
            "for block in self.decoder:": "for block in self.decoder[:3]:",
        },
    ),
    Misconception(
        name="future_hidden_in_training_alone",
        sentence=(
            "Your decoder hides the future in training alone. When it writes, what it says at a "
            "position must not change with those after it either."
        ),
        replaced={
            (
                "self_mask = causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, "
                "self.pad_id)"
            ): (
                "self_mask = padding_mask(tgt, self.pad_id)\n"
                "        if self.training:\n"
                "            self_mask = self_mask & causal_mask(tgt.shape[1]).to(tgt.device)"
            )
        },
    ),
    Misconception(
        name="embeddings_scaled",
        sentence=(
            "You multiply the embeddings by the square root of d_model, as the paper does. The "
            "formulas of this question add the positions to the embeddings as they are."
        ),
        replaced={
            "self.pad_id = pad_id": "self.pad_id, self.scale = pad_id, math.sqrt(d_model)",
            "self.src_embedding(src)": "self.src_embedding(src) * self.scale",
            "self.tgt_embedding(tgt)": "self.tgt_embedding(tgt) * self.scale",
        },
        price="mathematics",
    ),
    Misconception(
        name="norm_after_each_stack",
        sentence=(
            "You normalise once more behind the last block of a stack, as PyTorch's own "
            "Transformer does. The blocks here end with a norm already, and nothing else follows."
        ),
        replaced={
            "padding_mask(src, self.pad_id))\n        return x\n": (
                "padding_mask(src, self.pad_id))\n"
                "        return nn.functional.layer_norm(x, x.shape[-1:])\n"
            ),
            "return self.to_logits(x)": (
                "return self.to_logits(nn.functional.layer_norm(x, x.shape[-1:]))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="target_shifted_inside",
        sentence=(
            "Your model shifts the target by itself, though it is handed what the decoder reads. "
            "Whoever trains it has shifted already."
        ),
        replaced={
            "self.decode(tgt, self.encode(src), src)": (
                "self.decode(shift_right(tgt, BOS_ID), self.encode(src), src)"
            ),
        },
    ),
    Misconception(
        name="all_after_the_first_padding_hidden",
        sentence=(
            "You hide everything behind the first padding, real tokens too. A token is hidden "
            "because it is padding, wherever it stands."
        ),
        replaced={
            "x = block(x, padding_mask(src, self.pad_id))": "x = block(x, self.real(src))",
            "& padding_mask(tgt, self.pad_id)": "& self.real(tgt)",
            "cross_mask = padding_mask(src, self.pad_id)": "cross_mask = self.real(src)",
            "    def forward(self, src, tgt):\n": (
                "    def real(self, ids):\n"
                "        real = (ids != self.pad_id).long().cumprod(dim=1)\n"
                "        return real.bool()[:, None, None, :]\n"
                "\n"
                "    def forward(self, src, tgt):\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="norm_after_the_encoder",
        sentence=(
            "You normalise the memory once more behind the last block of the encoder. Its blocks "
            "end with a norm already, and nothing else follows."
        ),
        replaced={
            ("padding_mask(src, self.pad_id))\n        return x\n"): (
                "padding_mask(src, self.pad_id))\n"
                "        return nn.functional.layer_norm(x, x.shape[-1:])\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="other_default_of_heads",
        sentence="The default of `num_heads` is another than in the signature of the question.",
        code="""class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=4, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embed_src = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.embed_tgt = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.encoder = nn.ModuleList(
            EncoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)
        )
        self.decoder = nn.ModuleList(
            DecoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)
        )
        self.linear = nn.Linear(d_model, vocab_size)
        self.positions = PositionalEncoding(d_model)

    def encode(self, src):
        x = self.positions(self.embed_src(src))
        mask = padding_mask(src, self.pad_id)
        for block in self.encoder:
            x = block(x, mask)
        return x

    def decode(self, tgt, memory, src):
        x = self.positions(self.embed_tgt(tgt))
        self_mask = causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, self.pad_id)
        cross_mask = padding_mask(src, self.pad_id)
        for block in self.decoder:
            x = block(x, memory, self_mask, cross_mask)
        return self.linear(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
""",
        price="edge",
    ),
    Misconception(
        name="padding_seen_by_later_blocks",
        sentence=(
            "From the second decoder block on the padding of the target is no longer hidden. Each"
            " block needs the same mask."
        ),
        code="""class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embed_src = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.embed_tgt = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.encoder = nn.ModuleList(
            EncoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)
        )
        self.decoder = nn.ModuleList(
            DecoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)
        )
        self.linear = nn.Linear(d_model, vocab_size)
        self.positions = PositionalEncoding(d_model)

    def encode(self, src):
        x = self.positions(self.embed_src(src))
        mask = padding_mask(src, self.pad_id)
        for block in self.encoder:
            x = block(x, mask)
        return x

    def decode(self, tgt, memory, src):
        x = self.positions(self.embed_tgt(tgt))
        self_mask = causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, self.pad_id)
        cross_mask = padding_mask(src, self.pad_id)
        for block in self.decoder:
            x = block(x, memory, self_mask, cross_mask)
            self_mask = causal_mask(tgt.shape[1]).to(tgt.device)
        return self.linear(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
""",
        price="edge",
    ),
    Misconception(
        name="nothing_sees_itself",
        sentence=(
            "No position of the decoder sees itself. A position may see itself and all before it."
        ),
        code="""class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embed_src = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.embed_tgt = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.encoder = nn.ModuleList(
            EncoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)
        )
        self.decoder = nn.ModuleList(
            DecoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)
        )
        self.linear = nn.Linear(d_model, vocab_size)
        self.positions = PositionalEncoding(d_model)

    def encode(self, src):
        x = self.positions(self.embed_src(src))
        mask = padding_mask(src, self.pad_id)
        for block in self.encoder:
            x = block(x, mask)
        return x

    def decode(self, tgt, memory, src):
        x = self.positions(self.embed_tgt(tgt))
        self_mask = causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, self.pad_id)
        self_mask = self_mask & ~torch.eye(tgt.shape[1], dtype=torch.bool, device=tgt.device)
        cross_mask = padding_mask(src, self.pad_id)
        for block in self.decoder:
            x = block(x, memory, self_mask, cross_mask)
        return self.linear(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
""",
        price="mathematics",
    ),
    Misconception(
        name="last_position_in_evaluation",
        sentence=(
            "In evaluation you return the logits of the last position alone. All positions have "
            "theirs, in both modes."
        ),
        code="""class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model=32, num_heads=1, d_ff=64, num_layers=1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.src_embed = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.tgt_embed = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.encoder = nn.ModuleList(
            EncoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)
        )
        self.decoder = nn.ModuleList(
            DecoderBlock(d_model, num_heads, d_ff) for _ in range(num_layers)
        )
        self.output = nn.Linear(d_model, vocab_size)
        self.positions = PositionalEncoding(d_model)

    def encode(self, src):
        mask = padding_mask(src, self.pad_id)
        x = self.positions(self.src_embed(src))
        for block in self.encoder:
            x = block(x, mask)
        return x

    def decode(self, tgt, memory, src):
        self_mask = causal_mask(tgt.shape[1]).to(tgt.device) & padding_mask(tgt, self.pad_id)
        cross_mask = padding_mask(src, self.pad_id)
        x = self.positions(self.tgt_embed(tgt))
        for block in self.decoder:
            x = block(x, memory, self_mask, cross_mask)
        return self.output(x if self.training else x[:, -1:])

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
""",
    ),
    Misconception(
        name="embeddings_scaled_in_the_encoder",
        sentence=(
            "You multiply the embeddings of the source by the square root of `d_model`, as the "
            "paper does. Here positions are added to the embeddings as they are."
        ),
        replaced={
            "self.encoding(self.src_embedding(src))": (
                "self.encoding(\n"
                "            self.src_embedding(src) * self.src_embedding.embedding_dim ** 0.5\n"
                "        )"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="encoder_is_causal",
        sentence=(
            "Your encoder hides what comes later. The whole source is known: each of its tokens "
            "may look at all real ones."
        ),
        replaced={
            "x = block(x, padding_mask(src, self.pad_id))": (
                "past = causal_mask(src.shape[1]).to(src.device)\n"
                "            x = block(x, past & padding_mask(src, self.pad_id))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="log_probabilities_for_logits",
        sentence=(
            "Your scores are logarithms of probabilities. The loss takes logits and has a softmax "
            "of its own: nothing comes after the linear layer."
        ),
        replaced={"return self.to_logits(x)": "return self.to_logits(x).log_softmax(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="target_padding_is_always_zero",
        sentence=(
            "The mask of the target takes 0 for padding, whatever `pad_id` says. Hand it on, as "
            "you do for the source."
        ),
        replaced={"padding_mask(tgt, self.pad_id)": "padding_mask(tgt)"},
        price="edge",
    ),
]
