# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/law.md: how far the law of counted work is off, and where."""
import re
import statistics

from documented.data import (JUDGED_DEFAULTS, ROOT, Errors, deviation, fathom, found, is_default, item, judged, of_judgement, paragraph, percent,
                             read_json, runs_of, value_of)
from documented.law_by_hand import norm
from documented.results import LAWS, errors_by_algorithm, random_runs
from documented.targets import own_kernels


def share(value):
    return f"{100 * value:.0f} %"


def spread_of(values):
    low, high = share(min(values)), share(max(values))
    return high if low == high else f"{low.removesuffix(' %')} to {high}"


def errors(runs):
    return [run["relative_error"] for run in runs]


def law_errors():
    found_errors = {law: errors_by_algorithm(random_runs(law)) for law in LAWS}
    lines = ["| mean error, n ≥ 2^20, all types and parameters | `counted` | `fitted` | `published` |", "|---|---|---|---|"]
    return lines + [f"| `{name}` | {' | '.join(percent(found_errors[law][name]) for law in LAWS)} |"
                    for name in found_errors["counted"]]


def law_interval():
    run = random_runs("counted")[0]
    low, high = (end / run["predicted_s"] - 1 for end in run["interval_s"])
    factors = [[one["factors"][name]["value"] for one in read_json("profiles/h200.json")["algorithms"]]
               for name in ("work", "waiting")]
    above = sum(value > 1 for value in factors[1])
    return [*paragraph("The interval of `counted` is that of Student's t for one more algorithm after the eleven of `data/h200`, "
                       "each weighing the same (`LawError` in `model/laws/law_counted.cpp`): "
                       f"− {-100 * low:.0f}, + {100 * high:.0f} %. It is too narrow for look-back, too wide for the sort."), "",
            *paragraph("`fitted` gains little: what is left is not one factor per algorithm but differs between sizes and parameters "
                       f"of each. Its factors for work are {min(factors[0]):.2f} to {max(factors[0]):.2f}; those for waiting are "
                       f"{min(factors[1]):.2f} to {max(factors[1]):.2f}, {above} of {len(factors[1])} of them above 1.")]


def judgement():
    """Of the campaigns at sizes and parameters that no other has."""
    def row(gpu, title, *which):
        runs = of_judgement(gpu, *which)
        errors = Errors.of_runs(runs)
        inside = statistics.mean(run["interval_s"][0] <= run["measured_s"] <= run["interval_s"][1] for run in runs)
        worst = max(runs, key=lambda run: abs(run["relative_error"]))
        of_input = "" if worst["input"] == "random" else f", {worst['input']}"
        return (f"| {gpu.upper()}, {title} | {len(runs)} | {errors.mean()} of {len(errors.by_algorithm)} | {errors.worst_type()} | "
                f"{deviation(worst['relative_error'])}, `{worst['algorithm']}` `{worst['type']}`{of_input} | {percent(inside)} |")

    rows = (("default parameters, n ≥ 2^20", JUDGED_DEFAULTS, 1 << 20), ("… 2^10 ≤ n < 2^20", JUDGED_DEFAULTS, 1 << 10, 1 << 20),
            ("grids of parameters", ("grid",)), ("sorts of other inputs than random", ("inputs",)))
    return ["| runs of | | mean over the algorithms | worst algorithm and type | worst run | within the interval |",
            "|---|---|---|---|---|---|", *(row(gpu, *one) for gpu in ("h200", "h100") for one in rows)]


