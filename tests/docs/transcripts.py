#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that documents show, and compares their output with what the documents show.

transcripts.py FATHOM: the command. A transcript is an indented line that begins with "$ fathom", and the indented lines
after it. A line "…" in it, and its end, stand for any lines. Commands that write a file, that read a file of the reader's, or
that show nothing are not run.
"""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INDENT = "    "


def transcripts(text):
    """Each command and the lines shown after it."""
    command, shown = None, []
    for line in [*text.splitlines(), "end"]:
        if line.startswith(INDENT + "$ fathom ") or (line.strip() and not line.startswith(INDENT)):
            if command and any(one.strip() for one in shown):
                yield command, shown
            command, shown = (line[len(INDENT) + 2:], []) if line.startswith(INDENT) else (None, [])
        elif command:
            shown.append(line[len(INDENT):].rstrip())


def pattern(shown):
    """What the whole output must match."""
    while not shown[-1]:
        shown.pop()
    parts = [r"(?:.*\n)*?" if line == "…" else re.escape(line) + r" *\n" for line in shown]
    return "".join(parts) + r"(?:.*\n)*"


compared, wrong = 0, 0
for document in sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*/README.md")]):
    for command, shown in transcripts(document.read_text()):
        arguments = shlex.split(command)[1:]
        if "-o" in arguments or any(one.endswith(".json") and not (ROOT / one).exists() for one in arguments):
            continue
        run = subprocess.run([sys.argv[1], *arguments], cwd=ROOT, capture_output=True, text=True)
        compared += 1
        if run.returncode or not re.fullmatch(pattern(shown), run.stdout):
            wrong += 1
            print(f"{document.relative_to(ROOT)}: {command}\n  shown:\n" + "\n".join(shown) + "\n  it prints:\n" + run.stdout
                  + run.stderr)
print(f"{compared} transcripts compared, {wrong} differ")
sys.exit(wrong > 0 or compared < 5)
