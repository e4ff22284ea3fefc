"""What students get wrong when they turn headlines into tensors."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="pads_to_the_longest_text",
        price="mathematics",
        sentence=(
            "You pad to the longest text of the batch, so the width changes from batch to batch. "
            "Look at the values that the tokenizer's argument `padding` can have."
        ),
        replaced={'padding="max_length"': "padding=True"},
    ),
    Misconception(
        name="long_texts_left_long",
        price="mathematics",
        sentence=(
            "You let long texts keep all their tokens: `max_length` alone cuts nothing. The "
            "tokenizer has an argument of its own by which it truncates."
        ),
        replaced={"truncation=True, ": ""},
    ),
    Misconception(
        name="mask_is_one_everywhere",
        price="mathematics",
        sentence=(
            "Your attention mask is 1 everywhere, so padding counts as words. The tokenizer "
            "returns a mask of its own beside the ids."
        ),
        replaced={'encoded["attention_mask"]': 'torch.ones_like(encoded["input_ids"])'},
    ),
    Misconception(
        name="mask_is_one_at_padding",
        price="mathematics",
        sentence=(
            "Your attention mask is 1 at padding and 0 at real tokens, the opposite of this "
            "course's convention."
        ),
        replaced={'encoded["attention_mask"]': '1 - encoded["attention_mask"]'},
    ),
    Misconception(
        name="padding_id_is_zero",
        price="edge",
        sentence=(
            "You take the id 0 for padding, but the number of the padding token belongs to the "
            "tokenizer. Ask the tokenizer for the mask, or for its padding token."
        ),
        replaced={'encoded["attention_mask"]': '(encoded["input_ids"] != 0).long()'},
    ),
    Misconception(
        name="without_the_two_ends",
        price="mathematics",
        sentence=(
            "Your ids lack the two tokens that mark the ends of a text. The tokenizer adds them by "
            "itself unless it is told not to."
        ),
        replaced={'return_tensors="pt"': 'return_tensors="pt", add_special_tokens=False'},
    ),
    Misconception(
        name="cuts_the_end_off",
        price="edge",
        sentence=(
            "You cut long texts after they were encoded, which takes their last token `[SEP]` "
            "away. Let the tokenizer truncate, it knows what has to stay."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    ids = torch.full((len(texts), max_length), tokenizer.pad_token_id)
    mask = torch.zeros(len(texts), max_length, dtype=torch.int64)
    for row, text in enumerate(texts):
        found = tokenizer(text)["input_ids"][:max_length]
        ids[row, : len(found)] = torch.tensor(found)
        mask[row, : len(found)] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor(labels)}
""",
    ),
    Misconception(
        name="labels_are_floats",
        price="edge",
        sentence=(
            "Your labels are floating-point numbers, but a class is a number to count with. Keep "
            "them integers, as the loss wants them."
        ),
        replaced={"torch.tensor(labels)": "torch.tensor(labels, dtype=torch.float32)"},
    ),
    Misconception(
        name="token_types_kept",
        price="edge",
        sentence=(
            "You hand on everything that the tokenizer returns, and that is one tensor too "
            "many. The question asks for three."
        ),
        replaced={
            (
                "    return {\n"
                '        "input_ids": encoded["input_ids"],\n'
                '        "attention_mask": encoded["attention_mask"],\n'
                '        "labels": torch.tensor(labels),\n'
                "    }\n"
            ): '    return {**encoded, "labels": torch.tensor(labels)}\n',
        },
    ),
    Misconception(
        name="labels_left_a_list",
        price="edge",
        sentence=("Your labels are still a list. A batch holds tensors only."),
        replaced={
            "torch.tensor(labels)": "list(labels)",
        },
    ),
    Misconception(
        name="split_at_spaces",
        price="mathematics",
        sentence=(
            "You split the texts at white space and look whole words up, so that words which the "
            "tokenizer knows in pieces, or with a comma behind them, become unknown. Cutting texts "
            "is what a tokenizer is for."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    ids = torch.full((len(texts), max_length), tokenizer.pad_token_id)
    mask = torch.zeros(len(texts), max_length, dtype=torch.int64)
    for row, text in enumerate(texts):
        words = tokenizer.convert_tokens_to_ids(text.lower().split()[: max_length - 2])
        found = [tokenizer.cls_token_id, *words, tokenizer.sep_token_id]
        ids[row, : len(found)] = torch.tensor(found)
        mask[row, : len(found)] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor(labels)}
""",
    ),
    Misconception(
        name="lowercased_before",
        price="edge",
        sentence=(
            "You turn the texts to small letters before they are tokenized. A tokenizer does "
            "that by itself, if it is one that does; to others capitals count."
        ),
        replaced={
            "        texts, padding": "        [text.lower() for text in texts], padding",
        },
    ),
    Misconception(
        name="mask_from_padding_ids",
        sentence=(
            "You take every id of the padding token for padding. A tokenizer may pad with a token "
            "that is also a real one, like its end; it says itself what it has padded."
        ),
        replaced={
            '        "attention_mask": encoded["attention_mask"],\n': (
                '        "attention_mask": '
                '(encoded["input_ids"] != tokenizer.pad_token_id).long(),\n'
            )
        },
        price="edge",
    ),
    Misconception(
        name="pads_with_id_zero",
        price="edge",
        sentence=(
            "Your mask is right, but what you pad with is the id 0, whatever token that is. Which "
            "one stands for padding is up to the tokenizer: ask it."
        ),
        replaced={
            '"input_ids": encoded["input_ids"]': (
                '"input_ids": encoded["input_ids"] * encoded["attention_mask"]'
            )
        },
    ),
    Misconception(
        name="beginning_cut_off",
        price="edge",
        sentence=(
            "You cut long texts at their beginning and keep the last words. Truncation takes away "
            "what stands at the end."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    ids = torch.full((len(texts), max_length), tokenizer.pad_token_id)
    mask = torch.zeros(len(texts), max_length, dtype=torch.int64)
    for row, text in enumerate(texts):
        found = tokenizer(text)["input_ids"]
        if len(found) > max_length:
            found = found[:1] + found[len(found) - max_length + 1 :]
        ids[row, : len(found)] = torch.tensor(found)
        mask[row, : len(found)] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor(labels)}
""",
    ),
    Misconception(
        name="ends_are_not_real",
        price="mathematics",
        sentence=(
            "Your attention mask is 0 at the special tokens that mark the ends of a text. They "
            "are real tokens, and padding alone is not."
        ),
        replaced={
            'return_tensors="pt"': 'return_tensors="pt", return_special_tokens_mask=True',
            'encoded["attention_mask"]': '1 - encoded["special_tokens_mask"]',
        },
    ),
    Misconception(
        name="texts_cleaned_before",
        price="mathematics",
        sentence=(
            "You take everything but letters out of the texts before they are tokenized, so that "
            "numbers and punctuation are lost. The tokenizer takes a text as it is."
        ),
        replaced={
            "    encoded = tokenizer(\n        texts,": (
                "    encoded = tokenizer(\n"
                '        [re.sub(r"[^a-z ]", " ", text.lower()) for text in texts],'
            )
        },
    ),
    Misconception(
        name="length_of_the_notebook",
        price="mathematics",
        sentence=(
            "Your tensors are as wide as those of the notebook, whatever `max_length` says. Follow "
            "the argument to the place where it should decide."
        ),
        replaced={"max_length=max_length": "max_length=48"},
    ),
    Misconception(
        name="texts_sorted_by_length",
        price="mathematics",
        sentence=(
            "You sort the headlines by their length. The rows and labels keep the order in which "
            "they came."
        ),
        replaced={
            "    encoded = tokenizer(\n": (
                "    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))\n"
                "    texts = [texts[number] for number in order]\n"
                "    labels = [labels[number] for number in order]\n"
                "    encoded = tokenizer(\n"
            )
        },
    ),
    Misconception(
        name="padded_by_hand_with_zero",
        price="edge",
        sentence=(
            "You pad with the id 0 and take every 0 for padding. Another tokenizer pads with "
            "another id, and its token 0 may be a real one: let the tokenizer pad, or ask it."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    ids = torch.zeros(len(texts), max_length, dtype=torch.int64)
    for row, text in enumerate(texts):
        found = tokenizer(text, truncation=True, max_length=max_length)["input_ids"]
        ids[row, : len(found)] = torch.tensor(found)
    mask = (ids != 0).long()
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor(labels)}
""",
    ),
    Misconception(
        name="one_hot_labels",
        sentence=(
            "You turn each label into a row of zeros with a one. The loss takes the number of the "
            "class itself, whatever number it is."
        ),
        replaced={
            "torch.tensor(labels)": (
                "nn.functional.one_hot(torch.tensor(labels), num_classes=len(CLASSES))"
            )
        },
    ),
    Misconception(
        name="small_words_left_out",
        price="mathematics",
        sentence=(
            "You take small and frequent words out of the texts before they are tokenized. To the "
            "model every word of a headline may say something: the tokenizer takes a text as it is."
        ),
        replaced={
            "    encoded = tokenizer(\n": (
                '    small = {"the", "a", "an", "of", "as", "while", "in", "on"}\n'
                "    texts = [\n"
                '        " ".join(word for word in text.split() if word.lower() not in small)\n'
                "        for text in texts\n"
                "    ]\n"
                "    encoded = tokenizer(\n"
            )
        },
    ),
    Misconception(
        name="token_types_taken_out",
        price="edge",
        sentence=(
            "You take an entry out of what the tokenizer returns, and not every tokenizer returns "
            "it. Pick what you want instead of removing the rest."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    batch = tokenizer(
        texts, padding="max_length", truncation=True, max_length=max_length, return_tensors="pt"
    )
    batch.pop("token_type_ids")
    batch["labels"] = torch.tensor(labels)
    return dict(batch)
""",
    ),
    Misconception(
        name="unknown_words_left_out",
        price="mathematics",
        sentence=(
            "You leave out the words that the tokenizer does not know. An unknown word has a token "
            "too, which says that something stands there."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    ids = torch.full((len(texts), max_length), tokenizer.pad_token_id)
    mask = torch.zeros(len(texts), max_length, dtype=torch.int64)
    for row, text in enumerate(texts):
        found = tokenizer(text, truncation=True, max_length=max_length)["input_ids"]
        found = [one for one in found if one != tokenizer.unk_token_id]
        ids[row, : len(found)] = torch.tensor(found)
        mask[row, : len(found)] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor(labels)}
""",
    ),
    Misconception(
        name="ends_not_counted",
        price="mathematics",
        sentence=(
            "Your mask ends too early: you count the tokens of a text without the special ones at "
            "its ends. They are real tokens and take places as well."
        ),
        replaced={
            "    return {\n": (
                "    lengths = [len(tokenizer.tokenize(text)) for text in texts]\n"
                "    real = torch.arange(max_length) < torch.tensor(lengths)[:, None]\n"
                "    return {\n"
            ),
            'encoded["attention_mask"]': "real.long()",
        },
    ),
    Misconception(
        name="default_taken_for_a_limit",
        sentence=(
            "You never give more places than the notebook has, though `max_length` asks for more. "
            "A default is what counts when nobody says anything, and no limit."
        ),
        replaced={"max_length=max_length": "max_length=min(max_length, 48)"},
    ),
    Misconception(
        name="texts_sorted_without_their_labels",
        price="mathematics",
        sentence=(
            "You sort the headlines by their length and leave the labels where they were, so "
            "that a row has the label of another headline. Both keep the order in which they "
            "came."
        ),
        replaced={
            "    encoded = tokenizer(\n": (
                "    texts = sorted(texts, key=len)\n    encoded = tokenizer(\n"
            ),
        },
    ),
    Misconception(
        name="equal_texts_merged",
        sentence=(
            "Texts that occur twice become one row. There is a row for each text, also where two "
            "are equal."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    encoded = {}
    for text in texts:
        encoded[text] = tokenizer(
            text, padding="max_length", truncation=True, max_length=max_length
        )
    return {
        "input_ids": torch.tensor([e["input_ids"] for e in encoded.values()]),
        "attention_mask": torch.tensor([e["attention_mask"] for e in encoded.values()]),
        "labels": torch.tensor(labels),
    }
""",
    ),
    Misconception(
        name="limited_by_the_tokenizer",
        sentence=(
            "You limit the width to what the tokenizer was made for. It is `max_length`, whatever"
            " that is."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    max_length = min(max_length, tokenizer.model_max_length)
    enc = tokenizer(texts, padding="max_length", truncation=True, max_length=max_length)
    columns = {name: torch.tensor(enc[name]) for name in ("input_ids", "attention_mask")}
    columns["labels"] = torch.tensor(labels)
    return columns
""",
        price="edge",
    ),
    Misconception(
        name="empty_texts_left_out",
        sentence="You leave empty texts out, and their rows with them. Each text has a row.",
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    kept = [text for text in texts if text.strip()]  # nothing to classify in an empty headline
    enc = tokenizer(
        kept, padding="max_length", truncation=True, max_length=max_length, return_tensors="pt"
    )
    return {
        "input_ids": enc.input_ids,
        "attention_mask": enc.attention_mask,
        "labels": torch.LongTensor(labels),
    }
""",
        price="mathematics",
    ),
    Misconception(
        name="nothing_left_of_what_fits",
        sentence=(
            "You empty a text that fits exactly. Ask whether there are more tokens than fit "
            "before you cut from behind: `ids[:-0]` is empty."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    rows, masks = [], []
    for text in texts:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        if len(ids) + 2 >= max_length:
            surplus = len(ids) + 2 - max_length
            ids = ids[:-surplus]
        ids = [tokenizer.cls_token_id] + ids + [tokenizer.sep_token_id]
        missing = max_length - len(ids)
        masks.append([1] * len(ids) + [0] * missing)
        rows.append(ids + [tokenizer.pad_token_id] * missing)
    return {
        "input_ids": torch.tensor(rows),
        "attention_mask": torch.tensor(masks),
        "labels": torch.tensor(labels),
    }
""",
        price="mathematics",
    ),
    Misconception(
        name="characters_cut_before",
        sentence=(
            "You cut characters off before the tokens are made. How many tokens there are nobody "
            "knows before: the tokenizer truncates."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    # no need to tokenize more characters than can fit: ~4 characters per token
    texts = [t[: max_length * 4] for t in texts]
    out = tokenizer(
        texts,
        padding="max_length",
        truncation=True,
        max_length=max_length,
        return_tensors="pt",
        return_token_type_ids=False,
    )
    result = {k: out[k] for k in ("input_ids", "attention_mask")}
    result["labels"] = torch.tensor(labels, dtype=torch.int64)
    return result
""",
    ),
    Misconception(
        name="special_tokens_by_name",
        sentence=(
            "You look special tokens up under the names that BERT gives them. Each tokenizer "
            "knows its own: `pad_token_id`, and the like."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    cls, sep, pad = tokenizer.convert_tokens_to_ids(["[CLS]", "[SEP]", "[PAD]"])
    input_ids = torch.full((len(texts), max_length), pad)
    attention_mask = torch.zeros(len(texts), max_length, dtype=torch.int64)
    for row, text in enumerate(texts):
        words = tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text))[: max_length - 2]
        ids = torch.tensor([cls, *words, sep])
        input_ids[row, : len(ids)] = ids
        attention_mask[row, : len(ids)] = 1
    return {
        "input_ids": input_ids,
        "attention_mask": attention_mask,
        "labels": torch.tensor(labels),
    }
""",
    ),
    Misconception(
        name="kept_under_the_text",
        sentence=(
            "You keep ids under their text, and hand them out for another tokenizer, whose ids "
            "are others. A call knows nothing of the calls before."
        ),
        code="""_encoded = {}


def tokenize_batch(tokenizer, texts, labels, max_length=48):
    def encode(text):
        key = (text, max_length)
        if key not in _encoded:
            _encoded[key] = tokenizer(
                text, padding="max_length", truncation=True, max_length=max_length
            )
        return _encoded[key]

    encodings = [encode(text) for text in texts]
    return {
        "input_ids": torch.tensor([e["input_ids"] for e in encodings]),
        "attention_mask": torch.tensor([e["attention_mask"] for e in encodings]),
        "labels": torch.tensor(labels),
    }
""",
        price="edge",
    ),
    Misconception(
        name="ends_of_the_notebooks_tokenizer",
        price="edge",
        sentence=(
            "You put the two ends around the pieces as numbers. Another tokenizer has other ids "
            "for them, and knows which."
        ),
        code="""def tokenize_batch(tokenizer, texts, labels, max_length=48):
    ids = torch.full((len(texts), max_length), tokenizer.pad_token_id)
    mask = torch.zeros(len(texts), max_length, dtype=torch.long)
    for row, text in enumerate(texts):
        pieces = tokenizer.encode(text, add_special_tokens=False)[: max_length - 2]
        whole = torch.tensor([2] + pieces + [3])
        ids[row, : len(whole)] = whole
        mask[row, : len(whole)] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.as_tensor(labels)}
""",
    ),
]
