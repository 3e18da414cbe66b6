// SPDX-License-Identifier: Apache-2.0
// The files that other tools write of runs they measured. A format is a file in this folder and its row in
// format.cpp. It only says what the file says: what names in it mean here is decided in read_runs.cpp.
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/store/json_fields.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom {

/// A run as another tool's file tells it.
struct ForeignRun {
  std::string name;  ///< of the benchmark or kernel
  /// What tells the run from others of the name, as written: {"Elements", "65536"}, {"T", "U32"}.
  std::vector<std::pair<std::string, std::string>> coordinates{};
  /// Other numbers that the benchmark reported.
  std::vector<std::pair<std::string, std::string>> counters{};
  std::vector<double> seconds{};  ///< within seconds_of_a_run
  std::string left_out{};         ///< where there are none, why: "that failed"
};

struct ForeignRuns {
  Provenance provenance;  ///< what the file says of it
  std::vector<ForeignRun> runs;
};

/// The content of another file that a document names, or nothing if there is no such file.
using FileBeside = std::function<std::optional<std::string>(const std::string& name)>;

struct ForeignFormat {
  std::string_view tool;
  std::vector<std::string_view> members;  ///< a document that has all of these is of the format
  /// `where` names the text in errors. Throws FormatError.
  ForeignRuns (*parse)(const std::string& text, const std::string& where, const FileBeside& beside);
};

/// The format of a document; nullptr for any other text, Fathom's own files among them. The document may be
/// damaged. Reads no more of it than it has to.
const ForeignFormat* foreign_format_of(const std::string& text);
/// "nvbench, Google Benchmark and …"
std::string foreign_tools();

/// NVIDIA nvbench, --json and --jsonbin: the samples in files beside the document, else the median or the
/// mean of the times on the GPU, in isolation.
ForeignRuns parse_nvbench(const std::string& text, const std::string& where, const FileBeside& beside);
/// Google Benchmark, --benchmark_out_format=json: the real time, which is the manual one where the benchmark
/// sets it; of repetitions, each, or their median or mean if the file has nothing else.
ForeignRuns parse_google_benchmark(const std::string& text, const std::string& where,
                                   const FileBeside& beside);
/// Kernel Tuner's cache, also one that tuning has not closed yet.
ForeignRuns parse_kernel_tuner(const std::string& text, const std::string& where, const FileBeside& beside);

/// The field's number, which counts units of so many seconds. It must lie within seconds_of_a_run.
double seconds_in(const Field& field, double unit);

}  // namespace fathom
