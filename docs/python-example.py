# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A GPU that is not at hand
# Which sort, which parameters, and what limits it: predictions for an H200, made without a GPU. The cells run in an
# editor that knows `# %%`, or the whole file as a program: `python docs/python-example.py`.

# %%
import warnings

import numpy as np

import fathom

warnings.simplefilter("ignore", fathom.Note)  # devices() says so if there is no GPU
for device in fathom.devices():
    if device.origin == "measured":
        print(f"{device.name}: {device.gpu}, {device.multiprocessors} multiprocessors")

# %% [markdown]
# One prediction: its time, its interval, and its bottleneck.

# %%
sort = fathom.predict("radix-msd", 2**28, type="u64", device="h200")
print(f"{1e3 * sort.time_s:.2f} ms, 95 %: {1e3 * sort.interval_s.low:.2f} to {1e3 * sort.interval_s.high:.2f} ms")
print(f"limited by {sort.bottleneck}: 10 % faster saves {1e6 * sort.saving.time_s:.0f} µs")
slowest = max(sort.kernels, key=lambda kernel: kernel.time_s)
print(f"{slowest.name} takes {slowest.time_s / sort.time_s:.0%}")

# %% [markdown]
# Two sorts over all sizes: n is an array, and so are the times.

# %%
n = 2 ** np.arange(16, 29)
merge, radix = (fathom.predict(sort, n, device="h200") for sort in ["sort-kway", "radix-onesweep"])
for size, ratio in zip(n, merge.time_s / radix.time_s):
    print(f"{size:>10}  the merge sort takes {ratio:.2f} times as long")

# %% [markdown]
# Parameters: the best ones, and all of them as an array.

# %%
tuning = fathom.tune("sort-kway", 2**26, device="h200", top=3)
for one in tuning.candidates:
    print(one.parameters, f"{1e3 * one.time_s:.2f} ms", "cannot be told from the best" if one.tied else "")

E, t = np.arange(7, 48, 4), np.array([128, 256, 512])[:, None]
grid = fathom.predict("sort-pairwise", 2**26, E=E, t=t, device="h200", law="counted")
row, column = np.unravel_index(np.nanargmin(grid.time_s), grid.time_s.shape)
print(f"sort-pairwise: t = {t[row, 0]}, E = {E[column]}, {1e3 * grid.time_s[row, column]:.2f} ms")

# %% [markdown]
# What another GPU would do: the same machine with half, and with twice the bandwidth.

# %%
for factor in ["0.5x", "2x"]:
    changed = fathom.predict("radix-msd", 2**28, type="u64", device="h200", what_if=f"dram.bandwidth={factor}")
    print(f"DRAM bandwidth {factor}: {1e3 * changed.time_s:.2f} ms, limited by {changed.bottleneck}")

# %% [markdown]
# What the kernels do, counted on the CPU.

# %%
count = fathom.count("reduce-vector", 2**16, device="h200")
for kernel in count.kernels:
    print(f"{kernel.kernel}: {kernel.launches} launch, {kernel.read_bytes} bytes read by {kernel.blocks} blocks")

# %% [markdown]
# With pandas every table is a DataFrame; without, nothing else is missing.

# %%
try:
    print(sort.to_pandas())
except ImportError as missing:
    print(missing)
