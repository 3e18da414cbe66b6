# SPDX-License-Identifier: Apache-2.0
"""How far the counts of docs/counting.md agree with the counters of an H200."""
from documented.data import paragraph
from documented.targets import counters, worst_count


def ratios(quantity, algorithm):
    """Counter over count of a quantity of an algorithm, in each of its cases."""
    sums = []
    for case in counters()["cases"]:
        both = [(one["hardware"][quantity], one["counted"][quantity]) for one in case["kernels"]
                if one["counted"].get(quantity) and quantity in one["hardware"]]
        if case["algorithm"] == algorithm and both:
            seen, counted = (sum(values) for values in zip(*both))
            sums.append(seen / counted)
    return sums


def against_counters():
    wavefronts = worst_count("wavefronts")[0]
    shuffles = {name: max(abs(ratio - 1) for ratio in ratios("shuffle", name)) for name in ("scan-matrix", "reduce-vector")}
    kept = next(one for case in counters()["cases"] for one in case["kernels"]
                if one["kernel"] == "SpineScan" and one["counted"]["global.load.accesses"] != one["hardware"]["global.load.accesses"])
    barriers = ratios("barrier", "sort-pairwise")
    return paragraph(f"On an H200, whole algorithms agree within {100 * worst_count('global.')[0]:.1f} % in accesses and sectors and "
                     + (f"within {100 * wavefronts:.3f} %" if wavefronts else "exactly") + " in wavefronts. Shuffles of `scan-matrix` agree "
                     + (f"within {100 * shuffles['scan-matrix']:.1f} %" if shuffles["scan-matrix"] else "exactly")
                     + f", those of `reduce-vector` within {100 * shuffles['reduce-vector']:.1f} %. The differences: the compiler keeps a word "
                     f"in a register that the source reads twice (`SpineScan`: {kept['hardware']['global.load.accesses']:.0f} of "
                     f"{kept['counted']['global.load.accesses']} loads), and loads the last tile of `BlockSort` with fewer accesses. Warp "
                     "barriers are not compared: they need no instruction if the compiler sees that the lanes have not diverged. In "
                     f"`sort-pairwise` the GPU executes {min(barriers):.1f} to {max(barriers):.1f} times as many BAR instructions as the source "
                     "has barriers, for an unknown reason.")


def against_contract():
    pairs = [(value, one["hardware"][name]) for one in counters()["contract"] if one["hardware"]
             for name, value in one["counted"].items() if name in one["hardware"]]
    exact = sum(counted == seen for counted, seen in pairs)
    return paragraph(f"Of {len(pairs)} quantities of the contract kernels, {exact} agree exactly. The other {len(pairs) - exact} differ for "
                     "three reasons: atomics of 64 bits in shared memory are compare-and-swap loops on the GPU and are counted as one access; "
                     "asynchronous copies are not loads and stores to the GPU's counters; its counter of sectors shows four times as many for "
                     "atomics in global memory.")


BLOCKS = {"against-counters": against_counters, "against-contract": against_contract}
