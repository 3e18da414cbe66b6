# SPDX-License-Identifier: Apache-2.0
"""The figures in docs/radix-sorts.md."""
import functools
import re
import statistics
import sys
from datetime import datetime

from documented import baselines
from documented.data import (Errors, Times, at_least, at_most, fathom, found, item, kind_of, marked, paragraph, read_json, runs_of, table, three,
                             validated)
from documented.results import size
from documented.sorting import (INPUTS, error_cells, input_names, kernel_error, known, listed, off, parse, parse_lines, predictions,
                                regrets, spread, times_row)
from documented.targets import IN_ONE_TILE, speed

FOLDER = "h200-radix-sorts"
SHARED_ATOMICS = "h200/hardware/shared-atomics.txt"
SORTS = ("radix-onesweep", "radix-msd", "sort-splitter", "radix-lsd")
KINDS = ("u32", "u64", "u32:u32")
OTHER_KINDS = ("i32", "i64", "f32", "f64", "u64:u32", "u64:u64")
NAMES = {"u32": "`u32`", "u64": "`u64`", "u32:u32": "pairs"}
BASELINE = "cub-radix"
LARGE = 1 << 28
LARGE_SIZES = (1 << 20, 1 << 24, LARGE)


@functools.cache
def times(name):
    return Times(f"{FOLDER}/{name}.json")


@functools.cache
def kernel_times():
    """(algorithm, n) to kernel to the mean microseconds of its launches, and their number."""
    found, key = {}, None
    for algorithm, exponent, n, kernel, us, launches in parse_lines(
            r"(?:(radix-\w+) (?:2\^(\d+)|(\d+))|  (\w+) +([\d.]+) / +[\d.]+ +\((\d+)\))", f"{FOLDER}/kernel-times.txt"):
        if algorithm:
            key = (algorithm, 1 << int(exponent) if exponent else int(n))
            found[key] = {}
        else:
            found[key][kernel] = (float(us), int(launches))
    return found


def error_of_kernel(algorithm, n, kernel):
    us, launches = kernel_times()[(algorithm, n)][kernel]
    return kernel_error(algorithm, "u32", n, kernel, us * launches, launches)


def microseconds_of(algorithm, kernel, digits):
    return spread([one[kernel][0] for (name, _), one in kernel_times().items() if name == algorithm], digits)


def scan_counts():
    return paragraph("The source scans the counts of all blocks and digits with one block. Here a block per digit scans the counts of its "
                     f"digit, in {microseconds_of('radix-lsd', 'ScanCounts', 1)} µs (`kernel-times.txt`); blocks of the scatter add up "
                     "the digits' totals themselves.")


def look_back():
    file = f"{FOLDER}/look-back.txt"
    (rows,) = parse(r"^Window: states that a thread loads at a time\. u32\.\n +2\^16 .* 2\^28\n((?:\d+ .*\n)+)", file)
    window = {int(row.split()[0]): float(row.split()[-1]) for row in rows.splitlines()}
    sleeping = [(int(states), float(us)) for states, us in parse(r"^(\d+), \d+ ns .* (\d+)$", file)]
    instructions = {int(states): int(count) for states, count in parse(r"^(\d+) +[\d.]+ +(\d+) +\d+$", file)}
    ((us, fewer),) = parse(r"^sum, 4 +[\d.]+ +(\d+) +\d+ +(\d+)$", file)
    ((early, late),) = parse(r"^u32 2\^28 +(\d+) +\d+ +\d+ +(\d+) +\d+$", file)
    few = [window[states] for states in (1, 2, 4)]
    slept = max(abs(one / window[states] - 1) for states, one in sleeping)
    return item(
        "**When to look back.** A tile waits for tiles that began earlier and publish later. That the wait is neither for memory nor for "
        f"instructions was seen by changing both (`data/{file}`): loading 1, 2 or 4 states at a time makes at most "
        f"{100 * (max(few) / min(few) - 1):.0f} % of difference at 2^28, sleeping between the looks {100 * slept:.1f} %, and "
        f"{100 * (1 - int(fewer) / instructions[4]):.0f} % fewer instructions {100 * abs(int(us) / window[4] - 1):.1f} %. Looking back "
        f"after the tile's keys lie in shared memory instead of before makes `u32` {100 * (int(early) / int(late) - 1):.0f} % faster: by "
        "then most of the others have published.")


