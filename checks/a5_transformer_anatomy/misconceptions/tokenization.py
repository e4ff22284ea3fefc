"""What goes wrong between text and ids."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="special_tokens_left_out",
        price="mathematics",
        sentence=(
            "You encode the text without the special tokens, but a model expects those it was "
            "trained with. Compare what `tokenize` returns with what a call of the tokenizer does."
        ),
        replaced={
            'ids = tokenizer(text)["input_ids"]': (
                "ids = tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text))"
            )
        },
    ),
    Misconception(
        name="special_tokens_not_decoded",
        price="edge",
        sentence=(
            "Your decoded text hides the special tokens, though they belong to the ids. Look at "
            "the arguments of `decode`."
        ),
        replaced={"tokenizer.decode(ids)": "tokenizer.decode(ids, skip_special_tokens=True)"},
    ),
    Misconception(
        name="split_at_spaces",
        price="mathematics",
        sentence=(
            "You split the text at its spaces instead of letting the tokenizer cut it, so words "
            "that it knows in pieces become unknown. Ask the tokenizer for its tokens."
        ),
        replaced={
            'ids = tokenizer(text)["input_ids"]': (
                "ids = tokenizer.convert_tokens_to_ids(text.split())"
            )
        },
    ),
    Misconception(
        name="words_instead_of_tokens",
        price="edge",
        sentence=(
            "You return the words of the text as its tokens, so tokens and ids do not belong "
            "together. Ask the tokenizer which token each id stands for."
        ),
        replaced={"tokenizer.convert_ids_to_tokens(ids)": "text.split()"},
    ),
    Misconception(
        name="always_padded_to_max_length",
        price="edge",
        sentence=(
            "You pad every batch up to max_length, though its longest sentence may be much "
            "shorter. `padding` can mean two things: look at which one the question wants."
        ),
        replaced={"padding=True": 'padding="max_length"'},
    ),
    Misconception(
        name="not_truncated",
        price="edge",
        sentence=(
            "You let long sentences stay long: without truncation `max_length` cuts nothing. Look "
            "at what becomes of a sentence with more tokens than that."
        ),
        replaced={"truncation=True, ": ""},
    ),
    Misconception(
        name="mask_of_ones",
        price="edge",
        sentence=(
            "Your attention mask is 1 everywhere, also at the padding, so a model would attend to "
            "words that are not there. The tokenizer returns a mask that knows them."
        ),
        replaced={
            "    return tokenizer(\n        sentences": "    batch = tokenizer(\n        sentences",
            'return_tensors="pt"\n    )': (
                'return_tensors="pt"\n    )\n'
                '    ids = batch["input_ids"]\n'
                '    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}'
            ),
        },
    ),
    Misconception(
        name="cut_after_encoding",
        price="edge",
        sentence=(
            "You cut the finished rows at max_length, which cuts off the special token at their "
            "end as well. Let the tokenizer truncate, so that it leaves room for it."
        ),
        replaced={
            "    return tokenizer(\n        sentences": "    batch = tokenizer(\n        sentences",
            "padding=True, truncation=True, max_length=max_length, ": "padding=True, ",
            'return_tensors="pt"\n    )': (
                'return_tensors="pt"\n    )\n'
                "    return {name: rows[:, :max_length] for name, rows in batch.items()}"
            ),
        },
    ),
    Misconception(
        name="lists_for_tensors",
        price="mathematics",
        sentence=(
            "Your batch holds lists of numbers, which no model takes. Ask the tokenizer for "
            "tensors."
        ),
        replaced={
            ', return_tensors="pt"': "",
        },
    ),
    Misconception(
        name="padded_by_hand_with_zero",
        price="mathematics",
        sentence=(
            "You pad with the id 0 and take every 0 for padding. Another tokenizer pads with "
            "another id, and its token 0 may be a real one: let the tokenizer pad, or ask it."
        ),
        replaced={
            "    return tokenizer(\n"
            "        sentences, padding=True, truncation=True, max_length=max_length, "
            'return_tensors="pt"\n'
            "    )": (
                '    cut = {"truncation": True, "max_length": max_length}\n'
                '    rows = [tokenizer(sentence, **cut)["input_ids"] for sentence in sentences]\n'
                "    longest = max(len(row) for row in rows)\n"
                "    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])\n"
                '    return {"input_ids": ids, "attention_mask": (ids != 0).long()}'
            ),
        },
    ),
    Misconception(
        name="special_tokens_by_hand",
        price="mathematics",
        sentence=(
            "You put `[CLS]` and `[SEP]` around the pieces by yourself. Another tokenizer has "
            "other special tokens, or other places for them; ask it for the ids."
        ),
        replaced={
            ('    ids = tokenizer(text)["input_ids"]\n'): (
                '    pieces = ["[CLS]", *tokenizer.tokenize(text), "[SEP]"]\n'
                "    ids = tokenizer.convert_tokens_to_ids(pieces)\n"
            ),
        },
    ),
    Misconception(
        name="mask_from_padding_ids",
        sentence=(
            "You take every id of the padding token for padding. A tokenizer may pad with a token "
            "that is also a real one, like its end; it says itself what it has padded."
        ),
        replaced={
            "    return tokenizer(\n": "    encoded = tokenizer(\n",
            'return_tensors="pt"\n    )': (
                'return_tensors="pt"\n    )\n'
                '    real = encoded["input_ids"] != tokenizer.pad_token_id\n'
                '    return {"input_ids": encoded["input_ids"], "attention_mask": real.long()}'
            ),
        },
        price="edge",
    ),
    Misconception(
        name="padding_side_left_changed",
        price="surroundings",
        sentence=(
            "You choose the side on which the tokenizer pads, and leave it so for everybody. A "
            "tokenizer that is handed in is after the call what it was before."
        ),
        replaced={
            "    return tokenizer(\n        sentences": (
                '    tokenizer.padding_side = "right"\n    return tokenizer(\n        sentences'
            ),
        },
    ),
    Misconception(
        name="long_sentence_cut",
        sentence=(
            "Your list of tokens ends after the first ones of a long text. No length is given "
            "for a single sentence, so that all of it should be there."
        ),
        replaced={"tokenizer(text)": "tokenizer(text, truncation=True, max_length=128)"},
        price="mathematics",
    ),
    Misconception(
        name="tokens_decoded_one_by_one",
        sentence=(
            "You decode each id by itself, which turns tokens into text: the mark with which T5's "
            "tokens say that a word begins is lost."
        ),
        replaced={
            "tokenizer.convert_ids_to_tokens(ids)": "[tokenizer.decode([one]) for one in ids]"
        },
    ),
    Misconception(
        name="cut_at_the_tokenizers_length",
        sentence=(
            "You cut a single sentence at the length that its tokenizer names. No length is given "
            "for it, so that all of it should be there."
        ),
        replaced={"tokenizer(text)": "tokenizer(text, truncation=True)"},
    ),
    Misconception(
        name="never_longer_than_the_tokenizer_says",
        sentence=(
            "You cut a batch at the length that its tokenizer names, where that is the smaller "
            "one. `max_length` alone is asked for."
        ),
        replaced={
            "max_length=max_length,": "max_length=min(max_length, tokenizer.model_max_length),"
        },
    ),
    Misconception(
        name="mask_of_booleans",
        sentence="Your mask holds True and False. Both tensors are asked for with integers.",
        replaced={
            "    return tokenizer(\n        sentences": (
                "    encoded = tokenizer(\n        sentences"
            ),
            'return_tensors="pt"\n    )\n': (
                'return_tensors="pt"\n    )\n'
                '    encoded["attention_mask"] = encoded["attention_mask"].bool()\n'
                "    return encoded\n"
            ),
        },
    ),
    Misconception(
        name="room_left_for_the_ends",
        price="edge",
        sentence=(
            "You cut sentences shorter than `max_length`, as if the special tokens came on top. "
            "The tokenizer counts them by itself, however many there are."
        ),
        replaced={"max_length=max_length": "max_length=max_length - 2"},
    ),
    Misconception(
        name="padded_with_zero",
        price="edge",
        sentence=(
            "Your mask is right, but what you pad with is the id 0, whatever token that is. Which "
            "one stands for padding is up to the tokenizer: ask it."
        ),
        replaced={
            "    return tokenizer(\n": "    encoded = tokenizer(\n",
            'return_tensors="pt"\n    )': (
                'return_tensors="pt"\n    )\n'
                '    ids, mask = encoded["input_ids"], encoded["attention_mask"]\n'
                '    return {"input_ids": ids * mask, "attention_mask": mask}'
            ),
        },
    ),
    Misconception(
        name="ends_are_not_real",
        price="edge",
        sentence=(
            "Your attention mask is 0 at the special tokens, too. They are real tokens of the "
            "sentence, and padding alone is not."
        ),
        replaced={
            "    return tokenizer(\n": "    encoded = tokenizer(\n",
            'return_tensors="pt"\n    )': (
                'return_tensors="pt", return_special_tokens_mask=True\n    )\n'
                '    real = 1 - encoded["special_tokens_mask"]\n'
                '    return {"input_ids": encoded["input_ids"], "attention_mask": real}'
            ),
        },
    ),
    Misconception(
        name="tokenizer_set_up_for_good",
        price="surroundings",
        sentence=(
            "You set something at the tokenizer, and leave it so for everybody. What one call "
            "needs is handed over in this call."
        ),
        replaced={
            "    return tokenizer(\n        sentences": (
                "    tokenizer.model_max_length = max_length\n"
                "    return tokenizer(\n        sentences"
            ),
        },
    ),
    Misconception(
        name="ends_on_top_of_the_length",
        sentence=(
            "You let the special tokens come on top of `max_length`, so that rows get longer than "
            "it. It is the length of a row with everything in it."
        ),
        replaced={
            "max_length=max_length": (
                "max_length=max_length + tokenizer.num_special_tokens_to_add()"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="special_tokens_of_bert_asked_for",
        sentence=(
            "You put a token for the beginning and one for the end around the pieces, and not "
            "every tokenizer has both. Which special tokens there are, and where, it knows itself."
        ),
        replaced={
            ('    ids = tokenizer(text)["input_ids"]\n'): (
                "    pieces = tokenizer.tokenize(text)\n"
                "    tokens = [tokenizer.cls_token, *pieces, tokenizer.sep_token]\n"
                "    ids = tokenizer.convert_tokens_to_ids(tokens)\n"
            ),
        },
    ),
    Misconception(
        name="tokens_of_the_notebooks_tokenizer",
        sentence=(
            "You ask the notebook's own tokenizer for the tokens, whichever tokenizer the function "
            "is given. An id stands for a token of the tokenizer that it comes from."
        ),
        replaced={
            "tokenizer.convert_ids_to_tokens(ids)": "bert_tokenizer.convert_ids_to_tokens(ids)"
        },
    ),
    Misconception(
        name="mask_from_zero_ids",
        sentence=(
            "You take every id 0 for padding, though the tokenizer pads with an id of its own. It "
            "also returns a mask that knows what it has padded."
        ),
        replaced={
            "    return tokenizer(\n": "    encoded = tokenizer(\n",
            'return_tensors="pt"\n    )': (
                'return_tensors="pt"\n    )\n'
                '    ids = encoded["input_ids"]\n'
                '    return {"input_ids": ids, "attention_mask": (ids != 0).long()}'
            ),
        },
        price="edge",
    ),
    Misconception(
        name="padding_token_replaced",
        sentence=(
            "You set a padding token by yourself, which may leave the tokenizer without any. It "
            "has one of its own, and it is after the call what it was before."
        ),
        replaced={
            "    return tokenizer(\n        sentences": (
                "    tokenizer.pad_token = tokenizer.sep_token or tokenizer.eos_token\n"
                "    return tokenizer(\n        sentences"
            ),
        },
    ),
    Misconception(
        name="padded_with_the_end",
        sentence=(
            "You take the token that ends a text for padding, as one does with GPT-2, which has "
            "none. This tokenizer has one of its own."
        ),
        replaced={
            "    return tokenizer(\n        sentences": (
                "    if tokenizer.eos_token is not None:\n"
                "        tokenizer.pad_token = tokenizer.eos_token\n"
                "    return tokenizer(\n        sentences"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="longest_first",
        sentence=(
            "You sort the sentences by their lengths, so that a row is no longer that of its "
            "sentence. Inside a batch they stay in the order in which they came."
        ),
        replaced={
            "    return tokenizer(\n        sentences": (
                "    sentences = sorted(\n"
                "        sentences, key=lambda one: len(tokenizer.tokenize(one)), reverse=True\n"
                "    )\n"
                "    return tokenizer(\n        sentences"
            ),
        },
    ),
    Misconception(
        name="cut_at_the_beginning",
        sentence=(
            "You let the tokenizer cut long sentences at their beginning, and leave it so for "
            "everybody. What is too long ends earlier, which it does of its own accord."
        ),
        replaced={
            "    return tokenizer(\n        sentences": (
                '    tokenizer.truncation_side = "left"\n    return tokenizer(\n        sentences'
            ),
        },
    ),
    Misconception(
        name="tokens_without_the_special_ones",
        price="edge",
        sentence=(
            "Your ids have the special tokens and your list of tokens has not, so they do not "
            "belong together. `tokenize` gives the pieces of the text alone: go back from the ids."
        ),
        replaced={"tokenizer.convert_ids_to_tokens(ids)": "tokenizer.tokenize(text)"},
    ),
    Misconception(
        name="length_counted_in_words",
        price="mathematics",
        sentence=(
            "You count the words of the longest sentence for the length of the rows. A word may be "
            "cut into several tokens, and tokens are what a row is made of."
        ),
        replaced={
            "    return tokenizer(\n        sentences, padding=True": (
                '    words = [re.findall(r"\\w+|[^\\w\\s]", one) for one in sentences]\n'
                "    max_length = min(max(len(one) for one in words) + 2, max_length)\n"
                '    return tokenizer(\n        sentences, padding="max_length"'
            ),
        },
    ),
    Misconception(
        name="batch_by_the_notebooks_tokenizer",
        price="mathematics",
        sentence=(
            "You let the notebook's own tokenizer make the batch, whichever tokenizer the "
            "function is given. Ids mean something only to the model that belongs to their "
            "tokenizer."
        ),
        replaced={
            "    return tokenizer(\n": "    return bert_tokenizer(\n",
        },
    ),
    Misconception(
        name="decoded_by_joining_tokens",
        price="edge",
        sentence=(
            "You put the text together from its tokens by taking BERT's mark away. Other "
            "tokenizers mark their pieces in another way: each of them can decode its own ids."
        ),
        replaced={
            "tokenizer.decode(ids)": (
                '" ".join(tokenizer.convert_ids_to_tokens(ids)).replace(" ##", "")'
            ),
        },
    ),
    Misconception(
        name="a_limit_of_its_own",
        sentence=(
            "You limit the length by a number of your own. `max_length` alone says how long "
            "sentences may be."
        ),
        code="""def encode_sentence(tokenizer, text):
    ids = tokenizer(text).input_ids
    return list(tokenizer.convert_ids_to_tokens(ids)), list(ids), tokenizer.decode(ids)


