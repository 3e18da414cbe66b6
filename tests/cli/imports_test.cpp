// SPDX-License-Identifier: Apache-2.0
// Reports of Nsight Compute imported and predicted.
#include <fathom/reports/text/table.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>

#include "../support/profiler_csv.h"
#include "run.h"

namespace fs = std::filesystem;
using namespace fathom::tests;
using Catch::Matchers::Contains;
using Columns = std::vector<ProfilerColumn>;

namespace {

/// A file with the launches of a report.
std::string imported(const ScratchDirectory& scratch, const std::vector<Columns>& launches,
                     const std::string& name = "mine.work") {
  write(scratch / "report.csv", wide_csv(launches));
  const Outcome outcome = run_fathom("import " + scratch.file("report.csv") + " -o " + scratch.file(name));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return scratch.file(name);
}

Columns named(const std::string& kernel, Columns columns = copy_columns()) {
  return with(std::move(columns), "Kernel Name", kernel);
}

double sum_of_terms(const json& answer) {
  double sum = 0;
  for (const auto& [name, seconds] : answer["terms"].items()) sum += seconds.get<double>();
  return sum;
}

/// A Python package that reads reports as NVIDIA's does, of one launch.
void write_package(const fs::path& folder) {
  fs::create_directories(folder);
  std::string metrics;
  for (const ProfilerColumn& column : copy_columns())
    if (column.name.find("__") != std::string::npos && !column.name.starts_with("sass"))
      metrics += fmt::format("  '{}': ('{}', '{}'),\n", column.name, column.unit, column.value);
  write(folder / "ncu_report.py", R"(
class IAction:
  NameBase_DEMANGLED = 1
class Metric:
  def __init__(self, unit, value): self._unit, self._value = unit, value
  def unit(self): return self._unit
  def has_correlation_ids(self): return False
  def num_instances(self): return 0
  def value(self, index=None): return self._value
class Counts(Metric):
  def has_correlation_ids(self): return True
  def num_instances(self): return 2
  def correlation_ids(self): return Opcodes()
  def value(self, index=None): return 266000 if index is None else [16000, 250000][index]
class Opcodes:
  def value(self, index): return ['BAR', 'LDG'][index]
METRICS = {
)" + metrics + R"(}
class Action(IAction):
  def name(self, base): return 'void mine::copy<float>(const T1 *, T1 *, int)'
  def metric_names(self): return [*METRICS, 'sass__inst_executed_per_opcode', 'none', 'void']
  def metric_by_name(self, name):
    if name == 'none': return None
    if name == 'void': return Metric('', None)
    return Metric(*METRICS[name]) if name in METRICS else Counts('inst', None)
class Range:
  def num_actions(self): return 1
  def action_by_idx(self, i): return Action()
class Report:
  def __init__(self, ranges): self._ranges = ranges
  def num_ranges(self): return self._ranges
  def range_by_idx(self, i): return Range()
def load_report(file):
  text = open(file, 'rb').read()
  if b'damaged' in text: raise RuntimeError('damaged')
  return Report(0 if b'empty' in text else 2)
)");
}

}  // namespace

TEST_CASE("a report is imported, and what it lacks is named with a command that brings it") {
  const ScratchDirectory scratch;
  write(scratch / "report.csv", wide_csv({copy_columns(), without(copy_columns(), "no such")}));
  const std::string import = "import " + scratch.file("report.csv") + " -o " + scratch.file("mine.work");
  const Outcome full = run_fathom(import);
  INFO(full.err);
  CHECK(full.code == 0);
  CHECK_THAT(full.out, Contains("2 launches on NVIDIA H200, written to"));
  CHECK_THAT(full.out, !Contains("not in the report"));
  CHECK(json::parse(content(scratch / "mine.work"))["schema"] == "fathom.launches");
  const json provenance = json::parse(content(scratch / "mine.work"))["provenance"];
  CHECK(provenance["gpu"] == "NVIDIA H200");
  CHECK_FALSE(provenance["commit"].is_null());
  CHECK_THAT(provenance["command"].get<std::string>(), Contains("fathom import "));

  write(scratch / "report.csv", wide_csv({without(without(copy_columns(), "sass__"), "pipe_tensor")}));
  const Outcome outcome = run_fathom(import);
  CHECK_THAT(outcome.out, Contains("1 launch on NVIDIA H200"));
  CHECK_THAT(outcome.out, Contains("not in the report: tensor cores (sm__inst_executed_pipe_tensor.sum)\n"));
  CHECK_THAT(outcome.out, Contains("not in the report: barriers (sass__inst_executed_per_opcode)\n"));
  CHECK_THAT(outcome.out, Contains("\nncu --set full --metrics "
                                   "sm__inst_executed_pipe_tensor.sum,sass__inst_executed_per_opcode "));

  const json answered = answer(import);
  CHECK(answered["schema"] == "fathom.import");
  CHECK(answered["launches"] == 1);
  CHECK(answered["gpu"] == "NVIDIA H200");
  CHECK(answered["lacking"][1]["what"] == "barriers");
  CHECK(answered["profiler_command"].get<std::string>().starts_with("ncu --set full"));
}

