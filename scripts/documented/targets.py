# SPDX-License-Identifier: Apache-2.0
"""The table of figures and targets in docs/results.md. What misses its target is bold."""
import functools
import json
import re
import statistics
from datetime import datetime

from documented import baselines, functions, scans as scans_in_one_pass
from documented.data import ROOT, Errors, Times, at_least, at_most, fathom, found, marked, paragraph, percent, read_json, validated, value_of
from documented.reliability import executions
from documented.results import covered, mean_error, named_right, random_runs

H200, MERGE, RADIX = "h200/", "h200-merge-sorts/", "h200-radix-sorts/"
TYPES = ("u32", "u64", "u32:u32")
IN_ONE_TILE = 8192  # elements that radix-single sorts in its tile by default


def speed(times, algorithm, baseline, kind, n, order="random"):
    return times.default(baseline, kind, n, order) / times.default(algorithm, kind, n, order)


def best_speed(times, algorithm, baseline, kind, n):
    return times.default(baseline, kind, n) / times.best(algorithm, kind, n)[0]


def listed(values):
    return ", ".join(values)


def profile(name):
    return read_json(f"data/{name}")


def calibration():
    text = (ROOT / "data/h200/calibrations/times.txt").read_text().splitlines()
    took = [(line, float(after.split()[0])) for line, after in zip(text, text[1:]) if line.startswith("== fathom calibrate")]
    full, quick = ([one for line, one in took if ("--quick" in line) == is_quick] for is_quick in (False, True))
    first = profile("h200/calibrations/first.json")
    machine, constants = first["machine"], first["constants"]
    cores = machine["multiprocessors"] * machine["cores_per_multiprocessor"]
    fitted = 4 * value_of(constants["global.bandwidth"]) * cores * machine["clock_hz"] / 1e9
    copy = max(2 * one["at"]["bytes"] / statistics.median(one["samples"])
               for one in first["series"] if one["question"] == "device-copy") / 1e9
    sweep = max(4 * one["at"]["accesses"] * one["at"]["X"] * cores / statistics.median(one["samples"])
                for one in first["series"] if one["question"] == "global-copy") / 1e9
    levels = [profile(f"h200/calibrations/{name}.json")["constants"] for name in ("first", "again", "third")]
    apart = {}
    for name in constants:
        if name.endswith((".latency", ".bandwidth")):
            values = [value_of(one[name]) for one in levels]
            apart[name] = max(values) / min(values) - 1
    furthest = max(apart, key=apart.get)
    return [("`fathom calibrate`; with `--quick`; the first of each compiles the kernels", "10 s; 3 s",
             f"{listed(at_most(10, one) for one in full)} s; {listed(at_most(3, one) for one in quick)} s",
             "`data/h200/calibrations/times.txt`"),
            ("fitted global bandwidth B against the driver's device-to-device copy", "97 %",
             marked(percent(fitted / copy), fitted / copy >= 0.97) + f": {fitted:.0f} of {copy:.0f} GB/s. B is the fit's "
             f"asymptote; the best single point of the sweep is {sweep:.0f} GB/s, {percent(sweep / copy)}",
             "`data/h200/calibrations/first.json`"),
            ("three calibrations agree on every L and B", "2 %",
             f"largest difference {percent(apart[furthest])} (`{furthest}`)", "`data/h200/calibrations/`")]