def skew():
    (run,) = predictions(f"{FOLDER}/sizes.json", lambda run: (run["algorithm"], run["n"]) == ("radix-msd", 1 << 30))
    floats = [(run["n"], run["relative_error"]) for run in predictions(
        f"{FOLDER}/types.json", lambda run: (run["algorithm"], run["type"]) == ("radix-msd", "f64") and run["n"] >= 1 << 24)]
    return item(
        "**Skew.** Buckets are too large for a block if keys are skewed or n is above 5.4·10^8. The counts of prefixes say so before anything "
        "has moved. If few elements are in such buckets, these are gathered into a list while their digits are counted, sorted there by all "
        "digits from the lowest as in `radix-onesweep`, and put back by blocks that sort other buckets; otherwise all elements go by all "
        "digits, unless few keys are frequent. How few they have to be follows from what passes over them and over all take (`RadixMsd::most_gathered()`): of large "
        "arrays two in five of 8-byte keys, a few in a hundred of 4-byte keys, and of 2^20 elements none. The kernels that "
        "do it, one per digit, are launched for every input; a fixed grid, whose blocks take tiles by ticket, ends in "
        f"{microseconds_of('radix-msd', 'SplitIfSkewed', 1)} µs where there is nothing to do. How many elements are likely to go by all "
        "digits follows from n and the shares of the input's prefixes (`prefix_shares()`), and the law prices their passes, but not that "
        f"they are gathered and put back: the prediction for 2^30 `u32`, all by all digits, is {off([run['relative_error']])}, those for "
        f"`f64`, of which one in 64 does, are {' and '.join(f'{off([error])} at {size(n)}' for n, error in floats)}.")


def frequent_keys():
    skew = times("skew")
    faster = [skew.best(BASELINE, kind, LARGE, "zipf")[0] / skew.default("radix-msd", kind, LARGE, "zipf") for kind in KINDS]
    return item(
        "**Frequent keys.** Of zipf's keys a dozen are nine in ten. Where all elements would go by all digits, and n is at least 2^24, "
        "`CountClasses` sorts a sample of 512 keys in each block. Keys of which it has several, 31 at most, are frequent, and divide the "
        "others into classes, whose keys it counts. `PlanClasses` decides by these exact counts if it pays (`ClassCosts`), and "
        "`SplitByClass`, a pass by classes in place of a digit, puts all elements into their order: those with frequent keys are at their "
        "places then, and those between them take the way of large buckets. CUB, called in the fastest way, takes "
        f"{listed(f'{one:.2f}' for one in faster)} times as long for 2^28 of zipf's `u32`, `u64` and pairs. Where the sample has no "
        "frequent keys, it was taken in vain; where the counts tell of too many rare ones, so was a pass over the keys. The law prices "
        "neither.")


def by_skew():
    skew, inputs = times("skew"), ("zipf", "entropy=0.02", "entropy=0.1", "entropy=0.2", "entropy=0.5", "entropy=0.95", "entropy=0.9986",
                                   "entropy=0.9998")
    rows = []
    for kind in KINDS:
        baseline = [skew.best(BASELINE, kind, LARGE, one)[0] for one in inputs]
        rows.append(times_row(f"`{BASELINE}` `{kind}`", baseline, None))
        rows += [times_row(f"`{one}` `{kind}`", [skew.default(one, kind, LARGE, own) for own in inputs], baseline)
                 for one in ("radix-onesweep", "radix-msd")]
    return paragraph(
        "**Skew**: milliseconds for 2^28 keys whose bits have so much entropy each (`skew.json`), of CUB in the fastest of the [ways](baselines.md) "
        "that it is called. With little of it few keys are "
        "frequent, with much of it few are in large buckets; in between `radix-msd` sorts all by all digits, and is slower than "
        "`radix-onesweep`, as it has looked at the prefixes first.") + [""] + table(
            ["", *("zipf" if one == "zipf" else one.removeprefix("entropy=") for one in inputs)], rows)


def measured():
    origin = read_json(f"data/{FOLDER}/sizes.json")["provenance"]
    commits = {read_json(f"data/{FOLDER}/{name}.json")["provenance"]["commit"] for name in ("sizes", "inputs", "skew", "grid", "types")}
    if commits != {origin["commit"]}:
        sys.exit(f"data/{FOLDER} has runs of {commits}: say which are of which")
    date = datetime.fromisoformat(origin["date"].replace("Z", "+00:00"))
    return paragraph(
        f"Milliseconds for random keys at default parameters, from `data/{FOLDER}/`, which `scripts/campaigns/measure-radix-sorts` made in "
        f"one run on {date.day} {date:%B %Y} (commit {origin['commit']}, driver {origin['driver']}, CUDA toolkit {origin['toolkit']}); "
        "in brackets CUB's time over it. Best of the grid: the fastest set of parameters in `grid.json`. Runs of `radix-single` with up to 2,048 "
        "elements in `sizes.json` are those of `grid.json`, as the campaign ran others with parameters that were not meant as defaults.")


