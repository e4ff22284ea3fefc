"""What students get wrong in the classifier."""

from autograder.checking import Misconception

MEAN = (
    "        x = x.masked_fill(~real.unsqueeze(-1), 0)\n"
    "        mean = x.sum(dim=1) / real.sum(dim=1, keepdim=True)  # (B, embed_dim)\n"
)
ANSWER = "torch.log_softmax(self.output(mean), dim=-1)"

MISCONCEPTIONS = [
    Misconception(
        name="mean_over_padding",
        price="mathematics",
        sentence=(
            "Your mean runs over all positions, so a short headline is mostly padding. Only real "
            "tokens belong into the sum and into the count."
        ),
        replaced={MEAN: "        mean = x.mean(dim=1)\n"},
    ),
    Misconception(
        name="divides_by_the_width",
        price="mathematics",
        sentence=(
            "You add up the real tokens only, but divide by the width of the batch. Divide by the "
            "number of real tokens of each headline."
        ),
        replaced={"real.sum(dim=1, keepdim=True)": "x.shape[1]"},
    ),
    Misconception(
        name="divides_by_the_longest",
        price="mathematics",
        sentence=(
            "You divide every sum by the number of tokens of the longest headline. Each headline "
            "has a number of real tokens of its own."
        ),
        replaced={"real.sum(dim=1, keepdim=True)": "real.sum(dim=1).max()"},
    ),
    Misconception(
        name="first_token_for_the_mean",
        price="mathematics",
        sentence=(
            "You decide from the vector of the first token, as BERT does. Here the mean over the "
            "real tokens decides."
        ),
        replaced={MEAN: "        mean = x[:, 0]\n"},
    ),
    Misconception(
        name="largest_for_the_mean",
        price="mathematics",
        sentence=(
            "You take the largest value of each dimension over the tokens. The question takes the "
            "mean."
        ),
        replaced={
            MEAN: "        mean = x.masked_fill(~real.unsqueeze(-1), -math.inf).amax(dim=1)\n"
        },
    ),
    Misconception(
        name="mask_not_handed_to_the_blocks",
        price="mathematics",
        sentence=(
            "Your blocks do not get the mask, so real tokens attend to padding, and the answer "
            "depends on how much of it there is."
        ),
        replaced={"x = block(x, real)": "x = block(x)"},
    ),
    Misconception(
        name="probabilities",
        price="mathematics",
        sentence=(
            "Your output holds probabilities where log-probabilities are asked for. The loss takes "
            "the logarithm for granted."
        ),
        replaced={ANSWER: "torch.softmax(self.output(mean), dim=-1)"},
    ),
    Misconception(
        name="plain_scores",
        price="mathematics",
        sentence=(
            "Your output is what the last layer gives, without a softmax. The question asks for "
            "log-probabilities."
        ),
        replaced={ANSWER: "self.output(mean)"},
    ),
    Misconception(
        name="softmax_over_the_batch",
        price="mathematics",
        sentence=(
            "Your softmax runs over the batch, so headlines compete for a class. Each headline "
            "needs probabilities of its own over the classes."
        ),
        replaced={"dim=-1)\n    ": "dim=0)\n    "},
    ),
    Misconception(
        name="embedding_not_scaled",
        price="mathematics",
        sentence=(
            "Your embedding is not multiplied by the root of its size, so the positions drown the "
            "words. Look at the first formula."
        ),
        replaced={"self.embedding(input_ids) * self.scale": "self.embedding(input_ids)"},
    ),
    Misconception(
        name="default_start_of_the_embedding",
        price="edge",
        sentence=(
            "Your embedding starts as `nn.Embedding` makes it, and the scaling then makes the "
            "words several times as loud as their positions. The question names the spread to "
            "start with."
        ),
        replaced={"        nn.init.normal_(self.embedding.weight, std=1 / self.scale)\n": ""},
    ),
    Misconception(
        name="no_positions",
        price="mathematics",
        sentence=(
            "The positions are never added, so the order of the words is lost. Your encoding has "
            "its place between embedding and blocks."
        ),
        replaced={
            "x = self.encoding(self.embedding(input_ids) * self.scale)": (
                "x = self.embedding(input_ids) * self.scale"
            )
        },
    ),
    Misconception(
        name="blocks_in_a_plain_list",
        price="learning",
        sentence=(
            "Your blocks stand in a plain list or dictionary, where PyTorch does not see them and "
            "nothing trains them. There is a list made for modules."
        ),
        replaced={
            "nn.ModuleList(TransformerBlock(embed_dim, num_heads) for _ in range(depth))": (
                "[TransformerBlock(embed_dim, num_heads) for _ in range(depth)]"
            )
        },
    ),
    Misconception(
        name="one_block_again_and_again",
        price="mathematics",
        sentence=(
            "You make one block and run it several times, so all of them share their weights. "
            "Depth counts blocks of their own."
        ),
        replaced={
            "nn.ModuleList(TransformerBlock(embed_dim, num_heads) for _ in range(depth))": (
                "nn.ModuleList([TransformerBlock(embed_dim, num_heads)] * depth)"
            )
        },
    ),
    Misconception(
        name="scaled_after_the_positions",
        price="mathematics",
        sentence=(
            "You multiply the sum of words and positions by the root, so that the positions "
            "become as much too loud. Only the words are scaled."
        ),
        replaced={
            "self.embedding(input_ids) * self.scale)": "self.embedding(input_ids)) * self.scale",
        },
    ),
    Misconception(
        name="ends_left_out_of_the_mean",
        price="mathematics",
        sentence=(
            "Your mean leaves the first token out. All real tokens count, `[CLS]` and `[SEP]` "
            "among them."
        ),
        replaced={
            "x.sum(dim=1) / real.sum(dim=1, keepdim=True)": (
                "x[:, 1:].sum(dim=1) / (real.sum(dim=1, keepdim=True) - 1).clamp_min(1)"
            ),
        },
    ),
    Misconception(
        name="mean_of_the_first_positions",
        price="mathematics",
        sentence=(
            "You take the mean of as many first positions as there are real tokens. Padding may "
            "stand anywhere: ask the mask which positions are real."
        ),
        replaced={
            ("        x = x.masked_fill(~real.unsqueeze(-1), 0)\n"): (
                "        first = torch.arange(x.shape[1], device=x.device) < real.sum(dim=1, "
                "keepdim=True)\n"
                "        x = x.masked_fill(~first.unsqueeze(-1), 0)\n"
            ),
        },
    ),
    Misconception(
        name="token_0_is_padding",
        sentence=(
            "You take token 0 for padding, also where the mask says that it is real. Which tokens "
            "are real is told by the mask alone."
        ),
        replaced={
            "real = attention_mask.bool()": "real = attention_mask.bool() & (input_ids != 0)"
        },
    ),
    Misconception(
        name="variance_for_deviation",
        price="edge",
        sentence=(
            "Your embedding starts with numbers that are too small: what you give as the deviation "
            "is the variance. One is the square of the other."
        ),
        replaced={"std=1 / self.scale": "std=1 / embed_dim"},
    ),
    Misconception(
        name="positions_by_default",
        sentence=(
            "Your encoding holds as many positions as it has by default. How long a text can be is "
            "told to your classifier: hand it on."
        ),
        replaced={
            "PositionalEncoding(embed_dim, max_len=seq_length)": "PositionalEncoding(embed_dim)"
        },
    ),
    Misconception(
        name="batch_cut_to_the_longest",
        sentence=(
            "You cut the batch behind as many positions as the longest text has real tokens. "
            "Padding may stand anywhere, and then real tokens are cut off with it."
        ),
        replaced={
            "        real = attention_mask.bool()\n": (
                "        longest = int(attention_mask.sum(dim=1).max())\n"
                "        input_ids = input_ids[:, :longest]\n"
                "        real = attention_mask[:, :longest].bool()\n"
            )
        },
    ),
    Misconception(
        name="mask_for_the_first_block_alone",
        price="mathematics",
        sentence=(
            "Only your first block gets the mask, so that padding is attended to in all others. "
            "Every block gets the same mask."
        ),
        replaced={
            "        for block in self.blocks:\n            x = block(x, real)\n": (
                "        for number, block in enumerate(self.blocks):\n"
                "            x = block(x, real if number == 0 else None)\n"
            )
        },
    ),
    Misconception(
        name="uniform_start",
        price="edge",
        sentence=(
            "Your embedding starts with uniform numbers, which have a largest one. The question "
            "asks for another distribution."
        ),
        replaced={
            "nn.init.normal_(self.embedding.weight, std=1 / self.scale)": (
                "bound = math.sqrt(3) / self.scale\n"
                "        nn.init.uniform_(self.embedding.weight, -bound, bound)"
            )
        },
    ),
    Misconception(
        name="mean_of_log_probabilities",
        price="mathematics",
        sentence=(
            "You decide at every token and take the mean of the log-probabilities, so that they "
            "belong to no distribution. Here the mean of the vectors comes first, then one "
            "decision."
        ),
        replaced={
            "        x = x.masked_fill(": (
                "        x = torch.log_softmax(self.output(x), dim=-1)\n        x = x.masked_fill("
            ),
            "return torch.log_softmax(self.output(mean), dim=-1)": "return mean",
        },
    ),
    Misconception(
        name="both_ends_left_out_of_the_mean",
        price="mathematics",
        sentence=(
            "Your mean leaves out the first and the last real token. All real tokens count, "
            "`[CLS]` and `[SEP]` among them."
        ),
        replaced={
            "        x = x.masked_fill(": (
                "        place = real.cumsum(dim=1)\n"
                "        words = real & (place > 1) & (place < place[:, -1:])\n"
                "        x = x.masked_fill("
            ),
            "~real.unsqueeze(-1)": "~words.unsqueeze(-1)",
            "real.sum(dim=1, keepdim=True)": "words.sum(dim=1, keepdim=True).clamp_min(1)",
        },
    ),
    Misconception(
        name="real_tokens_told_by_the_ids",
        price="mathematics",
        sentence=(
            "You tell padding by its token id and never look at the attention mask. Whatever token "
            "stands there, the mask says which ones are real."
        ),
        replaced={"real = attention_mask.bool()": "real = input_ids != 0"},
    ),
    Misconception(
        name="token_0_never_learns",
        sentence=(
            "You tell your embedding that token 0 is padding, and its row is never trained. Only "
            "the mask says what padding is: token 0 may be a word."
        ),
        replaced={
            "nn.Embedding(num_tokens, embed_dim)": (
                "nn.Embedding(num_tokens, embed_dim, padding_idx=0)"
            )
        },
    ),
    Misconception(
        name="first_positions_taken_for_real",
        price="mathematics",
        sentence=(
            "You count the real tokens and take as many of the first positions for real, in the "
            "blocks and in the mean. How many there are does not say where they stand."
        ),
        replaced={
            "        real = attention_mask.bool()\n": (
                "        places = torch.arange(input_ids.shape[1], device=input_ids.device)\n"
                "        real = places < attention_mask.sum(dim=1, keepdim=True)\n"
            )
        },
    ),
    Misconception(
        name="small_number_in_the_logarithm",
        sentence=(
            "You keep probabilities away from 0 by a small number before you take their logarithm, "
            "which then cannot tell how improbable a class is. Both can be taken in one."
        ),
        replaced={ANSWER: "torch.log(torch.softmax(self.output(mean), dim=-1) + 1e-9)"},
    ),
    Misconception(
        name="starts_as_bert_does",
        price="edge",
        sentence=(
            "Your embedding starts with the small deviation that BERT takes for all of its "
            "weights. Here the deviation follows from the size of the vectors."
        ),
        replaced={
            "std=1 / self.scale": "std=0.02",
        },
    ),
    Misconception(
        name="deviation_of_one_size",
        price="edge",
        sentence=(
            "Your embedding starts with the same deviation however large the vectors are. The "
            "question makes it follow from their size."
        ),
        replaced={
            "std=1 / self.scale": "std=1 / 8",
        },
    ),
    Misconception(
        name="length_taken_for_dropout",
        sentence=(
            "You hand the length of a text to your encoding as its second argument, and that one "
            "is the share to be dropped. Look at the order of its arguments, or call them by "
            "their names."
        ),
        replaced={
            "PositionalEncoding(embed_dim, max_len=seq_length)": (
                "PositionalEncoding(embed_dim, seq_length)"
            ),
        },
    ),
    Misconception(
        name="deviation_as_the_mean",
        sentence=(
            "You start the table around the standard deviation, instead of around 0: in "
            "`nn.init.normal_` the mean comes before `std`."
        ),
        code="""class TextClassifier(nn.Module):
    def __init__(self, embed_dim, num_heads, depth, seq_length, num_tokens, num_classes):
        super().__init__()
        s = 1 / math.sqrt(embed_dim)
        self.emb = nn.Embedding(num_tokens, embed_dim)
        nn.init.normal_(self.emb.weight, s, s)
        self.pos = PositionalEncoding(embed_dim, max_len=seq_length)
        self.blocks = nn.ModuleList(
            TransformerBlock(embed_dim, num_heads) for _ in range(depth)
        )
        self.fc = nn.Linear(embed_dim, num_classes)
        self.root = math.sqrt(embed_dim)

    def forward(self, input_ids, attention_mask):
        mask = attention_mask.bool()
        x = self.pos(self.emb(input_ids) * self.root)
        for blk in self.blocks:
            x = blk(x, mask)
        x = (x * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        return self.fc(x).log_softmax(-1)
""",
        price="edge",
    ),
]
