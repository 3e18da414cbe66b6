# SPDX-License-Identifier: Apache-2.0
"""CUB, called in each way, beside the fastest kernels of Fathom: docs/baselines.md, and the table of speed in README.md."""
import functools
import re
import statistics
import sys

from documented.data import ROOT, paragraph, read_json, runs_of, table, three

GPUS = ("h200", "h100")
SORTED = ("u32", "u64", "u32:u32")
SUMMED = ("u32", "u64")
# The file, CUB's function, and ours with their types.
FAMILIES = (("radix", "cub-radix", ("radix-onesweep", "radix-msd", "sort-splitter", "radix-lsd"), SORTED),
            ("merge", "cub-merge", ("sort-kway", "sort-pairwise"), SORTED),
            ("scan", "cub-scan", ("scan-lookback",), SUMMED),
            ("reduce", "cub-reduce", ("reduce-vector",), SUMMED))
WAYS = tuple((bits, newest) for newest in (0, 1) for bits in (64, 32))


@functools.cache
def times(gpu):
    """Median seconds by algorithm, type, n and, for CUB, the way that it is called."""
    found = {}
    for family, baseline, ours, _ in FAMILIES:
        for run in runs_of(f"{gpu}-baselines/{family}.json"):
            parameters = run["parameters"]
            way = (parameters["bits"], parameters["newest"]) if run["algorithm"] == baseline else None
            found[run["algorithm"], run["type"], run["n"], way] = statistics.median(run["seconds"])
    return found


def sizes():
    return sorted({n for algorithm, _, n, _ in times(GPUS[0]) if algorithm == "cub-radix"})


def fastest(gpu, baseline, kind, n):
    """The least time of CUB's ways. One may lack, since the clock moved."""
    found = [times(gpu)[baseline, kind, n, way] for way in WAYS if (baseline, kind, n, way) in times(gpu)]
    if len(found) < len(WAYS) - 1:
        sys.exit(f"data/{gpu}-baselines lacks {baseline} {kind} {n}")
    return min(found)


def ratio(gpu, baseline, algorithm, kind, n):
    return fastest(gpu, baseline, kind, n) / times(gpu)[algorithm, kind, n, None]


def in_words(n):
    if n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    digits = len(str(n)) - 1
    return "2^28 − 2^16" if n == (1 << 28) - (1 << 16) else f"{n / 10**digits:g}·10^{digits}"


def cell(baseline, algorithm, kinds, n):
    """On both GPUs; "–" where the clock moved while ours was measured."""
    on = [", ".join(f"{ratio(gpu, baseline, algorithm, kind, n):.2f}" if (algorithm, kind, n, None) in times(gpu) else "–" for kind in kinds)
          for gpu in GPUS]
    return f"{on[0]} ({on[1]})"


def speed():
    columns = (1 << 16, 1 << 20, 1 << 28)
    wanted = {"radix-onesweep", "radix-msd", "sort-kway", "scan-lookback", "reduce-vector"}
    rows = [[f"`{name}`: " + ", ".join(f"`{kind}`" for kind in kinds), *(cell(baseline, name, kinds, n) for n in columns)]
            for _, baseline, ours, kinds in FAMILIES for name in ours if name in wanted]
    head = "speed: CUB's time over ours, default parameters, [the fastest of CUB's ways](docs/baselines.md); H200 (H100)"
    return table([head, *map(in_words, columns)], rows)


def ratios():
    rows = [[f"`{name}`", f"`{kind}`", *(cell(baseline, name, (kind,), int(n)) for n in sizes())]
            for _, baseline, ours, kinds in FAMILIES for name in ours for kind in kinds]
    return table(["H200 (H100)", "", *(in_words(int(n)) for n in sizes())], rows)


def ways():
    """Milliseconds of each way at 2^28 and microseconds at 2^16, on the H200."""
    rows = []
    for _, baseline, _, kinds in FAMILIES:
        for kind in kinds:
            for n, unit in ((1 << 28, 1e3), (1 << 16, 1e6)):
                all_ways = [times("h200")[baseline, kind, n, way] for way in WAYS]
                shown = [three(unit * one) for one in all_ways]
                best = min(range(len(WAYS)), key=all_ways.__getitem__)
                shown[best] = f"**{shown[best]}**"
                rows.append([f"`{baseline}`", f"`{kind}`", f"{in_words(n)}, {'ms' if unit == 1e3 else 'µs'}", *shown])
    old, new = versions()
    return table(["H200", "", "n", *(f"CCCL {new if newest else old}, {bits} bits" for bits, newest in WAYS)], rows)


@functools.cache
def versions():
    found = {(ROOT / f"data/{gpu}-baselines/versions.txt").read_text().strip() for gpu in GPUS}
    match = re.fullmatch(r"CCCL (\S+) and (\S+)", found.pop())
    if not match or found:
        sys.exit("data/*-baselines/versions.txt are not of one build with two versions of CCCL")
    return match.groups()


def measured():
    provenances = {gpu: read_json(f"data/{gpu}-baselines/radix.json")["provenance"] for gpu in GPUS}
    days = {gpu: one["date"][:10] for gpu, one in provenances.items()}
    runs = {gpu: [run for family, *_ in FAMILIES for run in read_json(f"data/{gpu}-baselines/{family}.json")["runs"]] for gpu in GPUS}
    moved = sum(run["clock_moved"] for of_gpu in runs.values() for run in of_gpu)
    return paragraph(f"Measured on {' and '.join(f'an {gpu.upper()} on {day}' for gpu, day in days.items())} by "
                     f"`scripts/campaigns/measure-baselines` (commit {provenances['h200']['commit']}, CUDA toolkit "
                     f"{provenances['h200']['toolkit']}), both sides in one run on one GPU. All outputs were checked. Of "
                     f"{sum(map(len, runs.values()))} runs {moved} are left out, during which the clock moved.")


BLOCKS = {"speed": speed, "baselines-ratios": ratios, "baselines-ways": ways, "baselines-measured": measured}