def which_algorithm():
    """Of the algorithms of a kind, each with its default parameters: how much slower the one predicted fastest is than the fastest."""
    kinds = {one["slug"]: one["kind"] for one in fathom("algorithms")["algorithms"]}

    def row(gpu, kind):
        contests = {}
        for run in of_judgement(gpu, JUDGED_DEFAULTS, 1 << 16):
            if kinds[run["algorithm"]] == kind:
                contests.setdefault((run["type"], run["n"]), []).append(run)
        chosen = {key: min(runs, key=lambda run: run["predicted_s"]) for key, runs in contests.items()}
        fastest = {key: min(runs, key=lambda run: run["measured_s"]) for key, runs in contests.items()}
        slowdowns = {key: chosen[key]["measured_s"] / fastest[key]["measured_s"] - 1 for key in contests}
        right = sum(slowdown == 0 for slowdown in slowdowns.values())
        sizes = sorted({len(runs) for runs in contests.values()})
        worst = max(slowdowns, key=slowdowns.get)
        at_worst = (f", `{chosen[worst]['algorithm']}` instead of `{fastest[worst]['algorithm']}`, `{worst[0]}`, n = {worst[1]:,}"
                    if slowdowns[worst] > 0 else "")
        return (f"| {gpu.upper()}, {kind} | {sizes[0]}{f' to {sizes[-1]}' if len(sizes) > 1 else ''} | {right} of {len(contests)} | "
                f"{percent(statistics.mean(slowdowns.values()))} | {sum(one <= 0.03 for one in slowdowns.values())} | "
                f"{percent(slowdowns[worst])}{at_worst} |")

    return ["| choice among | algorithms | right | slowdown, mean | choices within 3 % | worst |", "|---|---|---|---|---|---|",
            *(row(gpu, kind) for gpu in ("h200", "h100") for kind in ("sort", "scan", "reduce"))]


def strangers():
    """Kernels of examples/own-kernel, predicted before they ran, on a machine that no other campaign ran on."""
    found = {}
    for run in own_kernels("h200-own-kernels-2", ("h200-own-kernels", "h200-own-kernels-2")):
        found.setdefault((run["algorithm"], run["type"]), []).append((run["n"], run["relative_error"]))
    lines = ["| kernel of a stranger | 2^16 ≤ n < 2^20 | 2^20 ≤ n < 2^24 | n ≥ 2^24 | worst run |", "|---|---|---|---|---|"]
    for (name, kind), all_errors in found.items():
        def mean(low, high):
            return percent(statistics.mean(abs(error) for n, error in all_errors if low <= n < high))
        n, worst = max(all_errors, key=lambda one: abs(one[1]))
        lines.append(f"| `{name}` `{kind}` | {mean(1 << 16, 1 << 20)} | {mean(1 << 20, 1 << 24)} | {mean(1 << 24, 1 << 40)} | "
                     f"{deviation(worst)} at 2^{n.bit_length() - 1} |")
    return lines


def single_wave():
    names = ("reduce-matrix", "reduce-vector", "sort-pairwise", "scan-matrix")
    fast = {name: -min(errors([run for run in random_runs("counted", algorithm=name) if run["n"] <= 1 << 23])) for name in names}
    fence, atomic = (found(pattern, "h200/hardware/trials.txt") for pattern in (
        r"A store with its fence takes (\d+) to (\d+) clocks", r"result is used (\d+) to (\d+) the first time"))
    written = found(r"half of what another one has written takes \d+ and half (\d+)\.", "h200/hardware/trials.txt")
    nearest = value_of(read_json("profiles/h200.json")["constants"]["wait.l2"])
    return item("**Launches of a single wave** still come out fast: up to "
                + ", ".join(f"{share(fast[name])} (`{name}`)" for name in names)
                + ", between 2^20 and 2^23 elements. A part is known (`data/h200/hardware/trials.txt`, 8): a store with its fence takes "
                f"{' to '.join(fence)} clocks and the first atomic operation {' to '.join(atomic)}, where the law has `wait.l2`, {nearest:.0f}; "
                f"and half of what another multiprocessor has written takes {written}, which partitions of merges, with their binary searches, wait for again and again.")


def law_kernels():
    """By kernel, of launches that take 8 µs and more: shorter ones are mostly the launch. Some had other parameters then."""
    rows, sizes = {}, set()
    for case in read_json("data/h200/hardware/kernel-times.json")["cases"]:
        if case["algorithm"] == "radix-msd" or (case["algorithm"], case["type"]) == ("sort-kway", "u32"):
            continue
        predicted = {}
        for one in fathom("predict", case["algorithm"], "-n", str(case["n"]), "--type", case["type"], "--device", "h200")["kernels"]:
            kernel = one["name"].split("<")[0]
            launches, seconds = predicted.get(kernel, (0, 0))
            predicted[kernel] = (launches + one["launches"], seconds + one["time_s"])
        for kernel in case["kernels"]:
            if kernel["kernel"] in predicted and kernel["time_s"] >= 8e-6:
                launches, seconds = predicted[kernel["kernel"]]
                rows.setdefault(kernel["kernel"], {}).setdefault(case["n"], []).append(seconds / launches / kernel["time_s"] - 1)
                sizes.add(case["n"])

    def told(errors_at):
        return deviation(statistics.mean(errors_at)) if errors_at else ""

    return [f"| kernel | {' | '.join(f'n = {n:,}' for n in sorted(sizes))} |", "|---" * (len(sizes) + 1) + "|",
            *(f"| `{name}` | {' | '.join(told(of.get(n)) for n in sorted(sizes))} |" for name, of in sorted(rows.items()))]


