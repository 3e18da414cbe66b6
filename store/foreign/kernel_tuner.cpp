// SPDX-License-Identifier: Apache-2.0
#include <fathom/store/foreign/format.h>
#include <fmt/format.h>

#include <set>

namespace fathom {
namespace {

constexpr double millisecond = 1e-3;

/// While it tunes, the tool appends configurations, each with a comma, and closes the document in the end.
std::string closed(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last != text.npos && text[last] == ',' ? text.substr(0, last) + "}}" : text;
}

/// The elements of all dimensions. Absent if the file does not say, or computes it from the parameters.
std::optional<std::string> size_of_problem(const Field& document) {
  const std::optional<Field> size = document.find("problem_size");
  if (!size || size->is_text()) return std::nullopt;
  if (!size->is_array()) return size->scalar();
  double elements = 1;
  for (const Field& dimension : size->elements()) {
    if (!dimension.is_number()) return std::nullopt;
    elements *= dimension.number();
  }
  return fmt::format("{}", elements);
}

std::vector<double> times_of(const Field& configuration) {
  std::vector<double> seconds;
  if (const std::optional<Field> times = configuration.find("times"))
    for (const Field& time : times->elements()) seconds.push_back(seconds_in(time, millisecond));
  if (seconds.empty()) seconds.push_back(seconds_in(configuration.at("time"), millisecond));
  return seconds;
}

/// Failed ones have a text such as "InvalidConfig" for a time.
bool has_failed(const Field& configuration) {
  const std::optional<Field> error = configuration.find("__error__"), time = configuration.find("time");
  return (error && !error->is_null()) || (time && time->is_text());
}

/// What all configurations of a file share.
struct Kernel {
  std::string name;
  std::optional<std::string> problem_size;
  std::vector<std::string> parameters;

  explicit Kernel(const Field& document)
      : name(document.at("kernel_name").text()), problem_size(size_of_problem(document)) {
    std::set<std::string> seen;
    for (const Field& key : document.at("tune_params_keys").elements())
      if (!seen.insert(parameters.emplace_back(key.text())).second)
        key.fail(fmt::format("names '{}' a second time", parameters.back()));
  }
  ForeignRun run_of(const Field& configuration) const {
    ForeignRun run{.name = name};
    if (problem_size) run.coordinates.emplace_back("problem_size", *problem_size);
    for (const std::string& parameter : parameters)
      run.coordinates.emplace_back(parameter, configuration.at(parameter).scalar());
    if (has_failed(configuration))
      run.left_out = "that failed";
    else if (!configuration.has("time"))
      run.left_out = "without a time";
    else
      run.seconds = times_of(configuration);
    return run;
  }
};

}  // namespace

ForeignRuns parse_kernel_tuner(const std::string& text, const std::string& where, const FileBeside&) {
  ForeignRuns result;
  std::optional<Kernel> kernel;
  const nlohmann::ordered_json json =
      parse_json(closed(text), where,
                 {.name = "cache",
                  .begin =
                      [&](const Field& head) {
                        if (!head.has("kernel_name") || !head.has("tune_params_keys")) return false;
                        kernel.emplace(head);
                        return true;
                      },
                  .add = [&](const Field& one) { result.runs.push_back(kernel->run_of(one)); }});
  const Field document(json, where);
  if (!kernel) kernel.emplace(document);
  result.provenance.gpu = document.at("device_name").text();
  for (const auto& [key, one] : document.at("cache").members()) result.runs.push_back(kernel->run_of(one));
  return result;
}

}  // namespace fathom