def comparison_sorts():
    grid, sizes, inputs = Times("h200/sort-grid.json"), Times(MERGE + "sizes.json"), Times(MERGE + "inputs.json")
    everything = Times(MERGE + "sizes.json", MERGE + "grid.json")
    large = (1 << 26, 1 << 28)

    def pairwise(kind):
        parameters = grid.best("sort-pairwise", kind, 1 << 26)[1]
        return (at_least(0.85, best_speed(grid, "sort-pairwise", "cub-merge", kind, 1 << 26))
                + f" (`{kind}`; E = {parameters['E']}, t = {parameters['t']})")

    def kway(kind, target):
        return " and ".join(at_least(target, best_speed(everything, "sort-kway", "cub-merge", kind, n)) for n in large)

    def slowest(kind):
        return at_least(0.95, min(speed(sizes, "sort-kway", "cub-merge", kind, n)
                                  for n in sizes.sizes("sort-kway", kind, 1 << 16)))

    def hostile(algorithm):
        ratio = inputs.default(algorithm, "u32", 1 << 26, "conflict-heavy") / inputs.default(algorithm, "u32", 1 << 26)
        return marked(f"{100 * abs(ratio - 1):.0f} %", ratio <= 1.05) + (" shorter" if ratio < 1 else " longer")

    def worst_input(algorithm, target):
        found = {(order, n): speed(inputs, algorithm, "cub-merge", "u32", n, order) for n in (1 << 24, 1 << 26)
                 for order in inputs.orders(algorithm, "u32", n) if order != "random"}
        order, n = min(found, key=found.get)
        return f"{at_least(target, found[order, n])} ({order}, 2^{n.bit_length() - 1})"

    wide = {"t": 64, "E": 32}
    mms = (inputs.default("cub-merge", "u32", 1 << 26, "conflict-heavy")
           / inputs.default("sort-mms", "u32", 1 << 26, "conflict-heavy", **wide))
    conflict_free = speed(inputs, "sort-conflict-free", "cub-merge", "u32", 1 << 26, "conflict-heavy")
    default = " and ".join(at_least(1.35, speed(sizes, "sort-kway", "cub-merge", "u32", n)) for n in large)
    pair = [at_least(target, speed(sizes, name, "cub-merge", "u32", n)) for n in reversed(large)
            for name, target in (("sort-mms", 0.85 if n == 1 << 28 else 0), ("sort-multiway", 0.5 if n == 1 << 28 else 0))]
    return [("`sort-pairwise` against `cub-merge`, 2^26, best E and t", "0.85", listed(map(pairwise, ("u32", "u64"))),
             "`data/h200/sort-grid.json`"),
            ("fastest comparison sort against `cub-merge`, 2^26 and 2^28, best parameters ([comparison sorts](comparison-sorts.md))",
             "1.35; pairs 1.2", f"`sort-kway`: `u32` {kway('u32', 1.35)}, `u64` {kway('u64', 1.35)}, `u32:u32` "
             f"{kway('u32:u32', 1.2)}, stably {kway('u32:u32 stable', 1.2)}; with default parameters `u32` {default}",
             "`data/h200-merge-sorts/`"),
            ("… from 2^16 up, default parameters", "0.95", f"`u32` at least {slowest('u32')}, `u64` {slowest('u64')}, pairs "
             f"{slowest('u32:u32')}, stable pairs {slowest('u32:u32 stable')}", "the same"),
            ("… the same against [the fastest way to call it](baselines.md), from 2.9·10^7", "`u32` 1.6, `u64` 1.7, `u32:u32` 1.8",
             "; ".join(f"`{name}` at least " + ", ".join(at_least(target, min(baselines.ratios_at(
                 "h200", "cub-merge", name, kind, [n for n in baselines.sizes() if n > 1 << 24])))
                                                         for kind, target in (("u32", 1.6), ("u64", 1.7), ("u32:u32", 1.8)))
                       for name in ("sort-splitter", "sort-kway")), "`data/h200-baselines/`"),
            ("… on conflict-heavy input of 2^26, against its own time on random keys", "at most 5 % longer",
             f"`sort-conflict-free`: {hostile('sort-conflict-free')}, {conflict_free:.2f} times as fast as `cub-merge`; "
             f"`sort-kway` {hostile('sort-kway')}", "the same"),
            ("`sort-mms`, `sort-multiway` against `cub-merge`, `u32` at 2^28, default parameters", "0.85, 0.5",
             f"{pair[0]}, {pair[1]}; at 2^26 {pair[2]} and {pair[3]}; of the inputs at 2^24 and 2^26 at worst "
             f"{worst_input('sort-mms', 0.85)} and {worst_input('sort-multiway', 0.5)}. `sort-mms` on conflict-heavy input of "
             f"2^26 with E = 32, t = 64: {at_least(1.2, mms)} (1.2)", "the same")]