def look_back():
    runs = random_runs("counted", algorithm="scan-lookback")
    large = {(kind, t): errors([run for run in runs if run["n"] >= 1 << 24 and (run["type"], run["parameters"]["t"]) == (kind, t)])
             for kind in ("u32", "u64") for t in (128, 512)}
    fastest, slowest = (choose(runs, key=lambda run: run["relative_error"]) for choose in (min, max))
    return item(f"**`scan-lookback`**: from 2^24 elements with blocks of 512 threads it comes out up to {share(max(large['u32', 512]))} "
                f"(`u32`) and {share(max(large['u64', 512]))} (`u64`) slow, `u64` with blocks of 128 up to "
                f"{share(-min(large['u64', 128]))} fast; with one wave of tiles up to {share(-fastest['relative_error'])} fast (at "
                f"{fastest['n']:,} elements), where nothing counts what tiles wait for each other. The run that is furthest off, "
                f"{share(slowest['relative_error'])} slow, touches {8 * slowest['n'] / 1e6:.0f} MB, about where it stops fitting in the L2.")


def merge_tiles():
    slow = errors([run for run in random_runs("counted", algorithm="sort-pairwise") if is_default(run) and run["n"] > 1e8])
    counters = "h200-merge-sorts/counters.txt"
    time, read, written = map(float, found(r"(?s)sort-pairwise u32 2\^28.*?MergeTiles +\d+ +\d+ +([\d.]+)(?: +[\d.]+){4} +"
                                           r"([\d.]+) +([\d.]+)", counters))
    rate = (read + written) / time * 1e12
    busy = found(r"sort-pairwise u32 2\^26 MergeTiles +alu +[\d.]+ % +lsu data pipe +([\d.]+) %", counters)
    copy = value_of(read_json("profiles/h200.json")["constants"]["dram.copy"])
    return item(f"**`sort-pairwise`** above 10^8 elements comes out {spread_of(slow)} slow at its default "
                f"parameters: `MergeTiles` moves bytes at {share(rate / copy)} of the rate of `tiles-dram-copy` while the pipe of "
                f"shared memory is busy for {float(busy):.0f} % of the time (`counters.txt`), more than mixes of a copy and shared "
                "accesses in the same proportion reach.")


def merge_runs():
    def fast(kind):
        label = {"u32": "sort-kway 2^26", "u64": "sort-kway u64 2^26"}[kind]
        times = found(rf"(?s)\n{re.escape(label)}\n.*?MergeRuns +((?:[\d.]+ )+)", "h200-merge-sorts/kernel-times.txt")
        kernels = fathom("predict", "sort-kway", "-n", "2^26", "--type", kind, "--device", "h200")["kernels"]
        predicted = sum(one["time_s"] for one in kernels if one["name"].startswith("MergeRuns"))
        return 1 - predicted * 1e6 / sum(map(float, times.split()))

    alu, shared = found(r"sort-kway u64 2\^26 MergeRuns +alu ([\d.]+) % +lsu data pipe ([\d.]+) %", "h200-merge-sorts/counters.txt")

    def stalls(what):
        lines = found(rf"(?s){what}.*?samples\n([^\n]+)", "h200-merge-sorts/stalls.txt")
        return [float(re.search(rf"\b{name} ([\d.]+)", lines).group(1)) for name in ("barrier", "not_selected")]

    (barrier32, ready32), (barrier64, ready64) = stalls("sort-kway u32"), stalls("sort-kway u64")
    barrier, ready = stalls("sort-pairwise u64")
    decay = value_of(read_json("profiles/h200.json")["constants"]["phase.decay"])
    return item(f"**`MergeRuns`** of `sort-kway` comes out {share(fast('u64'))} fast for `u64`, {share(fast('u32'))} for `u32` (2^26 "
                "elements, `kernel-times.txt`): with two (`u32`) or three blocks on a multiprocessor the pipe of shared memory is at "
                f"{float(shared):.0f} % and the ALU at {float(alu):.0f} % (`counters.txt`, `u64`). Its warps wait for barriers in "
                f"{barrier32:.0f} % (`u32`) and {barrier64:.0f} % (`u64`) of the samples, and in {ready32:.0f} and {ready64:.0f} % they "
                "are ready while another one issues (`stalls.txt`): as if they computed, and waited, at the same time. In "
                f"`MergeTiles` of `u64` it is {barrier:.0f} and {ready:.0f} %. Why is not known. The law's overlap of few blocks falls "
                f"off as R^−{decay:.1f}, as in `phases`, whose blocks all do the same; those of `MergeRuns` would want R^−1.")


