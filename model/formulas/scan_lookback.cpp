// Single-pass scan with decoupled look-back: Merrill and Garland, NVR-2016-002.
//
// A block holds one tile of t·E elements in shared memory. It publishes the tile's sum, looks back over what
// the preceding tiles have published until it finds a prefix sum, publishes its own, and writes the tile:
// every element is read once and written once.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/counts.h>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t {
  read_traffic,
  write_traffic,
  element_operations,
  row_operations,
  thread_operations,
  shuffle_latency,
  look_back_latency,
  late_look_back_latency,
  reuse_distance,
  write_distance,
  tile_sharpness,
};

std::vector<ConstantInfo> constants() {
  return {
      {"read_traffic", "time of reading as a multiple of a copy's", 1, 0.5, 2},
      {"write_traffic", "time of writing as a multiple of a copy's", 1, 0.5, 2},
      {"element_operations", "register operations per word: two passes of the operator", 2, 0.5, 60},
      {"row_operations",
       "register operations per 16 bytes of a thread: seven shuffles with their operator, one after another",
       20, 3, 300},
      {"thread_operations", "register operations per thread for anything else: addresses, the block's scan",
       80, 5, 5000},
      {"shuffle_latency", "latencies of a register that pass for each of the shuffles across warp and block",
       8, 1, 200},
      {"look_back_latency",
       "latencies of the L2 per step of the look-back: the load, what the warp makes of it, the store", 2,
       0.25, 20},
      {"late_look_back_latency", "the same after the back-off, when most states are available", 1, 0.1, 20},
      {"reuse_distance",
       "bytes between two reads of an element, as a multiple of those that the kernel touches", 1, 0.25, 4},
      {"write_distance",
       "bytes between two writes of an element, as a multiple of those that the kernel touches", 1, 0.25, 16},
      {"tile_sharpness",
       "s of the knee between waiting for a tile and moving it: tiles come in bulk, not word by word", 2, 1,
       20},
  };
}

// ---- as published ----

constexpr double window = 32;  // tiles that a warp inspects in one step

/// 2n accesses, E of them independent per thread. Per tile two states are stored and a window of them is
/// loaded, each a value and its status. The source gives no time; the cost law of §1 is applied to the
/// counts.
template <class Real>
Phases<Real> published(const Machine<Real>& machine, double n, double words, int E, int t) {
  const double tiles = ceil_div(n, double(t) * E);
  Phase<Real> scan;
  scan.name = "scan-tiles";
  scan.blocks = tiles;
  scan.threads_per_block = t;
  scan.multiplicity = std::min(tiles * t / machine.P(), double(machine.limits.threads_per_multiprocessor) /
                                                            machine.cores_per_multiprocessor);
  scan.accesses = {{Level::global, Real(2 * tiles * t * E * words), Real(1), Real(E * words)},
                   {Level::global, Real(tiles * (2 + window) * 2 * words)}};
  return {scan};
}

// ---- our kernel ----

/// Dependent shuffles: five within the warp, five over the warps' sums, five in the look-back.
constexpr double shuffles_in_a_row = 15;
constexpr double backoff_s = 2.5e-6;  // wait of a block before its look-back on a full machine

/// Within about 15 % of what NVRTC compiles for sm_90: a thread holds the prefix of each of its rows of 16
/// bytes.
double registers(int E, double words, int t, const OccupancyLimits& limits) {
  return bounded_registers(25 + 1.97 * E * words * words / 4, t, limits.registers_per_multiprocessor);
}

/// Steps of the look-back until the last of `tiles` tiles that start together has its prefix. In every step
/// all tiles see one window further, including the last one whose prefix is known: after s steps that is tile
/// window·(1 + 2 + … + s).
double look_back_steps(double tiles) {
  return std::max(1.0, (std::sqrt(1 + 8 * tiles / window) - 1) / 2);
}

/// A wait as a multiple of the L2's latency, the unit in which accesses express waiting; 0 if the latency is
/// not known, in which case no time can be predicted.
template <class Real>
Real in_l2_latencies(const Machine<Real>& machine, double seconds) {
  const auto& latency = machine.at(Level::l2).latency;
  return latency ? Real(seconds * machine.clock.value / *latency) : Real(0);
}

/// All elements of a tile are requested before the first is needed: I = E. They go through shared memory:
/// written once, and read once for the sums and once for the result. The states, one word and its label for
/// each word of a value, stay in the L2; one lane of a warp stores two of them per tile. They are few, but
/// all threads of a block wait for its look-back, so I is chosen to give every thread `look_back_latency`
/// latencies per step. On a full machine, where other blocks use the time, a block first backs off and then
/// has `late_look_back_latency` latencies per step. Threads do not wait for the stores of a tile, and the L2
/// treats written data differently from read data: hence two accesses.
template <class Real>
Phases<Real> calibrated(const Machine<Real>& machine, const Plan& plan, double n, double words, int E,
                        const ConstantValues<Real>& c) {
  const int t = plan[0].shape.threads;
  const double tiles = double(plan[0].blocks);
  const double threads = tiles * t;
  const double moved = threads * E * words;  // a whole last tile: its idle lanes take time, too

  Phase<Real> scan = phase_of<Real>(plan[0], registers(E, words, t, machine.limits));
  scan.footprint_bytes = 2 * n * words * 4;
  scan.memory_sharpness = c[tile_sharpness];

  const double resident = double(machine.multiprocessors) * resident_blocks(scan, machine.limits);
  const double states = tiles * (2 * machine.warp_width + window) * 2 * words;
  const bool full = tiles > resident;
  const Real latencies = (full ? look_back_steps(resident) * c[late_look_back_latency]
                               : look_back_steps(tiles) * c[look_back_latency]) +
                         (full ? in_l2_latencies(machine, backoff_s) : Real(0));
  const double rows = E * words / 4;
  scan.accesses = {
      {Level::global, Real(moved), c[read_traffic], Real(E * words), false,
       Real(scan.footprint_bytes * c[reuse_distance])},
      {Level::global, Real(moved), c[write_traffic], Real(not_waited_for), false,
       Real(scan.footprint_bytes * c[write_distance])},
      {Level::l2, Real(states), Real(1), Real(states / threads / latencies)},
      {Level::shared, Real(3 * moved), Real(1), Real(E * words)},
      // The block scan, and the tile's prefix, stored by one warp and loaded by all.
      {Level::shared, Real(tiles * (exchanged_in_block_scan(t) + machine.warp_width + t) * words)},
      {Level::registers, Real(moved * c[element_operations]), Real(1), Real(rows)},
      {Level::registers, Real(threads * rows * c[row_operations]), Real(1), Real(rows)},
      {Level::registers, Real(threads * shuffles_in_a_row * words), Real(1), 1 / c[shuffle_latency]},
      {Level::registers, Real(threads * c[thread_operations])}};
  return {scan};
}

}  // namespace

Formula scan_lookback() {
  return make_formula(
      constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        const int E = problem.parameters.at("E");
        const int t = problem.parameters.at("t");
        const double size = words(problem.type);
        return law == LawName::published ? published(machine, problem.n, size, E, t)
                                         : calibrated(machine, plan, problem.n, size, E, c);
      },
      [](const Launch& launch, const Problem& problem, const OccupancyLimits& limits) {
        return registers(problem.parameters.at("E"), words(problem.type), launch.shape.threads, limits);
      });
}

}  // namespace fathom::formulas