def radix_sorts():
    sizes, types, inputs = (Times(RADIX + name) for name in ("sizes.json", "types.json", "inputs.json"))
    everything = Times(RADIX + "sizes.json", RADIX + "grid.json")
    target = {"u32": 1.0, "u32:u32": 1.0, "u64": 1.05}

    def against_fastest(kind, n):
        return baselines.ratio("h200", "cub-radix", "radix-onesweep", kind, n)

    def onesweep(kind):
        return " and ".join(at_least(target[kind], against_fastest(kind, n)) for n in (1 << 28, (1 << 28) - (1 << 16)))

    least, least_kind, least_n = min((against_fastest(kind, n), kind, n) for kind in TYPES for n in baselines.sizes() if n >= 1 << 16)

    def slowest(kind):
        found = {n: speed(types, "radix-onesweep", "cub-radix", kind, n) for n in types.sizes("radix-onesweep", kind, 1 << 16)}
        n = min(found, key=found.get)
        return f"{at_least(0.95, found[n])} at 2^{n.bit_length() - 1}"

    def spread(target, values):
        return f"{at_least(target, min(values))} to {max(values):.2f}"

    splitter = [speed(sizes, "sort-splitter", "cub-radix", kind, n) for kind in TYPES
                for n in sizes.sizes("sort-splitter", kind, 1 << 20, 1 << 28)]
    lsd = [best_speed(everything, "radix-lsd", "cub-radix", kind, n) for kind in TYPES for n in (1 << 20, 1 << 24, 1 << 28)]
    single = [speed(sizes, "radix-single", "cub-radix", kind, n) for kind in TYPES
              for n in sizes.sizes("radix-single", kind, 0, IN_ONE_TILE)]

    def longer(n):
        return max(inputs.default("sort-splitter", kind, n, order) / inputs.default("sort-splitter", kind, n)
                   for kind in TYPES for order in inputs.orders("sort-splitter", kind, n)) - 1

    msd = [at_least(goal, speed(inputs if order != "random" else sizes, "radix-msd", "cub-radix", "u64", 1 << 28, order))
           for order, goal in (("random", 1.6), ("zipf", 0.9), ("sorted", 0.9))]
    return [("`radix-onesweep` against [the fastest way to call CUB](baselines.md), default parameters, 2^28 and 2^28 − 2^16",
             "`u32` 1.0 (aim 1.1), `u32:u32` 1.0, `u64` 1.05", f"{onesweep('u32')}, {onesweep('u32:u32')}, {onesweep('u64')}",
             "`data/h200-baselines/`"),
            ("… from 2^16 up", "0.95", f"at least {at_least(0.95, least)} (`{least_kind}`, {baselines.in_words(least_n)})", "the same"),
            ("… against `cub-radix` with a 64-bit n, from 2^16 up", "0.95",
             f"of three sizes `u64:u32` at least {slowest('u64:u32')}, `u64:u64` {slowest('u64:u64')}", "`data/h200-radix-sorts/`"),
            ("`radix-msd` against `cub-radix`, `u64`, 2^28", "1.6 (aim 2.0); 0.9 on zipf and sorted keys",
             f"{msd[0]}; {msd[1]} and {msd[2]}", "the same"),
            ("`radix-lsd` at its best d, `sort-splitter` against `cub-radix`, 2^20 to 2^28", "0.4; 0.5",
             f"{spread(0.4, lsd)} (of three sizes); {spread(0.5, splitter)}", "the same"),
            ("`sort-splitter` on every input, against its own time on random keys, 2^24 and 2^28", "10 %",
             f"at most {at_most(10, 100 * longer(1 << 24), 0)} % and {at_most(10, 100 * longer(1 << 28), 0)} % longer", "the same"),
            (f"`radix-single` against `cub-radix`, n ≤ {IN_ONE_TILE:,}", "1.0", spread(1.0, single), "the same")]


