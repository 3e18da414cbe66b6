// Pairwise mergesort: karsin2018 §4.1; models.md §2.
//
// N elements, E per thread, t threads per block, tE elements per tile. Every thread sorts E elements in
// registers and a block merges them into a sorted tile. Then pairs of runs are merged, round by round, and
// merge path cuts each round into tiles.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/counts.h>

#include <array>
#include <numeric>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t {
  beta_merge,
  beta_partition,
  exchange_operations,
  element_operations,
  search_operations,
  thread_operations,
  fetch_clocks,
  reuse_distance,
  traffic,
};

std::vector<ConstantInfo> constants() {
  return {
      {"beta_merge", "bank conflict degree of shared reads while merging (published β1)", 3.1, 1, 5},
      {"beta_partition", "bank conflict degree of shared reads while searching a merge path (published β2)",
       2.2, 1, 5},
      {"exchange_operations", "register operations per word of a compare-exchange: a minimum and a maximum",
       2, 1, 4},
      {"element_operations",
       "register operations per element and merge besides: choose and compute its address, move it", 6, 1,
       40},
      {"search_operations", "register operations per step of a binary search", 10, 2, 60},
      {"thread_operations", "register operations per thread and merge for anything else: indices, bounds", 50,
       5, 1000},
      {"fetch_clocks", "clocks per launch and word of a thread's elements until the unrolled code is fetched",
       200, 10, 2000},
      {"reuse_distance",
       "bytes between writing a run and reading it again, as a multiple of those that a round touches", 1,
       0.25, 4},
      {"traffic", "time of a round's global accesses as a multiple of a copy's", 1, 0.5, 2},
  };
}

// ---- as published ----

/// T_g = (2N/P)·(⌈log N/(tE)⌉ + ⌈log(NtE)⌉·⌈log N/(2tE)⌉/(4tE) + 1)·max(1/B_g, L_g/(X·I_g))
/// T_s = (2N/P)·(β1·⌈log N/E⌉·max(1/B_s, L_s/(X·β1)) + β2·⌈log tE⌉·⌈log N/(tE)⌉/(2E)·max(1/B_s, L_s/(X·β2)))
/// X = M/(P·E), I_g = 2.
///
/// Erratum: the paper prints a second factor N in the middle term of T_g; the sum of log(2^i·tE) over the
/// rounds, which it represents, gives the line above. N counts words: an element of 64 bits is two accesses
/// and two words of M.
///
/// Our kernels make 10 % more global accesses: every thread reads where its tile begins and ends in the runs,
/// one address for a whole warp, which the paper omits. They make 1.7 to 1.9 times the shared accesses: the
/// paper's merge reads and writes an element once, while ours also goes through shared memory after loading
/// from and before storing to global memory, and counts the reads and stores in register order separately.
template <class Real>
Phases<Real> published(const Machine<Real>& machine, double n, double words, int E, int t,
                       const ConstantValues<Real>& c) {
  const double N = n * words;  // accesses of one pass; numbers of rounds come from n
  const double tile = double(t) * E;
  const double rounds = ceil_log2(n / tile);
  const double X = machine.M() / (machine.P() * E * words);
  const double I_g = 2;

  Phase<Real> block_sort;
  block_sort.name = "block-sort";
  block_sort.accesses = {{Level::global, Real(2 * N), Real(1), Real(I_g)}};

  Phase<Real> partition;
  partition.name = "partition";
  partition.accesses = {
      {Level::global, Real(2 * N * ceil_log2(n * tile) * ceil_log2(n / (2 * tile)) / (4 * tile)), Real(1),
       Real(I_g)},
      {Level::shared, Real(2 * N * ceil_log2(tile) * rounds / (2 * E)), c[beta_partition]}};

  // The paper counts the merge rounds within and between tiles in one term, ⌈log N/E⌉. They are not separated
  // here, because two ceilings would not add up to the one.
  Phase<Real> merge;
  merge.name = "merge";
  merge.accesses = {{Level::global, Real(2 * N * rounds), Real(1), Real(I_g)},
                    {Level::shared, Real(2 * N * ceil_log2(n / E)), c[beta_merge]}};

  Phases<Real> phases{block_sort, partition, merge};
  for (Phase<Real>& phase : phases) {
    phase.launches = &phase == &phases[0] ? 1 : rounds;
    phase.blocks = ceil_div(n, tile);
    phase.threads_per_block = t;
    phase.shared_bytes_per_block = tile * words * 4;
    phase.multiplicity = X;
  }
  return phases;
}

// ---- our kernels ----

/// Compare-exchanges of Batcher's odd-even merge sort of `count` elements: the comparators of the network for
/// the next power of two whose upper wire exists.
constexpr int batcher_exchanges(int count) {
  int exchanges = 0;
  for (int run = 1; run < count; run *= 2)
    for (int distance = run; distance >= 1; distance /= 2)
      for (int start = distance % run; start + distance < count; start += 2 * distance)
        for (int i = start; i < start + distance && i + distance < count; ++i)
          if (i / (2 * run) == (i + distance) / (2 * run)) ++exchanges;
  return exchanges;
}

