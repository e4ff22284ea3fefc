"""The small models of a5 do what their cards say, and their makers make them."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from types import ModuleType

import make_sentences
import make_tiny_bert
import make_tiny_t5
import pytest
import torch
from conftest import ROOT
from transformers import (
    AutoTokenizer,
    BertForMaskedLM,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    T5ForConditionalGeneration,
)

ASSETS = ROOT / "source" / "a5_transformer_anatomy" / "assets"
LARGEST_BYTES = 2_000_000
MAKERS = [make_tiny_bert, make_tiny_t5]
Loaded = tuple[PreTrainedModel, PreTrainedTokenizerBase]


def loaded(folder: Path, kind: type[PreTrainedModel]) -> Loaded:
    model = kind.from_pretrained(folder, attn_implementation="eager", local_files_only=True)
    return model.eval(), AutoTokenizer.from_pretrained(folder, local_files_only=True)


@pytest.fixture(scope="module")
def bert() -> Loaded:
    return loaded(ASSETS / "tiny-bert", BertForMaskedLM)


@pytest.fixture(scope="module")
def t5() -> Loaded:
    return loaded(ASSETS / "tiny-t5", T5ForConditionalGeneration)


def card(name: str) -> str:
    return " ".join((ASSETS / name / "README.md").read_text(encoding="utf-8").split())


def percentages(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\| (\d+) % \|", text)]


def test_it_looks_at_the_right_noun_in_unseen_sentences(bert: Loaded) -> None:
    share = make_tiny_bert.share_of_right_nouns(*bert, count=200)
    print(f'"it" looks at the right noun in {share:.1%} of 200 unseen sentences')
    assert share >= 0.95
    assert percentages(card("tiny-bert"))[0] == pytest.approx(100 * share, abs=1)


def test_the_model_names_the_noun_that_it_means(bert: Loaded) -> None:
    model, tokenizer = bert
    found = 0
    for one in make_tiny_bert.test_sentences(100):
        given = tokenizer(one.english_text, return_tensors="pt")
        with torch.no_grad():
            named = model(**given).logits[0, one.it + 1].argmax()
        found += int(named) == int(given.input_ids[0, one.referent + 1])
    assert percentages(card("tiny-bert"))[1] == pytest.approx(found, abs=2)


def test_unseen_sentences_are_translated_exactly(t5: Loaded) -> None:
    share = make_tiny_t5.share_of_exact_translations(*t5, count=300)
    print(f"{share:.1%} of 300 unseen sentences translated exactly")
    assert share >= 0.98
    assert percentages(card("tiny-t5"))[0] == pytest.approx(100 * share, abs=1)


def test_translations_are_aligned_as_the_card_says(t5: Loaded) -> None:
    share = make_tiny_t5.share_of_aligned_words(*t5, count=100)
    assert percentages(card("tiny-t5"))[1] == pytest.approx(100 * share, abs=5)


def test_noun_and_adjective_cross_in_the_cross_attention(t5: Loaded) -> None:
    model, tokenizer = t5
    given = tokenizer("The small dog sees a red car.", return_tensors="pt")
    french = tokenizer("Le petit chien voit une voiture rouge.", return_tensors="pt").input_ids
    with torch.no_grad():
        maps = model(**given, labels=french, output_attentions=True).cross_attentions
    looked_at = maps[-1][0].mean(dim=0).argmax(dim=-1).tolist()
    assert looked_at[:7] == [0, 1, 2, 3, 4, 6, 5]


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_one_command_makes_a_model_that_loads_and_the_same_one_twice(
    maker: ModuleType, tmp_path: Path
) -> None:
    name = maker.__name__.removeprefix("make_").replace("_", "-")
    for folder in ("one", "two"):
        maker.make(tmp_path / folder, steps=2, corpus_size=80)
    made = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    again = {path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()}
    assert made == again
    shipped = {path.name for path in (ASSETS / name).iterdir()}
    assert made.keys() == shipped - {"README.md"}
    kind = BertForMaskedLM if maker is make_tiny_bert else T5ForConditionalGeneration
    model, tokenizer = loaded(tmp_path / "one", kind)
    assert model.config.vocab_size == len(tokenizer)


def test_the_shipped_tokenizers_are_those_of_the_makers(tmp_path: Path) -> None:
    corpus = make_sentences.sentences(make_tiny_t5.CORPUS_SEED, make_tiny_t5.CORPUS_SIZE)
    tokenizers = {
        "tiny-bert": make_tiny_bert.make_tokenizer(),
        "tiny-t5": make_tiny_t5.make_tokenizer(corpus),
    }
    for name, tokenizer in tokenizers.items():
        tokenizer.save_pretrained(tmp_path / name)
        for path in (tmp_path / name).iterdir():
            assert path.read_bytes() == (ASSETS / name / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-t5"])
def test_checkpoints_are_small_and_described(name: str, bert: Loaded, t5: Loaded) -> None:
    model, tokenizer = {"tiny-bert": bert, "tiny-t5": t5}[name]
    assert (ASSETS / name / "model.safetensors").stat().st_size <= LARGEST_BYTES
    assert f"{model.num_parameters():,} parameters" in card(name)
    assert f"{len(tokenizer)} tokens" in card(name)
    assert "licence | MIT" in card(name)


def test_the_data_card_names_every_english_word_and_their_number() -> None:
    text = card(".")
    for language in ("english", "french"):
        count = len(make_sentences.vocabulary(language))
        assert f"{count} {language.capitalize()}" in text
    spoken = set(re.findall(r"[a-z]+", text))
    plain = {plain for _, plain in (*make_sentences.VERBS, *make_sentences.VERBS_OF_PLACES)}
    assert set(make_sentences.vocabulary("english")) - plain - {"."} <= spoken


def test_each_french_word_of_a_sentence_translates_a_word_of_it() -> None:
    for one in make_sentences.sentences(seed=5, count=500):
        assert len(one.french) == len(one.alignment)
        assert set(one.alignment) <= set(range(len(one.english)))
        unheard = {one.english[i] for i in range(len(one.english)) if i not in one.alignment}
        assert unheard <= {"does"}


def test_it_agrees_in_gender_with_the_noun_it_means() -> None:
    nouns = {name: pair for kind in make_sentences.NOUNS.values() for name, pair in kind.items()}
    seen = set()
    for one in make_sentences.sentences(seed=6, count=500):
        if one.it is not None:
            pronoun = one.french[one.alignment.index(one.it)]
            _, gender = nouns[one.english[one.referent]]
            assert pronoun in {"m": ("il", "le"), "f": ("elle", "la")}[gender]
            seen.add(pronoun)
    assert seen == {"il", "elle", "le", "la"}


def test_unseen_sentences_are_not_in_the_corpus_and_all_different() -> None:
    known = make_sentences.sentences(seed=1, count=3000)
    found = [one.english_text for one in islice(make_sentences.unseen(2, known), 500)]
    assert len(set(found)) == 500
    assert not {one.english_text for one in known} & set(found)
