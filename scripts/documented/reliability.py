# SPDX-License-Identifier: Apache-2.0
"""The counts of docs/reliability.md, from data/reliability/."""
import re
import sys

from documented.data import ROOT, found, paragraph

FAULTS, GPU_FAULTS = "reliability/faults.txt", "reliability/gpu-faults.md"


def gpu_rows():
    text = (ROOT / "data" / GPU_FAULTS).read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows if row[0] != "fault"}


def numbers(fault, pattern):
    """What the outcome of a fault says, and that it was passed."""
    tried, outcome, lost, verdict = gpu_rows()[fault]
    match = re.search(pattern, outcome + " | " + lost)
    if not match or verdict != "passed":
        sys.exit(f"data/{GPU_FAULTS}: '{fault}' does not say '{pattern}'")
    return [int(tried), *match.groups()]


def clock_range(kind):
    return numbers(f"calibrate beside a process that burns: {kind}", r"between (\d+) and (\d+) MHz")


def gpu_faults():
    idle = numbers("none: calibrate on an idle GPU", r"written, in (\d+) to (\d+) s")
    fma, copy = clock_range("fma"), clock_range("copy")
    begins, runs = (numbers(f"another process works for 4 s when calibrate {when}", r"right, after (\d+) s") for when in ("begins", "runs"))
    hold = numbers("calibrate beside a process that holds the memory", r"free device memory")
    bench_hold = numbers("bench beside a process that holds the memory", r"\| (0 of \d+ runs)")
    taken = numbers("memory taken by another process while bench runs", r"nothing: (\d+) runs kept")
    works = numbers("another process begins to work while bench runs", r"(\d+) of \d+ runs; (\d+) slower by more than 10 %, of which (\d+)")
    later = found(r"another process begins to work while bench runs: (\d+) of \d+ runs; (\d+) slower by more than 10 %, of which (\d+)",
                  GPU_FAULTS)
    failing = [numbers(f"bench with a kernel that fails ({how})", r"\| (0 of \d+ runs)") for how in ("trap", "refuse")]
    killed = numbers("bench killed at a random moment", r"(\d+) by KILL, (\d+) by TERM, (\d+) by INT; .*?(\d+) other files left")
    killed_lost = gpu_rows()["bench killed at a random moment"][2]
    two = numbers("two benches into one file", r"(\d+) times one was refused, 0 times both wrote")
    interrupted = numbers("bench interrupted, alone on the machine", r"within ([\d.]+) s in the median, ([\d.]+) s at worst")
    return ["| fault | tried | outcome | lost |", "|---|---|---|---|",
            f"| none: calibrate on an idle GPU | {idle[0]} | written, in {idle[1]} to {idle[2]} s | |",
            f"| calibrate beside a process that computes | {fma[0]} | refused, with the other process, the load and the range of the "
            f"clock ({fma[1]} to {fma[2]} MHz) named; marked under `--force` | the calibration |",
            f"| calibrate beside a process that copies | {copy[0]} | the same ({copy[1]} to {copy[2]} MHz) | the calibration |",
            f"| another process works for 4 s when calibrate begins, or while it runs | {begins[0] + runs[0]} | right, after {begins[1]} and "
            f"{runs[1]} s: it waited, and measured series again | nothing |",
            f"| calibrate beside a process that holds the memory | {hold[0]} | exit 1, with needed and free bytes | nothing |",
            f"| bench beside a process that holds the memory | {bench_hold[0]} | exit 1, with needed and free bytes | {bench_hold[1]} |",
            f"| memory taken by another process while bench runs | {taken[0]} | exit 1, with needed and free bytes; {taken[1]} runs kept | "
            "nothing |",
            f"| another process begins to work while bench runs | {works[0] + 1} | all {works[1]} runs made, {works[2]} and {later[1]} of them "
            f"slower by more than 10 %. Of these {works[3]} and {later[2]} show it in their samples or clock, so `bench` now notes processes "
            "that come (second trial) | nothing |",
            f"| a kernel that traps, or that the GPU refuses | {sum(one[0] for one in failing)} | exit 1 in one line; earlier runs kept | "
            f"{failing[0][1]} |",
            f"| bench killed at a random moment, four at a time | {killed[0]} | {killed[1]} by KILL, {killed[2]} by TERM, {killed[3]} by INT; "
            f"{'no' if killed[4] == '0' else killed[4]} other files left | {killed_lost} |",
            f"| two benches into one file | {two[0]} | one refused {'each time' if int(two[1]) == two[0] else two[1] + ' times'} | 0 runs |",
            f"| bench interrupted, alone on the machine | {interrupted[0]} | ended within {interrupted[1]} s in the median, "
            f"{interrupted[2]} s at worst | nothing |"]


