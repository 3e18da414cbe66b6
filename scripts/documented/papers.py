# SPDX-License-Identifier: Apache-2.0
"""The tables in docs/papers.md: the numbers that the papers print, beside what the command answers.

A case says what is printed and how an answer is judged. Answers and verdicts are computed; only the reason why a number
does not follow is text, and a reason for a number that follows, or a number that does not and has none, is an error.
"""
import functools
import math
import re
import subprocess
import sys
from dataclasses import dataclass
from math import ceil, log2
from typing import Any, Callable

from documented import data

TOLERANCE = 0.05
CONSTANT, FORMULA, RESULT = "constants", "formulas and counts", "results"
asked = []  # the command lines since the last case began


@functools.cache
def answer_of(options):
    return data.fathom(*options)


@functools.cache
def text_of(options):
    return subprocess.run([data.command, *options], capture_output=True, text=True, check=True, env=data.ENVIRONMENT).stdout


def remember(options):
    if options not in asked:
        asked.append(options)


def ask(*words):
    """The JSON that the command answers; words may be several options in one string."""
    options = tuple(" ".join(words).split())
    remember(options)
    return answer_of(options)


def predict(algorithm, n, device, reading="", *words):
    return ask(f"predict {algorithm} -n {n}", *words, f"--device {device} --law published", reading)


def best(algorithm, n, device, reading="", *words):
    return ask(f"tune {algorithm} -n {n}", *words, f"--device {device} --law published --top 1", reading)["best"]["parameters"]


@dataclass
class Case:
    paper: str
    kind: str
    what: str
    printed: str
    answer: Callable[[str], Any]   # of a reading, "" for the default one
    follows: Callable[[Any], bool]
    shown: Callable[[Any], str]
    readings: tuple = ()           # to try where the default one does not give the number
    reason: str = ""               # why none does
    numbers: int = 1


CASES = []


def case(*fields, **more):
    CASES.append(Case(*fields, **more))


def equal(printed):
    return lambda answer: math.isclose(answer, printed, rel_tol=1e-9)


def near(printed):
    return lambda answer: abs(answer / printed - 1) <= TOLERANCE


def between(low, high):
    return lambda answer: low * (1 - TOLERANCE) <= answer <= high * (1 + TOLERANCE)


def number(digits):
    return lambda answer: f"{answer:.{digits}f}"


def plain(answer):
    return f"{answer:.6g}"


def percents(answer):
    return f"{100 * answer:.1f} %"


def faster(answer):
    return data.deviation(answer - 1, 1)


def judged_all(follows, shown):
    """For several numbers in a row: all have to follow."""
    return (lambda answers: all(judge(one) for judge, one in zip(follows, answers, strict=True)),
            lambda answers: ", ".join(map(shown, answers)))


# karsin2018

KARSIN = "karsin2018"
GPUS = ("m4000", "gtx770", "k40m")
P = dict(zip(GPUS, (1664, 1536, 2880)))
CLOCK = dict(zip(GPUS, (780, 1046, 745)))
SHARED = dict(zip(GPUS, (1248, 512, 960)))
MEMORY = dict(zip(GPUS, (8, 4, 12)))
B = {"global": dict(zip(GPUS, (0.0301, 0.0279, 0.0275))), "shared": dict(zip(GPUS, (0.233, 0.130, 0.131))),
     "register": dict.fromkeys(GPUS, 1)}
L = {"global": dict(zip(GPUS, (269.5, 267.6, 291.2))), "shared": dict(zip(GPUS, (85.84, 123.1, 111.9))),
     "register": dict(zip(GPUS, (6, 10, 10)))}
PUBLISHED_E = dict(zip(GPUS, (15, 11, 11)))
BEST_K = dict(zip(GPUS, (16, 8, 8)))
WIDTH = 32


def known(device):
    return next(one for one in ask("devices")["devices"] if one["name"] == device)


def constant(device, name):
    return next(one["value"] for one in ask(f"devices {device}")["constants"] if one["name"] == name)


def shared_kib(device):
    remember(("devices", device))
    value, unit = re.search(r"shared memory +([\d.]+) ([KM])iB", text_of(("devices", device))).groups()
    return round(float(value) * (1024 if unit == "M" else 1))


def constants(what, printed, answer):
    follows, shown = judged_all([equal(one) for one in printed.values()], plain)
    case(KARSIN, CONSTANT, f"§3: {what}", ", ".join(map(plain, printed.values())),
         lambda _: [answer(device) for device in GPUS], follows, shown, numbers=len(GPUS))


constants("P, cores", P, lambda device: known(device)["multiprocessors"] * known(device)["cores_per_multiprocessor"])
constants("clock, MHz", CLOCK, lambda device: known(device)["clock_hz"] / 1e6)
constants("shared memory in total, KiB", SHARED, shared_kib)
constants("global memory, GiB", MEMORY, lambda device: known(device)["global_memory_bytes"] / 2**30)
for level in B:
    constants(f"B of {level} memory, words/clock/core" if level != "register" else "B of registers", B[level],
              lambda device, level=level: constant(device, f"{level}.bandwidth"))
for level in L:
    constants(f"L of {level} memory, clocks" if level != "register" else "L of registers, clocks", L[level],
              lambda device, level=level: constant(device, f"{level}.latency"))

COPY = "examples/own-formula/copy.json"


