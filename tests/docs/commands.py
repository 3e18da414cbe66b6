#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that documents show without their output, in a scratch folder: each must be understood.

commands.py FATHOM: the command. A command is an indented line that begins with "fathom" or "$ fathom" and, of those in a text, what
names a file of data/. It may fail where it needs a GPU or a file of the reader's, and must say so; what takes long is interrupted.
Those with an output are compared by transcripts.py, and those between <!-- figures --> are run by scripts/figures.
"""
import json
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG_ENOUGH_S = 5
# Files of the reader's, and what is like them.
STAND_INS = {"my-gpus.json": "data/h200-gpus/links.json", "sorts.json": "data/h200-gpus/sorts.json", "sums.json": "data/h200-gpus/sums.json"}
OF_THE_READER = ("kernel.cubin", "report.csv", "mine.work", "mine.json")
NO_GPU = ("no NVIDIA GPU is present", "runs nothing on a GPU", "a build without the CUDA toolkit")
# Stands in for an algorithm that a document tells the reader to add, with this line.
ALGORITHM_TO_ADD, KNOWN_ALGORITHM = re.compile(r'\.slug = "([^"]+)"'), "reduce-vector"


def of_two_hosts(program):
    """A file of nccl-tests: two hosts with four H200 each, 40 µs and 20 µs per MB of the array."""
    results = [{"size": size, "out_of_place": {"time": 40 + 20e-6 * size, "nwrong": 0}} for size in (8, 1 << 20, 1 << 24, 1 << 30)]
    devices = [{"hostname": host, "device_info": "NVIDIA H200"} for host in ("first", "second")]
    return json.dumps({"start_time": "", "args": [program], "config": {"nthreads": 1, "ngpus": 4, "devices": devices}, "results": results})


NCCL_TESTS = {f"{program}-2-hosts.json": of_two_hosts(f"{program}_perf") for program in ("alltoall", "all_gather")}


def commands(text):
    text = re.sub(r"<!-- figures .*?<!-- end -->", "", text, flags=re.S)
    lines = re.findall(r"^    (?:\$ )?(fathom .*)", text, flags=re.M)
    inline = [" ".join(one.split()) for one in re.findall(r"`(fathom [^`]+)`", text)]
    return [one.split(" #")[0] for one in lines + [one for one in inline if "data/" in one] if "…" not in one]


def outcome(fathom, command, to_add, folder):
    """None if the command is understood, else what is wrong."""
    words = [KNOWN_ALGORITHM if word in to_add else word for word in shlex.split(command)[1:]]
    files = [file for word in words for file in (sorted(map(str, folder.glob(word))) if "*" in word else [word])]
    run = subprocess.Popen([fathom, *files], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, said = run.communicate(timeout=LONG_ENOUGH_S)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGINT)
        _, said = run.communicate()
        return None if "interrupted" in said else said
    missing = any(f"'{file}'" in said for file in OF_THE_READER if file in words)
    return None if run.returncode == 0 or (run.returncode == 1 and (missing or any(one in said for one in NO_GPU))) else said


def main():
    fathom = str(pathlib.Path(sys.argv[1]).resolve())
    tried, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("data", "profiles", "examples"):
            (folder / name).symlink_to(ROOT / name)
        for name, like in STAND_INS.items():
            (folder / name).write_bytes((ROOT / like).read_bytes())
        for name, text in NCCL_TESTS.items():
            (folder / name).write_text(text)
        for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*/README.md"))]:
            text = document.read_text()
            to_add = set(ALGORITHM_TO_ADD.findall(text))
            for command in commands(text):
                tried += 1
                if said := outcome(fathom, command, to_add, folder):
                    wrong += 1
                    print(f"{document.relative_to(ROOT)}: {command}\n  {said.strip()}")
    print(f"{tried} commands tried, {wrong} not understood")
    sys.exit(wrong > 0 or tried < 20)


main()
