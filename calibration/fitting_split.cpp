// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fitting_split.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/core/digest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace fathom {
namespace {

/// Chosen before any data existed, as the first for which the defaults (E = 17, t = 256; alpha = 8, t = 256)
/// are for fitting, half of the powers of two from 2^10 to 2^28 are, and every second one of 2^20, 2^22, 2^24
/// and 2^26, where parameters are swept.
constexpr int salt = 1581;

/// FNV-1a, finalised by the mixer of SplitMix64: FNV's low bit alone is only a parity of the text.
std::uint64_t hash(const std::string& text) {
  std::uint64_t h = digest(text);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
  h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
  return h ^ (h >> 31);
}

bool in_fitting_half(const std::string& text) {
  return hash(fmt::format("{}:{}", salt, text)) % 2 == 0;
}

}  // namespace

/// Sizes within about 9 % of each other are on the same side: a fit that has seen 2^20 knows 2^20 + 1.
bool size_is_for_fitting(double n) {
  return in_fitting_half(fmt::format("n={}", std::lround(4 * std::log2(n))));
}

bool parameters_are_for_fitting(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : by_name(parameters)) text += fmt::format("{}={};", name, value);
  return in_fitting_half(text);
}

bool is_for_fitting(const Measurement& run) {
  return size_is_for_fitting(run.problem.n) && parameters_are_for_fitting(run.problem.parameters);
}

bool is_unseen(const Measurement& run) {
  return !size_is_for_fitting(run.problem.n) && !parameters_are_for_fitting(run.problem.parameters);
}

}  // namespace fathom