def copied(device, x, I):
    """Clocks that a core takes per access of a thread, X of them at a time."""
    answer = ask(f"predict {data.ROOT / COPY} -n 1e6 --device {device} --set x={round(100 * x)} --set I={I}")
    return answer["time_s"] * CLOCK[device] * 1e6 * P[device] / 2e6


for X, I in ((1, 1), (1, 4), (4, 2), (16, 1)):
    printed = [max(1 / B["global"][one], ceil(L["global"][one] / (X * I))) for one in GPUS]
    follows, shown = judged_all([equal(one) for one in printed], number(1))
    case(KARSIN, FORMULA, f"§3: max(1/B, ⌈L/(X·I)⌉) of global memory, clocks, X = {X}, I = {I}, on the three GPUs",
         ", ".join(map(number(1), printed)), lambda _, X=X, I=I: [copied(device, X, I) for device in GPUS], follows, shown)


def knee(device):
    points = ask(f"predict {data.ROOT / COPY} -n 1e6 --device {device} --set x=600..1000")["points"]
    return next(one["parameters"]["x"] for one in points if one["bound"] == "global bandwidth") / 100


follows, shown = judged_all([near(8)] * 3, number(2))
case(KARSIN, RESULT, "§3: knee X·I of global memory on the three GPUs", "≈ 8", lambda _: [knee(device) for device in GPUS],
     follows, shown, numbers=3)


def pairwise(device, reading="", *words):
    return predict("sort-pairwise", "1e8", device, reading, f"--set E={PUBLISHED_E[device]} --set t=128", *words)


def mms(device, reading="", *words):
    return predict("sort-mms", "1e8", device, reading, f"--set K={BEST_K[device]}", *words)


def multiway(device, reading="", K=16):
    return predict("sort-multiway", "1e8", device, reading, f"--set K={K}")


def printed_time(device, level, accesses, X, I, up):
    wait = L[level][device] / (X * I)
    return accesses / P[device] * max(1 / B[level][device], ceil(wait) if up else wait) / (CLOCK[device] * 1e6)


def words_of(device):
    return SHARED[device] * 256


def terms(paper, what, printed, answer, level, reason=""):
    values = [printed(device) for device in GPUS]
    follows, shown = judged_all([equal(one) for one in values], lambda one: f"{1e3 * one:.4g}")
    case(paper, FORMULA, f"{what}, ms, n = 10^8 on the three GPUs", shown(values),
         lambda _: [answer(device)["terms"][f"{level}_s"] for device in GPUS], follows, shown, reason=reason)


def pairwise_global(device, error=1):
    E, N = PUBLISHED_E[device], 1e8
    tile = 128 * E
    rounds = ceil(log2(N / tile)) + error * ceil(log2(N * tile)) * ceil(log2(N / (2 * tile))) / (4 * tile) + 1
    return printed_time(device, "global", 2 * N * rounds, words_of(device) / (P[device] * E), 2, False)


def pairwise_shared(device):
    E, N = PUBLISHED_E[device], 1e8
    X, tile = words_of(device) / (P[device] * E), 128 * E
    counts = ((3.1, ceil(log2(N / E))), (2.2, ceil(log2(tile)) * ceil(log2(N / tile)) / (2 * E)))
    return sum(printed_time(device, "shared", 2 * N * beta * count, X, beta, False) for beta, count in counts)


terms(KARSIN, "§4.1: T_g of the pairwise mergesort, with the factor N in its middle term as printed",
      lambda device: pairwise_global(device, 1e8), pairwise, "global",
      "the second factor N is a misprint: the sum of log(2^i·tE) over the rounds, which the term stands for, has none")
terms(KARSIN, "§4.1: T_g without that factor", pairwise_global, pairwise, "global")
terms(KARSIN, "§4.1: T_s of the pairwise mergesort", pairwise_shared, pairwise, "shared")


def share(answer, level):
    return answer["terms"][f"{level}_s"] / answer["time_s"]


def conflicts(device):
    """The share of the time that shared accesses take beyond their number, at the level's bandwidth."""
    answer = pairwise(device)
    once = sum(one["accesses"] for one in answer["phases"] if one["level"] == "shared")
    return (answer["terms"]["shared_s"] - once / (P[device] * B["shared"][device] * CLOCK[device] * 1e6)) / answer["time_s"]


def counted_conflicts(answer, kernels=None):
    """β of all accesses to shared memory of a kernel, the largest of loads and stores."""
    return max(one["shared"][kind]["conflict"] or 1 for one in answer["kernels"] if kernels in (None, one["kernel"])
               for kind in ("load", "store"))


def conflicts_at(function, E):
    """Wavefronts over accesses of the loads from shared memory in this function."""
    sites = [site["counts"] for kernel in ask(f"count sort-pairwise -n 2^18 --set E={E} --set t=128")["kernels"]
             for site in kernel["sites"]
             if (site["function"], site["memory"], site["operation"]) == (function, "shared", "load") and site["counts"]["accesses"] > 1000]
    return sum(one["wavefronts"] for one in sites) / sum(one["accesses"] for one in sites)


for name, function, printed, reason in (
        ("β1 of merging", "read_valley", 3.1, ""),
        ("β2 of partitioning", "merge_path", 2.2, "counted is the search of our kernel, which has more conflicts")):
    follows, shown = judged_all([near(printed)] * 2, number(2))
    case(KARSIN, RESULT, f"§4.1: {name}, random keys, counted at E = 15 and 11", str(printed),
         lambda _, function=function: [conflicts_at(function, E) for E in (15, 11)], follows, shown, reason=reason)