TEST_CASE("a report's launches are predicted by kernel, and their terms are the time") {
  const ScratchDirectory scratch;
  const std::string file =
      imported(scratch, {named("first"), named("second"), named("first"), with(named("first"), "ID", "4")});
  const json predicted = answer("predict " + file + " --device h200 --from none");
  CHECK(predicted["schema"] == "fathom.predict-launches");
  CHECK(predicted["launches"] == 4);
  CHECK(predicted["law"] == "counted");
  CHECK(predicted["scaled_from"].is_null());
  const double time = predicted["time_s"];
  CHECK(sum_of_terms(predicted) == Approx(time));
  REQUIRE(predicted["kernels"].size() == 2);
  const json &first = predicted["kernels"][0], &second = predicted["kernels"][1];
  CHECK(first["name"] == "first");
  CHECK(first["launches"] == 3);
  CHECK(first["time_s"].get<double>() == Approx(0.75 * time));
  CHECK(first["measured_s"].get<double>() == Approx(3 * 20e-6));
  CHECK(second["launches"] == 1);
  CHECK(predicted["interval_s"][0] < time);
  CHECK(predicted["interval_s"][1] > time);
  const json waitless =
      answer("predict " + imported(scratch, {without(copy_columns(), "long_scoreboard")}, "waitless.work") +
             " --device h200 --from none");
  const auto width = [](const json& one) {
    return one["interval_s"][1].get<double>() / one["interval_s"][0].get<double>();
  };
  CHECK(width(waitless) > width(predicted));
  // Of 32 MB read and 32 MB written, DRAM takes most: it moves at 3.5 to 5 TB/s.
  CHECK(predicted["bound"] == "dram");
  CHECK(time > 4 * 64e6 / 5e12);
  CHECK(time < 4 * 3 * 64e6 / 3.5e12);
}

TEST_CASE("a prediction is scaled by what was measured on the report's own GPU") {
  const ScratchDirectory scratch;
  const std::string file = imported(scratch, {copy_columns()});
  const std::string on = "predict " + file + " --device ";
  const auto time = [](const json& predicted) { return predicted["time_s"].get<double>(); };
  const json own = answer(on + "h200"), elsewhere = answer(on + "h100"),
             unscaled = answer(on + "h100 --from none");
  const json& scale = own["scaled_from"];
  CHECK(scale["device"] == "h200");
  CHECK(scale["measured_s"].get<double>() == Approx(20e-6));
  CHECK(scale["scale"].get<double>() == Approx(20e-6 / scale["predicted_s"].get<double>()));
  CHECK(elsewhere["scaled_from"] == scale);
  CHECK(time(elsewhere) == Approx(time(unscaled) * scale["scale"].get<double>()));
  CHECK(answer(on + "h100 --from h200")["time_s"] == elsewhere["time_s"]);
  CHECK(own["interval_s"].is_null());  // measured
  CHECK(elsewhere["interval_s"][1].get<double>() / elsewhere["interval_s"][0].get<double>() <
        unscaled["interval_s"][1].get<double>() / unscaled["interval_s"][0].get<double>());

  const std::string text = run_fathom(on + "h100").out;
  CHECK_THAT(text, Contains("scaled by what was measured: 20.0 µs, where the law says "));
  CHECK_THAT(run_fathom(on + "h100 --from none").out, Contains("not scaled by what was measured"));
}

