#include <fathom/counting/fit_work.h>
#include <fathom/counting/work.h>
#include <fathom/device/counting/counting_executor.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace fathom {
namespace {

/// Limits of one multiprocessor, from the table of compute capabilities in NVIDIA's programming guide.
OccupancyLimits limits_of(int architecture) {
  struct Row {
    int architecture, threads, blocks, shared_KiB;
  };
  static constexpr std::array<Row, 9> rows{{{75, 1024, 16, 64},
                                            {80, 2048, 32, 164},
                                            {86, 1536, 16, 100},
                                            {87, 1536, 16, 164},
                                            {89, 1536, 24, 100},
                                            {90, 2048, 32, 228},
                                            {100, 2048, 32, 228},
                                            {103, 2048, 32, 228},
                                            {120, 1536, 24, 100}}};
  const auto found = std::ranges::find(rows, architecture, &Row::architecture);
  if (found == rows.end()) {
    std::string known;
    for (const Row& row : rows) known += (known.empty() ? "" : ", ") + std::to_string(row.architecture);
    throw std::invalid_argument("no work can be counted for compute capability " +
                                std::to_string(architecture) + ": known are " + known);
  }
  const double reserved = architecture >= 80 ? 1024 : 0;
  const double shared = found->shared_KiB * 1024.0;
  return {.threads_per_multiprocessor = found->threads,
          .blocks_per_multiprocessor = found->blocks,
          .shared_bytes_per_multiprocessor = shared,
          .shared_bytes_per_block = shared - reserved,
          .shared_bytes_reserved = reserved};
}

/// Of launches whose blocks' work depends on n. A size at which everything is counted costs about a second.
constexpr double most_elements = 1 << 20;

/// What a size is counted for.
enum class Use {
  fit,
  fit_later_launches,  ///< whose size follows from the blocks of the launch before; others are untypical
  check
};
struct SizeToCount {
  double n;
  int multiprocessors;
  Use use;
};

/// The work of launches of one kernel with the same number of blocks.
struct Observation {
  std::string kernel;
  bool later_launch;  ///< works on what the launch before left
  WorkPoint point;
};

/// Counts one case at several sizes.
class WorkCounter {
 public:
  WorkCounter(const WorkCase& of, const CodeReader& code, const CountWorkOptions& options)
      : case_(of), code_(code), options_(options), limits_(limits_of(of.architecture)) {}

  Problem problem(double n) const {
    Problem problem = case_.algorithm->problem(n, case_.type);
    problem.parameters = case_.parameters;
    return problem;
  }

  Plan plan(double n, int multiprocessors = 1) {
    const Problem asked = problem(n);
    CountingExecutor executor(device(multiprocessors, asked));
    return case_.algorithm->plan(asked, executor.plan_device());
  }

  std::vector<Observation> observe(const SizeToCount& size) {
    const Problem asked = problem(size.n);
    case_.algorithm->check(asked);
    CountingExecutor executor(device(size.multiprocessors, asked), {}, options_.progress);
    executor.separate_grids();
    const auto workload = case_.algorithm->make_workload(executor, asked, case_.input);
    const Plan plan = case_.algorithm->plan(asked, executor.plan_device());
    executor.reset();  // discards the launches that made the input
    workload->run();
    const std::vector<WorkSize> sizes = work_sizes(size.n, plan);
    std::vector<Observation> observations;
    std::map<std::string, double> blocks;
    for (const KernelCounts& counts : executor.counts()) {
      observations.push_back(observation(counts, plan, sizes));
      blocks[counts.kernel] += double(counts.blocks);
    }
    // Every size weighs the same. The blocks of later launches are far fewer on a GPU than in proportion to
    // the small grids here.
    constexpr double share_of_later_launches = 1e-4;
    for (Observation& one : observations)
      one.point.weight *= (one.later_launch ? share_of_later_launches : 1) / blocks[one.kernel];
    return observations;
  }