for device in GPUS:
    case(KARSIN, RESULT, f"§4.1: share of global memory, {device}", "65–75 %",
         lambda reading, device=device: share(pairwise(device, reading), "global"), between(0.65, 0.75), percents,
         readings=("--ceiling always", "--option resident-threads=0"),
         reason="with the printed β and B_s shared memory has more of the time; neither the ceiling nor X changes that")
for device in GPUS:
    case(KARSIN, RESULT, f"§4.1: share of bank conflicts, {device}", "15–20 %",
         lambda _, device=device: conflicts(device), between(0.15, 0.20), percents,
         reason="the printed β1 = 3.1 alone makes more than two thirds of the merge's shared accesses conflicts")
for device in GPUS:
    case(KARSIN, RESULT, f"§4.1: E at t = 128, best by the formula, {device}", str(PUBLISHED_E[device]),
         lambda reading, device=device: best("sort-pairwise", "1e8", device, reading, "--set t=128")["E"],
         equal(PUBLISHED_E[device]), str, readings=("--ceiling always", "--option resident-threads=0"),
         reason="nothing but X limits E in the formula: it does not know a thread's registers")


def multiway_global(device):
    return printed_time(device, "global", 2e8 * (math.log(1e8 / WIDTH, 16) + 1), words_of(device) / (62 * P[device]), 1, True)


def multiway_shared(device):
    return printed_time(device, "shared", 4e8 * (5 * log2(1e8 / WIDTH) + 12.5), words_of(device) / (62 * P[device]), 1, True)


terms(KARSIN, "§4.2: T_g of the multiway mergesort, K = 16", multiway_global, multiway, "global")
terms(KARSIN, "§4.2: T_s of the multiway mergesort, K = 16", multiway_shared, multiway, "shared")


def waits(level, reading):
    """The K with which the level waits for its latency."""
    return [K for K in (2, 4, 8, 16, 32)
            if all(one["limited_by"] == "latency" for one in multiway("m4000", reading, K)["phases"] if one["level"] == level)]


def listed(values):
    return "K = " + ", ".join(map(str, values))


for level, least in (("shared", 3), ("global", 6)):
    case(KARSIN, RESULT, f"§4.2: {level} memory bound by latency, m4000", f"K ≥ {least}",
         lambda reading, level=level: waits(level, reading),
         lambda answer, least=least: answer == [K for K in (2, 4, 8, 16, 32) if K >= least], listed,
         readings=("--option resident-threads=0",))
case(KARSIN, RESULT, "§4.2: share of shared memory at K = 32, m4000", "> 75 %",
     lambda reading: share(multiway("m4000", reading, 32), "shared"), lambda answer: answer > 0.75, percents)


def mms_multiplicity(device):
    return words_of(device) / ((2 * BEST_K[device] - 1) * P[device])


def mms_time(device, level, accesses, constants_of):
    """The time of a term of GPU-MMS with the constants of a level, which are another's in the misprint."""
    I = log2(BEST_K[device])
    return accesses / P[device] * max(1 / B[constants_of][device], ceil(L[constants_of][device] / (mms_multiplicity(device) * I))
                                      ) / (CLOCK[device] * 1e6)


MERGES = ceil(log2(1e8 / WIDTH**2))
MMS = {"global": lambda device: 2e8 * (ceil(log2(1e8 / WIDTH**2) / log2(BEST_K[device])) + 1),
       "shared": lambda device: 4e8 * (MERGES + 5), "register": lambda device: 6e8 * (MERGES * 5 + 125)}
for level, letter in zip(MMS, "gsr"):
    terms(KARSIN, f"§5: T_{letter} of GPU-MMS, K = 16, 8, 8",
          lambda device, level=level: mms_time(device, level, MMS[level](device), level), mms, level)
for level, letter in (("shared", "s"), ("register", "r")):
    terms(KARSIN, f"§5: T_{letter} of GPU-MMS, with B_g and L_g as printed",
          lambda device, level=level: mms_time(device, level, MMS[level](device), "global"), mms, level,
          "B_g and L_g are misprints in this line, whose accesses are not global")
case(KARSIN, RESULT, "§5: share of registers, m4000", "35 %", lambda reading: share(mms("m4000", reading), "register"),
     near(0.35), percents, readings=("--option register-factor=2",))
for device in GPUS:
    case(KARSIN, RESULT, f"§5: best K, {device}", str(BEST_K[device]),
         lambda reading, device=device: best("sort-mms", "1e8", device, reading)["K"], equal(BEST_K[device]), str)

FACTORS = ("--option register-factor=3", "--option register-factor=2")


def gain(device, reading, words=""):
    return pairwise(device, "", words)["time_s"] / mms(device, reading)["time_s"]


SPEED = dict(zip(GPUS, (1.323, 1.233, 1.115)))
HOSTILE = dict(zip(GPUS, (1.711, 1.683, 1.546)))
BETWEEN = "the printed factor of 6 gives less, and no lower one comes within the tolerance"
for what, printed, words, misses in (("random keys", SPEED, "", ("gtx770",)),
                                     ("conflict-heavy keys", HOSTILE, "--input conflict-heavy", ("m4000", "k40m"))):
    for device in GPUS:
        case(KARSIN, RESULT, f"§5: GPU-MMS against pairwise, {what}, {device}", faster(printed[device]),
             lambda reading, device=device, words=words: gain(device, reading, words), near(printed[device]), faster,
             readings=FACTORS, reason=BETWEEN if device in misses else "")


