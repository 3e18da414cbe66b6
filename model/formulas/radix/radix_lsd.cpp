// SPDX-License-Identifier: Apache-2.0
// Radix sort from the least significant digit: merrill2010.
//
// n keys of k bits, with values or without, are sorted by k/d digits of d bits, r = 2^d. A pass reduces
// (every block counts the digits of its share), scans the counts in one block, and ranks and scatters.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

/// Thread-instructions of the last kernel per pair: 51.4 + r on GT200, as printed. The parts printed beside
/// it are memory 6.3, encoding 5.5, scan 10.7, decoding 13.9 and exchange 14.7, and (r/4)·(2.6 + 1.4) = r;
/// the first five add up to 51.1.
double scatter_instructions(double r) {
  return 51.4 + r;
}

/// c3, thread-instructions of the reduction per key. Not printed, but the sum over the sort is: 723 per pair
/// of 32-bit keys and values with d = 4, that is, in 8 passes.
double reduction_instructions() {
  return 723. / 8 - scatter_instructions(16);
}

/// Words: (k/d)·3n of keys, (k/d)·5n with values; a word of 64 bits is two. A kernel takes
///   max(instructions/δ_compute, bytes/δ_mem),   δ_compute = P·B_r, δ_mem = 4·P·B_g per clock.
/// The scan of r·C counts, C blocks, is left out: the source's count of words has none of it, and it gives no
/// instructions.
///
/// Only pairs of 32 bits have printed instructions. They are taken for all types: too many for keys alone,
/// which the source's GPUs sort 11 to 43 % faster than pairs. The source says that incoherent scatters add 70
/// % to the writes at r = 16, 28 % to all words, but nothing for other r: they are left out, and would hide
/// behind the instructions on the GTX 285.
///
/// k/d is not rounded up, as printed. Our kernels make ⌈k/d⌉ passes.
Phases published(const Machine<double>& machine, const Problem& problem) {
  const double key = words(problem.type), value = words(problem) - key;
  const double d = problem.parameters.at("d"), passes = 32 * key / d, n = passes * problem.n;
  const auto kernel = [&](std::string_view name, double words, double instructions) {
    Phase phase{.name = name, .launches = passes, .overlap = true};
    phase.multiplicity = resident_threads_per_core(machine, problem.n);
    phase.accesses = {{.level = Level::global, .count = words * n, .saturated = true},
                      {.level = Level::registers, .count = instructions * n, .saturated = true}};
    return phase;
  };
  return {kernel("reduction", key, reduction_instructions()),
          kernel("scan-and-scatter", 2 * (key + value), scatter_instructions(std::exp2(d)))};
}

}  // namespace

Formula radix_lsd() {
  return {published};
}

}  // namespace fathom::formulas