  void add_code(const Launch& launch, KernelWork& kernel) {
    const KernelCode code = resources(launch);
    kernel.registers = code.registers;
    kernel.local_bytes = code.local_bytes;
    kernel.unknown_opcodes = unknown_opcodes_[kernel.kernel];
    if (const Uncertain& found = uncertain_[kernel.kernel]; found.instructions > 0)
      kernel.uncertain = found.contradicted / found.instructions;
  }

 private:
  CountingDevice device(int multiprocessors, const Problem& asked) {
    CountingDevice device{.multiprocessors = multiprocessors, .limits = limits_, .workers = options_.workers};
    device.registers = [this, asked](const Launch& launch) -> double {
      if (code_.resources) return resources(launch).registers;
      return estimated_registers(*case_.algorithm, launch, asked, limits_);
    };
    return device;
  }

  KernelCode resources(const Launch& launch) {
    if (!code_.resources) return {};
    const auto key = std::make_tuple(launch.kernel, launch.constants, launch.shape.threads);
    const auto known = resources_.find(key);
    if (known != resources_.end()) return known->second;
    return resources_.emplace(key, code_.resources(launch)).first->second;
  }

  Observation observation(const KernelCounts& counts, const Plan& plan, const std::vector<WorkSize>& sizes) {
    const Index blocks = Index(counts.blocks / counts.launches);
    Observation observed{counts.kernel, false, {{0, 0, 0}, double(counts.blocks), work_of(counts)}};
    double repeats = 0;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].name() != counts.kernel || plan[i].blocks != blocks) continue;
      WorkSize size = sizes[i];
      size *= plan[i].repeats;
      observed.point.size += size;
      repeats += plan[i].repeats;
      observed.later_launch |= plan[i].parts == 0 && sizes[i].partials > 1;
    }
    if (repeats == 0) throw std::logic_error(counts.kernel + " was launched, but is not in the plan");
    observed.point.size *= 1 / repeats;
    return observed;
  }

  Work work_of(const KernelCounts& counts) {
    Work work = counted_work(counts);
    if (!code_.work) return work;
    const CodeWork code = code_.work(counts);
    work.shared_wavefronts = 0;  // the machine code knows better
    // A member comes from the one or from the other: the sum takes what there is.
    for (const Demand& demand : all_demands) work.*demand.value += code.work.*demand.value;
    unknown_opcodes_[counts.kernel] = code.unknown_opcodes;
    const double instructions = code.work.instructions * double(counts.blocks);
    Uncertain& uncertain = uncertain_[counts.kernel];
    uncertain.instructions += instructions;
    uncertain.contradicted += code.uncertain * instructions;
    return work;
  }

  const WorkCase& case_;
  const CodeReader& code_;
  const CountWorkOptions& options_;
  OccupancyLimits limits_;
  std::map<std::tuple<const KernelInfo*, std::array<int, Launch::most_constants>, int>, KernelCode>
      resources_;
  std::map<std::string, std::vector<std::string>> unknown_opcodes_;
  struct Uncertain {
    double instructions = 0, contradicted = 0;
  };
  std::map<std::string, Uncertain> uncertain_;  ///< of all sizes together
};

// ---- the sizes ----

double most_blocks(const Plan& plan) {
  Index most = 0;
  for (const Launch& launch : plan) most = std::max(most, launch.blocks);
  return double(most);
}

/// The same with a launch's repeats together: of a plan that handles its input part by part.
double most_blocks_of_repeats(const Plan& plan) {
  double most = 0;
  for (const Launch& launch : plan) most = std::max(most, double(launch.blocks) * launch.repeats);
  return most;
}

/// Elements that all launches of the plan handle together, if a block handles `tile`.
double elements_handled(const Plan& plan, double n, double tile) {
  double elements = 0;
  for (const Launch& launch : plan) elements += launch.repeats * std::min(n, double(launch.blocks) * tile);
  return elements;
}

bool has_parts(const Plan& plan) {
  return std::ranges::any_of(plan, [](const Launch& launch) { return launch.parts > 0; });
}

constexpr double huge = 0x1p34;

