"""Summands forgotten, or normalised in another way."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="no_layer_norm",
        price="mathematics",
        sentence=(
            "You return the bare sum of the vectors. BERT normalises it before the first layer: "
            "one more of its parts is to be called."
        ),
        replaced={"parts.LayerNorm(words + places + types)": "words + places + types"},
    ),
    Misconception(
        name="no_token_types",
        price="mathematics",
        sentence=(
            "You add two vectors where BERT adds three: the token type is missing. It is the same "
            "for all tokens here, but it is not zero."
        ),
        replaced={"words + places + types": "words + places"},
    ),
    Misconception(
        name="no_positions",
        price="mathematics",
        sentence=(
            "You leave the positions out, so the order of the words cannot be seen. BERT has a "
            "table for them: look at the parts again."
        ),
        replaced={"words + places + types": "words + types"},
    ),
    Misconception(
        name="positions_from_one",
        price="mathematics",
        sentence=(
            "You give the first token the second row of the position table. Positions count from 0."
        ),
        replaced={
            "torch.arange(input_ids.shape[1], device=input_ids.device)": (
                "torch.arange(1, input_ids.shape[1] + 1, device=input_ids.device)"
            )
        },
    ),
    Misconception(
        name="second_sentence_type",
        price="mathematics",
        sentence=(
            "You mark all tokens as those of a second sentence. The question says that they belong "
            "to the first: which row of the type table is that?"
        ),
        replaced={"torch.zeros_like(input_ids)": "torch.ones_like(input_ids)"},
    ),
    Misconception(
        name="layer_norm_without_weights",
        price="mathematics",
        sentence=(
            "You normalise with a norm of your own, so the trained scale and shift are lost. Use "
            "the model's LayerNorm, which is one of the parts."
        ),
        replaced={
            "parts.LayerNorm(words + places + types)": (
                "nn.functional.layer_norm(words + places + types, words.shape[-1:])"
            )
        },
    ),
    Misconception(
        name="whole_called",
        price="mathematics",
        sentence=(
            "You let the model compute its embeddings as a whole. The point of the question is to "
            "put them together yourself from the three tables and the norm."
        ),
        code="""
def bert_embeddings(model, input_ids):
    return model(input_ids, output_hidden_states=True).hidden_states[0]
""",
    ),
    Misconception(
        name="embeddings_called",
        price="mathematics",
        sentence=(
            "You call the model's embeddings as a whole. The point of the question is to put them "
            "together yourself from the three tables and the norm."
        ),
        code="""
def bert_embeddings(model, input_ids):
    return model.embeddings(input_ids)
