// SPDX-License-Identifier: Apache-2.0
// Radix sort by tiles: satish2009, as merrill2010 counts it.
//
// A pass sorts tiles of b elements by a digit of d bits, counts the r = 2^d digits of each, scans all counts
// with three kernels, and scatters the tiles.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/radix/merrill.h>

namespace fathom::formulas {

namespace {

/// Words: ⌈k/d⌉·n·(5r/b + 5) of keys, ⌈k/d⌉·n·(5r/b + 9) with values; a word of 64 bits is two.
/// Instructions: 2.7 times those of the radix sort that the source compares it with, whatever the kernels'
/// shares; a kernel's time is the longer of the two.
///
/// Erratum: printed is 5r/b + 7 for keys. The source's own table of steps adds up to 5r/b + 5: the sort of
/// the tiles reads and writes keys, the histogram reads them, the scatter reads and writes them.
///
/// Our kernels access as many words, but seven for each of the r digits of a tile: its count is written, read
/// twice and rewritten by the scan, and read by the scatter; where it starts in the tile is written and read.
/// Each count has two words.
Phases published(const Machine<double>& machine, const Problem& problem, const Reading& reading) {
  const double key = words(problem.type), value = words(problem) - key;
  const double d = problem.parameters.at("d"), r = std::exp2(d);
  const double passes = merrill_passes(key, d, reading);
  const double b = double(problem.parameters.at("t")) * problem.parameters.at("E");
  const double instructions =
      2.7 * (reduction_instructions() + scatter_instructions(r, value > 0)) / utilisation(r);
  constexpr double kernels = 6;
  Phase pass{.name = "passes", .launches = kernels * std::ceil(passes), .overlap = true};
  pass.multiplicity = resident_threads_per_core(machine, problem.n);
  pass.accesses = {
      {.level = Level::global,
       .count = passes * problem.n * (5 * r / b + 5 * key + 4 * value),
       .saturated = true},
      {.level = Level::registers, .count = passes * problem.n * instructions, .saturated = true}};
  return {pass};
}

}  // namespace

Formula radix_tiled() {
  return {.phases = published, .options = {whole_passes()}};
}

}  // namespace fathom::formulas