def scans_and_reductions():
    scans, grid, sums = Times("h200/scan-sizes.json"), Times("h200/scan-grid.json"), Times("h200/reduce-sizes.json")

    def scan(kind, n):
        return f"{speed(scans, 'scan-lookback', 'cub-scan', kind, n):.2f}"

    def beside_fastest(n, target):
        return at_least(target, baselines.ratio("h200", "cub-scan", "scan-lookback", "u32", n))

    def total(n, target):
        return at_least(target, speed(sums, "reduce-vector", "cub-reduce", "u32", n))

    def rate(time):
        return at_least(3.7, 8 * (1 << 28) / time / 1e12) + "·10^12"

    ordered = 4 * (1 << 28) / sums.default("reduce-pipeline", "u32", 1 << 28) / 1e9
    reading = max(4 * (1 << 28) / sums.best(name, "u32", 1 << 28)[0] / 1e9
                  for name in ("reduce-pipeline", "reduce-vector", "reduce-cascading", "cub-reduce"))

    def matrix(kind):
        found = {n: best_speed(grid, "scan-matrix", "cub-scan", kind, n) for n in grid.sizes("scan-matrix", kind)}
        return found[1 << 26], found

    ratios = {(kind, n): scans_in_one_pass.over_fastest(kind, n) for kind in ("u32", "u64")
              for n in scans_in_one_pass.times().sizes("scan-stream", kind)}
    (kind, n), least = min(ratios.items(), key=lambda one: one[1])
    reached = sum(one >= 1 for one in ratios.values())
    lowest = [min(matrix(kind)[1].items(), key=lambda one: one[1]) for kind in ("u32", "u64")]
    return [("`scan-lookback` against the fastest `cub-scan`, `u32`, default E and t", "1.15 at 2^28, 0.95 at 2^16, 2^20 and 2^24",
             f"{beside_fastest(1 << 28, 1.15)} at 2^28; {beside_fastest(1 << 16, 0.95)}, {beside_fastest(1 << 20, 0.95)} and, at "
             f"2.9·10^7, {beside_fastest(29_000_000, 0.95)}", "`data/h200-baselines/`"),
            ("`scan-stream`, share of the rate of the driver's copy, 2^28 `u32` and `u64`", "0.95",
             " and ".join(at_least(0.95, scans_in_one_pass.share_of_copy(kind, 1 << 28)) for kind in ("u32", "u64")), "`data/h200-scans/`"),
            ("the faster one of `scan-stream` and `scan-lookback` against the fastest `cub-scan`, `u32` and `u64`, from 2^16", "1.0",
             f"{at_least(1.0, least)} at least (`{kind}`, {baselines.in_words(n)}); 1.0 or more in {reached} of {len(ratios)} cases", "the same"),
            ("`scan-lookback`, bytes moved per second at 2^28", "3.7·10^12", f"{rate(grid.best('scan-lookback', 'u32', 1 << 28)[0])} with the "
             f"best E and t; {rate(scans.default('scan-lookback', 'u32', 1 << 28))} at the default", "`data/h200/scan-grid.json`"),
            ("… other types at 2^28", "", listed(f"`{kind}` {scan(kind, 1 << 28)}" for kind in ("u64", "f32", "f64", "pair")),
             "`data/h200/scan-sizes.json`"),
            ("`reduce-vector` against `cub-reduce`, `u32`, default parameters", "1.0 at 2^28, 0.95 at 2^20",
             f"{total(1 << 28, 1.0)} and {total(1 << 20, 0.95)}", "`data/h200/reduce-sizes.json`"),
            ("`reduce-pipeline`, order-preserving, against the fastest reading of any reduction, 2^28", "0.9",
             f"{at_least(0.9, ordered / reading)}: {ordered:.0f} of {reading:.0f} GB/s", "the same"),
            ("`scan-matrix` against `cub-scan`, 2^26, best α and t", "0.6", listed(
                f"{at_least(0.6, matrix(kind)[0])} (`{kind}`)" for kind in ("u32", "u64")) + "; lowest over all sizes of the grid: "
             + " and ".join(f"{at_least(0.6, ratio)} at 2^{n.bit_length() - 1}" for n, ratio in lowest), "`data/h200/scan-grid.json`")]