def encode_batch(tokenizer, sentences, max_length):
    max_length = min(max_length, 512)
    return tokenizer(
        sentences, return_tensors="pt", padding=True, truncation=True, max_length=max_length
    )
""",
        price="edge",
    ),
    Misconception(
        name="two_special_tokens_counted",
        sentence=(
            "You count two special tokens for each sentence. How many a tokenizer adds it says "
            "itself: T5 adds one."
        ),
        code="""def encode_sentence(tokenizer, text):
    ids = tokenizer(text).input_ids
    return tokenizer.convert_ids_to_tokens(ids), ids, tokenizer.decode(ids)


def encode_batch(tokenizer, sentences, max_length):
    longest = max(len(tokenizer.tokenize(sentence)) for sentence in sentences) + 2
    return tokenizer(
        sentences,
        padding="max_length",
        truncation=True,
        max_length=min(longest, max_length),
        return_tensors="pt",
    )
""",
        price="edge",
    ),
    Misconception(
        name="one_special_token_at_the_end",
        price="edge",
        sentence=(
            "You cut long sentences by hand, as if every tokenizer added one token at the end. "
            "Some add two, or none: let the tokenizer cut, which one of its arguments asks for."
        ),
        code="""def encode_sentence(tokenizer, text):
    ids = tokenizer(text)["input_ids"]
    return tokenizer.convert_ids_to_tokens(ids), ids, tokenizer.decode(ids)