def gains_of(reading, types):
    return [pairwise(device, "", f"--type {types}")["time_s"] / mms(device, reading, f"--type {types}")["time_s"] for device in GPUS]


follows, shown = judged_all([between(1.12, 1.16)] * 3, faster)
case(KARSIN, RESULT, "§5: GPU-MMS against pairwise, pairs of a key and a value, on the three GPUs", "+12 to +16 %",
     lambda reading: gains_of(reading, "u32:u32"), follows, shown, readings=FACTORS, numbers=2)
OFTEN = ("the formula of GPU-MMS compares a key in log w steps of every merge, in log³ w of the base case, and twice in each; that of "
         "pairwise compares it once in a merge, and its base case not at all")
follows, shown = judged_all([near(1)] * 3, faster)
for types in ("point", "rational"):
    case(KARSIN, RESULT, f"§5: GPU-MMS against pairwise, costly comparisons ({types}s), on the three GPUs", "about even",
         lambda reading, types=types: gains_of(reading, types), follows, shown, readings=FACTORS, reason=OFTEN)


case(KARSIN, RESULT, "§5: β of GPU-MMS on any input (sorted, random, conflict-heavy)", "1",
     lambda _: max(counted_conflicts(ask("count sort-mms-shuffles -n 2^16 --set K=8 --input", order))
                   for order in ("sorted", "random", "conflict-heavy")), equal(1), number(3))

# agpu2015

AGPU = "agpu2015"
CORES = 1024


def measured_on_k20c(reading, algorithm, *words):
    return predict(algorithm, "2^28", "k20c", reading, *words)


def global_words(answer):
    return sum(one["accesses"] for one in answer["phases"] if one["level"] == "global")


THRUST = "--set E=11 --set t=128"
case(AGPU, RESULT, "§7.3: global accesses of the multiway mergesort over Thrust's (K20c, n = 2^28; K = 32, pairwise with E = 11)", "27 %",
     lambda _: global_words(measured_on_k20c("", "sort-multiway", "--set K=32")) / global_words(
         measured_on_k20c("", "sort-pairwise", THRUST)), near(0.27), percents,
     reason="d, and the parameters of the Thrust of that day, are not known here; with these the ratio is larger")


def thrust_over_multiway(reading):
    times = [measured_on_k20c(reading, "sort-multiway", f"--set K={K}")["time_s"] for K in (2, 4, 8, 16, 32)]
    return measured_on_k20c("", "sort-pairwise", THRUST)["time_s"] / min(times)


case(AGPU, RESULT, "§7.3: speed of the multiway mergesort over Thrust's (the same; best K)", "1.9 times", thrust_over_multiway, near(1.9),
     number(2), readings=("--option leaf-buffers=0",),
     reason="in the formula, which is karsin2018's, shared memory takes most of the time")


def machine(algorithm, n, *words, kind="agpu"):
    return ask(f"count {algorithm} -n {n} --machine {kind}", *words)["machines"][0]


def growing(pairs):
    """Counts over an asymptotic term: it is one if they do not grow with n."""
    return pairs[1] <= pairs[0] * (1 + TOLERANCE)


def times_it(pairs):
    return f"{pairs[0]:.3g}, {pairs[1]:.3g} times it"


def agpu(algorithm, metric, what, printed, term, words="", sizes=(18, 20), reason=""):
    def answer(_):
        return [machine(algorithm, f"2^{k}", words, f"--threads {CORES}")[metric] / term(2.0**k, CORES, WIDTH) for k in sizes]
    case(AGPU, FORMULA, f"table: {what}", printed, answer, growing, times_it, reason=reason)


def exactly(algorithm, what, printed, term, words=""):
    case(AGPU, FORMULA, f"table: {what}", printed,
         lambda _: machine(algorithm, "2^20", words, f"--threads {CORES}")["io"] / term(2.0**20, WIDTH), near(1),
         lambda answer: f"{answer:.3f} times it")


def multiplicity(algorithm, what, printed, term, words=""):
    def answer(_):
        found = [(M, machine(algorithm, "2^16", words, f"--threads {CORES} --memory {M}")["multiplicity"]) for M in (2**15, 2**17)]
        return [value / term(M, WIDTH) for M, value in found]
    case(AGPU, FORMULA, f"table: multiplicity of {what}, M = 2^15, 2^17", printed, answer,
         lambda pair: math.isclose(*pair, rel_tol=TOLERANCE), times_it)


TREE = "--set t=32"  # a block of b threads, as in the paper
agpu("reduce-tree", "time", "time of the reduction by a tree", "O(n·log b/p + log n)", lambda n, p, b: n * log2(b) / p + log2(n), TREE)


def tree_blocks(n, b):
    total, power = 0, 2 * b
    while True:
        total += 3 * ceil(n / power)
        if power >= n:
            return total
        power *= 2 * b


