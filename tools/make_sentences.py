"""The made English-French grammar that the small models of a5 are trained on.

    python tools/make_sentences.py [--count 12]

Everything a sentence hides is known: which English word each French word translates, and which
noun "it" means. Nouns have a gender in French, most adjectives follow their noun there, "not"
becomes "ne ... pas", and "it" becomes il, elle, le or la. All words begin with a consonant where
French would otherwise contract them.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

# English noun: French noun, its gender
ANIMALS = {
    "dog": ("chien", "m"),
    "cat": ("chat", "m"),
    "turtle": ("tortue", "f"),
    "horse": ("cheval", "m"),
    "cow": ("vache", "f"),
    "mouse": ("souris", "f"),
    "rabbit": ("lapin", "m"),
    "goat": ("chèvre", "f"),
    "fox": ("renard", "m"),
    "hen": ("poule", "f"),
}
THINGS = {
    "apple": ("pomme", "f"),
    "book": ("livre", "m"),
    "car": ("voiture", "f"),
    "hat": ("chapeau", "m"),
    "chair": ("chaise", "f"),
    "boat": ("bateau", "m"),
    "box": ("boîte", "f"),
    "bag": ("sac", "m"),
    "flower": ("fleur", "f"),
    "knife": ("couteau", "m"),
    "shirt": ("chemise", "f"),
    "cake": ("gâteau", "m"),
}
PLACES = {
    "street": ("rue", "f"),
    "garden": ("jardin", "m"),
    "house": ("maison", "f"),
    "forest": ("forêt", "f"),
    "park": ("parc", "m"),
    "beach": ("plage", "f"),
    "bridge": ("pont", "m"),
    "market": ("marché", "m"),
}
NOUNS = {"animal": ANIMALS, "thing": THINGS, "place": PLACES}

# English adjective: masculine, feminine
BEFORE_NOUN = {
    "small": ("petit", "petite"),
    "big": ("grand", "grande"),
    "beautiful": ("beau", "belle"),
    "old": ("vieux", "vieille"),
    "good": ("bon", "bonne"),
}
AFTER_NOUN = {
    "red": ("rouge", "rouge"),
    "green": ("vert", "verte"),
    "white": ("blanc", "blanche"),
    "black": ("noir", "noire"),
    "blue": ("bleu", "bleue"),
    "yellow": ("jaune", "jaune"),
    "strange": ("bizarre", "bizarre"),
    "famous": ("célèbre", "célèbre"),
}
# What only an animal, a thing or a place can be: it decides what "it" means.
STATES = {
    "animal": {
        "tired": ("fatigué", "fatiguée"),
        "happy": ("content", "contente"),
        "sad": ("triste", "triste"),
        "sick": ("malade", "malade"),
        "hungry": ("affamé", "affamée"),
    },
    "thing": {
        "heavy": ("lourd", "lourde"),
        "broken": ("cassé", "cassée"),
        "expensive": ("cher", "chère"),
        "dirty": ("sale", "sale"),
    },
    "place": {
        "wide": ("large", "large"),
        "crowded": ("bondé", "bondée"),
        "noisy": ("bruyant", "bruyante"),
        "closed": ("fermé", "fermée"),
    },
}
# English verb, with "s" and after "does not": French verb
VERBS = {
    ("sees", "see"): "voit",
    ("takes", "take"): "prend",
    ("washes", "wash"): "lave",
    ("paints", "paint"): "peint",
    ("pushes", "push"): "pousse",
    ("carries", "carry"): "porte",
    ("finds", "find"): "trouve",
    ("hides", "hide"): "cache",
    ("wants", "want"): "veut",
    ("sells", "sell"): "vend",
}
VERBS_OF_PLACES = {
    ("crosses", "cross"): "traverse",
    ("visits", "visit"): "visite",
    ("leaves", "leave"): "quitte",
}
DETERMINERS = {
    "the": ("le", "la"),
    "a": ("un", "une"),
    "this": ("ce", "cette"),
    "my": ("mon", "ma"),
    "his": ("son", "sa"),
}
DETERMINER_WEIGHTS = (45, 20, 13, 12, 10)
PREPOSITIONS = {"in": "dans", "behind": "derrière", "under": "sous"}


@dataclass
class Sentence:
    """A sentence in both languages.

    Attributes:
        english, french: the words; "." is one, and so is the "qu'" of "qu'il".
        alignment: for each French word the place of the English word that it translates.
        it: the place of "it", None in a sentence without it.
        referent, other: the places of the noun that "it" means, and of the one it might have meant.
    """

    english: list[str] = field(default_factory=list)
    french: list[str] = field(default_factory=list)
    alignment: list[int] = field(default_factory=list)
    it: int | None = None
    referent: int | None = None
    other: int | None = None

    @property
    def english_text(self) -> str:
        return as_text(self.english)

    @property
    def french_text(self) -> str:
        return as_text(self.french)


def as_text(words: Sequence[str]) -> str:
    """Words as they are written: no space before a full stop or after an apostrophe."""
    return " ".join(words).replace(" .", ".").replace("' ", "'")


@dataclass(frozen=True)
class Phrase:
    """A noun phrase that has been written: its noun's kind, gender (0 or 1) and place."""

    kind: str
    gender: int
    place: int


