# SPDX-License-Identifier: Apache-2.0
"""Sorts of data in host memory: docs/host-sort.md."""
import statistics

from documented.data import ROOT, deviation, fathom, paragraph, percent, read_json, runs_of, table, three

FOLDER = "h200-host"
BYTES = {"u64": 8, "u32": 4, "u32:u32": 8}  # of an element


def rates():
    """Of the link, for its largest copies, in bytes/s: in, out, and each direction of both at once."""
    of_kind = {curve["kind"]: 1 / curve["ranges"][-1]["per_byte"]["value_s_per_byte"] for curve in read_json(f"data/{FOLDER}/links.json")["links"]["exchanges"] if curve["gpus"] == 1}
    return of_kind["host-to-device"], of_kind["device-to-host"], of_kind["host-both-ways"]


def sorts():
    """Runs on one GPU, with the least time that the link allows the rounds."""
    to_device, to_host, both = rates()
    for run in runs_of(f"{FOLDER}/sorts.json"):
        if run["parameters"]["gpus"] != 1:
            continue
        size, memory = run["n"] * BYTES[run["type"]], run["parameters"]["memory"]
        rounds = 2 if memory and memory << 30 < size else 1
        least = size / to_device + size / to_host if rounds == 1 else 2 * size / both
        yield run, rounds, statistics.median(run["seconds"]), least


def errors():
    """Of the times predicted from the links measured in the same campaign, run by run."""
    folder = ROOT / "data" / FOLDER
    runs = fathom("validate", folder / "sorts.json", "--device", folder / "links.json", "--law", "counted")["comparisons"][0]["runs"]
    def key(run):
        return run["type"], run["n"], tuple(sorted(run["parameters"].items()))

    of_run = {key(run): run["relative_error"] for run in runs}
    return [of_run[key(run)] for run, *_ in sorts()]


def measured():
    source = read_json(f"data/{FOLDER}/sorts.json")["provenance"]
    to_device, to_host, both = (1e-9 * rate for rate in rates())
    return paragraph(
        f"Measured on an H200 on {source['date'][:10]} by `scripts/campaigns/measure-host` (commit {source['commit']}): medians of "
        f"{min(len(run['seconds']) for run, *_ in sorts())} runs at least of random input in pinned memory, in 32 parts at least. All outputs were checked. The link, "
        f"calibrated in the same campaign, copies {to_device:.1f} GB/s in, {to_host:.1f} out, and {both:.1f} in each direction at once. What it allows is that all elements are "
        "copied in and then out, in each round of two both at once.")


def times():
    rows = []
    for (run, rounds, seconds, least), error in zip(sorts(), errors()):
        rows.append([f"`{run['type']}`", f"2^{run['n'].bit_length() - 1}", "one" if rounds == 1 else f"two (`memory={run['parameters']['memory']}`)",
                     f"{1e3 * seconds:.4g}", three(1e-9 * run["n"] / seconds), percent(least / seconds), deviation(error, 1)])
    return table(["", "n", "rounds", "ms", "10^9 elements/s", "of what the link allows", "predicted"], rows)


def predicted():
    off = [abs(error) for error in errors()]
    return paragraph(
        "The last column says how far the law is off. It uses the link as calibrated in that campaign and the profile of the H200, but no run of a sort: "
        f"{percent(statistics.mean(off))} in the mean of the {len(off)} runs, {percent(max(off))} at worst.")


def largest():
    """The u64 of the most elements: n, seconds, and the share of what the link allows."""
    run, _, seconds, least = max((one for one in sorts() if one[0]["type"] == "u64"), key=lambda one: one[0]["n"])
    return f"2^{run['n'].bit_length() - 1}", seconds, least / seconds


BLOCKS = {"host-measured": measured, "host-times": times, "host-predicted": predicted}