def fastest_of_grid(algorithm, kind, n):
    return times("grid").best(algorithm, kind, n)[0]


def by_size():
    columns = [("u32", 1 << exponent) for exponent in (16, 20, 24, 28)]
    columns += [(kind, 1 << exponent) for kind in KINDS[1:] for exponent in (16, 24, 28)]
    sizes = times("sizes")
    baseline = [sizes.default(BASELINE, *one) for one in columns]
    rows = [times_row(f"`{BASELINE}`", baseline, None)]
    for algorithm in (*SORTS, "radix-tiled"):
        rows.append(times_row(f"`{algorithm}`", [sizes.default(algorithm, *one) for one in columns], baseline))
        if algorithm in SORTS:
            rows.append(times_row("… best of the grid", [known(fastest_of_grid, algorithm, *one) for one in columns], baseline))
    return table(["", *(f"`{kind}` {size(n)}" for kind, n in columns)], rows)


def against_cub():
    sizes, inputs, types = (times(name) for name in ("sizes", "inputs", "types"))

    def ratios(algorithm, kinds, least, most=1 << 30):
        return [speed(sizes, algorithm, BASELINE, kind, n) for kind in kinds for n in sizes.sizes(algorithm, kind, least, most)]

    def against_fastest(kind, n):
        return baselines.ratio("h200", BASELINE, "radix-onesweep", kind, n)

    onesweep = [f"{NAMES[kind]} " + " and ".join(at_least(target, against_fastest(kind, n)) for n in (LARGE, LARGE - (1 << 16)))
                for kind, target in (("u32", 1), ("u32:u32", 1), ("u64", 1.05))]
    least, least_kind, least_n = min((against_fastest(kind, n), kind, n) for kind in KINDS for n in baselines.sizes() if n >= 1 << 16)
    other, kind, n = min((speed(types, "radix-onesweep", BASELINE, kind, n), kind, n)
                         for kind in OTHER_KINDS for n in types.sizes("radix-onesweep", kind))
    msd = [at_least(1.6, speed(sizes, "radix-msd", BASELINE, "u64", LARGE)),
           *(at_least(0.9, speed(inputs, "radix-msd", BASELINE, "u64", LARGE, pattern)) for pattern in ("zipf", "sorted"))]
    lsd = [sizes.default(BASELINE, kind, n) / fastest_of_grid("radix-lsd", kind, n) for kind in KINDS for n in LARGE_SIZES]
    splitter = ratios("sort-splitter", KINDS, 1 << 20, LARGE)
    largest = [f"{three(1e3 * sizes.default(one, 'u32', 1 << 30))} ms with {f'`{one}`' if one != BASELINE else 'CUB'}"
               for one in (BASELINE, "radix-onesweep", "radix-msd", "sort-splitter")]
    return (item("**`radix-onesweep`** should be as fast as CUB for `u32` (1.1 times if possible) and pairs, 1.05 times as fast for `u64`, at "
                 "2^28 and 2^28 − 2^16, and nowhere 5 % slower from 2^16. With default parameters the time of [CUB's fastest way](baselines.md) "
                 f"over its own is {', '.join(onesweep)}, and from 2^16 at least {at_least(0.95, least)} (`{least_kind}`, "
                 f"{baselines.in_words(least_n)}). Of the other types `{kind}` has the least, against a 64-bit n: {at_least(0.95, other)} "
                 f"at {size(n)}.")
            + item("**`radix-msd`** should be 1.6 times as fast as CUB for random `u64` at 2^28 (2.0 if possible) and 0.9 times on zipf and "
                   f"sorted keys. Reached: {listed(msd)}. Random `f64` should be sorted 1.8 times as fast: at 2^28, "
                   "against CUB with n of 64 bits, the faster of two versions, "
                   f"{at_least(1.8, baselines.ratio('h200', BASELINE, 'radix-msd', 'f64', LARGE))}.")
            + item("**`radix-lsd`** should reach 0.4 with its best parameters, **`sort-splitter`** 0.5. At 2^20, 2^24 and 2^28 `radix-lsd` "
                   f"reaches {marked(spread(lsd), min(lsd) >= 0.4)}, and with default parameters, from 2^20 to 2^28, at least "
                   f"{min(ratios('radix-lsd', KINDS, 1 << 20)):.2f}; `sort-splitter` reaches {marked(spread(splitter), min(splitter) >= 0.5)} "
                   "there.")
            + item(f"Above 2^28: 2^30 `u32` take {listed(largest)}."))


