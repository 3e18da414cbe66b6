# SPDX-License-Identifier: Apache-2.0
"""How good the choices of `fathom tune` are: measured, and against all choices counted."""
import statistics

from documented.data import paragraph, percent, read_json, table


def size(n):
    return f"2^{n.bit_length() - 1}"


def parameters(choice):
    return ", ".join(f"{name} = {value}" for name, value in choice["parameters"].items())


def measured_choices():
    """Of data/predictions/h200-choices.json, by scripts/campaigns/measure-choices."""
    measured = read_json("data/predictions/h200-choices.json")
    rows, slower = [], []
    for question in measured["questions"]:
        choices = question["choices"]
        first = min(choices, key=lambda one: one["predicted_s"])
        fastest = min(choices, key=lambda one: one["measured_s"])
        slower.append(first["measured_s"] / fastest["measured_s"] - 1)
        rows.append([f"`{question['type']}`", size(question["n"]), f"`{first['algorithm']}`", parameters(first),
                     "the same" if first is fastest else f"`{fastest['algorithm']}`, {parameters(fastest)}", percent(slower[-1])])
    choices = sum(len(question["choices"]) for question in measured["questions"])
    right = sum(row[2] == row[4].split(",")[0] or row[4] == "the same" for row in rows)
    return [*table(["type", "n", "answered first", "with", "fastest measured", "slower by"], rows), "",
            *paragraph(f"Mean over {len(slower)} sizes and types: {percent(statistics.mean(slower))}, worst {percent(max(slower))}; the "
                       f"algorithm is the fastest in {right}. {choices} choices were measured, the first of the algorithms ranked "
                       f"first ({measured['gpu'].split(',')[0]}; `data/predictions/h200-choices.json`).")]


def tune():
    """Of data/predictions/tune.json, by scripts/check-tune."""
    answers = read_json("data/predictions/tune.json")
    rows = answers["rows"]
    slower = [row["slower"] for row in rows]
    far = [row for row in rows if row["slower"] > 0.01]
    return paragraph(
        f"On two cores of an {answers['cpu']}, with an empty cache and types of which the tables have the defaults alone, the answer "
        f"comes after {max(row['seconds'] for row in rows):.1f} s at most. Of {len(rows)} questions ({len({row['algorithm'] for row in rows})} "
        f"algorithms, three sizes) the choice is within 1 % of that of `--exhaustive`, by the latter's prediction, in {len(rows) - len(far)}; mean "
        f"{percent(statistics.mean(slower))}. The others: " +
        ", ".join(f"`{row['algorithm']}` `{row['type']}` at {row['n']:.2g}, {percent(row['slower'])}" for row in far) +
        " (`data/predictions/tune.json`).")


BLOCKS = {"measured-choices": measured_choices, "tune": tune}