def gpu_misses():
    tried, slow = numbers("bench interrupted, alone on the machine", r"(\d+) took over a second")
    killed, late = numbers("bench killed at a random moment", r"(\d+) took over 2 s")
    _, low, high = clock_range("fma")
    return paragraph(f"**Missed:** an interrupted `bench` took over a second in {slow} of {tried} trials, while CUDA was starting or ending, "
                     f"which cannot be interrupted; of the {killed} kills of four benches at a time, {late} took over 2 s. A clock that moves "
                     f"was not provoked beyond the {100 * (int(high) / int(low) - 1):.1f} % above, since clocks are left as they are; series "
                     "with a moved clock are tested on changed profiles (`calibration_fit_test`).")


def fault_rows():
    """Of each command and fault: tried, old, new, refused, lost, files left."""
    text = (ROOT / "data" / FAULTS).read_text()
    rows = re.findall(r"^([\w-]+) +(.+?) +(\d+) tried +(\d+) old +(\d+) new +(\d+) refused +(\d+) lost +(\d+) files left"
                      r"(?: +slowest end ([\d.]+) s)?$", text, re.MULTILINE)
    if not rows:
        sys.exit(f"data/{FAULTS} has no rows")
    return {(name, fault): [*map(int, counts), float(slowest or 0)] for name, fault, *counts, slowest in rows}


def fault_total(faults, column=0):
    return sum(row[column] for (_, fault), row in fault_rows().items() if fault in faults)


# What is no command: calls of the Python module, and caches that commands keep.
SPELLED = {"python-fit": "Python's `fit`", "python-import": "Python's `import_report`", "python-plot": "Python's `plot`", "python-report": "Python's `report`",
           "tune-formula": "`tune` of a formula", "count-cache": "cache of `count`", "predict-cache": "cache of `predict`"}
INTERRUPTS = ("interrupt", "terminate")
ENDS = ("kill -9", *INTERRUPTS)


def faults_summary():
    lost = sum(row[4] for row in fault_rows().values())
    return paragraph(f"`scripts/check-faults`, on two cores: {fault_total(['kill -9']):,} kills, {fault_total(INTERRUPTS):,} interrupts, "
                     f"{fault_total(['two writers']):,} pairs of writers, and two kinds of full disks, over every command that writes a "
                     f"file but `bench` and `calibrate`. {'Nothing was lost' if not lost else f'{lost} were lost'}.")


def faults():
    rows = fault_rows()
    lines = ["| command or call | kills (SIGKILL) | interrupts (INT, TERM) | old content | new content | anything else | temporary files left |",
             "|---|---|---|---|---|---|---|"]
    for name in dict.fromkeys(name for name, _ in rows):
        ended = [fault for fault in ENDS if (name, fault) in rows]
        stops = sum(rows[name, fault][0] for fault in ended if fault in INTERRUPTS)
        old, new, _, lost, left = (sum(rows[name, fault][column] for fault in ended) for column in range(1, 6))
        lines.append(f"| {SPELLED.get(name, f'`{name}`')} | {rows[name, 'kill -9'][0]} | {stops or ''} | {old} | {new} | {lost} | {left} |")
    return lines