def accuracy():
    radix = Errors.of(validated(RADIX + "sizes.json"))
    merge = Errors.of(validated(MERGE + "sizes.json"), types=("u32", "u64"))

    def mean(errors):
        return 100 * statistics.mean(errors.by_algorithm.values())

    def above(errors, target=0.1):
        missed = [f"`{name}` of `{kind}` **{100 * error:.2f} %**" for (name, kind), error in sorted(errors.by_type.items()) if error > target]
        return "; above 10 %: " + listed(missed) if missed else ""

    runs = {(name, kind): [run for run in own_kernels() if (run["algorithm"], run["type"]) == (name, kind)]
            for name, kind in {(run["algorithm"], run["type"]) for run in own_kernels()}}

    def own(name):
        means = [100 * mean_error(some) for (algorithm, _), some in runs.items() if algorithm == name]
        worst = [100 * abs(run["relative_error"]) for run in own_kernels() if run["algorithm"] == name]
        return f"`{name}` {at_most(15, max(means))} %, worst run {max(worst):.1f} %"

    def sort(law):
        return listed(at_most(5, 100 * mean_error(random_runs(law, algorithm="sort-pairwise", type=kind)))
                      + f" (`{kind}`)" for kind in ("u32", "u64"))

    return [("mean error over radix sorts and `sort-splitter`, law `counted`, default parameters, no run used; each", "6 %; 10 %",
             f"{at_most(6, mean(radix))} % over the algorithms; " + listed(
                 f"`{name}` {100 * error:.1f}" for name, error in radix.by_algorithm.items()) + " %" + above(radix),
             "`data/h200-radix-sorts/sizes.json`"),
            ("mean error over seven comparison sorts, `u32` and `u64`, law `counted`, default parameters, no run used; each",
             "6 %; 10 %", f"{at_most(6, mean(merge))} % over the algorithms" + above(merge), "`data/h200-merge-sorts/sizes.json`"),
            ("mean error of `sort-pairwise`, law `counted`, all E and t", "5 %", f"{sort('counted')}; `fitted` {sort('fitted')}, "
             f"in per cent", "`data/h200-validation/`"),
            ("kernels of one's own, predicted before they ran, 2^16 to 2^28: mean error of the worse type", "15 %",
             "; ".join(map(own, ("transpose", "stencil", "histogram"))), "`data/predictions/`, `data/h200-own-kernels/`"),
            ("runs within their 95 % interval, law `counted`: reductions, scans, sort", "92 to 98 %", listed(
                marked(f"{100 * share:.1f}", 0.92 <= share <= 0.98) for share in (covered(
                    [run for run in random_runs("counted") if run["algorithm"].startswith(kind)])
                    for kind in ("reduce", "scan", "sort"))) + " %", "`data/h200-validation/`")]


@functools.cache
def own_kernels(runs="h200-own-kernels", predictions=("h200-own-kernels",)):
    """Of one folder's runs, by the files of predictions that were written before them."""
    predicted = {(one["algorithm"], one["type"], one["n"]): one
                 for file in predictions for one in profile(f"predictions/{file}.json")["predictions"]}
    return [{"algorithm": run["algorithm"], "type": run["type"], "n": run["n"], "relative_error":
             predicted[run["algorithm"], run["type"], run["n"]]["time_s"] / statistics.median(run["seconds"]) - 1}
            for run in profile(f"{runs}/runs.json")["runs"]]


@functools.cache
def every_regret(file):
    return fathom("validate", ROOT / "data" / file, "--device", "h200", "--law", "counted")["comparisons"][0]["regrets"]


