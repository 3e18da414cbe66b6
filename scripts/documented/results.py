# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/results.md that say how far the laws are off, beyond those of overview.py."""
import itertools
import statistics

from documented.data import is_default, judged, percent, validated

VALIDATION = "h200-validation/*.json"
LAWS = ("counted", "fitted", "published")
LARGE = 1 << 20


def random_runs(law, **wanted):
    """The runs of random input that judge a law, of n >= 2^20."""
    return [run for run in judged(VALIDATION, law) if run["input"] == "random" and run["n"] >= LARGE
            and all(run[name] == value for name, value in wanted.items())]


def mean_error(runs):
    return statistics.mean(abs(run["relative_error"]) for run in runs)


def errors_by_algorithm(runs):
    return {name: mean_error([run for run in runs if run["algorithm"] == name])
            for name in sorted({run["algorithm"] for run in runs})}


def mean_and_worst(runs):
    errors = errors_by_algorithm(runs)
    worst = max(errors, key=errors.get)
    return f"{percent(statistics.mean(errors.values()))}; {percent(errors[worst])}, `{worst}`"


def named_right(law):
    """Of the pairs of reductions and of scans whose measured times differ by more than 5 %: in how many the faster is known."""
    pairs = [(one, two) for one, two in itertools.combinations(filter(is_default, random_runs(law, type="u32")), 2)
             if one["n"] == two["n"] and one["algorithm"].split("-")[0] == two["algorithm"].split("-")[0] != "sort"
             and max(one["measured_s"], two["measured_s"]) > 1.05 * min(one["measured_s"], two["measured_s"])]
    right = sum((one["measured_s"] < two["measured_s"]) == (one["predicted_s"] < two["predicted_s"]) for one, two in pairs)
    return f"{right} of {len(pairs)}"


def covered(runs):
    return statistics.mean(run["interval_s"][0] <= run["measured_s"] <= run["interval_s"][1] for run in runs)


def coverage(law):
    if law == "published":
        return ""
    return ", ".join(f"{100 * covered([run for run in random_runs(law) if run['algorithm'].startswith(kind)]):.1f}"
                     for kind in ("reduce", "scan", "sort")) + " %"


def laws_in_parts():
    def sort(law):
        pairwise = [run for run in judged(VALIDATION, law) if run["algorithm"] == "sort-pairwise" and run["n"] >= LARGE]
        hostile = [run for run in pairwise if run["input"] == "conflict-heavy" and run["type"] == "u32"]
        return "; ".join([*(percent(mean_error(random_runs(law, algorithm="sort-pairwise", type=kind)))
                            for kind in ("u32", "u64")), percent(mean_error(hostile))])

    def small(law):
        return mean_and_worst([run for run in judged(VALIDATION, law) if run["input"] == "random" and run["n"] < LARGE])

    def worst_run(law):
        worst = max(random_runs(law), key=lambda run: abs(run["relative_error"]))
        return f"{percent(abs(worst['relative_error']))}, `{worst['algorithm']}` `{worst['type']}`"

    rows = [("at default parameters: mean, worst algorithm", lambda law: mean_and_worst(list(filter(is_default, random_runs(law))))),
            ("2^10 ≤ n < 2^20: mean, worst algorithm", small),
            ("`sort-pairwise`, all E and t: `u32`; `u64`; conflict-heavy `u32`", sort),
            ("worst run", worst_run),
            ("faster of two reductions or two scans named right: `u32`, default parameters, more than 5 % apart", named_right),
            ("runs within their 95 % interval: reductions, scans, sort", coverage)]
    return ["| the same runs | `counted` | `fitted` | `published` |", "|---|---|---|---|",
            *(f"| {what} | " + " | ".join(value(law) for law in LAWS) + " |" for what, value in rows)]


def size(n):
    if n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    digits = f"{n:.1e}".split("e")
    return f"{digits[0].removesuffix('.0')}·10^{int(digits[1])}"


def regrets():
    found = {(one["algorithm"], one["type"], one["n"]): 100 * one["regret"]
             for one in validated(VALIDATION)["regrets"]}
    sizes = sorted({n for _, _, n in found})

    def cell(regret):
        return "" if regret is None else f"**{regret:.1f}**" if regret > 5 else f"{regret:.1f}"

    return [f"| n | {' | '.join(map(size, sizes))} |", "|---" * (1 + len(sizes)) + "|",
            *(f"| `{name}` `{kind}` | {' | '.join(cell(found.get((name, kind, n))) for n in sizes)} |"
              for name, kind in sorted({one[:2] for one in found}))]


def errors_by_type():
    kinds = ("u32", "u64", "f32", "f64", "pair")
    runs = random_runs("counted")

    def cell(name, kind):
        own = [run for run in runs if run["algorithm"] == name and run["type"] == kind]
        if not own:
            return ""
        share = f"{100 * covered(own):.0f}"
        worst = max(abs(run["relative_error"]) for run in own)
        return f"{100 * mean_error(own):.1f}, {100 * worst:.0f}, {f'**{share}**' if covered(own) < 0.9 else share}"

    return ["| | " + " | ".join(f"`{kind}`" for kind in kinds) + " |", "|---" * 6 + "|",
            *(f"| `{name}` | {' | '.join(cell(name, kind) for kind in kinds)} |"
              for name in sorted({run["algorithm"] for run in runs}))]


BLOCKS = {"laws-in-parts": laws_in_parts, "regrets": regrets, "errors-by-type": errors_by_type}