def few_elements():
    sizes, small = times("sizes"), [1 << exponent for exponent in range(8, 15)]
    rows = []
    for kind in KINDS:
        baseline = [sizes.default(BASELINE, kind, n) for n in small]
        show = "{:.1f}".format
        rows.append(times_row(f"`{BASELINE}` `{kind}`", baseline, None, 1e6, show))
        rows.append(times_row(f"`radix-single` `{kind}`", [sizes.default("radix-single", kind, n) for n in small], baseline, 1e6, show))
        rows.append(times_row(f"`sort-splitter` `{kind}`",
                              [known(sizes.default, "sort-splitter", kind, n) for n in small], baseline, 1e6, show))
    within = [speed(sizes, "radix-single", BASELINE, kind, n) for kind in KINDS for n in small if n <= IN_ONE_TILE]
    return paragraph(f"**Few elements**, in microseconds. Where all are in its tile, up to {IN_ONE_TILE:,}, `radix-single` should be faster than CUB. "
                     f"It is {marked(spread(within), min(within) >= 1)} times as fast.") + [""] + table(["", *(f"{n:,}" for n in small)], rows)


def slowest_input(algorithms, n):
    """How many times as long as on random keys, on the worst input."""
    inputs = times("inputs")
    return max((inputs.default(algorithm, kind, n, pattern) / inputs.default(algorithm, kind, n), algorithm, kind, pattern)
               for algorithm in algorithms for kind in KINDS for pattern in inputs.orders(algorithm, kind, n))


def by_input():
    inputs = times("inputs")
    longer, algorithm, kind, pattern = slowest_input(SORTS, LARGE)
    longer_24, algorithm_24, kind_24, pattern_24 = slowest_input(SORTS, 1 << 24)
    least, slow, slow_kind, slow_pattern = min((speed(inputs, one, BASELINE, kind, LARGE, pattern), one, kind, pattern)
                                               for one in ("radix-onesweep", "radix-msd") for kind in KINDS for pattern in INPUTS)
    splitter = [(100 * (ratio - 1), kind, pattern) for ratio, _, kind, pattern in (
        slowest_input(("sort-splitter",), n) for n in (LARGE, 1 << 24))]
    rows = []
    for one_kind in KINDS:
        baseline = [inputs.default(BASELINE, one_kind, LARGE, one) for one in INPUTS]
        rows.append(times_row(f"`{BASELINE}` `{one_kind}`", baseline, None))
        rows += [times_row(f"`{one}` `{one_kind}`", [inputs.default(one, one_kind, LARGE, own) for own in INPUTS], baseline) for one in SORTS]
    return paragraph(
        "**Inputs**: milliseconds for 2^28 keys, default parameters. The slowest against random keys is "
        f"{pattern} `{kind}` with `{algorithm}`, which takes {longer:.1f} times as long (at 2^24 {pattern_24} `{kind_24}` with "
        f"`{algorithm_24}`: {longer_24:.1f} times). Of `radix-onesweep` and `radix-msd` the slowest against CUB is {slow_pattern} "
        f"`{slow_kind}` with `{slow}`: {least:.2f}. `sort-splitter`, to which 10 % are allowed, takes at most "
        f"{at_most(10, splitter[0][0], 0)} % longer than on random keys ({splitter[0][2]} `{splitter[0][1]}`), and "
        f"{at_most(10, splitter[1][0], 0)} % at 2^24 ({splitter[1][2]} `{splitter[1][1]}`). All keys equal take `radix-onesweep` a "
        "histogram and one pass.") + [""] + table(["", *input_names()], rows)


def by_type():
    types, n = times("types"), 1 << 26
    baseline = [types.default(BASELINE, kind, n) for kind in OTHER_KINDS]
    return table(["", *(f"`{kind}`" for kind in OTHER_KINDS)],
                 [times_row(f"`{BASELINE}`", baseline, None),
                  *(times_row(f"`{one}`", [types.default(one, kind, n) for kind in OTHER_KINDS], baseline) for one in SORTS)])


def errors():
    comparison = validated(f"{FOLDER}/sizes.json")
    each = Errors.of(comparison).by_algorithm
    rows = [[f"`{one}`", *error_cells(comparison, one, KINDS, 10), at_most(10, 100 * each[one])] for one in (*SORTS, "radix-tiled")]
    return table(["", *(f"`{kind}`" for kind in KINDS), "mean of all"], rows) + [""] + paragraph(
        f"The mean over the algorithms should be at most 6 %, and each at most 10 %. It is "
        f"{at_most(6, 100 * statistics.mean(each.values()))} %; what is above 10 % is bold.")