""",
    ),
    Misconception(
        name="layer_norm_with_another_eps",
        price="mathematics",
        sentence=(
            "Your LayerNorm adds another epsilon than the model does, which moves every number "
            "a little. The model has its own, as it has its own scale and shift."
        ),
        replaced={
            "return parts.LayerNorm(words + places + types)": (
                "norm, found = parts.LayerNorm, words + places + types\n"
                "    size = found.shape[-1:]\n"
                "    return nn.functional.layer_norm(found, size, norm.weight, norm.bias)"
            ),
        },
    ),
    Misconception(
        name="positions_on_the_cpu",
        price="surroundings",
        sentence=(
            "You make the positions on the CPU, so that on another device the table cannot be "
            "asked for them. Make them where the ids are."
        ),
        replaced={
            "torch.arange(input_ids.shape[1], device=input_ids.device)": (
                "torch.arange(input_ids.shape[1])"
            )
        },
    ),
    Misconception(
        name="real_tokens_counted",
        price="edge",
        sentence=(
            "You count positions over the real tokens alone, so that padding gets another row of "
            "the table. A position is a place in the row of ids, whatever stands there."
        ),
        replaced={
            "    positions = torch.arange(input_ids.shape[1], device=input_ids.device)\n": (
                "    real = (input_ids != model.config.pad_token_id).long()\n"
                "    positions = (real.cumsum(dim=1) - 1).clamp(min=0) * real\n"
            )
        },
    ),
    Misconception(
        name="norm_of_the_words_alone",
        price="mathematics",
        sentence=(
            "You normalise the word vectors alone and add positions and types after that. The "
            "norm is applied to the sum."
        ),
        replaced={
            "parts.LayerNorm(words + places + types)": "parts.LayerNorm(words) + places + types"
        },
    ),
    Misconception(
        name="positions_by_the_batch",
        price="mathematics",
        sentence=(
            "You count the positions along the batch, so that each sentence has one position for "
            "all of its tokens. Tokens stand along the second axis."
        ),
        replaced={
            ("torch.arange(input_ids.shape[1], device=input_ids.device)"): (
                "torch.arange(input_ids.shape[0], device=input_ids.device)[:, None]"
            ),
        },
    ),
    Misconception(
        name="model_of_the_notebook",
        price="mathematics",
        sentence=(
            "You ask the notebook's own model, whatever model the function is given. Use the "
            "argument."
        ),
        replaced={
            "parts = model.embeddings": "parts = bert.embeddings",
        },
    ),
    Misconception(
        name="norm_written_by_hand",
        price="mathematics",
        sentence=(
            "Your norm divides by the deviation of a sample, which is a little larger than that of "
            "the numbers themselves. The model has a norm of its own, with its epsilon: use it."
        ),
        replaced={
            "return parts.LayerNorm(words + places + types)": (
                "norm, found = parts.LayerNorm, words + places + types\n"
                "    std = found.std(dim=-1, keepdim=True)\n"
                "    found = (found - found.mean(dim=-1, keepdim=True)) / (std + 1e-6)\n"
                "    return norm.weight * found + norm.bias"
            ),
        },
    ),
    Misconception(
        name="norm_of_each",
        sentence=(
            "You normalise each of the three vectors and add them afterwards. There is one norm, "
            "and it is applied to the sum."
        ),
        replaced={
            "parts.LayerNorm(words + places + types)": (
                "parts.LayerNorm(words) + parts.LayerNorm(places) + parts.LayerNorm(types)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="positions_counted_on",
        sentence=(
            "You count the positions on from one sentence to the next. Every sentence of the batch "
            "begins at position 0."
        ),
        replaced={
            "    positions = torch.arange(input_ids.shape[1], device=input_ids.device)\n": (
                "    positions = torch.arange(input_ids.numel(), device=input_ids.device)\n"
                "    positions = positions.view_as(input_ids)\n"
                "    positions = positions % parts.position_embeddings.num_embeddings\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="shift_of_the_norm_left_out",
        price="mathematics",
        sentence=(
            "You normalise by yourself, with the model's scale and without its shift. The model's "
            "LayerNorm holds all that was trained, and can be called."
        ),
        replaced={
            "parts.LayerNorm(words + places + types)": (
                "nn.functional.layer_norm(\n"
                "        words + places + types, words.shape[-1:], parts.LayerNorm.weight\n"
                "    )"
            )
        },
    ),
    Misconception(
        name="sines_for_the_positions",
        price="mathematics",
        sentence=(
            "You add the sines and cosines of question 3. BERT has learned its positions: one of "
            "its parts is a table of them."
        ),
        replaced={
            "places = parts.position_embeddings(positions)": (
                "places = PositionalEncoding(words.shape[-1], dropout=0.0).to(words)"
                ".pe[0, positions]"
            )
        },
    ),
    Misconception(
        name="positions_of_roberta",
        price="mathematics",
        sentence=(
            "You count positions as RoBERTa does, whose first rows belong to padding. In BERT the "
            "first token has the first row of the table."
        ),
        replaced={
            "torch.arange(input_ids.shape[1], device=input_ids.device)": (
                "torch.arange(2, input_ids.shape[1] + 2, device=input_ids.device)"
            )
        },
    ),
    Misconception(
        name="words_scaled",
        price="mathematics",
        sentence=(
            "You multiply the word vectors by the root of their size, as the Transformer of 2017 "
            "does. BERT adds the three vectors as they come."
        ),
        replaced={
            "words + places + types)": "math.sqrt(words.shape[-1]) * words + places + types)"
        },
    ),
    Misconception(
        name="dropped_in_evaluation",
        sentence=(
            "You drop numbers though the model is in evaluation mode. The function `dropout` drops "
            "unless it is told that nothing is trained; the hidden state here is exact."
        ),
        replaced={
            "return parts.LayerNorm(words + places + types)": (
                "hidden = parts.LayerNorm(words + places + types)\n"
                "    return nn.functional.dropout(hidden, model.config.hidden_dropout_prob)"
            )
        },
    ),
    Misconception(
        name="second_type_behind_an_end",
        price="edge",
        sentence=(
            "You give what stands behind the first `[SEP]` the type of a second sentence. Here "
            "all tokens belong to the first one, whatever stands before them."
        ),
        replaced={
            "    types = parts.token_type_embeddings(torch.zeros_like(input_ids))": (
                "    ends = (input_ids == bert_tokenizer.sep_token_id).long()\n"
                "    types = parts.token_type_embeddings((ends.cumsum(dim=1) > ends).long())"
            ),
        },
    ),
    Misconception(
        name="real_positions_counted",
        sentence=(
            "You count the positions of real tokens alone, as other models do. Here the first "
            "token has the first position, and each one after it the next."
        ),
        code="""def bert_embeddings(model, input_ids):
    e = model.embeddings
    words = e.word_embeddings(input_ids)
    real = (input_ids != model.config.pad_token_id).long()
    positions = e.position_embeddings((real.cumsum(dim=1) - 1).clamp(min=0))
    first = e.token_type_embeddings(torch.zeros_like(input_ids))
    return e.LayerNorm(words + positions + first)
""",
        price="edge",
    ),
    Misconception(
        name="epsilon_beside_the_root",
        price="edge",
        sentence=(
            "You add the epsilon of the norm to the deviation. It belongs to the variance, under "
            "the root."
        ),
        replaced={
            "return parts.LayerNorm(words + places + types)": (
                "norm, found = parts.LayerNorm, words + places + types\n"
                "    std = found.var(dim=-1, keepdim=True, unbiased=False).sqrt()\n"
                "    found = (found - found.mean(dim=-1, keepdim=True)) / (std + norm.eps)\n"
                "    return norm.weight * found + norm.bias"
            ),
        },
    ),
]
