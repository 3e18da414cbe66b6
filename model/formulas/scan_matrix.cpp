// Matrix scan with α rows: agpu2015 (scan, matrix); models.md §5.
//
// The input is cut into one contiguous chunk per warp. Chunks are reduced, their sums are scanned, and every
// warp scans its chunk tile by tile. A tile has α rows of b elements, in columns padded to b + 1. α trades
// time (α → b: no conflicts) against multiplicity (small tiles).
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/counts.h>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t {
  row_conflict,
  reduce_parallelism,
  tile_parallelism,
  reduce_operations,
  scan_operations,
  tile_operations,
  thread_operations,
  reuse_distance,
  read_traffic,
  copy_traffic,
};

std::vector<ConstantInfo> constants() {
  return {
      {"row_conflict", "conflict degree of a tile's row-wise accesses, as a multiple of min(⌈b/α⌉, α)", 1,
       0.25, 4},
      {"reduce_parallelism", "words that a thread of the reduction has in flight: four loads of 16 bytes", 16,
       1, 64},
      {"tile_parallelism", "rows of a tile in flight, as a share of α", 1, 0.1, 4},
      {"reduce_operations",
       "register operations per reduction across a warp: five shuffles with their operator", 15, 2, 200},
      {"scan_operations",
       "register operations per scanned word: addresses, moves and two passes of the operator", 8, 1, 80},
      {"tile_operations",
       "register operations per thread and tile: five shuffles with their operator, the loop", 60, 5, 1000},
      {"thread_operations", "register operations per thread and kernel for anything else: set-up, barriers",
       150, 5, 20000},
      {"reuse_distance", "bytes between two uses of an element, as a multiple of those that a kernel touches",
       1, 0.25, 16},
      {"read_traffic", "time of the reduction's global accesses as a multiple of a copy's", 1, 0.5, 2},
      {"copy_traffic", "time of the scan's global accesses as a multiple of a copy's", 1, 0.5, 2},
  };
}

/// β' = min(⌈b/α⌉, α): column-major rows of α elements put b/α lanes of a warp on one bank, but at most α.
/// Exact except for α = 7 and 11, where some rows start within a column and so meet one more column: the
/// counted means are 5.43 and 3.82, not 5 and 3.
double row_conflict_degree(int b, int alpha) {
  return std::min(std::ceil(double(b) / alpha), double(alpha));
}

// ---- as published ----

/// Per element 3 global accesses (one read in the reduction, one read and one write in the scan), and 2β' + 3
/// + 2·log b/α shared ones; X follows from α(b + 1) words per warp. The source gives only counts; the cost
/// law of §1 with I = 1 is applied to them. N counts words: an element of 64 bits is two accesses and two
/// words of the tile.
///
/// Our kernels make 3 to 9 % more global accesses, more with fewer tiles per warp: a warp's sum is written by
/// one lane and read by all, and counts as a whole warp's. They make 0.64 to 0.74 times the shared accesses:
/// sums of columns are scanned with shuffles, not in shared memory (2·log b/α), and a column is read once,
/// not twice.
template <class Real>
Phases<Real> published(const Machine<Real>& machine, double n, double words, int alpha, int t) {
  const int b = machine.warp_width;
  const double N = n * words;
  const double warps = machine.M() / (alpha * (b + 1) * words);  // of the whole machine

  Phase<Real> reduce;
  reduce.name = "reduce-chunks";
  reduce.accesses = {{Level::global, Real(N)}};

  Phase<Real> scan;
  scan.name = "scan-chunks";
  scan.accesses = {{Level::global, Real(2 * N)},
                   {Level::shared, Real(2 * N), Real(row_conflict_degree(b, alpha))},
                   {Level::shared, Real(N * (3 + 2 * std::log2(b) / alpha))}};

  Phases<Real> phases{reduce, scan};
  for (Phase<Real>& phase : phases) {
    phase.blocks = std::max(1.0, std::floor(warps * b / t));
    phase.threads_per_block = t;
    phase.multiplicity = warps * b / machine.P();
  }
  return phases;
}