agpu("reduce-tree", "io", "I/O of the reduction by a tree", "O(n/b)", lambda n, p, b: n / b, TREE)
for k, reason in ((18, ""), (20, "the last block has 4 elements, all in its first row of b: it does not read the second, one I/O less")):
    case(AGPU, FORMULA, f"table: I/O of the reduction by a tree, n = 2^{k}", f"Σ 3⌈n/(2b)^i⌉ = {tree_blocks(2**k, WIDTH)}",
         lambda _, k=k: machine("reduce-tree", f"2^{k}", f"{TREE} --threads {CORES}")["io"], equal(tree_blocks(2**k, WIDTH)), plain,
         reason=reason)
for algorithm, what in (("reduce-cascading", "cascading reduction"), ("reduce-pipeline", "pipeline reduction")):
    agpu(algorithm, "time", f"time of the {what}", "O(n/p + log p)", lambda n, p, b: n / p + log2(p))
    exactly(algorithm, f"I/O of the {what}", "n/b", lambda n, b: n / b)
agpu("reduce-matrix", "time", "time of the matrix reduction", "O(n/p)", lambda n, p, b: n / p)
exactly("reduce-matrix", "I/O of the matrix reduction", "n/b", lambda n, b: n / b)
for algorithm, what, printed, term in (
        ("reduce-tree", "the reduction by a tree", "O(M/b)", lambda M, b: M / b),
        ("reduce-cascading", "the cascading reduction", "O(M/b)", lambda M, b: M / b),
        ("reduce-pipeline", "the pipeline reduction", "O(M/b)", lambda M, b: M / b),
        ("reduce-matrix", "the matrix reduction", "O(M/b²)", lambda M, b: M / b**2),
        ("scan-matrix", "the matrix scan, α = 8", "O(M/(αb))", lambda M, b: M / (8 * b))):
    multiplicity(algorithm, what, printed, term, TREE if algorithm == "reduce-tree" else "")


def conflicts_of_rows(b, alpha):
    return min(ceil(b / alpha), alpha)


for alpha in (1, 8, 32):
    agpu("scan-matrix", "time", f"time of the matrix scan, α = {alpha}", "O((n/p + p/b²)·(min(⌈b/α⌉, α) + log b/α))",
         lambda n, p, b, alpha=alpha: (n / p + p / b**2) * (conflicts_of_rows(b, alpha) + log2(b) / alpha), f"--set alpha={alpha}")
exactly("scan-matrix", "I/O of the matrix scan, α = 32", "3n/b + O(p/b)", lambda n, b: 3 * n / b, "--set alpha=32")
case(AGPU, FORMULA, "matrix scan: global accesses per element", "3",
     lambda _: global_words(predict("scan-matrix", "1e8", "m4000")) / 1e8, equal(3), plain)
for alpha in (1, 4, 8, 16, 32):
    value = 2 * conflicts_of_rows(WIDTH, alpha) + 3 + 2 * log2(WIDTH) / alpha
    case(AGPU, FORMULA, f"matrix scan: shared accesses per element, 2β' + 3 + 2·log b/α, α = {alpha}", plain(value),
         lambda _, alpha=alpha: predict("scan-matrix", "1e8", "m4000", "", f"--set alpha={alpha} --what-if shared.latency=0.001x")[
             "terms"]["shared_s"] * P["m4000"] * B["shared"]["m4000"] * CLOCK["m4000"] * 1e6 / 1e8, equal(value), plain)
follows, shown = judged_all([equal(conflicts_of_rows(WIDTH, alpha)) for alpha in (4, 8, 16, 32)], plain)
case(AGPU, FORMULA, "matrix scan: β' = min(⌈b/α⌉, α), α = 4, 8, 16, 32", "4, 4, 2, 1",
     lambda _: [2 * counted_conflicts(ask(f"count scan-matrix -n 2^16 --set alpha={alpha}"), "ScanChunks") - 1  # half are columns
                for alpha in (4, 8, 16, 32)], follows, shown)
case(AGPU, FORMULA, "pipeline reduction: β of its layout", "1", lambda _: counted_conflicts(ask("count reduce-pipeline -n 2^16")), equal(1),
     number(3))
agpu("sort-bitonic", "time", "time of the bitonic sort", "O((n/p)·log² n)", lambda n, p, b: n / p * log2(n)**2, "--set S=1", (16, 18))
agpu("sort-bitonic", "io", "I/O of the bitonic sort, M = 2^12", "O((n/b)·log²(n/M))", lambda n, p, b: n / b * log2(n / 2**12)**2,
     "--set S=1 --set E=16 --memory 4096", (16, 18))
WARP = "--set E=1"  # runs of b elements, as in the paper
agpu("sort-warp", "time", "time of GPU-Warpsort", "O((n/p)·log(n/b)·log b)", lambda n, p, b: n / p * log2(n / b) * log2(b), WARP, (16, 18))
agpu("sort-warp", "io", "I/O of GPU-Warpsort", "O((n/b)·log(n/b))", lambda n, p, b: n / b * log2(n / b), WARP, (16, 18),
     "our kernel searches for the beginning of every K = 4 blocks of b keys in every round, by log n probes of an I/O each, where the source "
     "splits its runs only as often as it has warps to merge them; the sort and the merges alone take 4.7 times it at both sizes")
MULTIWAY = "--set K=4"
agpu("sort-multiway-separators", "time", "time of the multiway mergesort, d = 4", "O((n/p)·log b·log(n/b))",
     lambda n, p, b: n / p * log2(b) * log2(n / b), MULTIWAY, (16, 18))