def chosen():
    file, rows = f"{FOLDER}/grid.json", []
    found = regrets(file)
    for algorithm in SORTS:
        sets = {}
        for run in predictions(file, lambda run: run["algorithm"] == algorithm):
            sets[(run["type"], run["n"])] = sets.get((run["type"], run["n"]), 0) + 1
        worst = max(found[algorithm], key=lambda one: one["regret"])
        mean = statistics.mean(one["regret"] for one in found[algorithm])
        rows.append([f"`{algorithm}`", spread(sets.values(), 0, "or"), ", ".join(size(n) for n in sorted({n for _, n in sets})),
                     at_most(4, 100 * mean), at_most(4, 100 * worst["regret"]), f"`{worst['type']}`, {size(worst['n'])}"])
    return table(["", "sets", "sizes", "slower by, %: mean", "worst", "at"], rows)


def defaults_of_onesweep():
    def slower(n):
        return [100 * (times("sizes").default("radix-onesweep", kind, n) / fastest_of_grid("radix-onesweep", kind, n) - 1)
                for kind in KINDS]

    return paragraph(f"The defaults of `radix-onesweep` are at most {max(slower(1 << 24) + slower(LARGE)):.0f} % slower than the fastest set "
                     f"at 2^24 and 2^28, {spread(slower(1 << 20), 0)} % at 2^20, where smaller tiles are better. What is known about the "
                     "misses:")


def resumed(kernel):
    """Per cent of the sectors where two runs meet that were evicted, by type; written-in-parts.txt has a kernel's rows together."""
    rows = parse(r"^  ([A-Z]\w+|\([\w-]+\)|) +(u32:u32|u32|u64) +[\d.]+ +([\d,]+) +([\d,]+)$", f"{FOLDER}/written-in-parts.txt")
    shares, current = [], None
    for name, _, meeting, evicted in rows:
        current = name if re.match(r"\w", name) else current
        if current == kernel:
            shares.append(100 * int(evicted.replace(",", "")) / int(meeting.replace(",", "")))
    if not shares:
        sys.exit(f"written-in-parts.txt does not have {kernel}")
    return shares


def sectors_in_parts():
    others = [share for one in ("SplitByDigit", "ScatterTiles", "ScatterToBuckets") for share in resumed(one)]
    return item(
        "**Sectors in parts.** A run of keys that begins within a sector of 32 bytes shares it with the run before. The L2 evicts "
        "sectors that are not whole before others; then DRAM has to read, and write, them again. In `radix-lsd`, whose blocks come back "
        f"to such a sector a tile later, that happens to {spread(resumed('RankAndScatter'), 0)} % of them. The experiment, and what one "
        "costs, are in `written-in-parts.txt`; the law has it as `dram.resumed` ([the law](law.md)). In the others, whose neighbouring "
        f"blocks write the two parts at about the same time, it is {spread(others, 1)} % at default parameters. The law does not know "
        "when they write, and takes it to be none.")