// ---- our kernels ----

constexpr double registers_of_indices = 32;
/// Within about 15 % of what NVRTC compiles for sm_90: each word of a column takes a register, and some take
/// a second one during the scan.
double registers(int alpha, double words, int t, const OccupancyLimits& limits) {
  return bounded_registers(std::max(registers_of_indices, 20 + 2.2 * alpha * words), t,
                           limits.registers_per_multiprocessor);
}

/// The distribution of the input: whole tiles to all resident warps, or to fewer if there are not enough
/// tiles.
struct Chunks {
  const Plan& plan;
  double n, words;
  int alpha;
  double tiles, tiles_per_warp;
  double warps;  ///< that have a chunk
  double warp_width;
  double blocks = double(plan[2].blocks);
  /// Rounded up to whole rows of a warp: rows of the last tile beyond the input are not moved.
  double elements = ceil_div(n, warp_width) * warp_width;
  /// Conflict degree of an access by one lane, or by all lanes to one address: only one element of a warp's
  /// moves.
  double one_lane = 1 / warp_width;
  double threads = blocks * plan[2].shape.threads;
  double threads_with_chunk = warps * warp_width;
  /// Elements moved, as a share of what all threads would move if every warp had a whole chunk. A thread with
  /// a whole chunk does not wait less because others have less, so I is scaled down by the same factor as the
  /// mean.
  double share = elements / (threads * tiles_per_warp * alpha);
};

template <class Real>
Chunks chunks(const Machine<Real>& machine, const Plan& plan, double n, double words, int alpha) {
  const int b = machine.warp_width;
  const BlockShape& shape = plan[2].shape;
  const double resident =
      resident_blocks(machine.limits, shape.threads, registers(alpha, words, shape.threads, machine.limits),
                      shape.shared_bytes);
  const double tiles = ceil_div(n, double(alpha) * b);
  const double most_warps = std::max(1.0, resident * machine.multiprocessors * (double(shape.threads) / b));
  const double tiles_per_warp = ceil_div(tiles, std::min(tiles, most_warps));
  return {.plan = plan,
          .n = n,
          .words = words,
          .alpha = alpha,
          .tiles = tiles,
          .tiles_per_warp = tiles_per_warp,
          .warps = ceil_div(tiles, tiles_per_warp),
          .warp_width = double(b)};
}

/// Every warp reads its chunk: four rows of 16 bytes per lane at a time, reduced across the warp row by row,
/// and then the rest in single rows of one element per lane. The last chunk, which may be shorter, is split
/// like the others.
template <class Real>
Phase<Real> reduce(const Chunks& chunks, const ConstantValues<Real>& c) {
  Phase<Real> phase = phase_of<Real>(chunks.plan[0], registers_of_indices);
  phase.footprint_bytes = chunks.n * chunks.words * 4 * c[reuse_distance];
  const double words_of_a_row = 4, words_at_a_time = 4 * words_of_a_row;  // per lane
  const double words_per_thread = chunks.tiles_per_warp * chunks.alpha * chunks.words;
  const double rest = std::fmod(words_per_thread, words_at_a_time);
  const double bulk = words_per_thread - rest;
  const double reductions = bulk / words_of_a_row + rest / chunks.words;
  const double moved = chunks.elements * chunks.words;
  phase.accesses = {
      {Level::global, Real(moved * bulk / words_per_thread), c[read_traffic],
       c[reduce_parallelism] * chunks.share},
      {Level::global, Real(moved * rest / words_per_thread), c[read_traffic],
       Real(chunks.words * chunks.share)},
      {Level::global, Real(chunks.threads_with_chunk * chunks.words), Real(chunks.one_lane),
       Real(not_waited_for)},  // the warp's sum
      {Level::registers, Real(chunks.threads * (reductions * c[reduce_operations] + c[thread_operations]))}};
  return phase;
}