def tuned():
    def slowdowns(pattern, algorithm, kinds=None):
        return [100 * one["regret"] for one in every_regret(pattern)
                if one["algorithm"] == algorithm and (kinds is None or one["type"] in kinds)]

    def row(values, mean_target, worst_target):
        return (listed(at_most(mean_target, statistics.mean(one)) for one in values) + " %; at worst "
                + listed(at_most(worst_target, max(one)) for one in values) + " %")

    radix = [slowdowns(RADIX + "grid.json", name) for name in ("radix-onesweep", "radix-msd", "sort-splitter", "radix-lsd")]
    kway = [slowdowns(MERGE + "grid.json", "sort-kway", (kind,)) for kind in TYPES]
    classic = [100 * one["regret"] for one in validated("h200-validation/*.json")["regrets"]]
    return [("slowdown of `tune`'s parameters against the fastest measured: `radix-onesweep`, `radix-msd`, `sort-splitter`, `radix-lsd`",
             "4 %", "mean " + row(radix, 4, 4), "`data/h200-radix-sorts/grid.json`"),
            (f"… of `sort-kway`: `u32`, `u64`, `u32:u32`, of {sum(map(len, kway))} sizes", "4 %", "mean " + row(kway, 4, 4),
             "`data/h200-merge-sorts/grid.json`"),
            ("… of reductions, scans and `sort-pairwise`", "mean 2 %, worst 6 %", "mean " + row([classic], 2, 6) + ": see below",
             "`data/h200-validation/`")]


@functools.cache
def counters():
    return profile("h200/hardware/counters.json")


def worst_count(wanted):
    """The largest relative difference between counted and measured quantities of a whole algorithm, and whose it is."""
    differences = []
    for case in counters()["cases"]:
        for name in case["kernels"][0]["counted"]:
            both = [(one["counted"][name], one["hardware"].get(name)) for one in case["kernels"] if one["counted"].get(name)]
            if wanted in name and both and case["n"] == 1 << 20 and all(seen is not None for _, seen in both):
                ours, theirs = (sum(values) for values in zip(*both))
                differences.append((abs(ours / theirs - 1), case["algorithm"]))
    return max(differences)


def hardware():
    cost = profile("h200/hardware/contract-cost.json")
    same = cost["contract_registers"] == cost["plain_registers"]
    accesses, wavefronts = worst_count("global."), worst_count("wavefronts")
    return [("counted accesses and sectors of global memory against the GPU's counters, whole algorithms, 2^20", "1 %",
             f"largest difference {marked(f'{100 * accesses[0]:.1f} %', accesses[0] <= 0.01)} (`{accesses[1]}`)",
             "`data/h200/hardware/counters.json`"),
            ("counted wavefronts of shared memory, hence β", "3 %",
             marked(f"largest difference {100 * wavefronts[0]:.3f} %" if wavefronts[0] else "no difference", wavefronts[0] <= 0.03),
             "the same"),
            ("the block contract against a plain `__global__` function", "1 %", marked(
                f"{100 * abs(cost['ratio'] - 1):.1f} % {'less' if cost['ratio'] < 1 else 'more'} time", cost["ratio"] <= 1.01)
             + f", {'same' if same else 'another'} number of registers", "`data/h200/hardware/contract-cost.json`")]


WHOLE_FILES = ("dataset", "profile", "formula", "work_table", "listing", "compare_input", "report_input")


def reliability():
    faults = (ROOT / "data/reliability/faults.txt").read_text()
    kills = sum(map(int, re.findall(r"kill -9 +(\d+) tried", faults)))
    pairs = sum(map(int, re.findall(r"two writers +(\d+) tried", faults)))
    lost = int(found(r"(\d+) lost in all", "reliability/faults.txt"))
    fuzzed = executions()
    validate_s, validate_kb = map(float, found(r"validate: ([\d.]+) s, (\d+) KB", "reliability/large-dataset.txt"))
    fit_s = float(found(r"fit: ([\d.]+) s", "reliability/large-dataset.txt"))
    return [("files: kills and pairs of writers with something lost", "0 of 10^4 and 10^3",
             f"{marked(lost, not lost)} of {kills:,} and {pairs:,}", "[reliability](reliability.md)"),
            ("fuzzing without a finding: all targets together; each of those that read whole files", "10^8; 10^6 executions",
             f"{at_least(1, sum(fuzzed.values()) / 1e8)}·10^8; {at_least(1, min(map(fuzzed.get, WHOLE_FILES)) / 1e6)}·10^6", "the same"),
            ("a dataset of 50 MB validated, fitted", "10 s and 300 MB, 60 s",
             f"{at_most(10, validate_s)} s and {at_most(300, validate_kb / 1000, 0)} MB, {at_most(60, fit_s, 0)} s", "the same")]