/// Elements of a tile, so that there are only whole ones: of the first launch, unless its blocks do something
/// else. Those of later ones may be a little smaller.
double tile_of_plan(const Plan& plan, double smallest) {
  const double first = std::ceil(huge / double(plan[0].blocks));
  return first < 1.5 * smallest ? first : smallest;
}

/// Elements of a full block of the kernel; absent if they grow with n.
std::optional<double> elements_when_full(WorkCounter& counter, std::string_view kernel) {
  const auto elements = [&](double n) {
    const Plan plan = counter.plan(n);
    const std::vector<WorkSize> sizes = work_sizes(n, plan);
    const auto found = std::ranges::find(plan, kernel, &Launch::name);
    return found == plan.end() ? 0 : sizes[std::size_t(found - plan.begin())].elements;
  };
  const double one = elements(huge), other = elements(2 * huge);
  return std::abs(one - other) < 0.01 * one ? std::optional(one) : std::nullopt;
}

/// Whether a larger n has more blocks of the kernel.
bool has_more_blocks(WorkCounter& counter, std::string_view kernel) {
  const auto blocks = [&](double n) {
    const Plan plan = counter.plan(n);
    const auto found = std::ranges::find(plan, kernel, &Launch::name);
    return found == plan.end() ? 0 : found->blocks;
  };
  return blocks(2 * huge) > blocks(huge);
}

/// Whether blocks of a launch, however large n is, have fewer elements at three quarters of n than at n.
bool fills_blocks_unequally(WorkCounter& counter, double n) {
  const Plan plan = counter.plan(n);
  const std::vector<WorkSize> some = work_sizes(0.75 * n, counter.plan(0.75 * n)), all = work_sizes(n, plan);
  for (std::size_t i = 0; i < std::min(some.size(), all.size()); ++i)
    if (some[i].elements < 0.9 * all[i].elements && !elements_when_full(counter, plan[i].name())) return true;
  return false;
}

/// For a plan with one block per tile of `tile` elements: a number of tiles that fills warps which have a
/// thread for each tile.
std::vector<SizeToCount> sizes_by_tile(WorkCounter& counter, double tile) {
  double tiles = 32;
  constexpr double most_tiles = 256;
  // Rows of a table with a number for each tile should not share a line: small tiles are cheap to count.
  constexpr double least_elements = most_elements / 8;
  while (tiles < most_tiles &&
         (tiles * tile < least_elements ||
          elements_handled(counter.plan(2 * tiles * tile), 2 * tiles * tile, tile) <= most_elements))
    tiles *= 2;
  std::vector<SizeToCount> sizes;
  // Of 32 tiles a multiway mergesort has a pass that merges fewer runs than it could, as hardly any has of
  // more. Of fewer it has a single pass.
  constexpr double few_tiles = 32;
  for (const double part : {0.25, 0.5, 1.0})
    if (part * tiles != few_tiles || tiles < 4 * few_tiles)
      sizes.push_back({part * tiles * tile, 1, Use::fit});
  sizes.push_back({0.75 * tiles * tile, 1, Use::check});
  // Of blocks that are not always equally full (buckets, whose number is a power of two), two fillings at
  // least.
  if (fills_blocks_unequally(counter, tiles * tile)) sizes.push_back({0.625 * tiles * tile, 1, Use::fit});
  // On more multiprocessors the same elements are cut into more parts, but not one for each of those.
  if (has_parts(counter.plan(tiles * tile)))
    for (const int multiprocessors : {8, 32}) sizes.push_back({tiles * tile, multiprocessors, Use::fit});
  return sizes;
}

/// The most blocks of a launch, of those that have one for a single element.
double most_blocks_of_grid(const Plan& plan, const Plan& of_one_element) {
  double most = 1;
  for (const Launch& launch : plan) {
    const auto same = std::ranges::find(of_one_element, launch.name(), &Launch::name);
    if (same == of_one_element.end() || same->blocks == 1) most = std::max(most, double(launch.blocks));
  }
  return most;
}

