# SPDX-License-Identifier: Apache-2.0
"""Predictions from machine code, which a program in place of nvdisasm lists, as the command gives them."""

from pathlib import Path

import pytest

import fathom

#: With the kernels none(float*), tiny(float*) and dyn.
CUBIN = Path(__file__).parents[1] / "fuzz/seeds/cubin/several-kernels.cubin"

#: A warp loads a word, then loads as often as a loop at line 7 turns, and stores: lines and instructions.
LOOP = [(3, "S2R R0, SR_TID.X"), (4, "LDG.E R4, desc[UR4][R2.64]"), (None, ".L_x_0:"), (7, "IADD3 R2, R2, R0, RZ"),
        (8, "LDG.E R4, desc[UR4][R2.64]"), (7, "ISETP.GE.AND P0, PT, R2, R6, PT"), (7, "@!P0 BRA `(.L_x_0)"),
        (9, "IADD3 R8, R0, R0, RZ"), (9, "STG.E desc[UR4][R8.64], R4"), (10, "EXIT")]


def listing(code):
    """As nvdisasm prints it."""
    text, address = '\t.target\tsm_90\n\t.section\t.text.kernel,"ax",@progbits\n.text.kernel:\n', 0
    for line, instruction in code:
        if line is None:
            text += f"{instruction}\n"
            continue
        text += (f'\t//## File "/a/kernel.cu", line {line}\n        /*{address:04x}*/    {instruction} ;'
                 f"   /* 0x{0:016x} */\n      /* 0x{0x000fc00000000000 | 1 << 41:016x} */\n")
        address += 16
    return text


@pytest.fixture(autouse=True)
def disassembler(tmp_path, monkeypatch):
    (tmp_path / "listing").write_text(listing(LOOP))
    program = tmp_path / "nvdisasm"
    program.write_text(f"#!/bin/sh\ncat '{tmp_path}/listing'\n")
    program.chmod(0o755)
    monkeypatch.setenv("FATHOM_NVDISASM", str(program))


def predict(**options):
    return fathom.predict_machine_code(CUBIN, **{"kernel": "tiny", "grid": 1320, "block": 256, "device": "h200"} | options)


@pytest.mark.parametrize("arguments, options", [
    (["--grid", "1320", "--block", "256"], dict(grid=1320, block=256)),
    (["--grid", "64,4", "--block", "16,16", "--shared", "1024", "--trips", "kernel.cu:7=20", "--caches", "warm", "--what-if",
      "dram.bandwidth=2x", "--sensitivities"],
     dict(grid=(64, 4), block=[16, 16], shared=1024, trips={"kernel.cu:7": 20}, caches="warm",
          what_if="dram.bandwidth=2x", sensitivities=True)),
])
def test_a_kernel_is_predicted_as_the_command_predicts_it(command, arguments, options):
    expected = command("predict", CUBIN, "--kernel", "tiny", "--device", "h200", *arguments)
    del expected["schema"], expected["version"]
    assert predict(**options).to_dict() == expected


def test_loops_turn_as_often_as_told():
    # Eight warps: a load and a store of 128 bytes, and a load in each turn.
    told = predict(trips={7: 100})
    assert told.work["bytes_read"] == pytest.approx(101 * 8 * 128)
    assert told.work["bytes_written"] == pytest.approx(8 * 128)
    (loop,) = told.loops
    assert (loop.file, loop.line, loop.turns, loop.from_) == ("kernel.cu", 7, 100, "given")
    assert told.interval_s.low < told.time_s < told.interval_s.high
    assert sum(told.terms.values()) == pytest.approx(told.time_s)
    assert predict(trips={loop.address: 100}) == told
    assert told.to_pandas().line.tolist() == [7]


def test_a_loop_without_a_count_is_told():
    once = predict()
    assert [loop.from_ for loop in once.loops] == ["assumed"]
    assert once.interval_s is None
    assert once.assumptions


def test_repr_has_the_answer_without_its_details():
    text = repr(predict())
    assert "kernel='tiny'" in text and "time_s=" in text and "loops" not in text and len(text) < 500
    assert "bytes_read" not in text


@pytest.mark.parametrize("options, message", [
    (dict(kernel="tinny"), "has no kernel 'tinny': did you mean 'tiny'"),
    (dict(kernel=""), "has 3 kernels: choose one with kernel"),
    (dict(kernel=3), "kernel has a value of another type: give text"),
    (dict(grid="64"), "grid = '64' is text"),
    (dict(grid=64.5), "grid = 64.5: give a whole number"),
    (dict(grid=()), "grid is missing"),
    (dict(grid=(1, 70000)), "grid: 70000 is out of range: y has 1 to 65535"),
    (dict(grid=(1, 1, 1, 1)), "grid: '1,1,1,1' has more than three dimensions"),
    (dict(block=(32, "x")), "block = 'x' is text"),
    (dict(block=None), "block = None is not a number"),
    (dict(trips={4: "many"}), r"trips\[4\] = 'many' is text"),
    (dict(trips={7: 1.5}), r"trips\[7\] = 1.5: give a whole number"),
    (dict(trips={7: float("inf")}), r"trips\[7\] = inf: give a whole number"),
    (dict(trips={9: 3}), "no loop at line 9"),
    (dict(trips={"seven": 3}), "trips: 'seven=3' is no loop and number"),
    (dict(trips=100), "trips = 100: give the turns of loops by their lines"),
    (dict(shared="1x"), "shared = '1x' is no size: give it as 1000000, '1e6' or '2"),
    (dict(shared=1.5), "shared = 1.5: give a whole number from 0 to"),
    (dict(shared=-4), "shared = -4: give a whole number from 0 to"),
    (dict(caches="hot"), "choose cold or warm"),
    (dict(caches=1), "caches has a value of another type: give text"),
    (dict(sensitivities=1), "sensitivities has a value of another type: give True or False"),
    (dict(what_if=2), "what_if = 2: give text"),
    (dict(device=2), "device = 2: give a path"),
])
def test_bad_arguments_are_named(options, message):
    with pytest.raises((ValueError, TypeError), match=message) as error:
        predict(**options)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(fathom.Error, match="none.cubin"):
        fathom.predict_machine_code(tmp_path / "none.cubin", grid=1, block=32, device="h200")


def test_without_a_disassembler_it_is_said_how_to_get_one(monkeypatch):
    monkeypatch.setenv("FATHOM_NVDISASM", "/nowhere/nvdisasm")
    with pytest.raises(fathom.DeviceUnavailable, match="nvidia-cuda-nvdisasm"):
        predict()