def front_door():
    waits = profile("predictions/waits.json")
    slower, others = functions.least_ratios()
    least = min(min(some.values()) for some in (slower, others) if some)
    calls = functions.medians()
    again, launches = (calls[what, "u32", 1 << 10] for what in ("sort_again", "launches_alone"))
    rates = listed(f"`{name}` {at_least(1, rate / 1e6)}" for name, rate in waits["predictions_per_s"].items()
                   if name in ("sort-pairwise", "radix-onesweep", "radix-msd"))
    return [("`import fathom`; `pip install` of the wheel, and of the source on two cores", "0.2 s; 20 s, 5 min",
             f"{at_most(0.2, waits['import_s'], 2)} s; {at_most(20, waits['wheel_s'])} s, {at_most(5, waits['source_s'] / 60)} min",
             "`data/predictions/waits.json`"),
            ("`fathom plot machines`; `fathom report` without runs", "10 s", f"{at_most(10, waits['machines_s'])}; "
             f"{at_most(10, waits['report_s'])} s", "the same"),
            ("predictions per second on one core, in millions", "1", rates, "the same"),
            ("`fathom.sort` against the fastest of four other libraries, from 2^16", "0.97", at_least(0.97, least),
             "[functions](functions.md)"),
            ("the host's part of `sort`, called again for 2^10 `u32`, over that of its launches alone: C++; Python", "1.1",
             f"{at_most(1.1, again / launches, 2)}; {at_most(1.1, 1e6 * functions.host(1 << 10) / launches, 2)}", "the same")]


def campaign():
    runs = {folder: [run for file in sorted((ROOT / "data" / folder).glob("*.json")) for run in json.loads(file.read_text())["runs"]]
            for folder in ("h200", "h200-validation")}
    provenance = profile("h200/scan-sizes.json")["provenance"]
    day = datetime.fromisoformat(provenance["date"].rstrip("Z"))
    moved = {folder: sum(run["clock_moved"] for run in some) for folder, some in runs.items()}
    return paragraph(
        f"On one {provenance['gpu']}, driver {provenance['driver']}, CUDA toolkit {provenance['toolkit']}, {day:%-d %B %Y}. The "
        f"calibration with its raw samples is `data/h200/calibrations/first.json`; {len(runs['h200']):,} checked runs are in "
        "`data/h200/`, each file naming the command that made it; those of the sort are of the day after. The shipped profile, "
        f"`profiles/h200.json`, was measured a day later on another H200, with the {len(runs['h200-validation']):,} runs in "
        f"`data/h200-validation/`, and has the factors of `fitted` fitted to `data/h200/`. In {moved['h200']} and "
        f"{moved['h200-validation']} runs the clock moved; they are not used. `scripts/campaigns/measure-gpu` is the whole "
        "campaign. Errors and regrets are from `fathom validate data/h200-validation/*.json --smallest-n 2^20`, with `--by type` "
        "and `--by parameters` for parts of them.")


def targets():
    rows = [*calibration(), *comparison_sorts(), *radix_sorts(), *scans_and_reductions(), *accuracy(), *tuned(),
            (f"faster of two reductions or two scans predicted correctly, where they differ by more than 5 %; `u32`, default "
             "parameters", "95 %", f"{named_right('counted')} pairs (n ≥ 2^20)", "`data/h200-validation/`"), *hardware(), *reliability(), *front_door()]
    return ["| figure | target | reached | from |", "|---|---|---|---|",
            *(f"| {' | '.join(map(str, row))} |" for row in rows)]


BLOCKS = {"campaign": campaign, "targets": targets}
