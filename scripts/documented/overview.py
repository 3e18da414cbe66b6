# SPDX-License-Identifier: Apache-2.0
"""The tables of accuracy in README.md and at the head of docs/results.md."""
import statistics

from documented.data import JUDGED_DEFAULTS, Errors, of_judgement, percent, validated


def accuracy():
    classic = validated("h200-validation/*.json")
    published = Errors.of(validated("h200-validation/*.json", law="published"))
    merge = validated("h200-merge-sorts/sizes.json")
    radix = validated("h200-radix-sorts/sizes.json")
    rows = [*((f"{len(errors.by_algorithm)} algorithms, default parameters, {which}", errors) for which, errors in (
                (which, Errors.of_runs(of_judgement(gpu, JUDGED_DEFAULTS, 1 << 20)))
                for which, gpu in (("one more H200", "h200"), ("an H100, by its calibration alone (radix sorts: former kernels)", "h100")))),
            (f"five reductions, five scans and `sort-pairwise`, all parameters (law `published`: {published.mean()})",
             Errors.of(classic)),
            ("seven comparison sorts, `u32` and `u64`", Errors.of(merge, types=("u32", "u64"))),
            ("`radix-onesweep`, `radix-msd`, `radix-lsd`, `sort-splitter`, `radix-tiled`: `u32`, `u64`, `u32:u32`",
             Errors.of(radix))]
    lines = ["| law `counted`, runs of H200s that took no part in a fit, n ≥ 2^20 | mean over the algorithms | worst "
             "algorithm | worst algorithm and type |", "|---|---|---|---|"]
    lines += [f"| {what} | {errors.mean()} | {errors.worst()} | {errors.worst_type()} |" for what, errors in rows]
    regrets = [one["regret"] for one in classic["regrets"]]
    lines.append("| slowdown of `tune`'s parameters against the fastest measured, reductions, scans and `sort-pairwise`: "
                 f"mean over {len(regrets)} sizes and types | {percent(statistics.mean(regrets))} | worst: "
                 f"{percent(max(regrets))} | |")
    return lines


def laws():
    compared = {law: validated("h200-validation/*.json", law=law) for law in ("counted", "fitted", "published")}
    errors = {law: Errors.of(one) for law, one in compared.items()}
    regrets = {law: [one["regret"] for one in comparison["regrets"]] for law, comparison in compared.items()}

    def row(what, value):
        return f"| {what} | " + " | ".join(value(law) for law in compared) + " |"

    return ["| `data/h200-validation/`, runs that took part in no fit, n ≥ 2^20 | `counted` | `fitted` | `published` |", "|---|---|---|---|",
            row("mean over eleven algorithms", lambda law: errors[law].mean()),
            row("worst algorithm", lambda law: errors[law].worst()),
            row("worst algorithm and type", lambda law: errors[law].worst_type()),
            row("slowdown of the chosen parameters: mean, worst",
                lambda law: f"{percent(statistics.mean(regrets[law]))}, {percent(max(regrets[law]))}")]


BLOCKS = {"accuracy": accuracy, "laws": laws}
