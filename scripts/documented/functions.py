# SPDX-License-Identifier: Apache-2.0
"""What a call of the functions takes on the host, and `fathom.sort` beside other libraries: docs/functions.md."""
import re

from documented.data import paragraph, read_json, table
from documented.results import size

FILE = "data/h200-functions/calls.json"
BESIDE = "data/h200-functions/functions.json"
LEAST, LEAST_RATIO = 1 << 16, 0.97  # from so many elements on, sort should be at most so much slower than any other
OTHERS = {"CuPy": ("cupy",), "PyTorch": ("torch",), "Thrust": ("thrust",), "CUB": ("cub, n of 32 bits", "cub, n of 64 bits")}


def medians():
    """Microseconds by function, type and n."""
    found = {}
    for one in read_json(FILE)["benchmarks"]:
        if one["aggregate_name"] == "median":
            function, kind, n = re.match(r"(\w+)<(\w+)>/(\d+)/", one["name"]).groups()
            found[function, kind, int(n)] = one["real_time"]
    return found


def labels():
    return {(kind, int(n)): one["label"] for one in read_json(FILE)["benchmarks"]
            for function, kind, n in [re.match(r"(\w+)<(\w+)>/(\d+)/", one["name"]).groups()] if function == "launches_alone"}


def calls():
    times = medians()
    rows = [[f"`{kind}`, 2^{n.bit_length() - 1}", f"`{slug}`",
             *(f"{times[function, kind, n]:.1f}" for function in ("launches_alone", "sort_again", "sort_another_n_each_time"))]
            for (kind, n), slug in sorted(labels().items())]
    return table(["", "chosen", "its launches alone", "`sort` again", "`sort` of another n each time"], rows)


def measured():
    context = read_json(FILE)["context"]
    return paragraph(f"Microseconds of the host until a call has queued its launches, on the machine of an H200 on {context['date'][:10]} "
                     "(`calls_benchmark`, medians of 21 series of 50 calls):")


def ratios():
    """By type and values, and n: how many times as long as `fathom.sort` the others take, of CUB the faster call."""
    times = {}
    for run in read_json(BESIDE)["runs"]:
        times.setdefault((run["type"], run["values"], run["n"]), {})[run["sort"]] = run["seconds"]
    return {key: {name: min(of[one] for one in calls) / of["fathom"] for name, calls in OTHERS.items() if calls[0] in of}
            for key, of in times.items()}


def host(n):
    """Seconds until a call for `int32` returns while the GPU is idle."""
    (seconds,) = [run["host_s"] for run in read_json(BESIDE)["runs"]
                  if (run["sort"], run["type"], run["values"], run["n"]) == ("fathom", "int32", None, n)]
    return seconds


def in_words(type, values):
    return f"`{type}`" + (f" with `{values}`" if values else "")


def beside():
    found = ratios()
    sizes = sorted({n for _, _, n in found})
    rows = []
    for type, values in dict.fromkeys((type, values) for type, values, _ in found):
        for name in found[type, values, sizes[0]]:
            of = [found[type, values, n][name] for n in sizes]
            rows.append([in_words(type, values), name,
                         *(f"**{one:.2f}**" if one < LEAST_RATIO and n >= LEAST else f"{one:.2f}" for n, one in zip(sizes, of))])
    return table(["keys", "", *map(size, sizes)], rows)


def least_ratios():
    """From the least n on, how many times as long as `fathom.sort` the fastest of the others takes: where it is too little, and
    elsewhere."""
    large = {key: min(of.values()) for key, of in ratios().items() if key[2] >= LEAST}
    slower = {key: one for key, one in large.items() if one < LEAST_RATIO}
    return slower, {key: one for key, one in large.items() if key not in slower}


def least_below():
    """Of fewer elements than that, the least such ratio."""
    return min(min(of.values()) for (*_, n), of in ratios().items() if n < LEAST)


def summary():
    """A sentence for the README."""
    slower, others = least_ratios()
    of_slower = sorted({in_words(type, values) for type, values, _ in slower})
    exception = f", but for {' and '.join(of_slower)} (at worst {min(slower.values()):.2f})" if slower else ""
    return (f"In Python, `fathom.sort(keys)` takes arrays of CuPy and PyTorch, and with `out=` those of JAX, which cannot be written; from 2^{LEAST.bit_length() - 1} keys on an H200 it is "
            f"{min(others.values()):.2f} to {max(others.values()):.1f} times as fast as the fastest of CuPy, PyTorch, and the toolkit's Thrust and CUB{exception}, "
            f"and for fewer keys {least_below():.2f} times at worst.")


def beside_measured():
    made = read_json(BESIDE)
    slower, others = least_ratios()
    from_least = f"From 2^{LEAST.bit_length() - 1} elements"
    if slower:
        cases = " and ".join(f"{in_words(type, values)} at {n:,} ({one:.2f})" for (type, values, n), one in slower.items())
        worst = (f"{from_least} it is below {LEAST_RATIO} of the fastest in {len(slower)} of {len(slower) + len(others)} cases, {cases}, "
                 f"and at least {min(others.values()):.2f} in all others.")
    else:
        worst = f"{from_least} the fastest of them takes at least {min(others.values()):.2f} times as long, in all {len(others)} cases."
    return paragraph(
        f"Random keys on an {made['gpu'].split(' ', 1)[1]} ({made['date'][:10]}, commit {made['commit']}; CuPy {made['cupy']}, PyTorch "
        f"{made['torch']}, the CUDA toolkit's Thrust and CUB), each called from Python many times in a row: how many times as long as `fathom.sort` "
        f"each takes (`scripts/campaigns/measure-functions`). {worst} Of 2^10 keys the host's part of a call decides: of `int32` a call of `fathom.sort` "
        f"takes it {1e6 * host(1 << 10):.1f} µs, from C++ {medians()['sort_again', 'u32', 1 << 10]:.1f}.")


BLOCKS = {"functions-beside": beside, "functions-beside-measured": beside_measured, "functions-measured": measured, "functions-calls": calls}