/// Elements that justify a second block; absent if there never is one.
std::optional<double> elements_of_block(WorkCounter& counter) {
  constexpr int multiprocessors = 2;  // room for two blocks in any case
  const Plan of_one_element = counter.plan(1, multiprocessors);
  const auto has_one_block = [&](double n) {
    return most_blocks_of_grid(counter.plan(n, multiprocessors), of_one_element) < 2;
  };
  double above = 1;
  while (has_one_block(above))
    if ((above *= 2) > 0x1p26) return std::nullopt;
  double below = above / 2;
  while (above - below > 1) {
    const double middle = std::floor((below + above) / 2);
    (has_one_block(middle) ? below : above) = middle;
  }
  return below;
}

/// Numbers of tiles per block, as multiples of a full grid: two groups of consecutive ones. What an unrolled
/// loop leaves over repeats with the number of tiles; each group has every remainder, as large n have, and
/// the distance between them tells the work of a tile.
struct Rounds {
  int length;
  int first, second;  ///< where the groups begin
  int sum() const { return length * (first + second + length - 1); }
  int check() const { return second + second / 2 + 1; }
};
constexpr std::array rounds_by_cost{Rounds{16, 16, 64}, Rounds{8, 8, 32}, Rounds{4, 4, 12}, Rounds{2, 2, 6}};

/// The most blocks that a plan has on so many multiprocessors, if a block justifies itself by `tile`
/// elements.
double full_grid_blocks(WorkCounter& counter, double tile, int multiprocessors) {
  constexpr int most_on_a_multiprocessor = 32;
  const Plan of_one_element = counter.plan(1, multiprocessors);
  double blocks = 1;
  for (int i = 1; i <= most_on_a_multiprocessor * multiprocessors; ++i)
    blocks = std::max(blocks, most_blocks_of_grid(counter.plan(i * tile, multiprocessors), of_one_element));
  return blocks;
}

/// For a plan whose number of blocks depends on the device.
std::vector<SizeToCount> sizes_of_fixed_grid(WorkCounter& counter) {
  const double tile = elements_of_block(counter).value_or(8.0 * counter.plan(1)[0].shape.threads);
  // So many blocks that what only the first or the last one does is a small part of the mean.
  constexpr double least_blocks = 16;
  const double on_one = full_grid_blocks(counter, tile, 1);
  const int few = on_one > 1 ? int(std::ceil(least_blocks / on_one)) : 1;
  const double full_grid = full_grid_blocks(counter, tile, few) * tile;

  Rounds rounds = rounds_by_cost.back();
  for (const Rounds& each : rounds_by_cost)
    if (each.sum() * full_grid <= 4 * most_elements) {
      rounds = each;
      break;
    }
  std::vector<SizeToCount> sizes;
  for (const int first : {rounds.first, rounds.second})
    for (int i = first; i < first + rounds.length; ++i) sizes.push_back({i * full_grid, few, Use::fit});
  sizes.push_back({rounds.check() * full_grid, few, Use::check});
  if (counter.plan(2 * full_grid, few).size() > 1)
    for (const double share : {0.25, 0.5, 1.0}) {
      const int many = int(std::min(64.0, most_elements / (on_one * tile)) * share);
      if (many > few) sizes.push_back({many * on_one * tile, many, Use::fit_later_launches});
    }
  return sizes;
}

/// Whether the plan divides the input level by level: a kernel has one block for all elements, which are one
/// part at first, and later a block for each of the parts.
bool has_levels(const Plan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i)
    for (std::size_t j = i + 1; j < plan.size(); ++j)
      if (plan[i].name() == plan[j].name() && plan[i].elements == plan[j].elements && plan[i].blocks == 1 &&
          plan[j].blocks > 1)
        return true;
  return false;
}

