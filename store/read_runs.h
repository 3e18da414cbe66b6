// SPDX-License-Identifier: Apache-2.0
// Measured runs from any file that holds some: Fathom's datasets, and the files of other tools
// (store/foreign/format.h), whose names are told what they mean here.
#pragma once

#include <fathom/model/descriptor.h>
#include <fathom/store/dataset.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace fathom {

/// What names in the files of other tools mean. Fathom's own need none.
struct RunReading {
  /// By a name in the file, of a benchmark, an axis or a parameter: the slug of the algorithm that it is, or
  /// "n", "type" (of the elements or keys), "value" (the type of the values), "input", "sortedness",
  /// "entropy", or the name of a parameter here. Or, by one of these, the value that it has where the file
  /// does not say: {"n", "2^26"}, {"type", "u64"}, {"E", "15"}.
  std::map<std::string, std::string> names;
  /// The outputs of the runs were right: they count as checked. No file of another tool says so.
  bool vouched = false;
  /// The algorithm of a slug, or nullptr.
  std::function<const Descriptor*(std::string_view slug)> find = [](std::string_view) { return nullptr; };
};

/// True if the reading gives `name` a value, and not a meaning: "n" and "2^26", "type" and "u64".
bool is_value_of(std::string_view name, const std::string& text);
/// True for "n", "type" and the others that a name can mean besides algorithms and parameters.
bool is_meaning(std::string_view name);

struct ReadRuns {
  static constexpr const char* without_n = "whose n the file does not say";  ///< a reason to leave runs out
  Dataset dataset;
  std::string tool;                               ///< that wrote the file; empty: Fathom
  std::map<std::string, std::size_t> left_out{};  ///< numbers of runs, by why: "that failed"
  std::set<std::string> used{};                   ///< names of the reading that meant something
  std::set<std::string> names{};  ///< that a reading can explain: of benchmarks, axes and parameters
  /// The runs of known algorithms that do not say their type: they have that of the Problem's default.
  std::size_t without_type = 0;
};

/// The runs in a file of any of the formats, told from its content. A benchmark is the algorithm that the
/// reading says, or whose slug its name is but for capitals, "_" for "-" and a leading "BM_" or "bench_";
/// otherwise the run keeps the benchmark's name. What distinguishes runs and means nothing here becomes part
/// of their name. Throws FormatError, and std::system_error.
ReadRuns read_runs(const std::filesystem::path& file, const RunReading& reading);
/// The same of a text. `beside` gives the content of another file that it names, or nothing.
ReadRuns parse_runs(const std::string& text, const std::string& where, const RunReading& reading,
                    const std::function<std::optional<std::string>(const std::string&)>& beside = {});

}  // namespace fathom
