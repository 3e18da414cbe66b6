# SPDX-License-Identifier: Apache-2.0
"""How far the work in data/work/ is off at the sizes kept for a check, and what it covers."""
import math
import re
import statistics
import subprocess

from documented import data
from documented.data import ROOT, defaults, deviation, fathom, paragraph, percent, read_json


def check_errors():
    errors = {}
    for name in ("sm_90", "sm_90-merge-sorts", "sm_90-radix-sorts", "sm_90-radix-msd", "sm_90-radix-msd-of-pairs",
                 "sm_90-radix-onesweep", "sm_90-radix-onesweep-of-pairs", "sm_90-papers", "sm_90-heap-sorts",
                 "sm_90-radix-msd-recursive", "sm_90-reduce-vector", "sm_90-kway", "sm_90-segments"):
        for kernel in read_json(f"data/work/{name}.json")["kernels"]:
            if "check_error" in kernel:  # few elements may not have a size for it
                errors.setdefault(kernel["kernel"].split("<")[0], []).append(kernel["check_error"])
    far = {name: some for name, some in sorted(errors.items()) if statistics.median(some) > 0.01}
    near = [f"`{name}`" for name in sorted(errors) if name not in far]
    return ["| kernel, of sm_90 | choices checked | median `check_error` | worst |", "|---|---|---|---|",
            *(f"| `{name}` | {len(some)} | {percent(statistics.median(some))} | {percent(max(some))} |" for name, some in far.items()),
            "", *paragraph(f"Of the other {len(near)} kernels the median is at most 1 %: {', '.join(near)}.")]


def first_answers():
    """Of data/predictions/first-answers.json, by scripts/check-first-answers."""
    answers = read_json("data/predictions/first-answers.json")
    rows = sorted(answers["rows"], key=lambda row: -row["first_s"])
    first = [row["first_s"] for row in rows]
    slow = [row for row in rows if row["first_s"] > 5]
    return paragraph(
        f"A first answer takes {statistics.median(first):.2g} s in the median of {len(rows)} algorithms with default parameters (`{answers['type']}`, "
        f"an architecture without tables, one core of an {answers['cpu']}, an empty cache; `data/predictions/first-answers.json`), and more than "
        f"5 s for {len(slow)}: " + ", ".join(f"`{row['algorithm']}` {row['first_s']:.3g}" for row in slow) +
        f". The second time it takes {1000 * max(row['again_s'] for row in rows):.0f} ms at most.")


def estimated_work():
    """Of data/predictions/estimated-work.json, by scripts/check-estimated-work."""
    rows = read_json("data/predictions/estimated-work.json")["rows"]
    errors = [row["estimated_s"] / row["counted_s"] - 1 for row in rows]
    sizes = sorted(map(abs, errors))
    worst = sorted(rows, key=lambda row: -abs(math.log(row["estimated_s"] / row["counted_s"])))[:3]
    cases = {(row["algorithm"], row["architecture"], row["type"]) for row in rows}
    return paragraph(
        f"Times by estimated work, of {len(rows)} choices in {len(cases)} cases (an algorithm, and a type or an architecture that the tables have at "
        f"defaults alone; the fastest choice by its estimate and one at random; H200's rates; `data/predictions/estimated-work.json`), are "
        f"{percent(statistics.median(sizes))} off in the median, {percent(statistics.mean(sizes))} in the mean, and 95 % are within "
        f"{percent(sizes[int(0.95 * len(sizes))])}, of times by counted work. Worst: " +
        ", ".join(f"{deviation(row['estimated_s'] / row['counted_s'] - 1)} (`{row['algorithm']}` `{row['type']}` on sm_{row['architecture']})"
                  for row in worst) + ".")


def architectures():
    """As the command's help lists them."""
    text = subprocess.run([data.command, "count", "--help"], capture_output=True, text=True, check=True).stdout
    return sorted({int(one) for one in re.findall(r"sm_(\d+)", text)})


MANY = 1 << 40  # elements


def coverage():
    """Of each algorithm and architecture, for how many types the tables have random input at default parameters."""
    kept = {}
    for path in (ROOT / "data/work").glob("*.json"):
        table = read_json(str(path.relative_to(ROOT)))
        for row in table["rows"]:
            if row["parameters"] == defaults(row["algorithm"], MANY, row["type"]) and "random" in row["inputs"]:
                kept.setdefault((row["algorithm"], table["architecture"]), set()).add(row["type"])
    on = architectures()

    def cell(algorithm, architecture):
        types = kept.get((algorithm["slug"], architecture), set()) & set(algorithm["types"])
        if not types:
            return "tools"
        return "all" if len(types) == len(algorithm["types"]) else f"{len(types)} of {len(algorithm['types'])}"

    return ["| algorithm | " + " | ".join(f"sm_{one}" for one in on) + " |", "|---" * (len(on) + 1) + "|",
            *(f"| `{one['slug']}` | " + " | ".join(cell(one, architecture) for architecture in on) + " |"
              for one in fathom("algorithms")["algorithms"] if not one["baseline"])]


BLOCKS = {"estimated-work": estimated_work, "check-errors": check_errors, "work-coverage": coverage, "first-answers": first_answers}
