# SPDX-License-Identifier: Apache-2.0
"""What the microbenchmarks of docs/microbenchmarks.md say of an H200: constants and series of the shipped profile."""
import statistics

from documented.data import fathom, percent, read_json, value_of

PROFILE = "profiles/h200.json"


def constant(name):
    return value_of(read_json(PROFILE)["constants"][name])


def medians(question):
    """Of each point of a benchmark's sweep: coordinates, median and clock."""
    return [(one["at"], statistics.median(one["samples"]), one["clock_hz"]) for one in read_json(PROFILE)["series"]
            if one["question"] == question]


def h200():
    profile = read_json(PROFILE)
    machine = profile["machine"]
    cores = machine["multiprocessors"] * machine["cores_per_multiprocessor"]
    copy = max(2 * at["bytes"] / time for at, time, _ in medians("device-copy"))
    bandwidth = 4 * constant("global.bandwidth") * cores * machine["clock_hz"]
    halves = [2 * constant(f"{level}.latency") / statistics.median(clocks for _, clocks, _ in medians(chase)) for level, chase in
              (("global", "chase-dram"), ("l2", "chase-l2"), ("shared", "chase-shared"))]
    errors = [one["mean_relative_error"] for one in profile["quality"].values()]
    slept = [(at["nanoseconds"] / 1e3, clocks / clock * 1e6) for at, clocks, clock in medians("sleep")]
    rows = [("`global-copy`: fitted bandwidth over `device-copy`", percent(bandwidth / copy)),
            ("latency of global memory, L2 and shared memory over half their chases", ", ".join(f"{one:.2f}" for one in halves)),
            ("bandwidth of shared memory over a word per bank and clock", percent(constant("shared.bandwidth") * 4)),
            ("the laws of the levels: mean error on their samples", f"{percent(min(errors))} to {percent(max(errors))}"),
            ("`block-start`: a block starts every", f"{constant('block_start') / machine['multiprocessors']:.1f} clocks, on any multiprocessor"),
            ("`block-turnover`: from the start of a block to that of the next", f"{constant('wait.turnover'):.0f} clocks"),
            ("`sleep`: of " + ", ".join(f"{asked:g}" for asked, _ in slept) + " µs asked for",
             ", ".join(f"{took:.2f}" for _, took in slept) + " µs"),
            ("`written-runs`: a sector that is written in two parts", f"{1e12 / constant('dram.resumed'):.0f} ps"),
            ("`partial-sectors`: a write of a part of a sector", f"{1e12 / constant('l2.partial'):.0f} ps"),
            ("`tiles-dram-copy`: its fastest form over that of `stream-dram-copy`",
             percent(constant("dram.copy") / constant("dram.copy_by_grid")))]
    return ["| the profile `h200` | |", "|---|---|", *(f"| {what} | {value} |" for what, value in rows)]


def influences():
    """The table of `fathom devices h200`, under the law counted, of constants that matter."""
    counted = next(one for one in fathom("devices", "h200")["influences"] if one["law"] == "counted")
    constants = counted["constants"]
    shown = [one for one in constants if one["mean"] >= 0.01]
    rows = [f"| `{one['name']}` | {one['mean']:.3f} | {one['largest']:.2f} | `{algorithm}` `{kind}`, {n} | "
            f"{at_least(0.01, 1.96 * one['sigma_log'])} | {at_least(0.001, one['share_of_variance'])} |" for one in shown
            for algorithm, kind, n in [one["largest_in"].split()]]
    together = sum(one["share_of_variance"] for one in constants)
    return ["| of an H200, under `counted` | mean | largest | in | its uncertainty, ± | of the predictions' |", "|---|---|---|---|---|---|",
            *rows, f"| {len(constants) - len(shown)} others | below 0.01 | {max(one['largest'] for one in constants if one not in shown):.2f} | | "
            f"up to {100 * 1.96 * max(one['sigma_log'] for one in constants if one not in shown):.2f} % | |",
            f"| all {len(constants)}, {counted['predictions']} predictions | | | | | {100 * together:.2f} % |"]


def at_least(least, share):
    """The share in per cent, if it is this many."""
    return f"{100 * share:.{len(str(least)) - 2}f} %" if 100 * share >= least else f"< {least} %"


BLOCKS = {"h200-benchmarks": h200, "h200-influences": influences}
