// Matrix reduction: agpu2015 (reduce, matrix); models.md §5.
//
// Tiles of b × b elements are transposed through padded shared memory; every lane reduces a row, and the
// lanes' results are combined in order.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/reductions.h>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t { element_operations = first_own_constant, tile_operations };

std::vector<ConstantInfo> constants() {
  return reduction_constants(
      150,
      {{"element_operations", "register operations per word: the operator, moves, addresses", 3, 0.5, 20},
       {"tile_operations",
        "register operations per thread and tile: five shuffles with their operator, the loop", 40, 5, 400}});
}

// ---- as published ----

/// Every element is stored to its tile, loaded from it and combined once; a tile's b results take log b
/// levels of two loads and a store by all b cores. b(b + 1) words per warp.
template <class Real>
Phases<Real> published(const Machine<Real>& machine, double n, double words, int t) {
  const int b = machine.warp_width;
  Phase<Real> matrix = agpu_phase("matrix", machine, b * (b + 1.0) * words, t);
  const double p = agpu_cores(machine, n);
  matrix.accesses = {{Level::global, Real(agpu_global_accesses(n, p, b) * words)},
                     {Level::shared, Real(n * (2 + 3 * std::log2(b) / b) * words)},
                     {Level::registers, Real(n * words)}};
  return {matrix};
}

// ---- our kernel ----

constexpr double registers_of_tiles = 32;
constexpr double words_at_a_time = 16;  // of a tile's column, in flight

/// The last tile is padded with identities, which are not read from global memory.
template <class Real>
Phase<Real> reduce_tiles(const ReductionLaunch& launch, const Machine<Real>& machine,
                         const ConstantValues<Real>& c) {
  const int b = machine.warp_width;
  Phase<Real> phase = reduction_phase(launch, machine, words_at_a_time, c);
  const double columns = ceil_div(launch.n, double(b) * b) * b;  // of all tiles: one per lane
  const double moved = columns * b * launch.words;
  phase.accesses.push_back({Level::shared, Real(moved), Real(1), Real(words_at_a_time)});
  phase.accesses.push_back({Level::shared, Real(moved), Real(1), Real(b * launch.words)});
  phase.accesses.push_back({Level::shared, Real(exchanged_words(launch, b))});
  phase.accesses.push_back(
      {Level::registers, Real(moved * c[element_operations] + columns * c[tile_operations])});
  return phase;
}

}  // namespace

Formula reduce_matrix() {
  return make_formula(
      constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        const int t = problem.parameters.at("t");
        const double size = words(problem.type);
        return law == LawName::published ? published(machine, problem.n, size, t)
                                         : of_each_launch(machine, plan, problem.n, size, registers_of_tiles,
                                                          [&](const ReductionLaunch& launch) {
                                                            return reduce_tiles(launch, machine, c);
                                                          });
      },
      [](const Launch&, const Problem&, const OccupancyLimits&) { return registers_of_tiles; });
}

}  // namespace fathom::formulas
