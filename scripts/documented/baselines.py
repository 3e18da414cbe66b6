# SPDX-License-Identifier: Apache-2.0
"""CUB, called in each way, beside the fastest kernels of Fathom: docs/baselines.md, and the table of speed in README.md."""
import functools
import re
import statistics
import sys

from documented.data import ROOT, is_default, paragraph, read_json, runs_of, table, three

GPUS = ("h200", "h100")
SORTED = ("u32", "u64", "u32:u32")
SUMMED = ("u32", "u64")
# The file, CUB's function, and ours with their types.
FAMILIES = (("radix", "cub-radix", ("radix-single", "radix-onesweep", "radix-msd", "sort-splitter", "radix-lsd"), SORTED),
            ("merge", "cub-merge", ("sort-kway", "sort-pairwise", "sort-splitter"), SORTED),
            ("scan", "cub-scan", ("scan-lookback", "scan-stream"), SUMMED),
            ("reduce", "cub-reduce", ("reduce-vector",), SUMMED))
# Keys of which some begin like too many others for a bucket: zeros, infinities and denormal numbers.
FLOATS = ("radix", "cub-radix", ("radix-single", "radix-onesweep", "radix-msd"), ("f32", "f64"))
WAYS = tuple((bits, newest) for newest in (0, 1) for bits in (64, 32))


@functools.cache
def times(gpu):
    """Median seconds by algorithm, type, n and, for CUB, the way that it is called; ours with default parameters."""
    found = {}
    for family, baseline, ours, _ in FAMILIES:
        for run in runs_of(f"{gpu}-baselines/{family}.json"):
            parameters = run["parameters"]
            way = (parameters["bits"], parameters["newest"]) if run["algorithm"] == baseline else None
            if way is None and not is_default(run):
                continue
            found[run["algorithm"], run["type"], run["n"], way] = statistics.median(run["seconds"])
    return found


def sizes():
    """Those of `u32`; more elements were measured of `u64` alone."""
    return sorted({n for algorithm, kind, n, _ in times(GPUS[0]) if (algorithm, kind) == ("cub-radix", "u32")})


def fastest(gpu, baseline, kind, n):
    """The least time of CUB's ways. One may lack, since the clock moved; if more do, there is none."""
    found = [times(gpu)[baseline, kind, n, way] for way in WAYS if (baseline, kind, n, way) in times(gpu)]
    if not found:
        sys.exit(f"data/{gpu}-baselines lacks {baseline} {kind} {n}")
    return min(found) if len(found) >= (1 if kind in FLOATS[-1] else len(WAYS) - 1) else None


def ratio(gpu, baseline, algorithm, kind, n):
    """None where the clock moved in too many ways, in ours, or where that ran with other parameters."""
    best, own = fastest(gpu, baseline, kind, n), times(gpu).get((algorithm, kind, n, None))
    return best / own if best and own else None


def ratios_at(gpu, baseline, algorithm, kind, sizes_of_them):
    """Those that there are."""
    return [one for one in (ratio(gpu, baseline, algorithm, kind, n) for n in sizes_of_them) if one]


def in_words(n):
    if n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    digits = len(str(n)) - 1
    return "2^28 − 2^16" if n == (1 << 28) - (1 << 16) else f"{n / 10**digits:g}·10^{digits}"


def cell(baseline, algorithm, kinds, n):
    """On both GPUs; "–" where there is no ratio."""
    def shown(gpu, kind):
        found = ratio(gpu, baseline, algorithm, kind, n)
        return f"{found:.2f}" if found else "–"

    on = [", ".join(shown(gpu, kind) for kind in kinds) for gpu in GPUS]
    return f"{on[0]} ({on[1]})"


def speed():
    columns = (1 << 16, 1 << 20, 1 << 28)
    wanted = {"radix-onesweep", "radix-msd", "sort-kway", "scan-stream", "scan-lookback", "reduce-vector"}
    rows = [[f"`{name}`: " + ", ".join(f"`{kind}`" for kind in kinds), *(cell(baseline, name, kinds, n) for n in columns)]
            for _, baseline, ours, kinds in FAMILIES for name in ours if name in wanted]
    head = "speed: CUB's time over ours, default parameters, [the fastest of CUB's ways](docs/baselines.md); H200 (H100: `radix-onesweep` with former kernels; –: not measured as it is now)"
    return table([head, *map(in_words, columns)], rows)


def ratios():
    against = {("cub-merge", "sort-splitter"): " against `cub-merge`"}  # which has two baselines
    rows = [[f"`{name}`" + against.get((baseline, name), ""), f"`{kind}`", *(cell(baseline, name, (kind,), int(n)) for n in sizes())]
            for _, baseline, ours, kinds in (*FAMILIES, FLOATS) for name in ours for kind in kinds]
    return table(["H200 (H100)", "", *(in_words(int(n)) for n in sizes())], rows)


def more_than_2_28():
    """Measured on the H200 alone."""
    n = 350_000_000
    msd, onesweep = (ratio("h200", "cub-radix", one, "u64", n) for one in ("radix-msd", "radix-onesweep"))
    return paragraph(f"Of {in_words(n)} `u64`, measured on the H200 alone, `radix-msd` takes {1e3 * times('h200')['radix-msd', 'u64', n, None]:.2f} "
                     f"ms, and is {msd:.2f} times as fast as CUB, `radix-onesweep` {onesweep:.2f} times.")


def ways():
    """Milliseconds of each way at 2^28 and microseconds at 2^16, on the H200."""
    rows = []
    for _, baseline, _, kinds in FAMILIES:
        for kind in kinds:
            for n, unit in ((1 << 28, 1e3), (1 << 16, 1e6)):
                all_ways = [times("h200").get((baseline, kind, n, way)) for way in WAYS]  # None: the clock moved
                best = fastest("h200", baseline, kind, n)
                shown = ["–" if one is None else f"**{three(unit * one)}**" if one == best else three(unit * one) for one in all_ways]
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
    files = {gpu: [read_json(f"data/{gpu}-baselines/{family}.json") for family, *_ in FAMILIES] for gpu in GPUS}
    days = {gpu: max(file["provenance"]["date"] for file in of_gpu)[:10] for gpu, of_gpu in files.items()}
    commits = sorted({file["provenance"]["commit"] for of_gpu in files.values() for file in of_gpu})
    runs = [run for of_gpu in files.values() for file in of_gpu for run in file["runs"]]
    return paragraph(f"Measured on {' and '.join(f'an {gpu.upper()} on {day}' for gpu, day in days.items())} by "
                     f"`scripts/campaigns/measure-baselines` (commit{'s' if len(commits) > 1 else ''} {' and '.join(commits)}, CUDA toolkit "
                     f"{files['h200'][0]['provenance']['toolkit']}), both sides in one run on one GPU. All outputs were checked. Of {len(runs)} "
                     f"runs {sum(run['clock_moved'] for run in runs)} are left out, during which the clock moved, and of ours those whose "
                     "parameters are no longer the default.")


BLOCKS = {"speed": speed, "baselines-ratios": ratios, "baselines-more": more_than_2_28, "baselines-ways": ways, "baselines-measured": measured}