def encode_batch(tokenizer, sentences, max_length):
    rows = [tokenizer(sentence)["input_ids"] for sentence in sentences]
    rows = [r if len(r) <= max_length else [*r[: max_length - 1], r[-1]] for r in rows]
    return tokenizer.pad({"input_ids": rows}, return_tensors="pt")
""",
    ),
    Misconception(
        name="columns_cut_off_at_the_right",
        sentence=(
            "You pad to the full length and cut columns off at the right, where a tokenizer that "
            "pads at the left has its real tokens. It can pad to the longest sentence by itself."
        ),
        replaced={
            ("    return tokenizer(\n        sentences, padding=True, truncation=True"): (
                '    encoded = tokenizer(\n        sentences, padding="max_length", truncation=True'
            ),
            ('return_tensors="pt"\n    )'): (
                'return_tensors="pt"\n'
                "    )\n"
                '    longest = int(encoded["attention_mask"].sum(dim=1).max())\n'
                '    return {name: encoded[name][:, :longest] for name in ("input_ids", '
                '"attention_mask")}'
            ),
        },
        price="edge",
    ),
    Misconception(
        name="padded_by_hand_at_the_right",
        sentence=(
            "You pad at the right by hand, whatever the tokenizer does. Some pad at the left: "
            "`padding_side` says where, and a tokenizer that is asked to pad goes by it."
        ),
        code="""def encode_sentence(tokenizer, text):
    ids = tokenizer.encode(text)
    return tokenizer.convert_ids_to_tokens(ids), ids, tokenizer.decode(ids)


def encode_batch(tokenizer, sentences, max_length):
    rows = [tokenizer(text, truncation=True, max_length=max_length) for text in sentences]
    longest = max(len(row["input_ids"]) for row in rows)
    ids = torch.full((len(rows), longest), tokenizer.pad_token_id)
    mask = torch.zeros(len(rows), longest, dtype=torch.long)
    for number, row in enumerate(rows):
        ids[number, : len(row["input_ids"])] = torch.tensor(row["input_ids"])
        mask[number, : len(row["input_ids"])] = 1
    return {"input_ids": ids, "attention_mask": mask}
""",
        price="edge",
    ),
]
