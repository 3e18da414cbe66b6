# SPDX-License-Identifier: Apache-2.0
"""The law `counted` computed once more, step by step, for one launch that is simple: docs/law-by-hand.md."""
import math

from documented.data import Times, fathom, paragraph, read_json, value_of

N, THREADS, LOADS = 1 << 28, 512, 8


def known():
    """The row of reduce-vector on sm_90, by demand, and the constants of the h200."""
    table = read_json("data/work/sm_90-reduce-vector.json")
    row, = (row for row in table["rows"] if row["algorithm"] == "reduce-vector" and row["type"] == "u32"
            and row["parameters"] == {"t": THREADS, "I": LOADS})
    kernel = table["kernels"][row["kernels"][0]]
    terms = {part: dict(zip(table["demands"], kernel[part] + [0] * len(table["demands"]))) for part in ("constant", "per_element")}
    profile = read_json("profiles/h200.json")
    return kernel["registers"], terms, profile["machine"], profile["constants"]


def norm(power, *values):
    return sum(value**power for value in values) ** (1 / power)


def by_hand():
    registers, terms, machine, constants = known()
    processors, clock = machine["multiprocessors"], machine["clock_hz"]

    def value(name):
        return value_of(constants[name])

    of_a_warp = math.ceil(registers * 32 / 256) * 256
    resident = min(65536 // (of_a_warp * THREADS // 32), 2048 // THREADS)
    blocks = resident * processors
    elements = N / blocks
    work = {name: terms["constant"][name] + elements * terms["per_element"][name] for name in terms["constant"]}
    warps = THREADS / 32

    def micro(clocks):
        return 1e6 * clocks / clock

    dram = 1e6 * blocks * work["bytes_read"] / value("dram.read")
    pipes = {"shared memory": (work["shared_wavefronts"] + work["global_lines"] + work["shuffles"]) / value("pipe.wavefronts"),
             "ALU": work["alu"] / value("pipe.alu"), "FMA": work["fma"] / value("pipe.fma"),
             "issue": work["instructions"] / value("pipe.issue"),
             "barriers": work["barriers"] * warps / value("pipe.barriers")}
    pipes = {name: micro(resident * clocks) for name, clocks in pipes.items()}

    def alone(demands):
        return (demands["issue_clocks"] + max(0, demands["global_waits"] * value("wait.dram") - demands["global_hidden"])
                + max(0, demands["shared_waits"] * value("wait.shared") - demands["shared_hidden"])
                + demands["other_waits"] * value("wait.shared") + demands["barriers"] * value("wait.barrier"))

    once, waiting = micro(alone(terms["constant"])), micro(alone(work) - alone(terms["constant"]))
    all_pipes = norm(value("overlap"), *pipes.values())
    busy = norm(value("overlap"), dram, all_pipes)
    wave = norm(value("knee"), busy, waiting)
    code = micro(work["code_bytes"] / 16 * value("fetch"))
    launch = 1e6 * (value("launch_overhead") + value("kernel_gap") + value("dram_start")) + code
    time = wave + once + launch
    predicted = 1e6 * fathom("predict", "reduce-vector", "-n", str(N), "--device", "h200")["time_s"]
    return locals()


def steps():
    it = by_hand()
    if abs(it["time"] / it["predicted"] - 1) > 0.003:
        raise SystemExit(f"law-by-hand: {it['time']:.2f} µs by hand, {it['predicted']:.2f} µs predicted")
    value, work, pipes = it["value"], it["work"], it["pipes"]
    measured = 1e6 * Times("h200-baselines/reduce.json").default("reduce-vector", "u32", N)
    lines = [
        f"1. **Blocks.** A thread has {it['registers']} registers, so that {it['resident']} blocks of {THREADS} threads are resident on each of "
        f"{it['processors']} multiprocessors: {it['blocks']} blocks, of {it['elements']:,.0f} elements each.",
        f"2. **DRAM.** They read {it['blocks']} × {work['bytes_read'] / 1e6:.3f} MB at {value('dram.read') / 1e9:,.0f} GB/s: {it['dram']:.1f} µs.",
        f"3. **Pipes.** Each block has {work['instructions']:,.0f} instructions, {work['alu']:,.0f} of them for the ALU, and "
        f"{work['shared_wavefronts'] + work['global_lines'] + work['shuffles']:,.0f} wavefronts, lines and shuffles. Of {it['resident']} blocks, at "
        f"{value('pipe.issue'):.2f}, {value('pipe.alu'):.2f} and {value('pipe.wavefronts'):.2f} per clock, that is {pipes['issue']:.1f}, "
        f"{pipes['ALU']:.1f} and {pipes['shared memory']:.1f} µs; FMA and barriers take {pipes['FMA']:.1f} and {pipes['barriers']:.1f} µs. Together "
        f"P = ‖…‖_{value('overlap'):.2f} = {it['all_pipes']:.1f} µs.",
        f"4. **Memory and pipes overlap.** W = ‖{it['dram']:.1f}, {it['all_pipes']:.1f}‖_{value('overlap'):.2f} = {it['busy']:.1f} µs: what is "
        "much shorter hides.",
        f"5. **Waiting.** A warp alone on a multiprocessor has {work['global_waits']:.0f} waits of {value('wait.dram'):.0f} clocks for DRAM between its "
        f"instructions. Those that grow with n take {it['waiting']:.1f} µs, and ‖{it['busy']:.1f}, {it['waiting']:.1f}‖_{value('knee'):.2f} = "
        f"{it['wave']:.1f} µs; the others, at the beginning and the end of a block, are added once: {it['once']:.1f} µs.",
        f"6. **The launch** takes {1e6 * value('launch_overhead'):.2f} + {1e6 * value('kernel_gap'):.2f} µs, the start of DRAM's traffic "
        f"{1e6 * value('dram_start'):.2f} µs, and the first fetch of the code {it['code']:.2f} µs.",
        f"7. **In all:** {it['wave']:.1f} + {it['once']:.1f} + {it['launch']:.1f} = {it['time']:.1f} µs. `fathom predict` says "
        f"{it['predicted']:.1f} µs; it also has what is too small to show here. Measured: {measured:.1f} µs."]
    return [part for line in lines for part in paragraph(line, "", "   ")]


BLOCKS = {"law-by-hand": steps}
