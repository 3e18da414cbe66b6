# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/your-kernel.md: predictions from a profiler's reports against measured times."""
import functools
import statistics

from documented.data import ROOT, deviation, fathom, paragraph, percent, read_json, table

GPUS = ("h200", "h100")
# Of one launch, in seconds.
CLASSES = (("up to 5 µs", 0, 5e-6), ("5 to 20 µs", 5e-6, 20e-6), ("from 20 µs", 20e-6, 1))


def reports(gpu):
    return {path.name: path for path in sorted((ROOT / f"data/{gpu}-imports").glob("*.work"))}


def measured(path):
    """The measured times of each kernel's launches."""
    found = {}
    for launch in read_json(path)["launches"]:
        found.setdefault(launch["kernel"], []).append(launch["measured_s"])
    return found


@functools.cache
def compared(source, device, scaled):
    """The mean measured time of a launch and the prediction's error, of each kernel that both GPUs' reports have."""
    rows = []
    for name, path in reports(source).items():
        if name not in reports(device):
            continue
        there = measured(reports(device)[name])
        for kernel in fathom("predict", path, "--device", device, *([] if scaled else ["--from", "none"]))["kernels"]:
            times = there.get(kernel["name"], [])
            if len(times) == kernel["launches"]:
                rows.append((statistics.mean(times), kernel["time_s"] / sum(times) - 1))
    return rows


def errors():
    questions = [(f"{gpu.upper()}, as the law says", gpu, gpu, False) for gpu in GPUS]
    questions += [(f"{source.upper()} to {device.upper()}, {'scaled by what was measured' if scaled else 'as the law says'}", source, device, scaled)
                  for source, device in (GPUS, GPUS[::-1]) for scaled in (False, True)]
    rows = []
    for title, source, device, scaled in questions:
        cells = []
        for _, low, high in CLASSES:
            found = [error for seconds, error in compared(source, device, scaled) if low <= seconds < high]
            cells.append(f"{percent(statistics.mean(map(abs, found)))}, {deviation(statistics.mean(found))} of {len(found)}")
        rows.append([title, *cells])
    return table(["launches of", *(title for title, *_ in CLASSES)], rows)


def between_gpus():
    """The mean error of launches of the longest class on one GPU, predicted from reports of the other."""
    _, low, high = CLASSES[-1]
    return statistics.mean(abs(error) for source, device in (GPUS, GPUS[::-1]) for seconds, error in compared(source, device, True)
                           if low <= seconds < high)


def reports_measured():
    first = read_json(next(iter(reports("h200").values())))["provenance"]
    count = sum(len(read_json(path)["launches"]) for gpu in GPUS for path in reports(gpu).values())
    return paragraph(f"{count} launches on an H200 and an H100 (`data/h200-imports`, `data/h100-imports`, {first['date'][:10]}) of "
                     f"{len(reports('h200'))} cases: mean error and mean deviation of the kernels' times, by how long a launch takes.")


BLOCKS = {"imports-errors": errors, "imports-measured": reports_measured}
