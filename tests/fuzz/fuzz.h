// SPDX-License-Identifier: Apache-2.0
// The parts that all fuzzers share. A fuzzer is one file that defines LLVMFuzzerTestOneInput() and
// large_inputs(); libFuzzer has the main().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// libFuzzer calls it with one input after another. What it lets escape (an exception that the interface does
/// not name) or what ends the program (a sanitizer, a broken promise) is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fathom::fuzz {

/// Inputs of up to so many bytes (4 KiB at least), whose number does not depend on it. `NAME --large` runs
/// those of a megabyte one by one: the time may grow with the size, but not much faster.
std::vector<std::string> large_inputs(std::size_t bytes);

/// `part` as often as fits.
std::string repeated(std::string_view part, std::size_t bytes);
/// part(0), part(1), …, as many as fit, separated by commas.
template <class Part>
std::string listed(Part part, std::size_t bytes) {
  std::string list;
  for (std::size_t i = 0; list.size() < bytes - 100; ++i) list.append(i ? "," : "").append(part(i));
  return list;
}

/// JSON, and what is almost JSON: deep, wide, long.
std::vector<std::string> large_json(std::size_t bytes);

/// A dataset of these runs, as JSON; and a run of these parts of it.
std::string dataset_of(std::string_view runs);
std::string run_of(std::string_view algorithm, std::string_view parameters, std::string_view kernels,
                   std::string_view seconds);

/// `text` with the first `from` replaced; ends the program if there is none.
std::string replaced(std::string text, std::string_view from, std::string_view to);

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// True for one of `count` choices, which the bytes of the input make: where an input could be tried in many
/// ways, each of which takes long, it is tried in one. True for all where inputs are files given one by one,
/// as seeds and findings are.
bool is_chosen(std::string_view input, std::size_t choice, std::size_t count);

/// Ends the program with a finding unless the promise is kept.
void expect(bool kept, std::string_view promise);
void expect_positive(double number, std::string_view what);  ///< finite, too

}  // namespace fathom::fuzz