def faults_told():
    rows = fault_rows()
    pairs = {name: row for (name, fault), row in rows.items() if fault == "two writers"}
    refused = ", ".join(f"{SPELLED.get(name, f'`{name}`')} {row[3]} of {row[0]}" for name, row in pairs.items())
    return paragraph(f"Of pairs into one file, one was refused at once ({refused}); otherwise they wrote one after the other, and the file held "
                     "an answer that was reported as saved, or all fits that were. With the disk full, or the size of files limited, every "
                     "command ended with exit 1 and the old content. "
                     f"The {fault_total(ENDS, 5)} temporary files are from kills between two system calls.")


def interrupts():
    text = (ROOT / "data" / FAULTS).read_text()
    rows = re.findall(r"^([\w-]+) +(\d+) tried +(\d+) ended before +median ([\d.]+) s +slowest ([\d.]+) s +(\d+) late +(\d+) other status"
                      r" +(\d+) left behind", text, re.MULTILINE)
    rows = [row for row in rows if row[0] != "all"]
    if not rows:
        sys.exit(f"data/{FAULTS} has no interrupts")
    late, other, left = (sum(int(row[column]) for row in rows) for column in (5, 6, 7))
    tried = sum(int(row[1]) for row in rows)
    slowest = max(rows, key=lambda row: float(row[4]))
    return [*paragraph(f"**Interrupts** (INT, TERM) of everything that works for long, {tried} at random moments: the slowest end came after "
                       f"{float(slowest[4]):.2f} s ({slowest[0]}); {late} came later than a second, {other} had another exit status than the "
                       f"documented one, and {left} left a process behind."), "",
            "| work | interrupts | had ended before | median | slowest |", "|---|---|---|---|---|",
            *(f"| {name} | {tries} | {before} | {float(median):.3f} s | {float(worst):.3f} s |"
              for name, tries, before, median, worst, *_ in rows)]


def large_dataset():
    file = "reliability/large-dataset.txt"
    validate_s, validate_kb = map(float, found(r"validate: ([\d.]+) s, (\d+) KB", file))
    fit_s, fit_kb = map(float, found(r"fit: ([\d.]+) s, (\d+) KB", file))
    return paragraph("`scripts/check-large-dataset`: a dataset of 50 MB with runs of all algorithms and types, on one core of an AMD EPYC, is "
                     f"validated in {validate_s:.1f} s within {validate_kb / 1000:.0f} MB and fitted in {fit_s:.0f} s within "
                     f"{fit_kb / 1000:.0f} MB. `validate --json` needs more memory, and many short records cost more than few long ones.")


def executions():
    """Of each fuzzer, over all runs, none of which found anything."""
    text = (ROOT / "data/reliability/fuzz.txt").read_text()
    counts = {}
    for name, count in re.findall(r"^(\w+) +(\d+) +\d+ +\d+ +\d+ +none$", text, re.MULTILINE):
        counts[name] = counts.get(name, 0) + int(count)
    total = sum(map(int, re.findall(r"^(\d+) executions in all$", text, re.MULTILINE)))
    if sum(counts.values()) != total:
        sys.exit("data/reliability/fuzz.txt: its rows without a finding are not all")
    return counts


def fuzzing():
    counts = executions()
    return [f"The runs of `data/reliability/fuzz.txt` made {sum(counts.values()) / 1e6:.1f} million executions without a finding:", "",
            "| fuzzer | executions |", "|---|---|",
            *(f"| `{name}` | {count:,} |" for name, count in sorted(counts.items(), key=lambda row: -row[1]))]


BLOCKS = {"gpu-faults": gpu_faults, "gpu-misses": gpu_misses, "faults-summary": faults_summary, "faults": faults,
          "faults-told": faults_told, "interrupts": interrupts, "large-dataset": large_dataset, "fuzzing": fuzzing}
