# SPDX-License-Identifier: Apache-2.0
"""The single-pass scans beside CUB's and beside a copy: docs/scans.md."""
import functools
import statistics

from documented.baselines import in_words
from documented.data import Times, paragraph, read_json, runs_of, table, three, validated
from documented.sorting import error_cells

FOLDER = "h200-scans"
SCANS = ("scan-stream", "scan-lookback")
KINDS = {"u32": 4, "u64": 8, "f32": 4, "f64": 8, "pair": 8}
AIMED_AT = 6  # per cent: the mean error of an algorithm
BASELINE, COMPARED = "cub-scan", ("u32", "u64")


@functools.cache
def times():
    return Times(f"{FOLDER}/sizes.json")


def share_of_copy(kind, n):
    """The rate of scan-stream over that of the driver's copy of as many bytes; None where these were not copied."""
    copies = {one["bytes"]: statistics.median(one["seconds"]) for one in read_json(f"data/{FOLDER}/copy.json")["copies"]}
    copied = copies.get(n * KINDS[kind])
    return copied and copied / times().default("scan-stream", kind, n)


def over_fastest(kind, n):
    """CUB's time over that of the faster one of the two."""
    return times().best(BASELINE, kind, n)[0] / min(times().default(one, kind, n) for one in SCANS)


def speed():
    found, rows = times(), []
    for kind in KINDS:
        for algorithm in SCANS:
            cells = []
            for n in found.sizes(algorithm, kind):
                seconds = found.default(algorithm, kind, n)
                over = f" ({found.best(BASELINE, kind, n)[0] / seconds:.2f})" if kind in COMPARED else ""
                cells.append((three(1e6 * seconds) if seconds < 1e-3 else format(1e6 * seconds, ",.0f")) + over)
            rows.append([f"`{algorithm}` `{kind}`", *cells])
    return table(["µs (CUB's time over it)", *map(in_words, found.sizes(SCANS[0], "u32"))], rows)


def copied():
    n = 1 << 28
    shares = ", ".join(f"`{kind}` {share_of_copy(kind, n):.3f}" for kind in KINDS)
    rates = " and ".join(f"{2 * KINDS[kind] * n / times().default('scan-stream', kind, n) / 1e12:.2f}·10^12" for kind in COMPARED)
    before = " and ".join(f"{2 * KINDS[kind] * n / times().default('scan-lookback', kind, n) / 1e12:.2f}·10^12" for kind in COMPARED)
    return paragraph(f"At 2^28 `scan-stream` moves {rates} B/s (`u32`, `u64`), `scan-lookback` {before}. As a share of what the driver's copy of "
                     f"as many bytes moves, `scan-stream`: {shares}; 0.95 was aimed at.")


def measured():
    files = [read_json(f"data/{FOLDER}/{file}.json") for file in ("sizes", "grid")]
    of = files[0]["provenance"]
    runs = [run for file in files for run in file["runs"]]
    return paragraph(f"Measured on an {of['gpu'].removeprefix('NVIDIA ')} on {of['date'][:10]} by `scripts/campaigns/measure-scans` (commit {of['commit']}), "
                     f"both sides and the copy in one run, default parameters. All outputs were checked. CUB is the fastest of [its ways](baselines.md). Of "
                     f"{len(runs)} runs {sum(run['clock_moved'] for run in runs) or 'none'} had to be left out because the clock moved.")


def errors():
    comparison = validated(f"{FOLDER}/sizes.json")
    return table(["", *(f"`{kind}`" for kind in KINDS)], [[f"`{one}`", *error_cells(comparison, one, KINDS, AIMED_AT)] for one in SCANS])


def chosen():
    """How often the faster one of the two is the one that the law names, and what it costs."""
    both = {}
    for run in validated(f"{FOLDER}/sizes.json", smallest="2^16")["runs"]:
        if run["algorithm"] in SCANS and run["predicted_s"] is not None:
            both.setdefault((run["type"], run["n"]), []).append(run)
    slower = {problem: min(runs, key=lambda run: run["predicted_s"])["measured_s"] / min(run["measured_s"] for run in runs) - 1
              for problem, runs in both.items()}
    (kind, n), worst = max(slower.items(), key=lambda one: one[1])
    return paragraph(f"Of the two, the law names the faster one in {sum(one == 0 for one in slower.values())} of {len(slower)} cases of the table of speeds. "
                     f"The mean loss over all is {100 * statistics.mean(slower.values()):.1f} %, the worst {100 * worst:.1f} %, `{kind}` at {in_words(n)}.")


def parameters():
    found = Times(f"{FOLDER}/grid.json")
    slower = {(kind, n): found.default("scan-stream", kind, n) / found.best("scan-stream", kind, n)[0] - 1
              for kind in COMPARED for n in found.sizes("scan-stream", kind)}
    spread = max(run_time / found.best("scan-stream", kind, n)[0] - 1 for kind, n in slower
                 for run_time, _ in found.found["scan-stream", kind, "random", n])
    # Where S tiles do not fit, there are fewer: then two sets have the same kernel.
    return paragraph(f"Of {len({(run['type'], *sorted(run['parameters'].items())) for run in runs_of(f'{FOLDER}/grid.json')})} sets of E and S "
                     f"(`grid.json`, `u32` and `u64`, two sizes) the default takes at most {100 * max(slower.values()):.1f} % longer than the "
                     f"fastest, and any at most {100 * spread:.1f} %.")


BLOCKS = {"scans-speed": speed, "scans-copied": copied, "scans-measured": measured, "scans-errors": errors, "scans-chosen": chosen, "scans-parameters": parameters}
