# SPDX-License-Identifier: Apache-2.0
"""Launches of a profiler's report, as the command gives them."""

import csv

import pytest

import fathom

METRICS = {  # of ten blocks of four warps: name, unit, value
    "device__attribute_display_name": ("", "NVIDIA H200"), "dram__bytes_read.sum": ("byte", "40,960"),
    "gpu__time_duration.sum": ("usecond", "5.00"), "launch__registers_per_thread": ("register/thread", "32"),
    "launch__shared_mem_per_block_dynamic": ("byte/block", "0"), "launch__shared_mem_per_block_static": ("byte/block", "0"),
    "lts__t_sectors_srcunit_tex_op_read.sum": ("sector", "1,280"), "lts__t_sectors_srcunit_tex_op_write.sum": ("sector", "0"),
    "sm__inst_executed_pipe_tensor.sum": ("inst", "0"), "smsp__inst_executed.sum": ("inst", "4,000")}


@pytest.fixture
def report(tmp_path):
    header = {"ID": ("", "0"), "Kernel Name": ("", "void mine::read<float>(const T1 *)"), "Block Size": ("", "(128, 1, 1)"),
              "Grid Size": ("", "(10, 1, 1)")}
    columns = header | METRICS
    with open(tmp_path / "report.csv", "w", newline="") as file:
        table = csv.writer(file, quoting=csv.QUOTE_ALL)
        table.writerow(columns)
        table.writerow(unit for unit, _ in columns.values())
        table.writerow(value for _, value in columns.values())
        table.writerow("9" if name == "sm__inst_executed_pipe_tensor.sum" else "mma" if name == "Kernel Name" else value
                       for name, (_, value) in columns.items())
    return tmp_path / "report.csv"


def plain(answer):
    return {key: value for key, value in answer.items() if key not in ("schema", "version")}


def test_import(command, report, tmp_path):
    imported = fathom.import_report(report, tmp_path / "mine.work")
    assert imported.to_dict() == plain(command("import", report, "-o", tmp_path / "mine.work"))
    assert (imported.gpu, imported.launches) == ("NVIDIA H200", 2)
    assert [one.kernel for one in imported.not_predicted] == ["mma"]
    assert "barriers" in [one.what for one in imported.lacking]
    assert imported.profiler_command.startswith("ncu ")


@pytest.mark.parametrize("arguments, options", [
    ([], {}),
    (["--from", "none", "--caches", "warm"], dict(from_="none", caches="warm")),
    (["--from", "h200", "--what-if", "dram.bandwidth=2x", "--sensitivities"],
     dict(from_="h200", what_if="dram.bandwidth=2x", sensitivities=True)),
])
def test_predict_launches(command, report, tmp_path, arguments, options):
    file = tmp_path / "mine.work"
    fathom.import_report(report, file)
    predicted = fathom.predict_launches(file, device="h100", **options)
    assert predicted.to_dict() == plain(command("predict", file, "--device", "h100", *arguments))
    assert [kernel.name for kernel in predicted.kernels] == ["read"]
    assert predicted.kernels[0].measured_s == pytest.approx(5e-6)
    assert "<td>read</td><td>1</td><td>5.00 µs</td>" in predicted._repr_html_()
    assert "kernels" not in repr(predicted) and len(repr(predicted)) < 500
    assert (predicted.scaled_from is None) == (options.get("from_") == "none")


def test_errors(report, tmp_path):
    with pytest.raises(ValueError, match="ends in .work"):
        fathom.import_report(report, tmp_path / "mine.json")
    (tmp_path / "other.csv").write_text("a,b\n")
    with pytest.raises(fathom.FormatError, match="no table of Nsight Compute"):
        fathom.import_report(tmp_path / "other.csv", tmp_path / "mine.work")
    fathom.import_report(report, tmp_path / "mine.work")
    with pytest.raises(ValueError, match="choose cold or warm"):
        fathom.predict_launches(tmp_path / "mine.work", device="h200", caches="hot")
    with pytest.raises(fathom.MissingConstant, match="m4000"):
        fathom.predict_launches(tmp_path / "mine.work", device="m4000")
