// SPDX-License-Identifier: Apache-2.0
// Radix sort from the least significant digit: merrill2010.
//
// n keys of k bits, with values or without, are sorted by ⌈k/d⌉ digits of d bits, r = 2^d. A pass reduces
// (every block counts the digits of its share), scans the counts in one block, and ranks and scatters.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/radix/merrill.h>

namespace fathom::formulas {

namespace {

/// Words: ⌈k/d⌉·3n of keys, ⌈k/d⌉·5n with values; a word of 64 bits is two. A kernel takes
///   max(instructions/δ_compute, bytes/δ_mem),   δ_compute = P·B_r, δ_mem = 4·P·B_g per clock.
/// The scan of r·C counts, C blocks, is left out: the source's count of words has none of it, and it gives no
/// instructions.
///
/// k/d is printed without ⌈ ⌉; but passes are whole, and the last may have a shorter digit: whole-passes = 0
/// is as printed. A scatter that is not coherent adds 70 % to the words that it writes at r = 16; runs of a
/// digit are as many as there are digits, so that this is taken to be in proportion to r. The source has
/// kernels of up to 32 digits.
Phases published(const Machine<double>& machine, const Problem& problem, const Reading& reading) {
  const double key = words(problem.type), value = words(problem) - key;
  const double d = problem.parameters.at("d"), r = std::exp2(d), n = problem.n;
  const double passes = merrill_passes(key, d, reading);
  const auto kernel = [&](std::string_view name, double instructions, double read, double scattered) {
    Phase phase{.name = name, .launches = std::ceil(passes), .overlap = true};
    phase.multiplicity = resident_threads_per_core(machine, n);
    phase.accesses = {
        {.level = Level::global, .count = read * n * passes, .saturated = true},
        {.level = Level::registers, .count = instructions / utilisation(r) * n * passes, .saturated = true}};
    if (scattered > 0)
      phase.accesses.push_back({.level = Level::global,
                                .count = scattered * n * passes,
                                .conflict = 1 + 0.7 * r / 16,
                                .saturated = true});
    return phase;
  };
  return {kernel("reduction", reduction_instructions(), key, 0),
          kernel("scan-and-scatter", scatter_instructions(r, value > 0), key + value, key + value)};
}

}  // namespace

Formula radix_lsd() {
  return {.phases = published, .options = {whole_passes()}};
}

}  // namespace fathom::formulas