agpu("sort-multiway-separators", "io", "I/O of the multiway mergesort, d = 4", "O((n/b)·log_d(n/b))",
     lambda n, p, b: n / b * log2(n / b) / 2, MULTIWAY, (16, 18))
multiplicity("sort-multiway-separators", "the multiway mergesort, d = 4", "O(M/(2b(d − 1)))", lambda M, b: M / (6 * b), MULTIWAY)


def over_bound(metric, term):
    def answer(_):
        found = [machine(one, "2^16", f"--threads {CORES}") for one in ("sort-bitonic", "sort-warp", "sort-pairwise", "sort-kway")]
        return min(one[metric] / term(2.0**16, one) for one in found)
    return answer


case(AGPU, FORMULA, "table: time of comparison sorts, lower bound", "(n/p)·log n", over_bound("time", lambda n, _: n / CORES * log2(n)),
     lambda answer: answer >= 1, lambda answer: f"at least {answer:.2f} times it")
case(AGPU, FORMULA, "table: I/O of comparison sorts, lower bound", "(n/b)·log_(M/b)(n/b)",
     over_bound("io", lambda n, one: n / WIDTH * max(1, math.log(n / WIDTH, one["memory_words"] / WIDTH))),
     lambda answer: answer >= 1, lambda answer: f"at least {answer:.2f} times it")

# agpu-radix

RADIX = "agpu-radix"


def lsd_reads(_):
    answer = ask("count radix-lsd -n 2^20 --set d=4")
    return sum(one["global"]["load"]["words"] for one in answer["kernels"]) / 8 / 2**20


case(RADIX, FORMULA, "LSD: words read per key and digit, d = 4", "2", lsd_reads, near(2), number(2))
for d, passes in ((4, 8), (8, 4)):
    case(RADIX, FORMULA, f"LSD: passes over words of 32 bits, w/log r, d = {d}", str(passes),
         lambda _, d=d: predict("radix-lsd", "2^24", "gtx285", "", f"--set d={d}")["phases"][0]["launches"], equal(passes), plain)

# merrill2010

MERRILL = "merrill2010"
KEYS, PAIRS = "--type u32", "--type u32:u32"
OLD = "--set d=4 --set t=256 --set E=4"
N = 2**24


def per_element(level, algorithm="radix-lsd", types=PAIRS, sets="--set d=4", reading="", phase=None):
    answer = predict(algorithm, "2^24", "gtx285", reading, types, sets)
    return sum(one["accesses"] for one in answer["phases"] if one["level"] == level and phase in (None, one["name"])) / N


for types, what, words in ((KEYS, "keys", 3), (PAIRS, "pairs", 5)):
    for d in (4, 5):
        value = 32 / d * words
        case(MERRILL, FORMULA, f"words of global memory per element, (k/d)·{words}, {what}, d = {d}", plain(value),
             lambda reading, types=types, d=d: per_element("global", types=types, sets=f"--set d={d}", reading=reading), equal(value),
             plain, readings=("--option whole-passes=0",))
for types, what, printed, reason in ((KEYS, "keys, as printed", 7, "the paper's own table of steps adds up to 5r/b + 5"),
                                     (KEYS, "keys, by the table of steps", 5, ""), (PAIRS, "pairs", 9, "")):
    value = 8 * (5 * 16 / 1024 + printed)
    case(MERRILL, FORMULA, f"words of the older scheme, (k/d)·(5r/b + {printed}), {what}, d = 4, b = 1,024", plain(value),
         lambda _, types=types: per_element("global", "radix-tiled", types, OLD), equal(value), plain, reason=reason)
follows, shown = judged_all([equal(51.4 + 2**d) for d in (1, 2, 3, 4)], plain)
case(MERRILL, FORMULA, "instructions of the scan kernel per pair and pass, 51.4 + r, d = 1, 2, 3, 4",
     ", ".join(plain(51.4 + 2**d) for d in (1, 2, 3, 4)),
     lambda _: [per_element("register", sets=f"--set d={d}", phase="scan-and-scatter") / ceil(32 / d) for d in (1, 2, 3, 4)], follows, shown)
case(MERRILL, CONSTANT, "thread-cycles of the whole 4-bit sort per pair", "723", lambda _: per_element("register"), equal(723), plain)
case(MERRILL, RESULT, "thread-cycles of the older scheme per pair", "1,952–2,008", lambda _: per_element("register", "radix-tiled", PAIRS, OLD),
     between(1952, 2008), plain)
case(MERRILL, CONSTANT, "thread-cycles of the older scheme over those of the 4-bit sort", "2.7",
     lambda _: per_element("register", "radix-tiled", PAIRS, OLD) / per_element("register"), near(2.7), number(2))
case(MERRILL, CONSTANT, "share of δ_compute that kernels of d = 5 reach", "68 %",
     lambda _: (51.4 + 32 + 723 / 8 - 67.4) * 7 / per_element("register", sets="--set d=5"), near(0.68), percents)
case(MERRILL, CONSTANT, "δ_compute of the GTX 285, 10^9 thread-cycles/s", "354",
     lambda _: constant("gtx285", "register.bandwidth") * 240 * known("gtx285")["clock_hz"] / 1e9, near(354), number(1))
