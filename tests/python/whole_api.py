# SPDX-License-Identifier: Apache-2.0
"""A user's script that uses the whole package. It is only type-checked (test_types.py): a part needs a GPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import fathom

# Arguments.
sizes = 2 ** np.arange(16, 29)
devices: fathom.Listing[fathom.Device] = fathom.devices()
h200 = next(one for one in devices if one.name == "h200")

one: fathom.Prediction = fathom.predict("radix-msd", "2^28", type="u64", device=h200, law="counted", input="random",
                                        what_if=["dram.bandwidth=2x"], sensitivities=True, stable=False, t=np.int64(512))
four: list[fathom.Prediction] = [fathom.predict("sort-kway", n, E=15) for n in (1e8, 2**20, np.int64(7), np.float64(1e6))]
formula: fathom.Prediction = fathom.predict(Path("mine.json"), 1e6, law="published", ceiling="always", compose=2,
                                            option="register-factor=2")
sweep: fathom.Sweep = fathom.predict("sort-pairwise", sizes[:, None], E=[7, 15], device="h200")
texts: fathom.Sweep = fathom.predict("sort-pairwise", ["2^20", "1e6"], device=Path("h200.json"))
several: fathom.Sweep = fathom.predict("sort-pairwise", "2^20", device=["h200", "h100"])
all_devices: fathom.Sweep = fathom.predict("sort-pairwise", sizes, device=devices)
mixed: fathom.Sweep = fathom.predict("sort-pairwise", 1e8, device=["h200", Path("mine.json"), h200], E=[7, 15])
ranking: fathom.PredictionRanking = fathom.predict("sort", "1e8", device=h200)
named: fathom.PredictionRanking = fathom.predict(["radix-msd", "sort-kway"], 1e8)
tuning: fathom.Tuning = fathom.tune("sort-kway", "2^26", device="h200", top=3, verify=0, gpu=0, exhaustive=False,
                                    t=[128, 256], K=np.array([4, 16]), E=15)
tunings: fathom.TuneRanking = fathom.tune("scan", 1e8)
counted: fathom.Count = fathom.count("reduce-vector", "2^16", device=h200, machine="umm", width=32, latency=400,
                                     threads="2^14", memory=1e4, memory_limit="1e9", instructions=True)
imported: fathom.Import = fathom.import_report("report.csv", Path("mine.work"))
launches: fathom.LaunchesPrediction = fathom.predict_launches(imported, device=h200, from_="none", caches="warm")
code: fathom.MachineCodePrediction = fathom.predict_machine_code("kernel.cubin", grid=(64, 4), block=256, shared="2^10",
                                                                 trips={42: 1000}, device=h200)
known: fathom.Listing[fathom.Algorithm] = fathom.algorithms()
profile: fathom.Profile = fathom.calibrate("mine.json", gpu=0, quick=True, name="mine", force=False)
linked: fathom.Profile = fathom.calibrate(links_from=["all_reduce.json", Path("alltoall.json")], name="mine", links=False)
runs: fathom.Dataset = fathom.bench(["sort-kway", "cub-merge"], sizes, output="sort.json", type=["u32", "u64"],
                                    input="random", repeats=11, E=[15, 23])
more_runs: fathom.Dataset = fathom.bench("sort-kway", "2^20", output=Path("sort.json"))
fit: fathom.Fit = fathom.fit([runs, Path("other.json")], profile, refit=True, output="fitted.json")
comparisons: fathom.Listing[fathom.Comparison] = fathom.validate(runs, device=profile, smallest_n="2^20")
figures: list[str] = fathom.plot("crossover", algorithm="scan", device=h200, output="scans.svg")
pages: list[str] = [fathom.report(runs, device=fit, output="runs.html"),
                    fathom.report(compare=[h200, profile, "h100"])]

# Results.
low, high = one.interval_s or fathom.Interval(0.0, 0.0)
numbers: list[float | None] = [one.time_s, low, high, one.throughput, sweep.time_s[0, 0], sweep.throughput.max(),
                               ranking.fastest.time_s, tuning.best.time_s, tunings.fastest.best.measured_s, tuning.regret,
                               launches.kernels[0].measured_s, code.loops[0].turns, fit.fits[0].residual]
words: list[str | None] = [one.bound, one.bottleneck, one.kernels[0].bottleneck, tuning.best.bottleneck, h200.gpu,
                           imported.profiler_command, ranking.left_out[0].why, runs.file, profile.file]
names: str | list[str] = sweep.device
saving: fathom.Saving | None = one.saving
kernel: fathom.Kernel = one.kernels[0]
phase: fathom.Phase = formula.phases[0]
changes: list[fathom.Sensitivity] | None = one.sensitivities
best: fathom.Candidate = tuning.best
measured: fathom.Measured | None = tuning.fastest_measured
left_out: fathom.NotCompared = ranking.left_out[0]
missing: fathom.NotPredicted = imported.not_predicted[0]
lacking: fathom.Lacking = imported.lacking[0]
scale: fathom.Scale | None = launches.scaled_from
reported: fathom.ReportedKernel = launches.kernels[0]
loop: fathom.Loop = code.loops[0]
parameter: fathom.Parameter = known[0].parameters[0]
counts: fathom.KernelCounts = counted.kernels[0]
audit: fathom.Audit = counted.audit[0]
errors: fathom.Errors = comparisons[0].errors[0]
regret: fathom.Regret = comparisons[0].regrets[0]
run: fathom.ComparedRun = comparisons[0].runs[0]
of_one: fathom.AlgorithmFit = fit.fits[0]
factor: fathom.Factor = of_one.factors["work"]
for result in (one, formula, ranking, tuning, tunings, counted, launches, code, comparisons[0], fit):
    print(result, result.to_dict(), result.to_pandas())
print(sweep.to_pandas(), runs.to_pandas(), known.to_pandas(), fathom.__version__)

# The kernels, on arrays of a GPU.
keys, values, begins, total = np.arange(4), np.arange(4), np.array([0, 1, 4]), np.arange(1)
fathom.sort(keys, values, stable=True, stream=7)
fathom.sort_segments(keys, begins, out=values)
fathom.reduce(fathom.scan(keys), out=total)
space = np.empty(fathom.work_space_bytes("sort", "2^20", type="u64:u32", in_place=True, bits=(0, 24)), dtype=np.uint8)
fathom.sort(keys, values, bits=(0, 24), work_space=space)
fathom.release_work_spaces()

# Errors, the most special first.
try:
    fathom.predict("sort-kway", 1e8)
except (fathom.DeviceUnavailable, fathom.OutOfMemory, fathom.KernelFailure) as error:
    print(error)
except (fathom.FormatError, fathom.FileError, fathom.MissingConstant, fathom.WorkUnavailable, fathom.PlotError) as error:
    print(error)
except (fathom.Error, fathom.Note, ValueError) as error:
    print(error)