/// One block scans the sums of all warps: each thread handles several, sequentially, before and after a block
/// scan, which consists of two warp scans. The few words of shared memory that it uses are neglected.
template <class Real>
Phase<Real> scan_sums(const Chunks& chunks, const ConstantValues<Real>& c) {
  Phase<Real> phase = phase_of<Real>(chunks.plan[1], registers_of_indices);
  const double threads_of_sums = phase.threads_per_block;
  phase.footprint_bytes = 2 * chunks.warps * chunks.words * 4;
  const double part = ceil_div(chunks.warps, threads_of_sums);  // of each thread that has any
  const double threads = ceil_div(ceil_div(chunks.warps, part), chunks.warp_width) * chunks.warp_width;
  const double moved = threads * part * chunks.words;
  phase.accesses = {
      {Level::global, Real(3 * moved), Real(1), Real(chunks.words)},  // read, read again, written
      {Level::shared, Real(exchanged_in_block_scan(threads_of_sums) * chunks.words)},
      {Level::registers,
       Real(moved * c[scan_operations] + threads_of_sums * (2 * c[tile_operations] + c[thread_operations]))}};
  return phase;
}

/// Tile by tile: α coalesced loads, the rows stored to the padded tile, the lane's column read, scanned and
/// written back, the rows read again, α coalesced stores. A warp waits for a tile's loads before it
/// continues: I = α.
template <class Real>
Phase<Real> scan(const Chunks& chunks, const Machine<Real>& machine, const ConstantValues<Real>& c) {
  const BlockShape& shape = chunks.plan[2].shape;
  Phase<Real> phase =
      phase_of<Real>(chunks.plan[2], registers(chunks.alpha, chunks.words, shape.threads, machine.limits));
  phase.footprint_bytes = 2 * chunks.n * chunks.words * 4 * c[reuse_distance];
  const double columns = chunks.tiles * chunks.warp_width;        // each lane has one per tile
  const double in_tiles = columns * chunks.alpha * chunks.words;  // including the padding of the last one
  const double steps = chunks.threads * chunks.tiles_per_warp;    // all threads count with the longest chunk
  const Real in_flight(chunks.alpha * chunks.words);
  const double conflict = row_conflict_degree(machine.warp_width, chunks.alpha);
  phase.accesses = {
      {Level::global, Real(2 * chunks.elements * chunks.words), c[copy_traffic],
       Real((1 + (in_flight - 1) * c[tile_parallelism]) * chunks.share)},
      {Level::shared, Real(2 * in_tiles), Real(conflict * c[row_conflict]), Real(in_flight * chunks.share)},
      {Level::shared, Real(2 * in_tiles), Real(1), Real(in_flight * chunks.share)},
      {Level::registers,
       Real(steps * (chunks.alpha * chunks.words * c[scan_operations] + c[tile_operations]) +
            chunks.threads * c[thread_operations])},
      // The carry-in.
      {Level::global, Real(chunks.threads_with_chunk * chunks.words), Real(chunks.one_lane),
       Real(chunks.words * chunks.threads_with_chunk / chunks.threads)}};
  return phase;
}

template <class Real>
Phases<Real> calibrated(const Machine<Real>& machine, const Plan& plan, double n, double words, int alpha,
                        const ConstantValues<Real>& c) {
  const Chunks dealt = chunks(machine, plan, n, words, alpha);
  Phases<Real> phases;
  phases.reserve(3);
  phases.push_back(reduce(dealt, c));
  phases.push_back(scan_sums(dealt, c));
  phases.push_back(scan(dealt, machine, c));
  return phases;
}

}  // namespace

Formula scan_matrix() {
  return make_formula(
      constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        const int alpha = problem.parameters.at("alpha");
        const int t = problem.parameters.at("t");
        const double size = words(problem.type);
        return law == LawName::published ? published(machine, problem.n, size, alpha, t)
                                         : calibrated(machine, plan, problem.n, size, alpha, c);
      },
      [](const Launch& launch, const Problem& problem, const OccupancyLimits& limits) {
        return launch.name() == "ScanChunks" ? registers(problem.parameters.at("alpha"), words(problem.type),
                                                         launch.shape.threads, limits)
                                             : registers_of_indices;
      });
}

}  // namespace fathom::formulas
