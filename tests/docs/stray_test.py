#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/figures --check takes for a measured figure, and what it does not."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True
from documented.stray import stray  # noqa: E402

FIGURES = ("by 7.3 % at worst", "within 12 %", "It takes 31 s.", "in 4 ms", "61 ps", "2 µs each", "4018 GB/s", "at 1980 MHz", "in 345 clocks",
           "0.6 million", "182 of 184 pairs", "1.4 to 1.7 times as many", "3.8·10^12 bytes per second", "1.5×", "| x | **0.94** |", "a ratio of 1.14")
OTHERS = ("2^28 elements", "of 16 bytes", "256 runs of 32 words", "in 3 of them", "sm_90", "E = 17, t = 256", "`predict` takes `10 %`",
          "[x](12.5.md)", "    $ fathom predict  7.41 ms", "```\n7.41 ms\n```", "<!-- figures x -->\n7.41 ms\n<!-- end -->", "CUDA 13.0",
          "the 95 % interval", "the 95 %\ninterval", "three times")

wrong = [text for text in FIGURES if not list(stray("a.md", text))] + [text for text in OTHERS if list(stray("a.md", text))]
print(*wrong, sep="\n")
sys.exit(len(wrong) > 0)
