# SPDX-License-Identifier: Apache-2.0
"""What was measured of the examples in README.md and examples/."""
import statistics

from documented import functions, gpus, imports
from documented.data import Times, deviation, fathom, paragraph, percent
from documented.targets import own_kernels


def example_sort():
    times = Times("h200-radix-sorts/sizes.json")
    ours, cub = (1e3 * times.default(name, "u64", 1 << 28) for name in ("radix-msd", "cub-radix"))
    return paragraph(f"Measured: {ours:.2f} ms; CUB's radix sort takes {cub:.1f} ms. What the law adds up is counted work at measured "
                     "rates; no run of a sort was used. Which elements per thread E and threads per block t are best for a pairwise "
                     "merge sort?")


def example_tune():
    n, sort = 100_000_000, "sort-pairwise"
    times = Times("h200/sort-grid.json")
    picked = fathom("tune", sort, "-n", str(n), "--device", "h200", "--top", "1")["best"]["parameters"]
    time, fastest = times.default(sort, "u32", n, **picked), times.best(sort, "u32", n)[0]
    choices = len(times.found[sort, "u32", "random", n])
    return paragraph(f"Measured, the first takes {1e3 * time:.2f} ms, {100 * (time / fastest - 1):.1f} % more than the fastest of all "
                     f"{choices} choices; the default, E = 17, takes {1e3 * times.default(sort, 'u32', n):.2f} ms. On a GPU, "
                     "`--verify` measures the first five and names the fastest. `predict` also takes several sizes, types, parameters "
                     "and devices; `--device m4000 --law published` prices the formula of a paper with the constants of a GPU of 2015.")


def example_own():
    worst = max(abs(run["relative_error"]) for run in own_kernels() if run["algorithm"] in ("transpose", "stencil"))
    return paragraph("[A kernel of your own](examples/own-kernel) is predicted before it ever runs (a transposition and a stencil were at "
                     f"most {100 * worst:.1f} % off at any size), a kernel of any program from [a profiler's report](docs/your-kernel.md) "
                     f"({percent(imports.between_gpus())} off from one Hopper to the other, launches from 20 µs) or, less exactly, [its machine "
                     "code](docs/machine-code.md), and [an algorithm known only on paper](examples/own-formula) from a text file.")


def arrays():
    return [f"{functions.summary()} {gpus.summary()}"]


def own_kernel_errors():
    def cells(name):
        kinds = [kind for kind in ("u32", "f32") if any((run["algorithm"], run["type"]) == (name, kind) for run in own_kernels())]
        runs = [[run for run in own_kernels() if (run["algorithm"], run["type"]) == (name, kind)] for kind in kinds]
        worst = [max(some, key=lambda run: abs(run["relative_error"])) for some in runs]
        return (f"`{name}` " + ", ".join(f"`{kind}`" for kind in kinds),
                ", ".join(percent(statistics.mean(abs(run["relative_error"]) for run in some)) for some in runs),
                ", ".join(f"{deviation(run['relative_error'], 1)} at 2^{run['n'].bit_length() - 1}" for run in worst))

    return ["| | mean error | worst |", "|---|---|---|",
            *(f"| {' | '.join(cells(name))} |" for name in ("transpose", "stencil", "histogram"))]


BLOCKS = {"example-sort": example_sort, "example-tune": example_tune, "example-own": example_own, "array-summary": arrays,
          "own-kernels": own_kernel_errors}