/// For such a plan: up to the largest n with a single level, which divides it as the levels of large n do.
std::vector<SizeToCount> sizes_of_level(WorkCounter& counter) {
  double single = 1, several = huge;
  while (several - single > 1) {
    const double middle = std::floor((single + several) / 2);
    (has_levels(counter.plan(middle)) ? several : single) = middle;
  }
  return {{0.125 * single, 1, Use::fit},
          {0.75 * single, 1, Use::fit},
          {single, 1, Use::fit},
          {0.875 * single, 1, Use::check}};
}

/// For a plan that has other kernels for few elements, up to some n: sizes with those.
std::vector<SizeToCount> sizes_with_other_kernels(WorkCounter& counter) {
  const Plan usual = counter.plan(huge);
  const auto is_other = [&](double n) {
    return std::ranges::any_of(counter.plan(n), [&](const Launch& launch) {
      return std::ranges::find(usual, launch.name(), &Launch::name) == usual.end();
    });
  };
  if (!is_other(1)) return {};
  double other = 1, not_other = huge;
  while (not_other - other > 1) {
    const double middle = std::floor((other + not_other) / 2);
    (is_other(middle) ? other : not_other) = middle;
  }
  return {{0.25 * other, 1, Use::fit},
          {0.5 * other, 1, Use::fit},
          {other, 1, Use::fit},
          {0.75 * other, 1, Use::check}};
}

std::vector<SizeToCount> usual_sizes(WorkCounter& counter) {
  if (has_levels(counter.plan(huge))) return sizes_of_level(counter);
  for (const auto blocks_of : {most_blocks, most_blocks_of_repeats}) {
    const double blocks = blocks_of(counter.plan(huge));
    if (blocks_of(counter.plan(2 * huge)) > 1.5 * blocks)
      return sizes_by_tile(counter, tile_of_plan(counter.plan(huge), std::ceil(huge / blocks)));
  }
  return sizes_of_fixed_grid(counter);
}

std::vector<SizeToCount> sizes_to_count(WorkCounter& counter) {
  std::vector<SizeToCount> sizes = sizes_with_other_kernels(counter);
  for (const SizeToCount& size : usual_sizes(counter)) sizes.push_back(size);
  return sizes;
}

// ---- blocks that are never full at the sizes counted ----

/// A kernel with a thread per tile, of which so few tiles are counted that they do not fill a block. What is
/// counted is scaled to a full block: in proportion to the elements if that follows from the lanes, otherwise
/// as from the largest size, whose warps are full.
class Unfilled {
 public:
  /// `full`: elements of a full block.
  Unfilled(double full, std::span<const WorkPoint> points) : full_(full) {
    for (const WorkPoint& point : points) largest_ = std::max(largest_, point.size.elements);
    for (const Demand& demand : all_demands)
      by_elements_[index(demand)] = misfit(points, demand, true) < misfit(points, demand, false);
  }

  WorkPoint filled(WorkPoint point) const {
    for (const Demand& demand : all_demands)
      point.work.*demand.value *= factor(point, demand, by_elements_[index(demand)]);
    point.size.elements = full_;
    return point;
  }

 private:
  static std::size_t index(const Demand& demand) { return std::size_t(&demand - all_demands.data()); }

  double factor(const WorkPoint& point, const Demand& demand, bool by_elements) const {
    // Code is fetched once, however many warps run it.
    if (demand.kind == DemandKind::code) return 1;
    return full_ / (by_elements ? point.size.elements : largest_);
  }

  /// How far scaled values are from constant, relative to their mean.
  double misfit(std::span<const WorkPoint> points, const Demand& demand, bool by_elements) const {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const WorkPoint& point : points) {
      const double value = point.work.*demand.value * factor(point, demand, by_elements);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    return most == 0 ? 0 : (most - least) / most;
  }

  double full_, largest_ = 0;
  std::array<bool, all_demands.size()> by_elements_{};
};

void fill(WorkCounter& counter, std::string_view kernel, std::vector<WorkPoint>& points,
          std::vector<WorkPoint>& check) {
  const auto full = elements_when_full(counter, kernel);
  if (!full || !has_more_blocks(counter, kernel)) return;
  const auto is_full = [&](const WorkPoint& point) { return point.size.elements > 0.75 * *full; };
  if (std::ranges::all_of(points, is_full)) return;
  const Unfilled unfilled(*full, points);
  for (auto* all : {&points, &check})
    for (WorkPoint& point : *all) point = unfilled.filled(point);
}

}  // namespace

