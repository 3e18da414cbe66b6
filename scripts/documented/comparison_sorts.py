# SPDX-License-Identifier: Apache-2.0
"""The figures in docs/comparison-sorts.md."""
import functools
import statistics

from documented import baselines
from documented.data import Errors, Times, at_least, at_most, is_default, item, paragraph, read_json, table, three, validated
from documented.results import size
from documented.sorting import (INPUTS, error_cells, input_names, kernel_error, known, listed, off, parse, parse_lines, predictions,
                                regrets, spread, times_row)
from documented.targets import speed

FOLDER = "h200-merge-sorts"
FAMILY = ("sort-bitonic", "sort-warp", "sort-pairwise", "sort-conflict-free", "sort-multiway", "sort-mms", "sort-kway")
KINDS = ("u32", "u64", "u32:u32", "u32:u32 stable")
NAMES = {"u32": "`u32`", "u64": "`u64`", "u32:u32": "pairs", "u32:u32 stable": "stable pairs"}
BASELINE = "cub-merge"


@functools.cache
def times(name):
    return Times(f"{FOLDER}/{name}.json")


def by_size():
    columns = [("u32", n) for n in (1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 28)]
    columns += [(kind, n) for kind in KINDS[1:] for n in (1 << 26, 1 << 28)]
    sizes, grid = times("sizes"), times("grid")
    baseline = [sizes.default(BASELINE, *one) for one in columns]
    rows = [times_row(f"`{BASELINE}`", baseline, None)]
    rows += [times_row(f"`{algorithm}`", [known(sizes.default, algorithm, *one) for one in columns], baseline)
             for algorithm in FAMILY]
    rows.append(times_row("the same, best of the grid", [known(lambda *case: grid.best(*case)[0], "sort-kway", *one)
                                                        for one in columns], baseline))
    labels = {"u32:u32 stable": "stable"}
    return table(["", *(f"`{kind}` {size(n)}" if kind not in labels else f"{labels[kind]} {size(n)}" for kind, n in columns)],
                 rows)


def against_cub():
    sizes, grid = times("sizes"), times("grid")

    def best(kind, n):
        found = [known(time, "sort-kway", kind, n) for time in (sizes.default, lambda *case: grid.best(*case)[0])]
        return sizes.default(BASELINE, kind, n) / min(filter(None, found))

    def fastest(kind, n):
        """The fastest of the family at default parameters."""
        return min((time, one) for one in FAMILY if (time := known(sizes.default, one, kind, n)))

    def lead(kind, n):
        return sizes.default(BASELINE, kind, n) / fastest(kind, n)[0]

    def reached(kind, target):
        return NAMES[kind] + " " + " and ".join(at_least(target, best(kind, n)) for n in (1 << 26, 1 << 28))

    u32 = [f"{speed(sizes, 'sort-kway', BASELINE, 'u32', n):.2f}" for n in (1 << 26, 1 << 28)]
    large = {kind: [(lead(kind, n), n) for n in sizes.sizes(BASELINE, kind, 1 << 16)] for kind in KINDS}
    least = {kind: min(found) for kind, found in large.items()}
    small = [lead("u64", n) for n in sizes.sizes(BASELINE, "u64", 0, (1 << 16) - 1)]
    u64 = best("u64", 1 << 16)
    from_3e5 = min(ratio for ratio, n in large["u64"] if n >= 300_000)
    return (
        item("**Against CUB**, whose merge sort is always stable, the fastest of the family should reach 1.35 for `u32` and `u64` at "
             "2^26 and 2^28, and 1.2 for pairs. With the best parameters of the grid, stable pairs with the default ones, `sort-kway` "
             "reaches " + ", ".join(reached(kind, target) for kind, target in zip(KINDS, (1.35, 1.35, 1.2, 1.2)))
             + f". With default parameters `u32` reaches {listed(u32)}.")
        + item("**From 2^16 up** the least ratio of CUB's time to that of the fastest of the family with default parameters is "
               + ", ".join(f"{least[kind][0]:.2f} for {NAMES[kind]} (at {size(least[kind][1])})" for kind in KINDS)
               + f". For `u64` it is {from_3e5:.2f} from 3·10^5, and {u64:.2f} at 2^16 with the best parameters of the grid; below, "
                 f"from 2^10, it is {spread(small)}.")
        + item(f"Of 2^16 `u32` keys `{fastest('u32', 1 << 16)[1]}` is the fastest of the family, of 2^10 `{fastest('u32', 1 << 10)[1]}`."))