def tree_and_sequential():
    def tree(threads):
        return errors([run for run in random_runs("counted", algorithm="reduce-tree")
                       if run["n"] >= 1 << 24 and run["parameters"]["t"] == threads])

    parts = min((run for run in random_runs("counted", algorithm="scan-sequential") if run["n"] > 1e8),
                key=lambda run: run["relative_error"])
    return item(f"**`reduce-tree`** with 256 threads comes out {spread_of(tree(256))} slow from 2^24 "
                f"elements, with 128 at most {share(max(map(abs, tree(128))))} off; **`scan-sequential`** up to "
                f"{share(-parts['relative_error'])} fast with parts of {parts['parameters']['k']:,} elements above 10^8. Why is not known.")


def lone_blocks():
    """The mixes of `phases` in which a block has a multiprocessor to itself, beside the sum of what it does one after another."""
    profile = read_json("profiles/h200.json")
    constant = {name: value_of(one) for name, one in profile["constants"].items()}
    multiprocessors, clock_hz = profile["machine"]["multiprocessors"], profile["machine"]["clock_hz"]
    clocks_per_byte = multiprocessors * clock_hz / constant["l2.read"], multiprocessors * clock_hz / constant["l2.copy"]

    ratios = {}
    for series in profile["series"]:
        at = series["at"]
        if series["question"] != "phases" or at["blocks"] != 1 or sum(at[name] > 0 for name in ("loads", "shared", "alu", "fma")) < 2:
            continue
        measured = statistics.median(series["samples"]) * clock_hz / at["iterations"]
        bytes_per_load = 512 * at["warps"]
        copied, read = 2 * min(at["loads"], at["stores"]) * bytes_per_load, (at["loads"] - at["stores"]) * bytes_per_load
        memory = copied * clocks_per_byte[1] + read * clocks_per_byte[0] + (constant["wait.dram"] if at["loads"] else 0)
        # A pipe's work of all warps, and one warp's chain: a fourth of the loads wait for each other, and four schedulers share the ALU.
        pipes = [norm(constant["knee"], at["warps"] * at["shared"] / constant["pipe.wavefronts"], at["shared"] * (1 + constant["wait.shared"] / 4)),
                 norm(constant["knee"], at["warps"] * at["alu"] / constant["pipe.alu"], 4 * at["alu"] / constant["pipe.alu"]),
                 norm(constant["knee"], at["warps"] * at["fma"] / constant["pipe.fma"], at["fma"])]
        what = " and ".join(name for name, count in (("copy", at["stores"]), ("read", at["loads"] and not at["stores"]), ("shared memory", at["shared"]),
                                                     ("ALU", at["alu"]), ("FMA", at["fma"])) if count)
        ratios[what] = (memory + sum(pipes) + 3 * constant["wait.barrier"]) / measured
    worst = max(ratios, key=lambda what: abs(ratios[what] - 1))
    others = [ratio for what, ratio in ratios.items() if what != worst]
    return item(f"**A lone block**: that `phase.share` of T₁ counts is no law of the machine. In `phases` a block that has the multiprocessor to itself "
                f"takes, in clocks, its traffic at the rates of the L2, once `wait.dram`, three barriers, and for each pipe ‖the pipe's work, a warp's "
                f"chain‖_s, one after another, all of it and with nothing fitted to them: {min(others):.2f} to {max(others):.2f} of what is measured in "
                f"{len(others)} mixes, {ratios[worst]:.2f} in one ({worst}). T₁ of the law counts the chains a second time, and the share makes up for it "
                f"in `phases`. With the chains beside the pipes in T₁, `radix-single` is predicted better, and blocks of merge sorts come out "
                f"fast, as if their warps did not cover each other's chains between two barriers (`data/h200/hardware/lone-blocks.txt`). Why is not "
                f"known, and the form is left as it is.")


