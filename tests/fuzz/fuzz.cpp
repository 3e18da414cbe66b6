// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include <fathom/core/digest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace fathom::fuzz {
namespace {

bool all_are_chosen = false;

/// Processor time, so that other programs' load does not count.
double processor_seconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

double seconds_for(const std::string& input) {
  const double start = processor_seconds();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  return processor_seconds() - start;
}

constexpr std::size_t megabyte = 1 << 20;
/// Anything shorter is quick enough, also where it grows with the square of the size.
constexpr double quick_seconds = 1;
/// The ratio of the times of a megabyte and a quarter of it is 4 if the time grows with the size, 16 if with
/// its square.
constexpr double most_growth = 8;

/// Runs the large inputs; true if each is quick or takes time in proportion to its size. How long a megabyte
/// takes is no matter: that depends on the machine, on what shares its cores, and on the sanitizers.
bool run_large_inputs() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was slow is seen even if a time limit ends the program
  const std::vector<std::string> inputs = large_inputs(megabyte), smaller = large_inputs(megabyte / 4);
  expect(inputs.size() == smaller.size(), "there are as many inputs of any size");
  double slowest = 0;
  bool all_in_proportion = true;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double seconds = seconds_for(inputs[i]);
    slowest = std::max(slowest, seconds);
    if (seconds <= quick_seconds) continue;
    const double growth = seconds / seconds_for(smaller[i]);
    fmt::print("input {} of {} bytes: {:.2f} s, {:.1f} times as long as a quarter of it\n", i,
               inputs[i].size(), seconds, growth);
    if (growth > most_growth) all_in_proportion = false;
  }
  fmt::print("{} large inputs, the slowest in {:.2f} s\n", inputs.size(), slowest);
  return all_in_proportion;
}

}  // namespace

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  text.reserve(bytes);
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}

std::vector<std::string> large_json(std::size_t bytes) {
  const auto number = [](std::size_t i) { return std::to_string(i); };
  const auto member = [](std::size_t i) { return fmt::format("\"{}\":0", i); };
  const auto same_member = [](std::size_t) { return std::string("\"a\":0"); };
  const std::size_t half = bytes / 2 - 1;
  return {repeated("[", bytes),
          repeated("[", half) + repeated("]", half),
          repeated("{\"a\":", bytes),
          repeated("{\"a\":", bytes * 5 / 6) + "0" + repeated("}", bytes / 6),
          '[' + listed(number, bytes) + ']',
          '[' + repeated("[],", bytes - 4) + "0]",
          '{' + listed(member, bytes) + '}',
          '{' + listed(same_member, bytes) + '}',
          '"' + repeated("x", bytes - 2) + '"',
          '"' + repeated("\\u0000", bytes - 2) + '"',
          '"' + repeated("\\ud83d\\ude00", bytes - 2) + '"',
          repeated("9", bytes),
          "0." + repeated("9", bytes - 2),
          "1e" + repeated("9", bytes - 2),
          "1e-" + repeated("9", bytes - 3),
          repeated("\n", bytes),
          repeated(",", bytes),
          repeated("\xff", bytes),
          repeated(std::string_view("\0", 1), bytes)};
}

std::string dataset_of(std::string_view runs) {
  return fmt::format(R"({{"schema":"fathom.dataset","version":2,"provenance":{{"gpu":null,"driver":null,)"
                     R"("toolkit":null,"date":null,"commit":null,"command":null}},"runs":[{}]}})",
                     runs);
}

std::string run_of(std::string_view algorithm, std::string_view parameters, std::string_view kernels,
                   std::string_view seconds) {
  return fmt::format(
      R"({{"algorithm":"{}","kind":"sort","type":"u32","order":"ascending","stable":false,"input":"random",)"
      R"("n":1000000,"parameters":{},"clock_hz":2e9,"clock_moved":false,"checked":true,"kernels":{},)"
      R"("seconds":{}}})",
      algorithm, parameters, kernels, seconds);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  expect(at != text.npos, fmt::format("the text contains {}", from));
  return text.replace(at, from.size(), to);
}

bool is_chosen(std::string_view input, std::size_t choice, std::size_t count) {
  return all_are_chosen || digest(input) % count == choice;
}

void expect(bool kept, std::string_view promise) {
  if (kept) return;
  fmt::print(stderr, "broken promise: {}\n", promise);
  std::abort();
}

void expect_positive(double number, std::string_view what) {
  if (!(number > 0) || !std::isfinite(number))
    expect(false, fmt::format("{} is {}, not finite and positive", what, number));
}

}  // namespace fathom::fuzz

/// Called by libFuzzer before anything else.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments);
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count == 2 && std::string_view((*arguments)[1]) == "--large")
    std::exit(fathom::fuzz::run_large_inputs() ? EXIT_SUCCESS : EXIT_FAILURE);
  for (int i = 1; i < *count; ++i)
    if (std::filesystem::is_regular_file((*arguments)[i])) fathom::fuzz::all_are_chosen = true;
  return 0;
}
