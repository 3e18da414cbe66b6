# SPDX-License-Identifier: Apache-2.0
"""Algorithms on several GPUs beside one: docs/several-gpus.md."""
import functools
import statistics

from documented import host
from documented.data import ROOT, deviation, fathom, item, paragraph, percent, read_json, runs_of, table, three

FOLDERS = {2: "h200-gpus", 4: "h200-gpus-4"}  # by GPUs
TYPES = ("u64", "u32", "u32:u32")
ONE_GPU = ("radix-onesweep", "radix-msd")
BY_N = {"pieces": 0, "slices": 0}
DEFAULT = {"scheme": 0, **BY_N}
SCHEME = {2: {1: 1, 2: 2}, 4: {1: 0}}  # how runs on so many GPUs name those that were measured: 0 stands for 1 among four


def times(folder, name, algorithms, **parameters):
    """Medians in ms of random input, by type and n: the fastest of the algorithms with these parameters."""
    fastest = {}
    for run in runs_of(f"{folder}/{name}.json"):
        if run["algorithm"] not in algorithms or run["input"] != "random":
            continue
        if any(run["parameters"].get(key) != value for key, value in parameters.items()):
            continue
        key, time = (run["type"], run["n"]), 1e3 * statistics.median(run["seconds"])
        fastest[key] = min(time, fastest.get(key, time))
    return fastest


def power(n):
    return f"2^{n.bit_length() - 1}"


def times_as_fast(one, several):
    if several is None:
        return "–"
    return f"{three(several)} ({one / several:.2f})" if one else three(several)


def compared(name, one_gpu, ways):
    """Rows of one GPU's fastest and of several, in each of the ways for so many, with how many times as fast they are."""
    rows = []
    for gpus, folder in FOLDERS.items():
        alone = times(folder, name, one_gpu)
        by_way = [times(folder, name, algorithms, gpus=gpus, **parameters) for algorithms, parameters in ways(gpus)]
        for kind, n in sorted(by_way[0], key=lambda at: (TYPES.index(at[0]), at[1])):
            one = alone.get((kind, n))  # None where it was not measured
            several = [way.get((kind, n)) for way in by_way]
            rows.append([str(gpus), f"`{kind}`", power(n), three(one) if one else "–", *(times_as_fast(one, each) for each in several)])
    return rows


def sorts():
    return table(["GPUs", "", "n in all", "one GPU, ms", "`scheme=1`, ms (times as fast)", "`scheme=2`"],
                 compared("sorts", ONE_GPU, lambda gpus: [(("sort-gpus",), {"scheme": SCHEME[gpus].get(scheme), **BY_N}) for scheme in (1, 2)]))