/// Compare-exchanges of a bitonic merge of `count` elements that fall and then rise: the half-cleaners for
/// the next power of two whose upper wire exists.
constexpr int valley_exchanges(int count) {
  int exchanges = 0;
  for (int distance = 1; distance < count; distance *= 2)
    for (int i = 0; i + distance < count; ++i)
      if ((i & distance) == 0) ++exchanges;
  return exchanges;
}

constexpr int most_elements = 47;

struct Exchanges {
  int sort, merge;
};
constexpr auto exchanges_by_elements = [] {
  std::array<Exchanges, most_elements + 1> table{};
  for (int count = 0; count <= most_elements; ++count)
    table[std::size_t(count)] = {batcher_exchanges(count), valley_exchanges(count)};
  return table;
}();

/// Wavefronts per word when thread i stores its elements i·E, i·E + 1, …: a stride of E elements over 32
/// banks. The compiler stores as many words at once as alignment permits, up to four, and an access of v
/// words serves 32/v lanes at a time: their strides meet 32/v groups of v banks.
double blocked_conflict(int E, double words) {
  const int stride = int(E * words);
  const int at_once = std::gcd(stride, 4);
  return std::gcd(stride / at_once, 32 / at_once);
}

// Registers that a thread wants: its E elements, and indices, limits and addresses.
constexpr double registers_of_indices = 20;
double registers_of_tiles(int E, double words, int t, const OccupancyLimits& limits) {
  return bounded_registers(registers_of_indices + E * words, t, limits.registers_per_multiprocessor);
}

constexpr double registers_of_partition = 24;
constexpr double words_per_sector = 8;  // what global memory moves for one requested word
constexpr double words_per_split = 2;   // a tile's begin in a run: a 64-bit index

/// A problem cut into tiles, as the kernels see it.
struct Tiles {
  const Plan& plan;
  double n, words;
  int E;
  int t = plan[0].shape.threads;
  double tile = double(t) * E;
  double count = double(plan[0].blocks);
  double rounds = plan.size() > 1 ? plan[1].repeats : 0;
  double threads = count * t;            // per launch; idle lanes of the last tile take time, too
  double footprint = 2 * n * words * 4;  // a round reads one array and writes the other
};

/// The work of each thread of a kernel over tiles.
struct TileWork {
  double launches;
  double merges;         ///< of E elements each
  double search_steps;   ///< of all these merges' searches
  double unit_moves;     ///< passes over E elements in shared memory with consecutive lanes at consecutive
                         ///< addresses
  double blocked_moves;  ///< the same with lane i at i·E
  double exchanges;      ///< of networks in registers
};

/// The part of a phase that all kernels over whole tiles share.
template <class Real>
Phase<Real> tile_phase(const Launch& launch, const Tiles& tiles, const Machine<Real>& machine,
                       const ConstantValues<Real>& c) {
  Phase<Real> phase =
      phase_of<Real>(launch, registers_of_tiles(tiles.E, tiles.words, tiles.t, machine.limits));
  phase.footprint_bytes = tiles.footprint * c[reuse_distance];
  return phase;
}

/// Merges read their E elements at addresses known in advance and order them with a network in registers, so
/// all E are in flight; only searches are dependent chains. A search step reads two elements in parallel and
/// waits for them: two accesses at I = 1, because L is that of a copy, whose loads are waited for and whose
/// stores are not. The words of one element travel in one access and count as independent.
template <class Real>
void add_tile_work(Phase<Real>& phase, const Tiles& tiles, const TileWork& work,
                   const ConstantValues<Real>& c) {
  const int E = tiles.E;
  const double words = tiles.words;
  const double threads = work.launches * tiles.threads;
  const double all = threads * words;  // one element per thread, in words of the whole phase
  const double in_flight = E * words;
  phase.accesses = {
      {Level::global, Real(all * 2 * E), c[traffic], Real(in_flight)},
      {Level::shared, Real(all * E * work.unit_moves), Real(1), Real(in_flight)},
      {Level::shared, Real(all * E * work.blocked_moves), Real(blocked_conflict(E, words)), Real(in_flight)},
      {Level::shared, Real(all * 2 * work.search_steps), c[beta_partition], Real(words)},
      {Level::shared, Real(all * E * work.merges), c[beta_merge], Real(in_flight)},
      {Level::registers,
       Real(all * work.exchanges * c[exchange_operations] +
            threads * (work.merges + 1) * E * c[element_operations]),
       Real(1), Real(std::max(1, E / 2))},
      {Level::registers, Real(threads * (work.search_steps * c[search_operations] +
                                         (work.merges + 1) * c[thread_operations]))}};
  phase.start = work.launches * in_flight * c[fetch_clocks];
}

