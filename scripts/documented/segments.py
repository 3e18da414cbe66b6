# SPDX-License-Identifier: Apache-2.0
"""The segmented sort beside CUB's: docs/segmented-sort.md."""
import statistics

from documented.data import paragraph, read_json, runs_of, table, three

FILE = "h200-segments/segments.json"
CUB = ("cub-segmented-sort", "cub-segmented-radix")


def medians():
    return {(run["algorithm"], run["type"], run["n"], run["parameters"]["length"]): statistics.median(run["seconds"]) for run in runs_of(FILE)}


def speed():
    """Ours in microseconds, and the faster one of CUB's over it."""
    times = medians()
    lengths = sorted({length for *_, length in times})
    rows = []
    for kind, n in sorted({(kind, n) for algorithm, kind, n, _ in times if algorithm == "sort-segments"}):
        cells = []
        for length in lengths:
            ours = times["sort-segments", kind, n, length]
            cub = min(times[one, kind, n, length] for one in CUB)
            cells.append(f"{three(1e6 * ours) if ours < 1e-3 else format(1e6 * ours, ',.0f')} ({cub / ours:.2f})")
        rows.append([f"`{kind}`", f"2^{n.bit_length() - 1}", *cells])
    return table(["µs (CUB's time over it)", "n", *(f"{length:,}" for length in lengths)], rows)


def measured():
    provenance = read_json(f"data/{FILE}")["provenance"]
    return paragraph(f"Measured on an H200 on {provenance['date'][:10]} by `scripts/campaigns/measure-segments` (commit {provenance['commit']}), "
                     "both sides in one run, default parameters. All outputs were checked. CUB is that of the CUDA toolkit "
                     f"{provenance['toolkit']}, the faster one of its two sorts. `u64` of other sizes and other block sizes are not measured.")


BLOCKS = {"segments-measured": measured, "segments-speed": speed}
