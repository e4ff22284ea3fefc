"""Makes the headline corpus of a4: four classes of news from a small grammar.

    python tools/make_headlines.py

A headline is a clause of its class. In some a clause of another class rides along: "Stocks slump
as rebels storm embassy" is Business, "As stocks slump, rebels storm embassy" is World. The class is
that of the clause which does not follow `as` or `while`, so the order of the words matters. Each
slot of a clause is now and then filled from any class, and many words stand in the lists of
several classes, so that no single word decides.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "source/a4_text_classification/assets/headlines"
CLASSES = ("World", "Sports", "Business", "Sci/Tech")
TWO_CLAUSES = 0.25  # how often a clause of another class rides along
STRAY = 0.12  # how often a slot is filled from any class, its own included

Split = list[tuple[str, str]]


@dataclass(frozen=True)
class Recipe:
    """What to make: the number of headlines in each split, and the random seed."""

    train: int = 6000
    test: int = 1000
    seed: int = 2004


COUNTRIES = (
    "Argentina Australia Austria Brazil Canada Chile Denmark Egypt Finland France Ghana Greece "
    "India Ireland Italy Japan Kenya Mexico Norway Peru Poland Portugal Spain Turkey"
)
FIRMS = (
    "Altavia Brightware Corvane Daxis Fennwick Halvex Kestrelon Lumenta Monarq Novabyte Orbitel "
    "Pellicore Quillon Solvane Tidewell Vantara"
)

SINGULAR = {
    "World": (
        "president|prime minister|foreign minister|opposition leader|parliament|army|envoy|king|"
        "election panel|supreme court|defence chief|{country}|ruling party|governor|UN council"
    ),
    "Sports": (
        "coach|striker|goalkeeper|captain|pitcher|sprinter|defender|top seed|rookie|champion|"
        "national team|home side|referee|swimmer|{country}|midfielder|league leader|golfer"
    ),
    "Business": (
        "central bank|oil giant|airline|retailer|carmaker|insurer|regulator|lender|brewer|union|"
        "chief executive|hedge fund|{firm}|drug maker|steel group|exporter|{firm} board"
    ),
    "Sci/Tech": (
        "space probe|rover|satellite|robot|chip maker|search engine|software maker|telescope|"
        "browser|research team|phone maker|{firm}|supercomputer|game studio|{firm} lab|start-up"
    ),
}
PLURAL = {
    "World": (
        "rebels|troops|protesters|diplomats|peacekeepers|refugees|aid workers|border guards|"
        "voters|militants|ministers|{country} officials|inspectors|police|exiles"
    ),
    "Sports": (
        "hosts|underdogs|rivals|fans|cyclists|rowers|champions|club owners|players|visitors|"
        "selectors|team mates|boxers|runners"
    ),
    "Business": (
        "shareholders|investors|traders|economists|stocks|unions|creditors|bankers|exporters|"
        "analysts|car sales|oil prices|bond markets|owners"
    ),
    "Sci/Tech": (
        "scientists|astronomers|hackers|engineers|biologists|researchers|developers|physicists|"
        "web users|spammers|programmers|doctors|climate experts"
    ),
}
VERBS = {
    "World": (
        "attack|reject|condemn|sign|urge|storm|back|delay|denounce|welcome|seek|agree to|vote on|"
        "call for|flee|end|warn of|demand|suspend|debate|face"
    ),
    "Sports": (
        "beat|win|lose|chase|clinch|reach|miss|lead|draw|dominate|end|target|break|return for|"
        "seek|celebrate|sign|drop|defend|settle for|face"
    ),
    "Business": (
        "cut|raise|buy|post|report|sell|lift|beat|miss|delay|back|agree to|reject|end|lose|"
        "sue over|warn of|target|slash|await|face"
    ),
    "Sci/Tech": (
        "unveil|launch|discover|test|patch|release|find|map|warn of|target|break|track|delay|"
        "reach|study|build|detect|seek|sue over|decode|face"
    ),
}
OBJECTS = {
    "World": (
        "peace talks|ceasefire|border clashes|hostage crisis|sanctions|treaty|election result|"
        "nuclear talks|refugee camp|coup|summit|new strike|embassy|prisoners|deal|unity government|"
        "war crimes trial|disputed vote|record turnout|arms shipment|aid convoy|court ruling"
    ),
    "Sports": (
        "final|title race|gold medal|play-off|hat-trick|record|third straight win|qualifier|"
        "opening game|grand prix|semi-final|thriller|championship|transfer deal|derby|marathon|"
        "doping ban|injury|new contract|first set|world cup draw|penalty strike"
    ),
    "Business": (
        "profit|quarterly earnings|merger|job cuts|interest rates|takeover bid|record loss|shares|"
        "pension plan|deal|stake|debt|bankruptcy plan|dividend|contract|new strike|sales forecast|"
        "inflation outlook|factory closure|budget|transfer of assets|court ruling"
    ),
    "Sci/Tech": (
        "new chip|virus|software flaw|fossil|dark matter|operating system|search tool|record heat|"
        "comet|music player|gene|broadband plan|moon launch|security hole|new planet|online game|"
        "web browser|patent deal|spam attack|lens|first contact|cell network"
    ),
}
CLOSINGS = {
    "World": (
        "in {country}|near border|after bombing|amid protests|before summit|at UN|after strike|"
        "in capital|despite truce|in {country} race"
    ),
    "Sports": (
        "in overtime|in {country}|at Olympics|after injury|before play-offs|on home soil|"
        "in extra time|in title race|after strike|despite red card"
    ),
    "Business": (
        "on Wall Street|in third quarter|amid slowdown|after strike|in {country}|despite demand|"
        "before merger|after profit warning|at {firm}|in price race"
    ),
    "Sci/Tech": (
        "on Mars|in space|on web|in lab|in {country}|after attack|at {firm}|despite flaw|"
        "in moon race|before launch"
    ),
}
CLAUSES = (
    "{subject} {verb} {object}",
    "{subject} {verb} {object} {closing}",
    "{subject} set to {bare} {object}",
    "{subject} may {bare} {object} {closing}",
    "{subject} to {bare} {object}",
)
PAIRS = ("{main} as {other}", "{main} while {other}", "As {other}, {main}", "While {other}, {main}")


def headlines(seed: int) -> Iterator[tuple[str, str]]:
    """Headlines without end, each with its class."""
    dice = random.Random(seed)
    while True:
        name = dice.choice(CLASSES)
        text = _clause(dice, name)
        if dice.random() < TWO_CLAUSES:
            other = _clause(dice, dice.choice([one for one in CLASSES if one != name]))
            text = dice.choice(PAIRS).format(main=text, other=other)
        yield text[0].upper() + text[1:], name


def _clause(dice: random.Random, name: str) -> str:
    plural = dice.random() < 0.5
    bare = _word(dice, VERBS, name)
    return dice.choice(CLAUSES).format(
        subject=_word(dice, PLURAL if plural else SINGULAR, name),
        verb=bare if plural else third_person(bare),
        bare=bare,
        object=_word(dice, OBJECTS, name),
        closing=_word(dice, CLOSINGS, name),
    )


def _word(dice: random.Random, lists: dict[str, str], name: str) -> str:
    if dice.random() < STRAY:
        name = dice.choice(CLASSES)
    word = dice.choice(lists[name].split("|"))
    return word.format(country=dice.choice(COUNTRIES.split()), firm=dice.choice(FIRMS.split()))


def third_person(verb: str) -> str:
    """`reach` becomes `reaches`, `agree to` becomes `agrees to`."""
    first, *rest = verb.split(" ")
    ending = "es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s"
    return " ".join([first + ending, *rest])


def make_splits(recipe: Recipe) -> dict[str, Split]:
    """The splits by name; no headline stands twice in them, capitals aside."""
    seen: set[str] = set()
    fresh: Split = []
    for text, name in headlines(recipe.seed):
        if text.lower() not in seen:
            seen.add(text.lower())
            fresh.append((text, name))
        if len(fresh) == recipe.train + recipe.test:
            break
    return {"train": fresh[: recipe.train], "test": fresh[recipe.train :]}


def write_splits(folder: Path, splits: dict[str, Split]) -> None:
    """One CSV file for each split, with the columns text and label."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in splits.items():
        with (folder / f"{split}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("text", "label"), *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the headline corpus of a4.")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    write_splits(parser.parse_args().folder, make_splits(Recipe()))


if __name__ == "__main__":
    main()
