// SPDX-License-Identifier: Apache-2.0
// Radix sort by tiles: satish2009, as merrill2010 counts it.
//
// A pass sorts tiles of b elements by a digit of d bits, counts the r = 2^d digits of each, scans all counts
// with three kernels, and scatters the tiles.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

/// Words: (k/d)·n·(5r/b + 7) of keys, (k/d)·n·(5r/b + 9) with values; δ_mem alone, since the source gives no
/// instructions. A key or value of 64 bits is two words.
///
/// Our kernels access 5 words for a key, 9 for a pair: the sort of the tiles reads and writes elements, the
/// histogram reads keys, the scatter reads and writes elements. For each of the r digits of a tile they make
/// seven accesses: its count is written, read twice and rewritten by the scan, and read by the scatter; where
/// it starts in the tile is written and read. That is 7r/b + 5 and 7r/b + 9, but for counts of two words
/// each: if the source means this scheme, its formula for keys alone has 5 and 7 interchanged.
Phases published(const Machine<double>& machine, const Problem& problem) {
  const double key = words(problem.type), value = words(problem) - key;
  const double d = problem.parameters.at("d"), passes = 32 * key / d;
  const double b = double(problem.parameters.at("t")) * problem.parameters.at("E");
  constexpr double kernels = 6;
  Phase pass{.name = "passes", .launches = kernels * passes};
  pass.multiplicity = resident_threads_per_core(machine, problem.n);
  pass.accesses = {{.level = Level::global,
                    .count = passes * problem.n * (5 * std::exp2(d) / b + 7 * key + 2 * value),
                    .saturated = true}};
  return {pass};
}

}  // namespace

Formula radix_tiled() {
  return {published};
}

}  // namespace fathom::formulas
