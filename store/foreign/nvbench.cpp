// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/number.h>
#include <fathom/store/dataset.h>
#include <fathom/store/foreign/format.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cstdint>
#include <map>

namespace fathom {
namespace {

constexpr std::string_view samples_tag = "nv/json/bin:nv/cold/sample_times";
/// Where there are no samples. The median is the better one, but older versions have only the mean.
constexpr std::array<std::string_view, 2> time_tags{"nv/cold/time/gpu/median", "nv/cold/time/gpu/mean"};

/// The tool writes an empty list as null.
std::vector<Field> elements(const Field& list) {
  return list.is_null() ? std::vector<Field>{} : list.elements();
}

std::map<int, std::string> gpus(const Field& devices) {
  std::map<int, std::string> names;
  for (const Field& device : elements(devices)) names[device.at("id").integer()] = device.at("name").text();
  return names;
}

/// "Elements{io}" → "Elements": what is in braces tells the tool how to show it.
std::string axis_name(const Field& axis) {
  const std::string name = axis.at("name").text();
  return name.substr(0, name.find('{'));
}

/// Named values of a summary; the tool writes numbers as text.
std::optional<Field> value_of(const Field& summary, std::string_view name) {
  const std::optional<Field> data = summary.find("data");
  if (!data) return std::nullopt;
  for (const Field& one : elements(*data))
    if (one.at("name").text() == name) return one.at("value");
  return std::nullopt;
}

double seconds_of(const Field& value) {
  const std::string text = value.text();
  const std::optional<double> seconds = number_in<double>(text);
  if (!seconds || !seconds_of_a_run.holds(*seconds))
    value.fail(fmt::format("is '{}': it must be a time from {} to {} s", text, seconds_of_a_run.lowest,
                           seconds_of_a_run.highest));
  return *seconds;
}

/// Floats of 32 bits, the least significant byte first.
std::vector<double> samples_in(const std::string& bytes, const Field& file) {
  if (bytes.empty() || bytes.size() % 4 != 0)
    file.fail(fmt::format("names a file of {} bytes: samples have 4 bytes each", bytes.size()));
  std::vector<double> samples;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t bits = 0;
    for (std::size_t byte = 4; byte-- > 0;) bits = bits << 8 | std::uint8_t(bytes[at + byte]);
    samples.push_back(double(std::bit_cast<float>(bits)));
    if (!seconds_of_a_run.holds(samples.back()))
      file.fail(fmt::format("names a file with a sample of {} s, at [{}]", samples.back(), at / 4));
  }
  return samples;
}

/// Times in isolation, on a cold cache. Empty if the state has none.
std::vector<double> times_of(const Field& state, const FileBeside& beside) {
  std::map<std::string, Field> summaries;
  for (const Field& summary : elements(state.at("summaries")))
    summaries.emplace(summary.at("tag").text(), summary);
  if (const auto found = summaries.find(std::string(samples_tag)); found != summaries.end())
    if (const std::optional<Field> file = value_of(found->second, "filename"))
      if (const std::optional<std::string> bytes = beside(file->text())) return samples_in(*bytes, *file);
  for (const std::string_view tag : time_tags)
    if (const auto found = summaries.find(std::string(tag)); found != summaries.end())
      if (const std::optional<Field> value = value_of(found->second, "value")) return {seconds_of(*value)};
  return {};
}

ForeignRun run_of(const Field& state, const std::string& benchmark, const FileBeside& beside) {
  ForeignRun run{.name = benchmark};
  for (const Field& axis : elements(state.at("axis_values")))
    run.coordinates.emplace_back(axis_name(axis), axis.at("value").scalar());
  if (const std::optional<Field> skipped = state.find("is_skipped"); skipped && skipped->boolean()) {
    run.left_out = "that the tool skipped";
    return run;
  }
  run.seconds = times_of(state, beside);
  if (run.seconds.empty()) run.left_out = "without a time on the GPU";
  return run;
}

std::string command_of(const Field& document) {
  const std::optional<Field> meta = document.find("meta");
  const std::optional<Field> arguments = meta ? meta->find("argv") : std::nullopt;
  std::vector<std::string> words;
  if (arguments)
    for (const Field& word : elements(*arguments)) words.push_back(word.text());
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

ForeignRuns parse_nvbench(const std::string& text, const std::string& where, const FileBeside& beside) {
  const nlohmann::ordered_json json = parse_json(text, where);
  const Field document(json, where);
  const std::map<int, std::string> names = gpus(document.at("devices"));
  ForeignRuns result;
  result.provenance.command = command_of(document);
  for (const Field& benchmark : elements(document.at("benchmarks"))) {
    const std::string name = benchmark.at("name").text();
    for (const Field& state : elements(benchmark.at("states"))) {
      const Field device = state.at("device");
      const auto gpu = names.find(device.integer());
      if (gpu == names.end()) device.fail("is the number of no device in 'devices'");
      std::string& measured_on = result.provenance.gpu;
      if (measured_on.empty()) measured_on = gpu->second;
      if (measured_on != gpu->second)
        device.fail(
            fmt::format("is a {}, others are a {}: measure one GPU at a time", gpu->second, measured_on));
      result.runs.push_back(run_of(state, name, beside));
    }
  }
  return result;
}

}  // namespace fathom