def tried():
    trials = f"{FOLDER}/trials.txt"
    in_any_order, stable = (int(found(rf"\nu32, {which} pass.*? (\d{{3}})(?= )", trials)) for which in ("first", "second"))
    usual, large = found(r"\nu32:u32  2\^28 +([\d.]+) .* ([\d.]+)(?=\n)", trials)
    late = found(r"\n\.\.\. late .* ([\d.]+)(?=\n)", trials)
    before, unproven, compared = (found(rf"\n{row}  .*?  [\d.]+ +[\d.]+ +([\d.]+) (?=.*\n)", trials) for row in (0, 3, 6))
    pairs_before, pairs_unproven, proven = (found(rf"\n{row} .* ([\d.]+)(?=\n)", trials) for row in (
        r"0 +3\.2265", r"3 +2\.7510", "3, with lists known, and the order"))
    as_it_is, ahead, by_ticket = (found(
        r"The next tile ahead[\s\S]*?Second run:[\s\S]*?\n" + row + r" +[\d.]+ +([\d.]+) +([\d.]+) +[\d.]+ +[\d.]+ +([\d.]+) ", trials)
        for row in ("as it is", "in turn, ahead", "by ticket, ahead"))
    in_parts, whole = (found(rf"Whole sectors alone[\s\S]*?\n{row} +[\d.]+ +([\d.]+) ", trials) for row in ("in turn, ahead", r"\.\.\. whole"))
    pairs_as_they_are = found(r"Records packed[\s\S]*?\n2\^28, as it is .* ([\d.]+)(?=\n)", trials)
    packed, packed_ahead = (found(rf"Records packed[\s\S]*?\n2\^28, {row} +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+) ", trials)
                            for row in ("packed", "packed, in turn, ahead"))
    cub_of_packed = found(r"Records packed[\s\S]*? ([\d.]+) ms at 2\^28\.", trials)
    in_groups = found(r"Of ([\d.]+)e9 values that", trials)
    in_rows = found(r"all ([\d.]+)e9 values", trials)
    return paragraph(
        "**Seen, not promised.** Nothing says in which order an atomic lets the lanes of a warp at a word. On an H200 none of "
        f"{in_groups}·10^9 atomics on digits of 0 to 8 bits came ahead of one of a lower lane, and where several followed each other, all {in_rows}·10^9 "
        f"returned what counting lane after lane does (`data/{trials}`). So ranks are as they should be, but each sort makes sure. A sort "
        f"of 1.9·10^8 `u32` by `radix-onesweep` in blocks of 512 threads with 22 elements each took {before} ms before, {unproven} if nothing makes sure, and {compared} with keys "
        f"compared, and whole tiles written without a branch per key; one of pairs, 512 threads with 32 elements each, {pairs_before}, {pairs_unproven} and, proven, {proven}.") + [""] + paragraph(
        "**In any order.** Keys alone that are sorted by all their bits need no order among equal digits in the first pass of `radix-onesweep` and "
        "`radix-msd`, since later passes put them into the one order that there is. So one atomic on a "
        "row of words for the whole block counts a key and returns its rank (`block/radix/rank_in_any_order.h`): in blocks of 384 threads with 18 elements each "
        f"that of `radix-msd` over 1.9·10^8 `u32` took "
        f"{in_any_order} µs, the second, whose lanes then found each other by bits in a word, {stable} (`trials.txt`).") + [""] + paragraph(
        "**Values late.** A tile's values are loaded once its keys lie in shared memory, and while it waits for earlier tiles: fewer registers, "
        f"and so larger tiles. In a trial (`trials.txt`) blocks of 512 threads with 32 elements each made a sort of 2^28 pairs by `radix-msd` take {large} "
        f"instead of {usual} ms, and {late} with values loaded late. Few elements have small tiles, so that more blocks take part.") + [""] + paragraph(
        "**Tried, and not in the project** (`trials.txt`): ranking by ballots, with the three "
        "instructions that each takes at least, made no sort faster: it moves the load from shared memory to the arithmetic pipe. A block that has the tile 264 "
        "further brought into the L2 makes sorts of `u32` 3 % faster, those of `u64` and of pairs 5 to 19 % slower. Blocks that stay, and load their "
        "next tile while they wait for the tiles before the present one, take for 1.9·10^8 `u32` (384 threads, 28 elements each), `u64` (256, 32) and pairs (512, 32) "
        f"{', '.join(ahead)} ms in place of {', '.join(as_it_is)}, if block b takes tiles b, b + blocks and so on, for which all blocks have to be resident at once. With "
        f"tiles by ticket it is {', '.join(by_ticket)} ms. Runs of whole sectors alone, with wrong outputs, make the sort of those `u64` take {whole} in place of "
        f"{in_parts} ms: where neighbours soon write the other part of a sector, handing it on instead would save little. Pairs that are one word of 8 bytes "
        f"between the first pass and the last take {packed} ms at 2^28 in blocks of 384 threads with 20 elements each, and {packed_ahead} if blocks also stay, in place of "
        f"{pairs_as_they_are} in blocks of 512 with 32; CUB takes {cub_of_packed} in the same run. So both together would not make them 1.3 times as fast as CUB. In former kernels, leaving parts "
        "out showed that more than half of a pass over 32-bit keys was the ranking, and a tenth the wait for the tiles before.")


def odd_elements():
    file = "h200-defaults/radix-inputs.json"

    def taken(kind, threads, elements):
        own = {run["input"]: three(1000 * statistics.median(run["seconds"])) for run in runs_of(file) if (
            kind_of(run), run["n"], run["parameters"]["t"], run["parameters"]["E"]) == (kind, LARGE, threads, elements)}
        return f"{own['random']} ms if random and {own['sorted']} if sorted"

    return item(
        "**Odd numbers of elements per thread.** A tile has about as many elements of each digit if digits are spread evenly. Of sorted keys, neighbours in the input often "
        "have neighbouring digits, so their places in shared memory are as far apart as a digit has elements. Of 512 threads with 32 elements each that is 64, "
        f"and all lanes of a warp meet in one bank: 2^28 pairs take {taken('u32:u32', 512, 32)}, and with 31 elements each "
        f"{taken('u32:u32', 512, 31)}. So do those of `u64` with 256 threads: {taken('u64', 256, 32)} with 32 elements, {taken('u64', 256, 31)} with 31 (`data/{file}`).")


