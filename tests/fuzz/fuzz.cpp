#include "fuzz.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace fathom::fuzz {
namespace {

/// Processor time, so that other programs' load does not count.
double processor_seconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

/// A second for a megabyte, times what the sanitizers slow a program down.
constexpr double most_seconds = 5;

/// Runs the large inputs; whether each stayed within the limit.
bool run_large_inputs() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was slow is seen even if a time limit ends the program
  double slowest = 0;
  const std::vector<std::string> inputs = large_inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double start = processor_seconds();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(inputs[i].data()), inputs[i].size());
    const double seconds = processor_seconds() - start;
    slowest = std::max(slowest, seconds);
    if (seconds > most_seconds)
      fmt::print("input {}, {:.60}…, {} bytes: {:.2f} s\n", i, inputs[i], inputs[i].size(), seconds);
  }
  fmt::print("{} large inputs, the slowest in {:.2f} s\n", inputs.size(), slowest);
  return slowest <= most_seconds;
}

}  // namespace

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  text.reserve(bytes);
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}

std::vector<std::string> large_json() {
  const auto number = [](std::size_t i) { return std::to_string(i); };
  const auto member = [](std::size_t i) { return fmt::format("\"{}\":0", i); };
  const auto same_member = [](std::size_t) { return std::string("\"a\":0"); };
  const std::size_t half = megabyte / 2 - 1;
  return {repeated("["),
          repeated("[", half) + repeated("]", half),
          repeated("{\"a\":"),
          repeated("{\"a\":", megabyte * 5 / 6) + "0" + repeated("}", megabyte / 6),
          '[' + listed(number) + ']',
          '[' + repeated("[],", megabyte - 4) + "0]",
          '{' + listed(member) + '}',
          '{' + listed(same_member) + '}',
          '"' + repeated("x", megabyte - 2) + '"',
          '"' + repeated("\\u0000", megabyte - 2) + '"',
          '"' + repeated("\\ud83d\\ude00", megabyte - 2) + '"',
          repeated("9"),
          "0." + repeated("9", megabyte - 2),
          "1e" + repeated("9", megabyte - 2),
          "1e-" + repeated("9", megabyte - 3),
          repeated("\n"),
          repeated(","),
          repeated("\xff"),
          repeated(std::string_view("\0", 1))};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  expect(at != text.npos, fmt::format("the text contains {}", from));
  return text.replace(at, from.size(), to);
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
  return 0;
}