def summary():
    """A sentence for the README."""
    n = 1 << 29
    one = times(FOLDERS[2], "sorts", ONE_GPU)["u64", n]
    two, four = (times(FOLDERS[gpus], "sorts", ("sort-gpus",), gpus=gpus, **DEFAULT)["u64", n * gpus // 2] for gpus in (2, 4))
    n_host, of_host, share = host.largest()
    return (f"Arrays may lie on [several GPUs](docs/several-gpus.md) (one H200 sorts {power(n)} `u64` in {three(one)} ms, two in {three(two)}, and four took {three(four)} for twice as many with a former finish) or in "
            f"[host memory](docs/host-sort.md) ({n_host} in {three(of_host)} s, {percent(share)} of what the link allows).")


def speed_up():
    """What two GPUs reach of the targets, and where their time goes."""
    n, targets = 1 << 29, {"u64": 1.8, "u32": 1.6, "u32:u32": 1.7}
    alone = times(FOLDERS[2], "sorts", ONE_GPU)
    ours, by_merging, one_piece = (times(FOLDERS[2], "sorts", ("sort-gpus",), gpus=2, **of)
                                   for of in (DEFAULT, {"scheme": 1, **BY_N}, {"scheme": 2, "pieces": 1, "slices": 0}))
    others = times(FOLDERS[2], "sorts", ("cub-sort-gpus",), gpus=2)
    (rate,) = (rate for kind, _, rate, _ in curves(2) if kind == "all-to-all")
    crossing = 1e3 * (n // 4 * 8) / (1e9 * rate)

    def listed(of, digits=2):
        return ", ".join(f"{of(kind):.{digits}f}" for kind in targets)
    return paragraph(
        f"Two GPUs sort {power(n)} `u64`, `u32` and `u32:u32` {listed(lambda kind: alone[kind, n] / ours[kind, n])} times as fast as one, with scheme 1 "
        f"{listed(lambda kind: alone[kind, n] / by_merging[kind, n])} times; the targets were {listed(targets.get, 1)}. CUB's sorts and merges take "
        f"{listed(lambda kind: others[kind, n] / ours[kind, n])} times as long; the target was 1.5. Half of a GPU's `u64` cross a link in {three(crossing)} ms. "
        f"That is a part of the {three(one_piece['u64', n])} ms that the sort takes in one piece; in eight, the default, it takes {three(ours['u64', n])} ms. "
        f"{power(2 * n)} elements are too many for buckets, and are sorted with scheme 1: `u64` in {three(ours['u64', 2 * n])} ms by two GPUs, in "
        f"{three(alone['u64', 2 * n])} by one.")


def skewed():
    """Inputs other than random ones, with both schemes, on two GPUs."""
    n, rows, longer = 1 << 29, [], []
    runs = [run for run in runs_of(f"{FOLDERS[2]}/sorts.json") if run["algorithm"] == "sort-gpus" and run["n"] == n and run["parameters"]["gpus"] == 2
            and all(run["parameters"][key] == value for key, value in BY_N.items())]
    for kind in TYPES:
        for name in ("sorted", "zipf", "few-unique"):
            first, second = (1e3 * statistics.median(run["seconds"]) for scheme in (1, 2) for run in runs
                             if run["type"] == kind and run["input"] == name and run["parameters"]["scheme"] == scheme)
            if name != "sorted":
                longer.append(second / first - 1)
            rows.append([f"`{kind}`", name, three(first), three(second)])
    text = paragraph(f"Other inputs, {power(n)} elements on two GPUs. Many keys of zipf and few-unique ones begin alike: they are counted before scheme 1 sorts "
                     f"them, and take {percent(min(longer))} to {percent(max(longer))} longer than with scheme 1 at once.")
    return [*text, "", *table(["", "input", "`scheme=1`, ms", "`scheme=2`"], rows)]


def pieces():
    rows, numbers = [], (1, 2, 4, 8, 16)
    for gpus, folder in FOLDERS.items():
        for scheme, named in SCHEME[gpus].items():
            by_pieces = [times(folder, "sorts", ("sort-gpus",), scheme=named, pieces=count, slices=0, gpus=gpus) for count in numbers]
            for kind, n in sorted(by_pieces[0], key=lambda at: (TYPES.index(at[0]), at[1])):
                if n >= 2**25 * gpus and not (scheme == 2 and n > 2**29):  # of more elements, it is scheme 1
                    rows.append([str(gpus), str(scheme), f"`{kind}`", power(n),
                                 *(three(of[kind, n]) if (kind, n) in of else "–" for of in by_pieces)])
    return table(["GPUs", "scheme", "", "n in all", "1 piece, ms", *map(str, numbers[1:])], rows)


def slices():
    """In one slice and in two, with the default pieces, from the least elements of which two are the default among four GPUs.
    `slices` 1 makes two of more elements than radix-msd sorts at once (`most_of_msd`)."""
    rows = []
    for gpus, folder in FOLDERS.items():
        one, two = (times(folder, "sorts", ("sort-gpus",), scheme=SCHEME[gpus][1], pieces=0, slices=value, gpus=gpus) for value in (1, 2))
        for kind, n in sorted(two, key=lambda at: (TYPES.index(at[0]), at[1])):
            if n >= 2**26 * gpus:
                has_one = kind == "u32" or n <= 2**28 * gpus
                rows.append([str(gpus), f"`{kind}`", power(n), three(one[kind, n]) if has_one else "–", three(two[kind, n])])
    return table(["GPUs", "", "n in all", "one slice, ms", "two"], rows)


def cub():
    """The fastest way to call CUB, beside the default."""
    rows = []
    for gpus, folder in FOLDERS.items():
        ours, others = times(folder, "sorts", ("sort-gpus",), gpus=gpus, **DEFAULT), times(folder, "sorts", ("cub-sort-gpus",), gpus=gpus)
        for kind, n in sorted(others, key=lambda at: (TYPES.index(at[0]), at[1])):
            rows.append([str(gpus), f"`{kind}`", power(n), three(others[kind, n]), three(ours[kind, n]), f"{others[kind, n] / ours[kind, n]:.2f}"])
    return table(["GPUs", "", "n in all", "`cub-sort-gpus`, ms", "`sort-gpus`, ms", "times as fast"], rows)


def sums():
    rows = []
    for algorithm, alone in (("reduce-gpus", "reduce-vector"), ("scan-gpus", "scan-lookback")):
        rows += [[f"`{algorithm}`", *row] for row in compared("sums", (alone,), lambda _: [((algorithm,), {})])]
    return table(["", "GPUs", "", "n in all", "one GPU, ms", "several, ms (times as fast)"], rows)


def curves(gpus):
    """What exchanges among all GPUs take, by the lines: kind, latency in µs, GB/s of the largest, and the curve."""
    for curve in read_json(f"data/{FOLDERS[gpus]}/links.json")["links"]["exchanges"]:
        if curve["gpus"] == gpus:
            first, last = curve["ranges"][0], curve["ranges"][-1]
            largest_s = last["latency"]["value_s"] + curve["most_bytes"] * last["per_byte"]["value_s_per_byte"]
            yield curve["kind"], 1e6 * first["latency"]["value_s"], 1e-9 * curve["most_bytes"] / largest_s, curve


def links():
    rows = []
    for gpus in FOLDERS:
        for kind, latency, rate, curve in curves(gpus):
            rows.append([str(gpus), kind, f"{latency:.1f}", f"{rate:.0f}", f"{100 * curve['mean_relative_error']:.1f}"])
    return table(["GPUs", "exchange", "latency, µs", "rate of the largest, GB/s", "mean error of the lines, %"], rows)


def measured():
    two, four = (read_json(f"data/{FOLDERS[gpus]}/sorts.json")["provenance"] for gpus in (2, 4))
    moved = [run for folder in FOLDERS.values() for name in ("sorts", "sums") for run in read_json(f"data/{folder}/{name}.json")["runs"]
             if run["clock_moved"] and run["parameters"].get("pieces", 0) == 0]  # the others are in no table
    left_out = "".join(f" `{run['algorithm']}` of {power(run['n'])} `{run['type']}` on {run['parameters']['gpus']} GPUs is left out, as the clock moved meanwhile." for run in moved)
    return paragraph(f"Measured on a machine of two H200s ({two['date'][:10]}, commit {two['commit']}) and on another of four ({four['date'][:10]}, commit "
                     f"{four['commit']}) by `scripts/campaigns/measure-gpus`: medians of eleven runs of random input, default parameters unless others are "
                     f"named. All outputs were checked. Runs and links of two GPUs are in `data/{FOLDERS[2]}`, those of four in `data/{FOLDERS[4]}`. One GPU is the "
                     "faster one of `radix-onesweep` and `radix-msd`, `reduce-vector`, and `scan-lookback`, with as many elements, on the same "
                     f"machine as those it is compared with.{left_out}")


PROCESSES = "h200-gpus-processes"


def processes():
    """Two GPUs in a process each, beside two in one process."""
    rows = []
    for name, algorithms, defaults in (("sorts", ("sort-gpus",), {"pieces": 0}), ("sums", ("reduce-gpus", "scan-gpus"), {})):
        for algorithm in algorithms:
            two, one = (times(PROCESSES, prefix + name, (algorithm,), **defaults) for prefix in ("", "one-process-"))
            of_one_piece = times(PROCESSES, name, (algorithm,), pieces=1)
            for kind, n in sorted(two, key=lambda at: (TYPES.index(at[0]), at[1])):
                last = three(of_one_piece[kind, n]) if defaults else "–"
                rows.append([f"`{algorithm}`", f"`{kind}`", power(n), three(one[kind, n]), three(two[kind, n]), last])
    return table(["", "", "n in all", "one process, ms", "two processes, ms", "with `pieces=1`"], rows)


def processes_measured():
    of = read_json(f"data/{PROCESSES}/sorts.json")["provenance"]
    return paragraph(f"Measured on two H200s of one host on {of['date'][:10]} (commit {of['commit']}), by `fathom bench` with `--gpus 2` and, started by "
                     "Open MPI's `mpirun -n 2`, with `--mpi`, one after the other on one machine: medians of eleven runs of random input, default "
                     "parameters unless others are named. All outputs were checked.")


def predicted(name, **parameters):
    """A prediction from the links of four GPUs."""
    changes = [text for key, value in parameters.items() for text in ("--set", f"{key}={value}")]
    return fathom("predict", name[0], "-n", str(name[2]), "--type", name[1], *changes, "--device", str(ROOT / "data" / FOLDERS[4] / "links.json"))


WAYS = {"`sort-gpus`": ("sort-gpus", {"scheme": 0}), "`sort-gpus` with `scheme=1`": ("sort-gpus", {"scheme": 1}),
        "`sort-gpus` with `scheme=2`": ("sort-gpus", {"scheme": 2}),
        "`reduce-gpus`": ("reduce-gpus", {}), "`scan-gpus`": ("scan-gpus", {})}


@functools.cache
def compared_runs(gpus, links):
    """Runs of random input on so many GPUs, beside predictions from the calibration of `links` GPUs."""
    files = [str(ROOT / "data" / FOLDERS[gpus] / f"{name}.json") for name in ("sorts", "sums")]
    runs = fathom("validate", *files, "--device", str(ROOT / "data" / FOLDERS[links] / "links.json"), "--smallest-n", "2^24")
    return [run for run in runs["comparisons"][0]["runs"]
            if run["relative_error"] is not None and run["input"] == "random" and run["parameters"].get("gpus") == gpus]


def beside():
    """By how much more sorts in many pieces are longer than predicted, most of whose exchange is beside kernels."""
    n, times = 1 << 29, {1: [], 16: []}
    for run in compared_runs(2, 2):
        at = run["parameters"]
        if run["algorithm"] == "sort-gpus" and run["n"] == n and at["scheme"] == 2 and at["pieces"] in times and at["slices"] == 0:
            times[at["pieces"]].append(run["measured_s"] / run["predicted_s"])
    changes = [many / one - 1 for one, many in zip(times[1], times[16], strict=True)]
    return item(f"What a kernel and an exchange beside it cost each other. It is little: over the predicted time, that of sorts of {power(n)} elements by scheme 2 "
                f"changes by {deviation(min(changes))} to {deviation(max(changes))} from one piece, whose exchange has nothing beside it, to sixteen.")


def errors():
    """Mean errors of runs of random input, of few and of many elements."""
    columns = {(gpus, links): compared_runs(gpus, links) for gpus, links in ((2, 2), (4, 4), (4, 2))}

    def cell(runs, algorithm, parameters, least_n, most_n):
        of_way = [abs(run["relative_error"]) for run in runs if run["algorithm"] == algorithm and least_n <= run["n"] < most_n
                  and all(run["parameters"][key] == value for key, value in parameters.items())]
        return f"{percent(statistics.mean(of_way))} ({len(of_way)})" if of_way else "–"

    rows = []
    for way, (algorithm, parameters) in WAYS.items():
        for range_text, least_n, most_n in (("2^24 to 2^25", 2**24, 2**26), ("from 2^26", 2**26, 2**62)):
            rows.append([way, range_text, *(cell(runs, algorithm, parameters, least_n, most_n) for runs in columns.values())])
    return table(["mean over runs (their number)", "n in all", "two GPUs", "four GPUs", "four, from the links of two"], rows)


def extrapolated():
    two, four = ({kind: (latency, rate) for kind, latency, rate, _ in curves(gpus)}["all-to-all"] for gpus in (2, 4))
    return paragraph(
        f"What two GPUs do not tell of four is mostly the latency: an `all-to-all` takes {four[0]:.0f} µs where the law takes over {two[0]:.0f}. Its rate is "
        f"{four[1]:.0f} GB/s where the law takes over {two[1]:.0f}.")


def eight():
    """Predicted for eight GPUs from four, with 2^28 elements per GPU, beside one GPU with as many."""
    rows = []
    for algorithm, alone, kinds in (("sort-gpus", ("radix-msd", "radix-onesweep"), TYPES), ("reduce-gpus", ("reduce-vector",), TYPES[:2]),
                                    ("scan-gpus", ("scan-lookback",), TYPES[:2])):
        for kind in kinds:
            n = 2**31
            many = predicted((algorithm, kind, n), gpus=8)
            one = min(predicted((name, kind, n))["time_s"] for name in alone)
            low, high = many["interval_s"]
            rows.append([f"`{algorithm}`", f"`{kind}`", f"{three(1e3 * many['time_s'])} ({three(1e3 * low)} to {three(1e3 * high)})",
                         f"{1e-9 * n / many['time_s']:.0f}", percent(many["terms"]["link_s"] / many["time_s"]), f"{one / many['time_s']:.1f}"])
    return table(["", "", "predicted, ms (95 %)", "10^9 elements/s", "of it links", "times as fast as one GPU"], rows)


BLOCKS = {"gpus-errors": errors, "gpus-processes": processes, "gpus-processes-measured": processes_measured, "gpus-eight": eight, "gpus-extrapolated": extrapolated, "gpus-measured": measured, "gpus-sorts": sorts, "gpus-speed-up": speed_up, "gpus-skewed": skewed, "gpus-beside": beside, "gpus-slices": slices, "gpus-cub": cub, "gpus-pieces": pieces, "gpus-sums": sums, "gpus-links": links}