def splitter():
    """By the fastest way to call CUB, for n from 2.9e7 to 2^28."""
    large = [n for n in baselines.sizes() if n > 1 << 24]
    found = {kind: baselines.ratios_at("h200", BASELINE, "sort-splitter", kind, large) for kind in KINDS[:3]}
    return paragraph("[`sort-splitter`](radix-sorts.md), a distribution sort that compares keys, is not stable, and faster than all of these: "
                     f"from {baselines.in_words(int(large[0]))} to {baselines.in_words(int(large[-1]))} elements it is "
                     + ", ".join(f"{spread(ratios)} times as fast as CUB's merge sort for {NAMES[kind]}" if kind == "u32" else
                                 f"{spread(ratios)} for {NAMES[kind]}" for kind, ratios in found.items())
                     + " ([the fastest way to call it](baselines.md), default parameters).")


def by_input():
    inputs, n = times("inputs"), 1 << 26
    rows = [[f"`{one}`", *(three(1e3 * inputs.default(one, "u32", n, pattern)) for pattern in INPUTS)] for one in (BASELINE, *FAMILY)]
    wide = {"random", "conflict-heavy"}
    rows.insert(-1, ["`sort-mms`, E = 32", *(three(1e3 * inputs.default("sort-mms", "u32", n, pattern, E=32, t=64))
                                             if pattern in wide else "" for pattern in INPUTS)])
    return table(["", *input_names()], rows)


def slowed_by_input():
    inputs, n = times("inputs"), 1 << 26

    def slower(algorithm, pattern="conflict-heavy"):
        return 100 * (inputs.default(algorithm, "u32", n, pattern) / inputs.default(algorithm, "u32", n) - 1)

    def worst(algorithm):
        return max(slower(algorithm, pattern) for pattern in INPUTS)

    cub = inputs.default(BASELINE, "u32", n, "conflict-heavy")
    mms = inputs.default("sort-mms", "u32", n, "conflict-heavy", E=32, t=64)
    free = slower("sort-conflict-free")
    return paragraph(
        f"There `sort-pairwise` takes {slower('sort-pairwise'):.0f} % longer than on random keys, `sort-kway` {slower('sort-kway'):.0f} % "
        f"(and is {speed(inputs, 'sort-kway', BASELINE, 'u32', n, 'conflict-heavy'):.2f} times as fast as CUB) "
        f"and CUB {slower(BASELINE):.0f} %. `sort-conflict-free` takes {abs(free):.0f} % {'longer' if free > 0 else 'less'} and is "
        f"{speed(inputs, 'sort-conflict-free', BASELINE, 'u32', n, 'conflict-heavy'):.2f} times as fast as CUB, `sort-mms` with E = 32 "
        f"{cub / mms:.2f} times. On its worst input `sort-mms` takes {worst('sort-mms'):.0f} % longer than on random keys, "
        f"`sort-multiway` {worst('sort-multiway'):.0f} %.")


