# SPDX-License-Identifier: Apache-2.0
"""How far the work in data/work/ is off at the sizes kept for a check."""
import statistics

from documented.data import paragraph, percent, read_json


def check_errors():
    errors = {}
    for name in ("sm_90", "sm_90-merge-sorts", "sm_90-radix-sorts", "sm_90-radix-msd", "sm_90-papers", "sm_90-heap-sorts",
                 "sm_90-radix-msd-recursive"):
        for kernel in read_json(f"data/work/{name}.json")["kernels"]:
            errors.setdefault(kernel["kernel"].split("<")[0], []).append(kernel["check_error"])
    far = {name: some for name, some in sorted(errors.items()) if statistics.median(some) > 0.01}
    near = [f"`{name}`" for name in sorted(errors) if name not in far]
    return ["| kernel, of sm_90 | choices counted | median `check_error` | worst |", "|---|---|---|---|",
            *(f"| `{name}` | {len(some)} | {percent(statistics.median(some))} | {percent(max(some))} |" for name, some in far.items()),
            "", *paragraph(f"Of the other {len(near)} kernels the median is at most 1 %: {', '.join(near)}.")]


BLOCKS = {"check-errors": check_errors}