def partial_tile():
    """A block that is not full, beside one that nearly is; both are launched alone."""
    kind, few, many = "u32", 1500, 5500
    runs = [run for run in runs_of("h200-judgement/merge.json") if run["algorithm"] == "sort-mms" and run["type"] == kind and is_default(run)]
    seconds = {run["n"]: statistics.median(run["seconds"]) for run in runs if run["n"] in (few, many)}
    predicted = {n: fathom("predict", "sort-mms", "-n", str(n), "--type", kind, "--device", str(ROOT / "data/h200-judgement/profile.json"))["time_s"]
                 for n in (few, many)}
    return item(f"**A tile that is not full**, as of an array with fewer elements than a block's, is priced as if it were. `sort-mms` of {few:,} and "
                f"{many:,} `{kind}` is predicted to take {1e6 * predicted[few]:.1f} and {1e6 * predicted[many]:.1f} µs, and takes "
                f"{1e6 * seconds[few]:.1f} and {1e6 * seconds[many]:.1f}: work is counted of full tiles, except of kernels that only few elements have (`radix-single`).")


def law_misses():
    return [*single_wave(), *lone_blocks(), *partial_tile(), *look_back(), *merge_tiles(), *merge_runs(), *tree_and_sequential()]


def law_instructions():
    cases = read_json("data/h200/hardware/instructions.json")["cases"]
    off = {}
    for case in cases:
        for kernel in case["kernels"]:
            off.setdefault((case["algorithm"], kernel["kernel"]), []).append(
                [kernel["counted"][pipe] / kernel["hardware"][pipe] - 1 for pipe in ("issued", "alu")])
    every = [pair for pairs in off.values() for pair in pairs]
    agree = sum(max(map(abs, pair)) <= 0.02 for pair in every)
    sort = [max(abs(pair[index]) for (name, _), pairs in off.items() if name == "sort-pairwise" for pair in pairs)
            for index in (0, 1)]

    def spread(name, kernel):
        return " and ".join(f"{100 * min(one):+.0f}" if round(100 * min(one)) == round(100 * max(one))
                            else f"{100 * min(one):+.0f} to {100 * max(one):+.0f}" for one in zip(*off[name, kernel])
                            ).replace("-", "−") + " %"

    wrong = {key for key, pairs in off.items() if any(max(map(abs, pair)) > 0.02 for pair in pairs)}
    why = {"scan-lookback": ", as it polls", "scan-matrix": ", a small part of its algorithm"}
    return paragraph(f"Counted instructions agree with the counters within 2 %, issued and on the ALU pipe, in {agree} of the {len(every)} "
                     "cases in `data/h200/hardware/instructions.json`; those of `sort-pairwise` within "
                     f"{100 * sort[0]:.1f} % and {100 * sort[1]:.2f} %. Off are, issued and on the ALU pipe, " + ", ".join(
                         f"`{kernel}` of `{name}` ({spread(name, kernel)}{why.get(name, '')})" for name, kernel in sorted(wrong)) + ".")