def by_type():
    types, n = times("types"), 1 << 26
    kinds = ("i32", "i64", "f32", "f64", "point", "rational", "u64:u32", "u64:u64", "u64:u32 stable", "u64:u64 stable")
    baseline = [types.default(BASELINE, kind, n) for kind in kinds]
    rows = [times_row(f"`{BASELINE}`", baseline, None)]
    rows += [times_row(f"`{one}`", [known(types.default, one, kind, n) for kind in kinds], baseline)
             for one in ("sort-pairwise", "sort-mms", "sort-kway")]
    return table(["", *(f"`{kind.split()[0]}`" + " stable" * ("stable" in kind) for kind in kinds)], rows)


def large():
    runs = [one for one in read_json(f"data/{FOLDER}/large.json")["runs"] if one["checked"]]
    by_n = {n: sorted({one["algorithm"] for one in runs if one["n"] == n}) for n in sorted({one["n"] for one in runs})}
    return paragraph("Checked runs of more `u32` are in `large.json`: "
                     + "; ".join(f"{size(n)} by {listed(f'`{one}`' for one in found)}" for n, found in by_n.items()) + ".")


def errors():
    comparison = validated(f"{FOLDER}/sizes.json")
    mean = statistics.mean(Errors.of(comparison, types=("u32", "u64")).by_algorithm.values())
    rows = [[f"`{one}`", *error_cells(comparison, one, KINDS, 10)] for one in FAMILY]
    return table(["", *(f"`{kind}`" if "stable" not in kind else "stable" for kind in KINDS)], rows) + [""] + paragraph(
        f"The mean over the algorithms, `u32` and `u64`, should be at most 6 %: it is {at_most(6, 100 * mean)} %. A mean above "
        "10 %, the target of each, is bold.")


def errors_by_input():
    rows = []
    for one in FAMILY:
        cells = []
        for pattern in INPUTS:
            found = [abs(run["relative_error"]) for run in predictions(f"{FOLDER}/inputs.json", lambda run: (
                run["algorithm"], run["input"]) == (one, pattern) and is_default(run))]
            cells.append(at_most(10, 100 * statistics.mean(found), 0))
        rows.append([f"`{one}`", *cells])
    return table(["", *input_names()], rows)


def errors_by_type():
    found = {}
    for run in predictions(f"{FOLDER}/types.json", is_default):
        found.setdefault((run["algorithm"], run["type"]), []).append(abs(run["relative_error"]))
    worst = sorted(((statistics.mean(shares), *key) for key, shares in found.items()), reverse=True)[:4]
    return paragraph("Of the other types (`types.json`) these have the largest mean errors: "
                     + ", ".join(f"`{kind}` of `{algorithm}` {100 * mean:.0f} %" for mean, algorithm, kind in worst) + ".")


def chosen():
    file, rows = f"{FOLDER}/grid.json", []
    for algorithm, found in sorted(regrets(file).items()):
        for kind in [one for one in KINDS if one in {own["type"] for own in found}]:
            own = [one for one in found if one["type"] == kind]
            shares = [abs(run["relative_error"]) for run in predictions(
                file, lambda run: (run["algorithm"], run["type"]) == (algorithm, kind))]
            worst = max(own, key=lambda one: one["regret"])
            mean = statistics.mean(one["regret"] for one in own)
            rows.append([f"`{algorithm}` `{kind}`", str(len(own)), str(len(shares)), f"{100 * statistics.mean(shares):.1f}",
                         at_most(4, 100 * mean), at_most(4, 100 * worst["regret"]) + f", {size(worst['n'])}"])
    return table(["`grid.json`", "sizes", "runs", "mean error, %", "slower by, %: mean", "worst"], rows)


@functools.cache
def kernel_times():
    """(algorithm, type, n) to kernel to the microseconds of its launches, where the file has each of them."""
    found, key = {}, None
    for algorithm, kind, exponent, kernel, launches in parse_lines(
            r"(?:(sort-[\w-]+)(?: (u64|u32:u32))? 2\^(\d+)(?:, .*)?|  (\w+) +((?:[\d.]+ )*[\d.]+) +\(\d+\)"
            r"|The kernels of the following .*|  \w+ +[\d.]+ to [\d.]+, \d+ launches +\(\d+\))",
            f"{FOLDER}/kernel-times.txt"):
        if algorithm:
            key = (algorithm, kind or "u32", 1 << int(exponent))
            found[key] = {}
        elif kernel:
            found[key][kernel] = [float(one) for one in launches.split()]
    return found