class Writer:
    """Writes one sentence word by word in both languages."""

    def __init__(self, random_numbers: random.Random) -> None:
        self._random = random_numbers
        self.sentence = Sentence()

    def english(self, word: str) -> int:
        """Writes an English word and returns its place."""
        self.sentence.english.append(word)
        return len(self.sentence.english) - 1

    def french(self, word: str, translates: int) -> None:
        self.sentence.french.append(word)
        self.sentence.alignment.append(translates)

    def word(self, english: str, french: str) -> None:
        self.french(french, self.english(english))

    def noun_phrase(self, kind: str, adjectives: float) -> Phrase:
        """A determiner, up to two adjectives, a noun; `adjectives` is how likely there are any."""
        noun = self._random.choice(list(NOUNS[kind]))
        french, letter = NOUNS[kind][noun]
        gender = "mf".index(letter)
        (determiner,) = self._random.choices(list(DETERMINERS), DETERMINER_WEIGHTS)
        self.word(determiner, DETERMINERS[determiner][gender])
        chosen = self._random.random() < adjectives
        which = self._random.choices(("before", "after", "both"), (35, 35, 30))[0] if chosen else ""
        if which in ("before", "both"):
            adjective = self._random.choice(list(BEFORE_NOUN))
            self.word(adjective, BEFORE_NOUN[adjective][gender])
        later = None
        if which in ("after", "both"):
            adjective = self._random.choice(list(AFTER_NOUN))
            later = (AFTER_NOUN[adjective][gender], self.english(adjective))
        place = self.english(noun)
        self.french(french, place)
        if later is not None:
            self.french(*later)
        return Phrase(kind, gender, place)

    def verb(self, of_places: bool, negated: bool) -> None:
        verbs = VERBS_OF_PLACES if of_places else VERBS
        english, plain = self._random.choice(list(verbs))
        french = verbs[english, plain]
        if not negated:
            self.word(english, french)
            return
        self.english("does")
        place = self.english("not")
        self.french("ne", place)
        self.word(plain, french)
        self.french("pas", place)

    def because(self, subject: Phrase, object_: Phrase) -> None:
        """... because it is tired: the state tells which of the two nouns "it" means."""
        meant, other = self._random.sample((subject, object_), 2)
        state = self._random.choice(list(STATES[meant.kind]))
        place = self.english("because")
        self.french("parce", place)
        self.french("qu'", place)
        self._refer(meant, other, ("il", "elle"))
        self.word("is", "est")
        self.word(state, STATES[meant.kind][state][meant.gender])

    def and_it(self, object_: Phrase) -> None:
        """... and the hen finds it: in French "it" comes before the verb."""
        self.word("and", "et")
        other = self.noun_phrase("animal", adjectives=0.3)
        english, plain = self._random.choice(list(VERBS))
        verb = self.english(english)
        self._refer(object_, other, ("le", "la"))
        self.french(VERBS[english, plain], verb)

    def _refer(self, meant: Phrase, other: Phrase, pronouns: tuple[str, str]) -> None:
        self.sentence.it = self.english("it")
        self.sentence.referent, self.sentence.other = meant.place, other.place
        self.french(pronouns[meant.gender], self.sentence.it)


def sentence(random_numbers: random.Random) -> Sentence:
    """A random sentence of the grammar."""
    writer = Writer(random_numbers)
    (plan,) = random_numbers.choices(("plain", "where", "because", "and"), (30, 15, 40, 15))
    of_places = plan == "because" and random_numbers.random() < 0.5
    negated = plan != "and" and random_numbers.random() < 0.4
    subject = writer.noun_phrase("animal", adjectives=0.6)
    writer.verb(of_places, negated)
    object_ = writer.noun_phrase("place" if of_places else "thing", adjectives=0.6)
    if plan == "where":
        preposition = random_numbers.choice(list(PREPOSITIONS))
        writer.word(preposition, PREPOSITIONS[preposition])
        writer.noun_phrase("place", adjectives=0.4)
    elif plan == "because":
        writer.because(subject, object_)
    elif plan == "and":
        writer.and_it(object_)
    writer.word(".", ".")
    return writer.sentence


def sentences(seed: int, count: int) -> list[Sentence]:
    """`count` sentences, always the same for a seed; some may be equal."""
    random_numbers = random.Random(seed)
    return [sentence(random_numbers) for _ in range(count)]


def unseen(seed: int, known: Sequence[Sentence]) -> Iterator[Sentence]:
    """Endlessly, different sentences that are not among the `known` ones."""
    random_numbers = random.Random(seed)
    texts = {one.english_text for one in known}
    while True:
        found = sentence(random_numbers)
        if found.english_text not in texts:
            texts.add(found.english_text)
            yield found


def vocabulary(language: str) -> list[str]:
    """Every word that sentences of a language ("english" or "french") can have, sorted."""
    column = {"english": 0, "french": 1}[language]
    words = {".", "il", "elle", "parce", "qu'", "est", "et", "ne", "pas"}
    if column == 0:
        words = {".", "because", "it", "is", "and", "does", "not"}
    for nouns in NOUNS.values():
        words |= set(nouns) if column == 0 else {french for french, _ in nouns.values()}
    for pairs in (DETERMINERS, BEFORE_NOUN, AFTER_NOUN, *STATES.values()):
        words |= set(pairs) if column == 0 else {form for forms in pairs.values() for form in forms}
    for verbs in (VERBS, VERBS_OF_PLACES):
        words |= {form for forms in verbs for form in forms} if column == 0 else set(verbs.values())
    words |= set(PREPOSITIONS) if column == 0 else set(PREPOSITIONS.values())
    return sorted(words)


def main() -> None:
    """Prints some sentences with their translation."""
    parser = argparse.ArgumentParser(description="Print sentences of the made grammar.")
    parser.add_argument("--count", type=int, default=12)
    for one in sentences(seed=0, count=parser.parse_args().count):
        print(f"{one.english_text}\n  {one.french_text}")


if __name__ == "__main__":
    main()