def finish():
    before = found(r"Before, the sort of 2\^28 took ([\d.]+) ms", f"{FOLDER}/bucket-kernels.txt")
    now = three(1000 * times("sizes").default("radix-msd", "u32:u32", LARGE))
    return item(
        "**Finish.** A block takes as many of a bucket's next bits as tell its keys about apart, counts each key in the word of its value by an "
        "atomic, which returns its rank among those of the value, and finds from the sums where these begin; then each thread puts the keys of some "
        "neighbouring values in order by insertion (`block/radix/value_sort.h`). Keys alone need no order among equals. For a record a word takes the place "
        "of its key: the bits in which a thread's keys may differ, and where the record was in the bucket (`block/radix/record_sort.h`). So equal keys keep "
        "their order, and keys and values are gathered from there at the end. Two stable digits take up to twice the accesses to shared memory; "
        f"with them the sort of 2^28 pairs took {before} ms on one H200 (`bucket-kernels.txt`); by counting it takes {now} on another. Sorts by some bits "
        "of the keys, and buckets of which too many keys share their next bits, are sorted by 16 more bits. Elements that agree in these look at each "
        "other for their places; a bucket with more than 16 of them together is sorted by all its digits.")


def misses():
    file = f"{FOLDER}/grid.json"
    onesweep = predictions(file, lambda run: run["algorithm"] == "radix-onesweep")

    def furthest(runs):
        return min(runs, key=lambda run: run["relative_error"])

    small_tiles = furthest(run for run in onesweep if run["type"] == "u32:u32" and run["n"] >= 1 << 24 and run["parameters"]["t"] == 256)
    (picked,) = [one["picked"] for one in regrets(file)["radix-onesweep"] if (one["type"], one["n"]) == ("u32:u32", LARGE)]
    single_wave = furthest(run for run in onesweep if run["n"] == 1 << 20)
    parts = f"{FOLDER}/written-in-parts.txt"
    evicted = dict(zip(("blocks", "us", "law", "share"), found(r"\n +256 +20 +(\d) +([\d.]+) +(\d+) .* ([\d.]+)(?=\n)", parts)))
    fewer = dict(zip(("blocks", "us", "share"), found(r"\n +256 +20 +(\d) +\+30000 +([\d.]+) .* ([\d.]+)(?=\n)", parts)))
    slow = max(onesweep, key=lambda run: run["relative_error"])
    buckets = f"{FOLDER}/bucket-kernels.txt"

    def instructions(loops, kind):
        return found(rf"\n  {loops} loops?, +{kind} +[\d,]+ +(\d+) .*\n +counted +(\d+) ", buckets)

    two_loops, one_loop = {kind: instructions("two", kind) for kind in ("u32", "u32:u32")}, instructions("one", "u32")
    atomics = found(r"\n  on random words .* ([\d.]+) +([\d.]+) +[\d.]+(?=\n)", SHARED_ATOMICS)
    of_keys = [run["relative_error"] for run in predictions(f"{FOLDER}/sizes.json", lambda run: (
        run["algorithm"] == "radix-msd" and run["type"] in KINDS and 1 << 20 <= run["n"] <= LARGE))]
    count = [error_of_kernel("radix-lsd", n, "CountDigits") for n in (1 << 26, LARGE)]
    warm = warm_times()
    histograms = [(kernel_error("radix-onesweep", "u32", n, "DigitHistograms", warm[n], 1), n) for n in (1 << 22, 1 << 20)]
    single = [run["relative_error"] for run in predictions(f"{FOLDER}/sizes.json", lambda run: (
        run["algorithm"] == "radix-single" and run["n"] <= IN_ONE_TILE))]
    (registers,) = {kernel["registers_per_thread"] for run in runs_of(f"{FOLDER}/sizes.json")
                    if (run["algorithm"], run["type"]) == ("radix-lsd", "u32") for kernel in run["kernels"] if "CountDigits" in kernel["name"]}
    return (
        sectors_in_parts()
        + item(f"**`radix-lsd`**: `CountDigits` comes out {off(count)} from 2^26 elements (`kernel-times.txt`). It loads its keys in four "
             f"batches per tile, since the compiler gives it {registers} registers.")
        + item("**Look-back.** A tile that runs alone finds its predecessor's sum at once, as in the counting executor, whose blocks run one "
               "after another; on the GPU it waits. For pairs in tiles of 256 threads the law is up to "
               f"{off([small_tiles['relative_error']])} at 2^24 and above, where `tune` therefore takes small tiles for the fastest (t = "
               f"{picked['t']}, E = {picked['E']} at 2^28). A part of it is sectors in parts: with "
               f"{evicted['blocks']} blocks of t = 256, E = 20 on a multiprocessor {evicted['share']} % of those where two runs meet are evicted, and a "
               f"pass takes {float(evicted['us']):.0f} µs, of which the law has {evicted['law']}; with shared memory for {fewer['blocks']} it is "
               f"{fewer['share']} % and {float(fewer['us']):.0f} µs (`written-in-parts.txt`, 4). Nothing says how many evictions there will be, "
               f"and what the rest is. At 2^20, with a single wave of tiles, it is up to {off([single_wave['relative_error']])}.")
        + item("**Few blocks.** Where only few blocks fit on a multiprocessor the law is slow, at most by "
               f"{100 * slow['relative_error']:.0f} % (`{slow['type']}` at {size(slow['n'])}, t = {slow['parameters']['t']}, E = "
               f"{slow['parameters']['E']}: {resident_blocks(slow)}).")
        + item("**Histograms.** All blocks of `DigitHistograms` end with atomics on the same 8 KiB. With the rate of atomics on so few "
               "bytes, which the law takes to come all at once, it comes out "
               + listed(f"{off([error])} at {size(n)}" for error, n in histograms) + " (`kernel-counters.txt`).")
        + item(f"**`radix-msd`**: sorts "
               f"come out {off([min(of_keys)])} at most from 2^20 elements, and {100 * statistics.mean(map(abs, of_keys)):.1f} % off in the mean. It was more "
               "when a thread put the keys of a bucket in order by two loops, one within the other: lanes of a warp wait in each round of the outer one for the lane "
               "that goes through the inner one most often, and the executor counts this as often as the busiest lane of all rounds goes through it. "
               + listed(f"of {instructions} million instructions for 1.9·10^8 {NAMES[kind]} it counted {counted}"
                        for kind, (instructions, counted) in two_loops.items()).capitalize()
               + f" (`bucket-kernels.txt`, 6). In a trial with one loop, which buckets have today, it counted {one_loop[1]} of {one_loop[0]} for `u32`. "
               "Shared atomics were not the cause, although they return a value: on "
               f"random words they take {atomics[1]} clocks of a full multiprocessor, stores {atomics[0]} (`data/{SHARED_ATOMICS}`).")
        + item(f"**`radix-single`** comes out {off(single)} within its tile. It crosses `radix-onesweep` at "
               + listed(f"{crossing(kind, crosses_measured):,} {NAMES[kind]}" for kind in KINDS)
               + " (between the sizes measured, interpolated); predicted are "
               + listed(f"{crossing(kind, crosses_predicted):,}" for kind in KINDS) + "."))


