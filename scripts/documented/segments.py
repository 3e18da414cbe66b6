# SPDX-License-Identifier: Apache-2.0
"""The segmented sort beside CUB's: docs/segmented-sort.md."""
import math
import statistics

from documented.data import ROOT, paragraph, percent, read_json, runs_of, table, three
from documented.sorting import predictions

GPUS = ("h200", "h100")
FORMER = ("h100",)  # their runs are of former kernels
CUB = ("cub-segmented-sort", "cub-segmented-radix")
TO_REACH = 1.3


def medians(gpu):
    """The least of an algorithm's ways: CUB's may be that of the toolkit and of a newer CCCL."""
    times = {}
    for run in runs_of(f"{gpu}-segments/segments.json"):
        key = run["algorithm"], run["type"], run["n"], run["parameters"]["length"]
        times[key] = min(times.get(key, math.inf), statistics.median(run["seconds"]))
    return times


def over_ours(times, *problem):
    """The faster one of CUB's that were measured over ours."""
    return min(times[one, *problem] for one in CUB if (one, *problem) in times) / times["sort-segments", *problem]


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
            of_both = "" if all((one, kind, n, length) in times for one in CUB) else "†"
            cells.append(f"{three(1e6 * ours) if ours < 1e-3 else format(1e6 * ours, ',.0f')} ({shown}{of_both})")
        rows.append([f"`{kind}`", f"2^{n.bit_length() - 1}", *cells])
    return table([f"{gpu.upper()}: µs (CUB's time over it)", "n", *(f"{length:,}" for length in lengths)], rows)


def cub_of(gpu):
    """Says which CUB was measured."""
    versions = ROOT / f"data/{gpu}-segments/versions.txt"
    if not versions.exists():
        return f"that of the CUDA toolkit {read_json(f'data/{gpu}-segments/segments.json')['provenance']['toolkit']}"
    return f"the faster one of {versions.read_text().strip()}"


def measured():
    """Where and when, and what CUB was; both sides are of one run, the grid may be of another."""
    said = []
    for gpu in GPUS:
        provenance, grid = (read_json(f"data/{gpu}-segments/{file}.json")["provenance"] for file in ("segments", "grid"))
        said.append(f"an {gpu.upper()} on {provenance['date'][:10]} (commit {provenance['commit']}" +
                    ("" if grid["commit"] == provenance["commit"] else f", the grid of blocks of {grid['commit']}") + ("; former kernels" if gpu in FORMER else "") + f"; CUB is {cub_of(gpu)})")
    return paragraph("Measured on " + " and ".join(said) + " by `scripts/campaigns/measure-segments`, both sides in one run, default "
                     "parameters. All outputs were checked. Ratios are to the faster one of CUB's two sorts; where † stands, `cub-segmented-radix` "
                     f"was not measured; those below the {TO_REACH} that are aimed at are bold.")


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


def errors():
    """Mean and worst error of law counted for each length, of the runs on the H200; sm_90-segments.json has the work of each."""
    found = {}
    for run in predictions("h200-segments/segments.json", lambda run: run["algorithm"] == "sort-segments"):
        found.setdefault(run["parameters"]["length"], []).append(abs(run["relative_error"]))
    every = [one for errors in found.values() for one in errors]
    rows = [["mean error, worst, %", *(f"{100 * statistics.mean(of):.0f}, {100 * max(of):.0f}" for _, of in sorted(found.items()))]]
    return table(["length", *(f"{length:,}" for length in sorted(found))], rows) + [""] + paragraph(
        f"The mean over all {len(every)} runs is {percent(statistics.mean(every))}.")


BLOCKS = {"segments-measured": measured, **{f"segments-speed-{gpu}": lambda gpu=gpu: speed(gpu) for gpu in GPUS},
          "segments-blocks": blocks, "segments-errors": errors}