def error_of_kernel(algorithm, kind, n, kernel):
    launches = kernel_times()[(algorithm, kind, n)][kernel]
    return kernel_error(algorithm, kind, n, kernel, sum(launches), len(launches))


def heaps():
    def errors_of(kind):
        return [run["relative_error"] for run in predictions(f"{FOLDER}/sizes.json", lambda run: (
            run["algorithm"] in ("sort-mms", "sort-multiway") and run["type"] == kind and run["n"] == 1 << 28))]

    return item(f"**`sort-mms` and `sort-multiway`** at 2^28 come out {off(errors_of('u32'))} for `u32` and {off(errors_of('u64'))} for "
                "`u64`. Times and counters by kernel are not known of their present kernels.")


def merge_runs():
    found = [error_of_kernel("sort-kway", kind, 1 << 26, "MergeRuns") for kind in ("u64", "u32:u32")]
    return item(f"**`MergeRuns`** for `u64` and pairs comes out {off(found)} at 2^26 ([the law](law.md)).")


def warp():
    found = [run["relative_error"] for run in predictions(f"{FOLDER}/sizes.json", lambda run: (
        run["algorithm"], run["type"]) == ("sort-warp", "u32") and 300_000 <= run["n"] <= 7_000_000)]
    return item(f"**`sort-warp`** of `u32` is up to {100 * -min(found):.0f} % fast between 3·10^5 and 7·10^6, where no launch of a merge "
                "has more than one wave.")


def pairwise_round():
    n = 1 << 26
    launches = kernel_times()[("sort-pairwise", "u32:u32", n)]["MergeTiles"]
    (samples,) = parse(r'"question":"device-copy","at":{"bytes":2147483648.0},.*"samples":\[([\d.,]+)\]', "h200/calibrations/first.json")
    copy_s = statistics.median(map(float, samples.split(",")))
    share = n * 8 / statistics.median(launches) * 1e6 / ((1 << 31) / copy_s)
    return paragraph(f"On an H200 a round of pairwise merges of 2^26 pairs moves its data at {100 * share:.0f} % of the rate of the "
                     "driver's copy (`kernel-times.txt`, `data/h200/calibrations/first.json`): only fewer rounds make it faster. A pass "
                     "of `sort-kway` merges up to K runs:")


def stalls():
    found = parse(r"^sort-kway \S+ 2\^26: MergeRuns<16>.*\n  (.*)$", f"{FOLDER}/stalls.txt")
    by_cause = [dict(one.rsplit(" ", 1) for one in line.split(", ")) for line in found]
    memory, barrier = ([float(one[cause]) for one in by_cause] for cause in ("long_sb", "barrier"))
    return paragraph("Loads overlap with the merges of the other blocks on a multiprocessor: warps of `MergeRuns` wait for global "
                     f"memory in {spread(memory, 1)} % of the samples (`data/h200-merge-sorts/stalls.txt`), so that copies ahead of a "
                     f"merge would gain little. They wait for barriers in {spread(barrier, 0)} %.")


BLOCKS = {"merge-sizes": by_size, "merge-against-cub": against_cub, "merge-splitter": splitter, "merge-inputs": by_input,
          "merge-slowed-by-input": slowed_by_input, "merge-types": by_type, "merge-large": large, "merge-errors": errors,
          "merge-errors-by-input": errors_by_input, "merge-errors-by-type": errors_by_type, "merge-chosen": chosen,
          "merge-heaps": heaps, "merge-runs": merge_runs, "merge-warp": warp, "merge-pairwise-round": pairwise_round,
          "merge-stalls": stalls}