case(MERRILL, CONSTANT, "δ_mem of the GTX 285, 10^9 bytes/s", "136–149", lambda _: known("gtx285")["global_bytes_per_second"] / 1e9,
     lambda answer: 136 <= answer <= 149, number(1))


def traffic(scatter_alone):
    """Bytes that pass over those that are accessed, where instructions cost nothing."""
    answer = predict("radix-lsd", "2^24", "gtx285", "", PAIRS, "--set d=4 --what-if register.bandwidth=1000x")
    rate = known("gtx285")["global_bytes_per_second"] / 4
    if not scatter_alone:
        return answer["time_s"] * rate / global_words(answer) - 1
    written = next(one for one in answer["phases"] if one["name"] == "scan-and-scatter" and one["level"] == "global")
    return 2 * (written["time_s"] * rate / written["accesses"] - 1)  # half of the accesses are writes


case(MERRILL, CONSTANT, "words that incoherent scatters add to those written, r = 16", "70 %", lambda _: traffic(True), near(0.7), percents)
case(MERRILL, RESULT, "words that they add to all traffic", "28 %", lambda _: traffic(False), near(0.28), percents)


def rate(device, types, algorithm="radix-lsd", sets="--set d=4"):
    return predict(algorithm, "2^24", device, "", types, sets)["throughput"] / 1e6


EARLIER = "its instructions are taken to be those of the GT200, an architecture after it: no others are printed"
RATES = {"gtx285": (482, 550), "gtx280": (428, 474), "c1060": (330, 471), "9800gtx": (165, 226), "8800gtx": (116, 153),
         "8800gt": (129, 171), "9800gt": (121, 165), "fx5600": (110, 147)}
WHY = {("c1060", PAIRS): "its memory is taken to reach the share of the manufacturer's bandwidth that the GTX 285's reaches"}
for device, printed in RATES.items():
    for types, what, value in zip((PAIRS, KEYS), ("pairs", "keys"), printed):
        late = device in ("gtx285", "gtx280", "c1060")
        case(MERRILL, RESULT, f"{device}: {what}, 10^6/s", str(value), lambda _, device=device, types=types: rate(device, types),
             near(value), number(0), reason=WHY.get((device, types), "" if late else EARLIER))
for device in RATES:
    case(MERRILL, RESULT, f"{device}: best d of pairs", "4",
         lambda _, device=device: best("radix-lsd", "2^24", device, "", PAIRS)["d"], equal(4), str)
case(MERRILL, RESULT, "gtx285: share of δ_compute at the printed 482·10^6 pairs/s", "94+ %",
     lambda _: 482 / rate("gtx285", PAIRS), lambda answer: 0.94 <= answer <= 1, percents)


def most_in_one_block(_):
    sizes = (2047, 2048, 2049)
    return max(n for n in sizes if global_words(predict("radix-single", str(n), "m4000", "", "--set t=256 --set E=8")) == 2 * n)


case(MERRILL, RESULT, "keys that one CTA sorts in shared memory", "2,048", most_in_one_block, near(2048), str)


def old_rate(types):
    return rate("gtx285", types, "radix-tiled", OLD)


case(MERRILL, RESULT, "gtx285: what the older scheme can reach, 10^6 pairs/s", "176–181", lambda _: old_rate(PAIRS), between(176, 181), number(0))
MEASURED = "the law gives what its instructions allow, as the paper's own bound does; measured was less"
case(MERRILL, RESULT, "gtx285: the older scheme, pairs, 10^6/s", "134", lambda _: old_rate(PAIRS), near(134), number(0), reason=MEASURED)
case(MERRILL, RESULT, "gtx285: the older scheme, keys, 10^6/s", "199", lambda _: old_rate(KEYS), near(199), number(0))
case(MERRILL, RESULT, "gtx285: speed over the older scheme, pairs", "3.6", lambda _: rate("gtx285", PAIRS) / old_rate(PAIRS), near(3.6),
     number(2), reason=MEASURED)
case(MERRILL, RESULT, "gtx285: speed over the older scheme, keys", "2.8", lambda _: rate("gtx285", KEYS) / old_rate(KEYS), near(2.8), number(2))

# nakano2012

NAKANO = "nakano2012"
RESIDENT, LATENCY = 2048, 20


def units(algorithm, k, kind="umm", words="", threads=RESIDENT, latency=LATENCY):
    return machine(algorithm, f"2^{k}", words, f"--width {WIDTH} --threads {threads} --latency {latency}", kind=kind)["time_units"]


def nakano(algorithm, what, printed, term, kind="umm", words="", sizes=(18, 20)):
    case(NAKANO, FORMULA, f"{what}, {kind.upper()}", printed,
         lambda _: [units(algorithm, k, kind, words) / term(2.0**k, RESIDENT, WIDTH, LATENCY) for k in sizes], growing, times_it)


def optimal(n, p, w, l):
    return n / w + n * l / p + l * log2(n)


nakano("reduce-halving", "time of the sum by halving", "O(n/w + nl/p + l·log n)", optimal)
for kind in ("umm", "dmm"):
    nakano("reduce-tree", "time of the sum by a tree", "O(n/w + nl/p + l·log n)", optimal, kind)
