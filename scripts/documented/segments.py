# SPDX-License-Identifier: Apache-2.0
"""The segmented sort beside CUB's: docs/segmented-sort.md."""
import statistics

from documented.data import paragraph, percent, read_json, runs_of, table, three

GPUS = ("h200", "h100")
CUB = ("cub-segmented-sort", "cub-segmented-radix")
TO_REACH = 1.3


def medians(gpu):
    return {(run["algorithm"], run["type"], run["n"], run["parameters"]["length"]): statistics.median(run["seconds"])
            for run in runs_of(f"{gpu}-segments/segments.json")}


def over_ours(times, *problem):
    """The faster one of CUB's over ours."""
    return min(times[one, *problem] for one in CUB) / times["sort-segments", *problem]


def speed(gpu):
    """Ours in microseconds, and the faster one of CUB's over it."""
    times = medians(gpu)
    lengths = sorted({length for *_, length in times})
    rows = []
    for kind, n in sorted({(kind, n) for algorithm, kind, n, _ in times if algorithm == "sort-segments"}):
        cells = []
        for length in lengths:
            ours, ratio = times["sort-segments", kind, n, length], over_ours(times, kind, n, length)
            shown = f"**{ratio:.2f}**" if ratio < TO_REACH else f"{ratio:.2f}"
            cells.append(f"{three(1e6 * ours) if ours < 1e-3 else format(1e6 * ours, ',.0f')} ({shown})")
        rows.append([f"`{kind}`", f"2^{n.bit_length() - 1}", *cells])
    return table([f"{gpu.upper()}: µs (CUB's time over it)", "n", *(f"{length:,}" for length in lengths)], rows)


def measured():
    provenance = {gpu: read_json(f"data/{gpu}-segments/segments.json")["provenance"] for gpu in GPUS}
    grids = {read_json(f"data/{gpu}-segments/grid.json")["provenance"]["commit"] for gpu in GPUS}
    (toolkit,) = {one["toolkit"] for one in provenance.values()}
    (commit,) = grids | {one["commit"] for one in provenance.values()}
    return paragraph("Measured on " + " and ".join(f"an {gpu.upper()} on {one['date'][:10]}" for gpu, one in provenance.items()) +
                     f" by `scripts/campaigns/measure-segments` (commit {commit}), both sides in one run, default parameters. All outputs "
                     f"were checked. CUB is that of the CUDA toolkit {toolkit}, the faster one of its two sorts; ratios below the {TO_REACH} that are aimed at are bold.")


def blocks():
    """How much slower the default block is than the fastest measured, at each length."""
    ((kind, n),) = {(run["type"], run["n"]) for gpu in GPUS for run in runs_of(f"{gpu}-segments/grid.json")}
    sentences = []
    for gpu in GPUS:
        times = {}
        for run in runs_of(f"{gpu}-segments/grid.json"):
            times.setdefault(run["parameters"]["length"], {})[
                run["parameters"]["t"], run["parameters"]["E"]] = statistics.median(run["seconds"])
        (default,) = {(run["parameters"]["t"], run["parameters"]["E"]) for run in runs_of(f"{gpu}-segments/segments.json")
                      if run["algorithm"] == "sort-segments" and (run["type"], run["n"]) == (kind, n)}
        slower = {length: of[default] / min(of.values()) - 1 for length, of in times.items()}
        worst = max(slower, key=slower.get)
        t, E = min(times[worst], key=times[worst].get)
        sentences.append(f"on an {gpu.upper()} the default block, t = {default[0]}, E = {default[1]}, is at most {percent(slower[worst])} slower "
                         f"than the fastest of those measured (length {worst}: t = {t}, E = {E})")
    return paragraph(f"Of `{kind}` at 2^{n.bit_length() - 1} (`grid.json`), " + "; ".join(sentences) + ".")


BLOCKS = {"segments-measured": measured, **{f"segments-speed-{gpu}": lambda gpu=gpu: speed(gpu) for gpu in GPUS},
          "segments-blocks": blocks}