Work counted_work(const KernelCounts& counts) {
  const double blocks = double(counts.blocks);
  const double warps = blocks * counts.threads_per_block / warp_width;
  const GlobalAccesses loads = counts.global(MemoryOperation::load),
                       stores = counts.global(MemoryOperation::store),
                       atomics = counts.global(MemoryOperation::atomic);
  Work work;
  work.shared_wavefronts = double(counts.shared().wavefronts) / blocks;
  work.global_lines = double(counts.global().lines) / blocks;
  work.lines_read = double(loads.l2_lines + atomics.l2_lines) / blocks;
  work.shuffles = double(counts.count(Instruction::shuffle)) / blocks;
  work.sectors_read = double(loads.l2_sectors + atomics.l2_sectors) / blocks;
  work.sectors_written = double(stores.l2_sectors + atomics.l2_sectors) / blocks;
  // An access whose edges touch single sectors of a line is no scattered one: its neighbours read the rest.
  constexpr double scattered = 2;  // sectors per line; of whole lines four, of random words one
  for (const AccessSite& site : counts.sites)
    if (site.operation != MemoryOperation::store &&
        double(site.global.sectors) < scattered * double(site.global.lines))
      work.scattered_sectors +=
          (4 * double(site.global.l2_lines) - double(site.global.l2_sectors)) / 3 / blocks;
  work.resumed_sectors = double(stores.resumed_sectors) / blocks;
  work.atomics = double(atomics.accesses) / blocks;
  work.atomic_sectors = double(atomics.l2_sectors) / blocks;
  work.bytes_read = double(counts.read_bytes) / blocks;
  work.bytes_written = double(counts.written_bytes) / blocks;
  work.barriers = double(counts.count(Instruction::barrier)) / warps;
  return work;
}

AlgorithmWork count_work(const WorkCase& of, const CodeReader& code, const CountWorkOptions& options) {
  if (!of.algorithm->plan)
    throw std::invalid_argument(of.algorithm->slug +
                                " has no kernels of its own, whose work could be counted");
  of.algorithm->check(of.parameters);
  WorkCounter counter(of, code, options);

  struct Counted {
    std::vector<WorkPoint> points, check;
  };
  std::vector<std::string> kernels;  // in the order of their first launch
  std::map<std::string, Counted> counted;
  const std::vector<SizeToCount> sizes = sizes_to_count(counter);
  for (const SizeToCount& size : sizes)
    for (const Observation& one : counter.observe(size)) {
      if (size.use == Use::fit_later_launches && !one.later_launch) continue;
      if (!counted.contains(one.kernel)) kernels.push_back(one.kernel);
      Counted& of_kernel = counted[one.kernel];
      (size.use == Use::check ? of_kernel.check : of_kernel.points).push_back(one.point);
    }

  AlgorithmWork result{of.algorithm->slug, of.type, of.parameters, of.input, of.architecture, {}};
  const Plan plan = counter.plan(sizes.back().n, sizes.back().multiprocessors);
  for (const std::string& name : kernels) {
    Counted& points = counted[name];
    if (points.points.empty()) points.points = points.check;  // a level that only the last size has
    fill(counter, name, points.points, points.check);
    KernelWork kernel = fit_work(points.points);
    kernel.kernel = name;
    if (!points.check.empty())
      kernel.check_error =
          deviation(mean_work(points.check, [&](const WorkPoint& point) { return kernel.at(point.size); }),
                    mean_work(points.check, [](const WorkPoint& point) { return point.work; }));
    const auto launch = std::ranges::find(plan, name, &Launch::name);
    if (launch != plan.end()) counter.add_code(*launch, kernel);
    result.kernels.push_back(std::move(kernel));
  }
  return result;
}

}  // namespace fathom