for algorithm, how in (("reduce-halving", "halving"), ("reduce-tree", "a tree")):
    for what, printed, bound in (("bandwidth", "n/w", lambda n: n / WIDTH), ("latency", "nl/p", lambda n: n * LATENCY / RESIDENT),
                                 ("reduction", "l·log n", lambda n: LATENCY * log2(n))):
        case(NAKANO, FORMULA, f"lower bound of the sum by {what}, UMM, n = 2^20, below the sum by {how}", printed,
             lambda _, algorithm=algorithm, bound=bound: units(algorithm, 20) / bound(2.0**20), lambda answer: answer >= 1,
             lambda answer: f"{answer:.3g} times it")
nakano("scan-naive", "time of naive prefix sums", "O((n/w + nl/p)·log n)", lambda n, p, w, l: (n / w + n * l / p) * log2(n), sizes=(16, 18))
nakano("scan-interval", "time of optimal prefix sums", "O(n/w + nl/p + l·log n)", optimal)
nakano("scan-sequential", "time of sequential-parallel prefix sums, k = 2^14", "O(n/w + nl/p + (nl/k)·log k)",
       lambda n, p, w, l: n / w + n * l / p + n * l / 2**14 * 14, words="--set k=16384")
for algorithm, how in (("reduce-halving", "halving"), ("reduce-tree", "a tree")):
    case(NAKANO, FORMULA, f"sum by {how} where p ≥ w·l and n ≥ w·l·log(w·l) hide the latency, UMM: time at l = 20 over that at l = 1", "1",
         lambda _, algorithm=algorithm: units(algorithm, 20, threads=16384) / units(algorithm, 20, threads=16384, latency=1), near(1), number(3))


@dataclass
class Row:
    case: Case
    answers: str
    commands: list
    verdict: str
    follows: bool


def judged(one):
    asked.clear()
    value = one.answer("")
    commands, answers = list(asked), one.shown(value)
    verdict = "*follows*" if one.follows(value) else ""
    tried = []
    for reading in one.readings if not verdict else ():
        asked.clear()
        value = one.answer(reading)
        shown = f"`{reading}`: {one.shown(value)}"
        if one.follows(value):
            commands, verdict = list(asked), f"*follows with `{reading}`*"
            tried = [shown]
            break
        tried.append(shown)
    if bool(verdict) == bool(one.reason):
        sys.exit(f"documented/papers.py: {one.paper}, {one.what}: printed {one.printed}, answered {answers}; "
                 + "; ".join(tried) + (": it follows, and has a reason" if verdict else ": it does not follow, and has no reason"))
    follows = bool(verdict)
    return Row(one, "; ".join([answers, *tried]), commands, verdict or f"*does not follow because* {one.reason}", follows)


@functools.cache
def rows():
    return [judged(one) for one in CASES]


def in_one_line(commands):
    """The command lines; of those that differ in one word once, with the words in braces."""
    groups = []
    for options in commands:
        for words in groups:
            apart = [at for at, word in enumerate(options) if at >= len(words) or words[at] != [word]]
            if len(words) == len(options) and (len(apart) == 1 or len(apart) == 0) and all(
                    len(one) == 1 for at, one in enumerate(words) if at not in apart):
                for at in apart:
                    words[at].append(options[at])
                break
        else:
            groups.append([[word] for word in options])
    return "; ".join(f"`fathom {' '.join(map(braced, words))}`".replace(f"{data.ROOT}/", "") for words in groups)


def braced(words):
    """m4000, or E={15,11}."""
    if len(words) == 1:
        return words[0]
    begin = words[0][:words[0].find("=") + 1]
    return begin + "{" + ",".join(one.removeprefix(begin) for one in words) + "}"


def table(paper, kind):
    found = [one for one in rows() if one.case.paper == paper and one.case.kind == kind]
    lines = [f"| {kind} | printed | answer | command | |", "|---|---|---|---|---|"]
    lines += [f"| {one.case.what} | {one.case.printed} | {one.answers} | {in_one_line(one.commands)} | {one.verdict} |"
              for one in found]
    return lines


def tables(paper):
    lines = []
    for kind in (CONSTANT, FORMULA, RESULT):
        if any(one.paper == paper and one.kind == kind for one in CASES):
            lines += ([""] if lines else []) + table(paper, kind)
    return lines


def counted(paper=None, kind=None):
    found = [one for one in rows() if paper in (None, one.case.paper) and kind in (None, one.case.kind)]
    return sum(one.case.numbers for one in found if one.follows), sum(one.case.numbers for one in found)


def cell(paper=None, kind=None):
    follow, all_ = counted(paper, kind)
    return f"{follow} of {all_}" if all_ else ""


def summary():
    papers = (KARSIN, AGPU, RADIX, MERRILL, NAKANO)
    follow, all_ = counted()
    readings = sum(one.case.numbers for one in rows() if "follows with" in one.verdict)
    lines = data.paragraph(f"The tolerance is {100 * TOLERANCE:.0f} %. Of {all_} printed numbers {follow} follow, {data.percent(follow / all_)}; "
                           f"{readings} of them with a reading other than the default. Each of the others has its reason.")
    lines += ["", "| | constants | formulas and counts | results | all |", "|---|---|---|---|---|"]
    lines += [f"| {paper or 'all'} | " + " | ".join(cell(paper, kind) for kind in (CONSTANT, FORMULA, RESULT, None)) + " |"
              for paper in (*papers, None)]
    return lines


BLOCKS = {"papers": summary} | {f"papers-{one}": functools.partial(tables, one) for one in (KARSIN, AGPU, RADIX, MERRILL, NAKANO)}
