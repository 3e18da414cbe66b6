// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/datasets.h>

#include <fathom/calls/predicting/problem.h>
#include <fathom/core/text/nearest.h>
#include <fathom/store/read_runs.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace fathom::calls {

namespace {

/// The runs of a file given twice would count twice.
void check_distinct(const std::vector<std::filesystem::path>& files) {
  std::error_code none;  // a file that is missing is reported when it is read
  for (auto file = files.begin(); file != files.end(); ++file)
    for (auto other = files.begin(); other != file; ++other)
      if (*file == *other || std::filesystem::equivalent(*file, *other, none))
        throw std::invalid_argument(
            fmt::format("'{}' is listed twice{}: list it once", file->string(),
                        *file == *other ? "" : fmt::format(", also as '{}'", other->string())));
}

void check_one_gpu(const std::vector<std::filesystem::path>& files, const std::vector<Dataset>& datasets) {
  std::size_t first = 0;  // that says on which GPU it was measured
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& known = datasets[first].provenance.gpu;
    const std::string& gpu = datasets[i].provenance.gpu;
    if (known.empty()) first = i;
    if (!known.empty() && !gpu.empty() && gpu != known)
      throw std::invalid_argument(
          fmt::format("{} was measured on '{}', {} on '{}': give the runs of one GPU at a time",
                      files[first].string(), known, files[i].string(), gpu));
  }
}

bool is_parameter(std::string_view name) {
  return std::ranges::any_of(all_algorithms(),
                             [&](AnyAlgorithm one) { return descriptor(one).find_parameter(name); });
}

