# SPDX-License-Identifier: Apache-2.0
"""What a call of the functions takes on the host: docs/functions.md."""
import re

from documented.data import paragraph, read_json, table

FILE = "data/h200-functions/calls.json"


def medians():
    """Microseconds by function, type and n."""
    found = {}
    for one in read_json(FILE)["benchmarks"]:
        if one["aggregate_name"] == "median":
            function, kind, n = re.match(r"(\w+)<(\w+)>/(\d+)/", one["name"]).groups()
            found[function, kind, int(n)] = one["real_time"]
    return found


def labels():
    return {(kind, int(n)): one["label"] for one in read_json(FILE)["benchmarks"]
            for function, kind, n in [re.match(r"(\w+)<(\w+)>/(\d+)/", one["name"]).groups()] if function == "launches_alone"}


def calls():
    times = medians()
    rows = [[f"`{kind}`, 2^{n.bit_length() - 1}", f"`{slug}`",
             *(f"{times[function, kind, n]:.1f}" for function in ("launches_alone", "sort_again", "sort_another_n_each_time"))]
            for (kind, n), slug in sorted(labels().items())]
    return table(["", "chosen", "its launches alone", "`sort` again", "`sort` of another n each time"], rows)


def measured():
    context = read_json(FILE)["context"]
    return paragraph(f"Microseconds of the host until a call has queued its launches, on the machine of an H200 on {context['date'][:10]} "
                     "(`calls_benchmark`, medians of 21 series of 50 calls):")


BLOCKS = {"functions-measured": measured, "functions-calls": calls}
