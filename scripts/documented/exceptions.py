# SPDX-License-Identifier: Apache-2.0
"""Numbers in documents that look like measured figures and are none: document ("*" for all), text, and what it is."""

VERSION, THRESHOLD, LIMIT, TARGET = "version", "constant in code", "limit of the program", "target"

EXCEPTIONS = (
    ("*", "10.1145/3205289.3205298", "paper"),
    ("*", "12.8 or later", VERSION),
    ("*", "older than 12.8", VERSION),
    ("*", "CUDA 13.0", VERSION),
    ("*", "CUDA toolkit 13.0", VERSION),
    ("*", "NVRTC 13.0", VERSION),
    ("*", "compute capability 8.0", VERSION),
    ("*", "if it is 10 % faster", "definition of the bottleneck"),
    ("*", "95 % interval", "level of the intervals"),
    ("CONTRIBUTING.md", "\"10 % faster\"", "definition of what-if"),
    ("examples/own-kernel/README.md", "3.53 wavefronts for every 32 random elements: 32 balls in 32 banks put 3.53", "expectation"),
    ("docs/law.md", "expected at 1 ± 10 %", THRESHOLD),
    ("docs/microbenchmarks.md", "moved by more than 1 %", THRESHOLD),
    ("docs/microbenchmarks.md", "are more than 10 % of the median apart", THRESHOLD),
    ("docs/microbenchmarks.md", "plus 0.5 µs", THRESHOLD),
    ("docs/microbenchmarks.md", "after 0.25, 1 and 4 s, for at most 30 s", LIMIT),
    ("docs/microbenchmarks.md", "waits up to 10 s", LIMIT),
    ("docs/microbenchmarks.md", "not between 80 and 120 % of", THRESHOLD),
    ("docs/microbenchmarks.md", "not between 50 and 120 % of", THRESHOLD),
    ("docs/microbenchmarks.md", "more than 15 % off its samples", THRESHOLD),
    ("docs/microbenchmarks.md", "more than 3 % off the profile's", THRESHOLD),
    ("docs/microbenchmarks.md", "busy for more than 20 % of the time", THRESHOLD),
    ("docs/microbenchmarks.md", "= 0.25, the fullest one", "point of a sweep"),
    ("docs/microbenchmarks.md", "the ratio for 2.5 µs", "point of a sweep"),
    ("docs/predictions.md", "its rates times 1.1, or its latencies divided by 1.1", "definition of the bottleneck"),
    ("docs/predictions.md", "where it exceeds 0.001", THRESHOLD),
    ("docs/predictions.md", "less than 2 % apart", THRESHOLD),
    ("docs/python.md", "Python 3.10 or later", VERSION),
    ("docs/python.md", "Python 3.12, so one wheel serves that and all later versions; for 3.10 and 3.11", VERSION),
    ("docs/reliability.md", "write 256 MB, and use 4 GB of memory", LIMIT),
    ("docs/reliability.md", "takes more than 10 s or 2 GB", LIMIT),
    ("docs/reliability.md", "inputs of about 1 MB", "size of a test's input"),
    ("docs/report.md", "within 95 %", "level of the intervals"),
    ("docs/report.md", "at most 3 MB", LIMIT),
    ("docs/results.md", "mean error of 6 % over all algorithms, 10 % for each, 5 % for the sort and at every default, and a slowdown of 2 %, "
     "6 % at worst", TARGET),
    ("docs/results.md", "values above 5 % are bold", THRESHOLD),
    ("docs/validation.md", "within about 9 % of each other", THRESHOLD),
    ("docs/validation.md", "expected within 10 % of 1, and runs within 5 % of the law", THRESHOLD),
    ("docs/validation.md", "or by 5 % if that is more", THRESHOLD),
)

# Documents that are not scanned yet.
UNFINISHED = ("docs/comparison-sorts.md", "docs/radix-sorts.md")