def law_calibrations():
    names = ("data/h200-validation/calibrations/first.json", "data/h200-validation/calibrations/second.json", "profiles/h200.json")
    row = [read_json(name)["constants"] for name in names]
    law = ("dram", "l2.read", "l2.write", "l2.copy", "l2.scattered", "pipe", "wait", "sleep", "fetch", "overlap", "knee", "phase",
           "block_start", "warp_start", "kernel_gap", "launch_overhead", "l2_half")
    by_tiles = ("dram.read", "dram.write", "dram.copy")  # measured in that form for the shipped profile alone
    apart = {}
    for name in row[0]:
        if name.startswith(law) and name not in by_tiles:
            values = [value_of(one[name]) for one in row]
            apart[name] = max(values) / min(values) - 1
    off = {name: value for name, value in apart.items() if value > 0.01}
    everywhere = [value_of(read_json(file.relative_to(ROOT))["constants"]["kernel_gap"])
                  for file in [*sorted((ROOT / "data").glob("*/calibrations/*.json")), ROOT / "profiles/h200.json"]]
    return paragraph(f"Three calibrations in a row (`data/h200-validation/calibrations/` and the shipped profile) agree within 1 % on "
                     f"{len(apart) - len(off)} of {len(apart)} constants of the law; not on " + ", ".join(
                         f"`{name}` ({percent(value)})" for name, value in off.items())
                     + ". The gap between kernels is steady within a process and differs between processes: by "
                     f"{share(max(everywhere) / min(everywhere) - 1)} over {len(everywhere)} calibrations, the profile's among them. "
                     "How long they took is in [results](results.md#figures-and-targets).")


def law_grows():
    sizes = ",".join(str(int(1024 * 2 ** (step / 12))) for step in range(12 * 18 + 1))
    falls, count = {}, 0
    for one in fathom("algorithms")["algorithms"]:
        if one["kernel"] and not one["baseline"] and "u32" in one["types"]:
            times = [point["time_s"] for point in fathom("predict", one["slug"], "-n", sizes, "--device", "h200")["points"]]
            count += len(times) - 1
            falls[one["slug"]] = [1 - after / before for before, after in zip(times, times[1:]) if after < before]
    worst = sorted(((max(some), name) for name, some in falls.items() if some), reverse=True)[:3]
    return paragraph("Time should not fall as n grows. From 2^10 to 2^28 `u32`, at default parameters, the predicted time falls in "
                     f"{sum(map(len, falls.values()))} of {count:,} steps of a twelfth of an octave, at most by "
                     + ", ".join(f"{share(fall)} (`{name}`)" for fall, name in worst)
                     + ". More resident blocks overlap better, and a grid of fixed size has another plan with every block that it gains; "
                     "so have the first few blocks of `sort-segments`, of few lists each. "
                     "More waits for memory alone can make few blocks faster, too, since κ falls.")


def steps():
    """Of each algorithm and type: n, measured and predicted time."""
    sizes = {}
    for run in judged("h200-radix-sorts/steps/steps.json"):
        sizes.setdefault((run["algorithm"], run["type"]), []).append((run["n"], run["measured_s"], run["predicted_s"]))
    return {key: sorted(value) for key, value in sizes.items()}


def law_falls():
    def falls(algorithm, index):
        return max((1 - after[index] / before[index], kind, before[0], after[0]) for (name, kind), sizes in steps().items()
                   if name == algorithm for before, after in zip(sizes, sizes[1:]))

    def told(fall):
        return f"{percent(fall[0])} (`{fall[1]}`, from {fall[2]:,} to {fall[3]:,} elements)"

    sizes = steps()["radix-msd", "f64"]
    at = next(one for one in sizes if one[0] == 1 << 14)
    return paragraph("Radix sorts change their plan with n: from one size measured below 2^17 elements to the next, predicted time falls by up to "
                     f"{told(falls('radix-msd', 2))} for `radix-msd`, {told(falls('radix-lsd', 2))} for `radix-lsd`. Measured time does "
                     f"fall, by at most {told(falls('radix-msd', 1))} and {told(falls('radix-lsd', 1))} "
                     f"(`data/h200-radix-sorts/steps/steps.json`: {len(sizes)} sizes each from 2^12 to 2^17, medians of 31 runs, on an "
                     "H200). So the large fall is the law's: of few elements in such sorts it is far off, `radix-msd` of `f64` at 2^14 by "
                     f"{100 * (at[2] / at[1] - 1):+.0f} %.")


BLOCKS = {"law-errors": law_errors, "law-kernels": law_kernels, "law-interval": law_interval, "law-misses": law_misses,
          "law-instructions": law_instructions,
          "law-calibrations": law_calibrations, "law-falls": law_falls,
          "law-grows": law_grows, "law-judgement": judgement, "law-which": which_algorithm, "law-strangers": strangers}