/// One launch: load E elements coalesced, sort them in registers, then log t rounds of merging in shared
/// memory, from runs of E·2^j. The elements of each round are stored to shared memory thread by thread, as is
/// the result, so that it can be stored coalesced.
template <class Real>
Phase<Real> block_sort(const Tiles& tiles, const Machine<Real>& machine, const ConstantValues<Real>& c) {
  Phase<Real> phase = tile_phase(tiles.plan[0], tiles, machine, c);
  const double merges = std::log2(tiles.t);
  const double search_steps = merges * (std::log2(tiles.E) + 1) + merges * (merges - 1) / 2;
  const Exchanges& network = exchanges_by_elements[std::size_t(tiles.E)];
  add_tile_work(phase, tiles, {1, merges, search_steps, 1, merges + 1, network.sort + merges * network.merge},
                c);
  return phase;
}

/// Per round: one thread per tile searches a merge path in global memory, two elements per step, and waits
/// for them. The steps are those of a whole run: kernels make about 10 % fewer, and up to a third fewer if
/// the last run is short, as searches near the ends of a list have less to search. Threads of the last block
/// without a tile count like the others, or the law would underestimate the chain of each thread; so kernels
/// with just over 128 tiles make half as many accesses as counted.
template <class Real>
Phase<Real> partition(const Tiles& tiles, const Machine<Real>& machine, const ConstantValues<Real>& c) {
  Phase<Real> phase = phase_of<Real>(tiles.plan[1], registers_of_partition);
  const double warps = ceil_div(tiles.count, machine.warp_width);  // warps without a tile end at once
  phase.threads_per_block = int(std::min<double>(phase.threads_per_block, warps * machine.warp_width));
  // What the L2 still holds of the array depends on what earlier rounds moved, not on the few elements read
  // here.
  phase.footprint_bytes = tiles.footprint * c[reuse_distance];
  const double threads = phase.blocks * phase.threads_per_block;
  // Σ over rounds of log(2^i·tE) + 1.
  const double steps = tiles.rounds * (std::log2(tiles.tile) + 1) + tiles.rounds * (tiles.rounds - 1) / 2;
  phase.accesses = {
      {Level::global, Real(threads * 2 * tiles.words * steps), Real(words_per_sector / tiles.words),
       Real(tiles.words)},
      {Level::global, Real(threads * tiles.rounds * words_per_split), Real(1), Real(not_waited_for)},
      {Level::registers,
       Real(threads * (steps * c[search_operations] + tiles.rounds * c[thread_operations]))}};
  return phase;
}

/// Per round: load a tile coalesced, search the merge path in shared memory, merge E elements, store
/// coalesced. Every tile counts as a whole one with a search over all of it. Kernels access up to one tile's
/// words less if the last tile is nearly empty, and do not search in a run without a partner. With ten to
/// forty tiles the two amount to up to 12 % of the shared words, with a hundred to 3 %.
template <class Real>
Phase<Real> merge_tiles(const Tiles& tiles, const Machine<Real>& machine, const ConstantValues<Real>& c) {
  Phase<Real> phase = tile_phase(tiles.plan[2], tiles, machine, c);
  const double network = exchanges_by_elements[std::size_t(tiles.E)].merge;
  add_tile_work(phase, tiles, {tiles.rounds, 1, std::log2(tiles.tile), 2, 1, network}, c);
  // The tile's two boundaries are loaded first, one address for the whole warp, and everything waits for
  // them.
  phase.accesses.push_back({Level::global, Real(2 * tiles.rounds * tiles.threads * words_per_split),
                            Real(1.0 / machine.warp_width), Real(2 * words_per_split)});
  return phase;
}

template <class Real>
Phases<Real> calibrated(const Machine<Real>& machine, const Plan& plan, double n, double words, int E,
                        const ConstantValues<Real>& c) {
  const Tiles tiles{plan, n, words, E};
  Phases<Real> phases;
  phases.reserve(3);
  phases.push_back(block_sort(tiles, machine, c));
  if (tiles.rounds > 0) {
    phases.push_back(partition(tiles, machine, c));
    phases.push_back(merge_tiles(tiles, machine, c));
  }
  return phases;
}

}  // namespace

Formula sort_pairwise() {
  return make_formula(
      constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        const int E = problem.parameters.at("E");
        const int t = problem.parameters.at("t");
        const double size = words(problem.type);
        return law == LawName::published ? published(machine, problem.n, size, E, t, c)
                                         : calibrated(machine, plan, problem.n, size, E, c);
      },
      [](const Launch& launch, const Problem& problem, const OccupancyLimits& limits) {
        return launch.shape.shared_bytes > 0
                   ? registers_of_tiles(problem.parameters.at("E"), words(problem.type), launch.shape.threads,
                                        limits)
                   : registers_of_partition;
      });
}

}  // namespace fathom::formulas
