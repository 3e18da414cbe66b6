# SPDX-License-Identifier: Apache-2.0
"""The systems as their papers have them, beside ours, in docs/papers.md."""
import functools
import statistics
from dataclasses import dataclass

from documented.data import Times, deviation, paragraph, table, three
from documented.results import size
from documented.sorting import known, listed, predictions, spread

FOLDER = "h200-papers"
SIZES = tuple(1 << exponent for exponent in (16, 20, 24, 26, 28))
SINCE = 1 << 24  # from here on a line says by how much ours is faster


@dataclass(frozen=True)
class Pair:
    """A system as its paper has it, our variant, and what ours does otherwise."""
    theirs: str
    ours: str
    difference: str
    their_parameters: tuple = ()
    our_parameters: tuple = ()  # with which ours was measured, where they are the default no longer

    def name(self):
        return f"`{self.theirs}`" + "".join(f", {name} = {value}" for name, value in self.their_parameters)


PAIRS = (
    Pair("sort-mms-shuffles", "sort-mms", "each lane has a heap of its own, so that no lane waits for another and two rows are merged "
         "without shuffles; the base case sorts 5,888 keys in place of 1,024"),
    Pair("sort-multiway-separators", "sort-multiway", "likewise; the base case sorts 5,888 keys in place of 32, which saves two passes "
         "or three"),
    Pair("sort-warp", "sort-warp", "a lane holds 32 keys, so that blocks of 1,024 keys are merged in place of 32", (("E", 1),)),
    Pair("sort-splitter-deterministic", "sort-splitter", "random samples balance 256 buckets per level well enough, where regular "
         "samples, with their guarantee of 5n/(4S), afford 32"),
    Pair("radix-msd-recursive", "radix-msd", "one count of the prefixes serves both splits, whose tiles look back for their places; the "
         "paper's counts, places and scatters for every digit, launches kernels for digits that random keys do not need, and has a block "
         "sort one bucket at a time, however small: of 2^24 keys those of 256", our_parameters=(("t", 512), ("E", 17), ("S", 18))),
    Pair("reduce-tree", "reduce-vector", "the blocks that are resident run through the input, each thread with eight loads of 16 bytes under "
         "way", (("t", 32),)),
    Pair("reduce-halving", "reduce-vector", "it reads the input once, where each of the log n steps reads and writes what the one before "
         "has left"),
)


@functools.cache
def times(name):
    return Times(f"{FOLDER}/{name}.json")


def seconds(algorithm, n, parameters=()):
    """None where the clock moved while it was measured."""
    return known(lambda *case: times("systems").default(*case, **dict(parameters)), algorithm, "u32", n)


def systems():
    rows = []
    for pair in PAIRS:
        cells = []
        for n in SIZES:
            theirs, ours = seconds(pair.theirs, n, pair.their_parameters), seconds(pair.ours, n, pair.our_parameters)
            cells.append(three(1e3 * theirs) + (f" ({theirs / ours:.2f})" if ours else "") if theirs else "")
        rows.append([pair.name(), f"`{pair.ours}`", *cells])
    return table(["as the paper has it", "ours", *map(size, SIZES)], rows)


def differences():
    lines = []
    for pair in PAIRS:
        measured = [(seconds(pair.theirs, n, pair.their_parameters), seconds(pair.ours, n, pair.our_parameters)) for n in SIZES if n >= SINCE]
        ratios = [theirs / ours for theirs, ours in measured if theirs and ours]
        lines.append(f"- `{pair.ours}` over {pair.name()}, {spread(ratios, 1)} times as fast: {pair.difference}.")
    return [line for one in lines for line in paragraph(one[2:], "- ", "  ")]


def errors():
    found = {}
    for run in predictions(f"{FOLDER}/systems.json", lambda run: run["n"] >= 1 << 20 and run["type"] == "u32"):
        own = [pair for pair in PAIRS if pair.theirs == run["algorithm"]
               and all(run["parameters"][name] == value for name, value in pair.their_parameters)]
        if own:
            found.setdefault(own[0].name(), []).append(run["relative_error"])
    return paragraph("Law `counted`, which saw none of these runs, mean error from 2^20, and the error that is furthest off: " + ", ".join(
        f"{name} {100 * statistics.mean(map(abs, some)):.0f} % ({100 * max(some, key=abs):+.0f} %)".replace("(-", "(−")
        for name, some in found.items()) + ". Why is not known of those far off: their kernels have no counters in `data/`.")


def elements():
    n, found = 1 << 26, times("systems")
    kinds = {"u32:u32": "pairs", "point": "points", "rational": "rationals"}

    def over_pairwise(algorithm, kind):
        return deviation(found.default(algorithm, kind, n) / found.default("sort-pairwise", kind, n) - 1)

    return paragraph("Of 2^26 elements `sort-mms` takes " + listed(
        f"{three(1e3 * found.default('sort-mms', kind, n))} ms for {name} ({over_pairwise('sort-mms', kind)} against `sort-pairwise`)"
        for kind, name in kinds.items()) + "; `sort-mms-shuffles` " + listed(
        f"{three(1e3 * found.default('sort-mms-shuffles', kind, n))} ms" for kind in kinds)
        + ". The targets were 0 for pairs and +15 % for the others, where the paper has both about even. What is left is counted: "
          "a heap's row of 8 keys takes 3.1 compare-exchanges per key and level, a merge of E keys in a thread 1.9.")


def work_space():
    found, n = times("sweeps"), 1 << 28
    by_k = {parameters["k"]: time for time, parameters in found.found["scan-sequential", "u32", "random", n]}
    return table(["k", *(size(k) for k in sorted(by_k))],
                 [["ms", *(three(1e3 * by_k[k]) for k in sorted(by_k))]])


BLOCKS = {"papers-systems": systems, "papers-differences": differences, "papers-elements": elements, "papers-errors": errors,
          "papers-work-space": work_space}