def resident_blocks(predicted):
    (run,) = [one for one in runs_of(f"{FOLDER}/grid.json") if all(one[key] == predicted[key] for key in ("algorithm", "type", "n", "parameters"))]
    (blocks,) = {one["resident_blocks_per_multiprocessor"] for one in run["kernels"] if "SplitByDigit" in one["name"]}
    return "one block" if blocks == 1 else f"{blocks} blocks"


def warm_times():
    """n to the microseconds of radix-onesweep's DigitHistograms with warm caches."""
    return {1 << int(exponent): float(us) for exponent, us in parse(
        r"^radix-onesweep u32 2\^(\d+)\n  DigitHistograms +\d+ +([\d.]+) ", f"{FOLDER}/kernel-counters.txt")}


CROSSING = range(2048, 16385, 50)


def crossing(kind, seconds):
    """The first of CROSSING at which radix-onesweep is faster than radix-single, to 50 elements."""
    single, onesweep = seconds("radix-single", kind), seconds("radix-onesweep", kind)
    first = next(n for n, one, other in zip(CROSSING, single, onesweep) if one > other)
    return round(first / 50) * 50


def crosses_predicted(algorithm, kind):
    answer = fathom("predict", algorithm, "-n", ",".join(map(str, CROSSING)), "--type", kind, "--device", "h200", "--law", "counted")
    return [one["time_s"] for one in answer["points"]]


def crosses_measured(algorithm, kind):
    sizes = times("sizes")
    measured_at = sizes.sizes(algorithm, kind)

    def between(n):
        below, above = max(one for one in measured_at if one <= n), min(one for one in measured_at if one > n)
        share = (n - below) / (above - below)
        return (1 - share) * sizes.default(algorithm, kind, below) + share * sizes.default(algorithm, kind, above)

    return [between(n) for n in CROSSING]


BLOCKS = {"radix-scan-counts": scan_counts, "radix-look-back": look_back, "radix-odd-elements": odd_elements, "radix-skew": skew, "radix-frequent": frequent_keys, "radix-by-skew": by_skew, "radix-measured": measured,
          "radix-sizes": by_size, "radix-against-cub": against_cub, "radix-few-elements": few_elements, "radix-inputs": by_input,
          "radix-types": by_type, "radix-errors": errors, "radix-chosen": chosen, "radix-defaults": defaults_of_onesweep,
          "radix-misses": misses, "radix-tried": tried, "radix-finish": finish}