TEST_CASE("a report of a GPU without a profile is predicted as the law says, with a note") {
  const ScratchDirectory scratch;
  const std::string name = "device__attribute_display_name";
  for (const auto& [columns, says] :
       {std::pair{with(copy_columns(), name, "NVIDIA Unheard-of"),
                  "'NVIDIA Unheard-of' has no measured profile"},
        std::pair{without(copy_columns(), name), "the report does not name its GPU"}}) {
    const Outcome outcome = run_fathom("predict " + imported(scratch, {columns}) + " --device h200");
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("not scaled by what was measured"));
    CHECK_THAT(outcome.err, Contains(says) && Contains("--from"));
  }
}

TEST_CASE("launches answer what-if, sensitivities and warm caches") {
  const ScratchDirectory scratch;
  const std::string on = "predict " + imported(scratch, {copy_columns()}) + " --device h200 --from none";
  const auto time = [&](const std::string& options) { return answer(on + options)["time_s"].get<double>(); };
  CHECK(time(" --what-if dram.bandwidth=2x") < 0.9 * time(""));
  CHECK(time(" --caches warm") < time(""));  // the L2 holds some of the 64 MB
  CHECK(time(" --caches cold") == time(""));
  const json varied = answer(on + " --sensitivities");
  REQUIRE_FALSE(varied["sensitivities"].empty());
  CHECK(varied["sensitivities"][0]["constant"] == "dram.copy_by_grid");  // a block reads more than it holds
  CHECK(varied["sensitivities"][0]["value"].get<double>() < -0.3);
  CHECK_THAT(run_fathom(on + " --what-if dram.bandwidth=2x").out, Contains("what if: dram.bandwidth=2x"));
  CHECK_THAT(run_fathom(on + " -v").out, Contains("Terms"));
}

TEST_CASE("kernels that cannot be priced are named, and the others predicted") {
  const ScratchDirectory scratch;
  const std::string file = imported(
      scratch,
      {named("plain"), named("tensors", with(copy_columns(), "sm__inst_executed_pipe_tensor.sum", "9,000")),
       named("clusters", with(copy_columns(), "launch__cluster_size", "4")),
       named("nested", with(copy_columns(), "launch__uses_cdp", "1")),
       named("doubles", with(copy_columns(), "sm__inst_executed_pipe_fp64.sum", "90,000"))});
  const Outcome outcome = run_fathom("predict " + file + " --device h200");
  CHECK(outcome.code == 0);
  for (const char* says : {"not predicted: tensors, 1 launch: it uses the tensor cores",
                           "not predicted: nested, 1 launch: it may launch kernels itself",
                           "not predicted: doubles, 1 launch: it computes with doubles",
                           "clusters: its clusters of 4 blocks are priced as single blocks"})
    CHECK_THAT(outcome.out, Contains(says));
  const json predicted = answer("predict " + file + " --device h200");
  CHECK(predicted["kernels"].size() == 2);
  CHECK(predicted["not_predicted"].size() == 3);
  CHECK(predicted["assumptions"].size() == 1);

  const std::string none = imported(
      scratch, {named("tensors", with(copy_columns(), "sm__inst_executed_pipe_tensor.sum", "9,000"))},
      "none.work");
  check_refused("predict " + none + " --device h200", 1,
                "no launch can be predicted; of tensors: it uses the tensor");
}

TEST_CASE("answers about launches have no line of more than 120 columns, but for a command") {
  const ScratchDirectory scratch;
  const auto launch = [](const std::string& kernel) {
    return named(kernel, without(copy_columns(), "sass__"));
  };
  const std::string file =
      imported(scratch, {launch("void " + std::string(150, 'x') + "<int>(int)"), launch("second"),
                         with(launch("tensors"), "sm__inst_executed_pipe_tensor.sum", "90,000")});
  for (const std::string& command : {"import " + scratch.file("report.csv") + " -o " + file,
                                     "predict " + file + " --device h100 -v --sensitivities"}) {
    const Outcome outcome = run_fathom(command);
    CHECK(outcome.code == 0);
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK((fathom::reports::display_width(line) <= 120 || line.starts_with("ncu ")));
    }
  }
}