RunReading reading_of(const RunFiles& files) {
  RunReading reading{.names = {}, .vouched = files.vouch, .find = find_listed};
  for (const std::string& text : files.read_as) {
    const std::size_t equals = text.rfind('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
      throw std::invalid_argument(
          fmt::format("`read_as` '{}': write NAME=MEANING, such as BM_sort=sort-pairwise, or NAME=VALUE, "
                      "such as n=2^26",
                      text));
    const std::string name = text.substr(0, equals), meaning = text.substr(equals + 1);
    if (!is_value_of(name, meaning) && !is_meaning(meaning) && !is_parameter(meaning) &&
        !find_listed(meaning))
      algorithm(meaning);  // throws, naming the nearest
    if (!reading.names.emplace(name, meaning).second)
      throw std::invalid_argument(fmt::format("`read_as`: '{}' is explained twice: explain it once", name));
  }
  return reading;
}

std::string counted(std::size_t runs) {
  return fmt::format("{} {}", runs, runs == 1 ? "run" : "runs");
}

/// "2 runs that failed, 1 run of types that fathom does not have"
std::string in_words(const std::map<std::string, std::size_t>& left_out) {
  std::vector<std::string> parts;
  for (const auto& [why, runs] : left_out) parts.push_back(fmt::format("{} {}", counted(runs), why));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What a prediction needs and the runs lack, or have and a prediction does not depend on.
void note_parameters(const std::string& file, const Dataset& dataset, const Listener& listener) {
  std::map<std::string, std::set<std::string>> missing, foreign;  // by algorithm
  for (const Measurement& run : dataset.runs) {
    const Descriptor* const algorithm = find_listed(run.algorithm);
    if (!algorithm || algorithm->baseline) continue;
    for (const ParameterInfo& info : algorithm->parameters)
      if (!run.problem.parameters.contains(info.name)) missing[run.algorithm].insert(info.name);
    for (const auto& [name, value] : run.problem.parameters)
      if (!algorithm->find_parameter(name)) foreign[run.algorithm].insert(name);
  }
  for (const auto& [slug, names] : missing)
    listener.note(fmt::format(
        "{} does not say {} of {}, without which nothing is predicted: `read_as={}=VALUE` does, and "
        "`read_as=NAME={}` if the file calls it otherwise",
        file, fmt::join(names, ", "), slug, *names.begin(), *names.begin()));
  for (const auto& [slug, names] : foreign)
    listener.note(fmt::format("{} has no parameter {}, as {} does: predictions do not depend on it", slug,
                              fmt::join(names, ", "), file));
}

/// Benchmarks that are no algorithm here, which can only be drawn.
void note_unknown(const std::string& file, const Dataset& dataset, const Listener& listener) {
  constexpr std::size_t most_named = 3;
  std::set<std::string> unknown;
  for (const Measurement& run : dataset.runs)
    if (!find_listed(run.algorithm)) unknown.insert(run.algorithm);
  if (unknown.empty()) return;
  const std::vector<std::string> first(
      unknown.begin(), std::next(unknown.begin(), long(std::min(unknown.size(), most_named))));
  const std::size_t more = unknown.size() - first.size();
  listener.note(
      fmt::format("{}: no algorithm is called {}{}: these runs are only drawn, unless "
                  "`read_as=NAME=ALGORITHM` says what they are",
                  file, fmt::join(first, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
}

/// What the user should know of another tool's runs.
void note_foreign(const std::string& file, const ReadRuns& read, bool vouched, const Listener& listener) {
  const std::size_t runs = read.dataset.runs.size();
  const std::string of_tool = fmt::format("{}, a file of {}", file, read.tool);
  std::string left_out = fmt::format("{}: left out {}", of_tool, in_words(read.left_out));
  if (read.left_out.contains(ReadRuns::without_n))
    left_out += "; say what is n with `read_as=NAME=n`, or its value with `read_as=n=2^26`";
  if (runs == 0)
    throw std::runtime_error(read.left_out.empty() ? of_tool + ", has no runs"
                                                   : left_out + "; no run remains");
  if (!read.left_out.empty()) listener.note(left_out);
  if (read.without_type > 0)
    listener.note(
        fmt::format("{} does not say the type of the elements of {}: taken for u32; another is given "
                    "with `read_as=type=u64`",
                    file, counted(read.without_type)));
  listener.note(
      fmt::format("{}: {} of {}{}", file, counted(runs), read.tool,
                  vouched ? ", whose outputs you vouch for, so that they count as checked"
                          : " never checked here: no error and no fit counts them; with `vouch=true` you "
                            "say that their outputs were right"));
  note_unknown(file, read.dataset, listener);
  note_parameters(file, read.dataset, listener);
}

/// A name that is explained and is in no file.
void check_used(const RunReading& reading, const std::set<std::string>& used,
                const std::set<std::string>& names) {
  for (const auto& [name, meaning] : reading.names) {
    if (used.contains(name)) continue;
    if (is_value_of(name, meaning))
      throw std::invalid_argument(
          fmt::format("`read_as` {}={}: no run of another tool lacks {}: omit it", name, meaning, name));
    throw std::invalid_argument(
        names.empty()
            ? fmt::format("`read_as` {}={}: no file of another tool is given: omit it", name, meaning)
            : fmt::format("`read_as` {}={}: no file has '{}'{} (they have {})", name, meaning, name,
                          did_you_mean(name, {names.begin(), names.end()}), fmt::join(names, ", ")));
  }
}

}  // namespace

std::vector<Dataset> read_each(const RunFiles& files, const Listener& listener) {
  const RunReading reading = reading_of(files);
  std::vector<Dataset> datasets;
  std::set<std::string> used, names;
  for (const auto& file : files.datasets) {
    listener.progress("reading " + file.string(), datasets.size(), files.datasets.size());
    ReadRuns read = read_runs(file, reading);
    used.merge(read.used);
    names.merge(read.names);
    if (!read.tool.empty()) note_foreign(file.string(), read, files.vouch, listener);
    datasets.push_back(std::move(read.dataset));
  }
  check_used(reading, used, names);
  listener.progress("read", files.datasets.size(), files.datasets.size());
  return datasets;
}

std::vector<Dataset> read_datasets(const RunFiles& files, const Listener& listener) {
  check_distinct(files.datasets);
  std::vector<Dataset> datasets = read_each(files, listener);
  check_one_gpu(files.datasets, datasets);
  return datasets;
}

Dataset joined(const RunFiles& files, const Listener& listener) {
  std::vector<Dataset> datasets = read_datasets(files, listener);
  Dataset all;
  if (!datasets.empty()) all.provenance = measured_first(datasets).provenance;
  for (Dataset& dataset : datasets)
    all.runs.insert(all.runs.end(), std::make_move_iterator(dataset.runs.begin()),
                    std::make_move_iterator(dataset.runs.end()));
  return all;
}

const Dataset& measured_first(std::span<const Dataset> datasets) {
  const auto found =
      std::ranges::find_if(datasets, [](const Dataset& dataset) { return !dataset.provenance.gpu.empty(); });
  return found == datasets.end() ? datasets.front() : *found;
}

}  // namespace fathom::calls