TEST_CASE("options of algorithms and of launches are not mixed") {
  const ScratchDirectory scratch;
  const std::string on = "predict " + imported(scratch, {copy_columns()}) + " --device h200 ";
  check_refused(on + "-n 1000", 2, "-n: omit it, launches of a report are what they were");
  check_refused(on + "--set E=17", 2, "--set: omit it");
  check_refused(on + "--type u64", 2, "--type: omit it");
  check_refused(on + "--law fitted", 2, "--law: omit it");
  check_refused(on + "--stable", 2, "--stable: omit it");
  check_refused("predict sort-kway -n 1000 --device h200 --caches warm", 2,
                "--caches: omit it, it is of launches");
  check_refused("predict sort-kway -n 1000 --device h200 --from h100", 2,
                "--from: omit it, it is of launches");
  check_refused("predict sort-kway --device h200", 2, "-n is required");
  check_refused("predict " + scratch.file("mine.work") + " --device h200,h100", 2, "choose one");
  check_refused(on + "--caches hot", 2, "choose cold or warm");
  check_refused("predict " + scratch.file("mine.work") + " --device m4000", 1,
                "profile 'm4000' does not have the rates");
  check_refused(on + "--from m4000", 1, "profile 'm4000' does not have the rates");
  check_refused(on + "--from nowhere", 2, "nowhere");
}

TEST_CASE("what is no report, and what is no place for its launches, is refused in one line") {
  const ScratchDirectory scratch;
  write(scratch / "report.csv", wide_csv({copy_columns()}));
  write(scratch / "other.csv", "Time (%),Total Time (ns)\n100.0,1\n");
  const auto import = [&](const char* from, const char* to) {
    return fmt::format("import {} -o {}", scratch.file(from), scratch.file(to));
  };
  check_refused(import("report.csv", "mine.json"), 2, "choose a name that ends in .work");
  check_refused(import("other.csv", "mine.work"), 1, "there is no table of Nsight Compute");
  check_refused(import("missing.csv", "mine.work"), 1, "missing.csv");
  check_refused(import("missing.ncu-rep", "mine.work"), 1, "missing.ncu-rep");
  check_refused("import " + scratch.file("report.csv"), 2, "--output is required");
  for (const char* report : {"report.csv", "report.ncu-rep"})
    check_refused(fmt::format("predict {} --device h200", report), 2,
                  fmt::format("fathom import {} -o mine.work, and predict that", report));
  CHECK_FALSE(fs::exists(scratch / "mine.work"));
  write(scratch / "mine.work", "{\"schema\":\"fathom.launches\",\"version\":2}");
  check_refused("predict " + scratch.file("mine.work") + " --device h200", 1, "update fathom");
  check_refused("predict " + scratch.file("gone.work") + " --device h200", 1, "gone.work");
}

TEST_CASE("a report in ncu's own format is read by NVIDIA's package where it is there") {
  if (std::system("python3 --version >/dev/null 2>&1") != 0) {
    WARN("no python3 reads such reports here");
    return;
  }
  const ScratchDirectory scratch;
  write(scratch / "report.ncu-rep", "binary");
  write(scratch / "damaged.ncu-rep", "damaged");
  write(scratch / "empty.ncu-rep", "empty");
  write_package(scratch / "with");
  fs::create_directories(scratch / "without");
  write(scratch / "without/ncu_report.py", "raise ImportError()");
  const auto import = [&](const std::string& package, const std::string& report) {
    return run_fathom_with("PYTHONPATH=" + scratch.file(package),
                           "import " + scratch.file(report) + " -o " + scratch.file("mine.work"));
  };
  const Outcome read = import("with", "report.ncu-rep");
  INFO(read.err);
  CHECK(read.code == 0);
  CHECK_THAT(read.out, Contains("2 launches on NVIDIA H200") && !Contains("not in the report"));
  const json launches = json::parse(content(scratch / "mine.work"))["launches"];
  CHECK(launches[1]["kernel"] == "copy");
  CHECK(launches[1]["work"]["barriers"].get<double>() == Approx(2));

  const Outcome without_package = import("without", "report.ncu-rep");
  CHECK(without_package.code == 1);
  CHECK_THAT(without_package.err,
             Contains("run pip install ncu-report, or import the table that ncu --import "));
  for (const char* report : {"damaged.ncu-rep", "empty.ncu-rep"}) {
    const Outcome unread = import("with", report);
    CHECK(unread.code == 1);
    CHECK_THAT(unread.err, Contains("finds no launches in it: none was profiled, or it is damaged"));
  }
  const Outcome no_python = run_fathom_with(
      "PATH=/nowhere", "import " + scratch.file("report.ncu-rep") + " -o " + scratch.file("mine.work"));
  CHECK(no_python.code == 1);
  CHECK_THAT(no_python.err, Contains("python3 reads it, which was not found"));
}
