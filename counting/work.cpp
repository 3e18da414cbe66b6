// SPDX-License-Identifier: Apache-2.0
// Work from counts at several sizes. Most of the file is the class that counts one case: what is observed at
// one size needs the plans, compiled kernels and launches that it keeps of the others.
#include <fathom/counting/fill_blocks.h>
#include <fathom/counting/sizes.h>
#include <fathom/counting/work.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/model/architectures.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace fathom {
namespace {

/// Throws std::invalid_argument for an architecture that is not listed.
OccupancyLimits limits_of(int architecture) {
  if (const Architecture* known = find_architecture(architecture)) return known->limits();
  throw std::invalid_argument("no work can be counted for compute capability " +
                              std::to_string(architecture) + ": known are " + architecture_choices());
}

/// The work of launches of one kernel with the same number of blocks.
struct Observation {
  std::string kernel;
  bool later_launch;  ///< works on what the launch before left
  WorkPoint point;
};

/// How a sort with several paths is made to take one: all keys are taken to be skewed (Problem::skewed), or
/// frequent ones are looked for (Problem::frequent).
enum class Path { usual, skewed, frequent };

/// A size at which work is counted, and on which path.
struct SizeAndPath {
  SizeToCount size;
  Path path;
};

/// A sort with a path for skewed keys is counted on that at every size, and on the usual one where the
/// input's keys allow it, which few enough always do. That of frequent keys is left to count_work().
std::vector<SizeAndPath> on_both_paths(const Case& of, const std::vector<SizeToCount>& sizes,
                                       const std::function<bool(double n)>& is_skewed) {
  std::vector<SizeAndPath> all;
  for (const SizeToCount& size : sizes)
    if (!is_skewed(size.n)) all.push_back({size, Path::usual});
  if (all.empty()) {
    SizeToCount few = sizes.front();
    while (is_skewed(few.n)) few.n = std::floor(few.n / 2);
    all.push_back({few, Path::usual});
  }
  if (of.algorithm->skew)
    for (const SizeToCount& size : sizes) all.push_back({size, Path::skewed});
  return all;
}

/// The kernel and the constant of "SplitByDigit<6>"; -1: it is no variant.
std::pair<std::string_view, int> kernel_and_constant(std::string_view name) {
  const std::size_t at = name.find('<');
  if (at == name.npos) return {name, -1};
  return {name.substr(0, at), std::atoi(name.data() + at + 1)};
}

/// Adds a variant that could not be counted, with the work of the one whose constant is nearest. Of what no
/// variant was counted, nothing is added, nor for a variant without work (0), which no other resembles.
void add_nearest_variant(const std::string& name, std::vector<KernelWork>& kernels) {
  const auto [kernel, constant] = kernel_and_constant(name);
  if (constant <= 0) return;
  const KernelWork* nearest = nullptr;
  int distance = 0;
  for (const KernelWork& one : kernels) {
    const auto [other, its_constant] = kernel_and_constant(one.kernel);
    if (other != kernel || its_constant <= 0) continue;
    if (const int to = std::abs(its_constant - constant); !nearest || to < distance) {
      nearest = &one;
      distance = to;
    }
  }
  if (!nearest || distance == 0) return;
  KernelWork added = *nearest;
  added.kernel = name;
  kernels.push_back(std::move(added));
}

/// These demands make up the λ of a block.
constexpr std::array demands_of_waiting{&Work::issue_clocks, &Work::global_waits, &Work::shared_waits,
                                        &Work::other_waits,  &Work::barriers,     &Work::global_hidden,
                                        &Work::shared_hidden};

/// Counts one case at several sizes.
class WorkCounter {
 public:
  WorkCounter(const Case& of, int architecture, const CodeReader& code, const CountWorkOptions& options)
      : case_(of), code_(code), options_(options), limits_(limits_of(architecture)) {}

  /// With the bits that the input's keys share, but neither skewed nor frequent ones.
  Problem problem(double n) const {
    Problem problem = case_.problem;
    problem.n = n;
    problem = case_.algorithm->with_path(problem, case_.input, any_device(limits_.shared_bytes_per_block));
    problem.skewed = problem.frequent = 0;
    return problem;
  }
  Problem problem(double n, Path path) const {
    Problem on_path = problem(n);
    if (path == Path::skewed) on_path.skewed = n;
    // Where all keys are skewed, the sort looks for frequent ones, too, in vain.
    if (path != Path::usual) on_path.frequent = n;
    return on_path;
  }

  /// The plan for keys that are not skewed.
  Plan plan(double n, int multiprocessors) {
    CountingExecutor executor(device(multiprocessors));
    return case_.algorithm->plan(problem(n), executor.plan_device());
  }

  /// The plan of which names and tiles alone are right: unlike plan(), it compiles no kernel to find out how
  /// many blocks are resident.
  Plan launches_alone(double n) const {
    return case_.algorithm->plan(problem(n), any_device(limits_.shared_bytes_per_block));
  }

  bool is_skewed(double n) const {
    const Problem likely = on_likely_path(n);
    return likely.skewed > 0 || likely.frequent > 0;
  }

  /// Names the kernels of the plans for powers of two, and for sizes between them: where full tiles need
  /// another bit of a prefix, some numbers of bits are those of no power of two. Sizes that the algorithm
  /// refuses have none.
  std::set<std::string> kernels_of_any_n() const {
    std::set<std::string> names;
    for (double power = 1; power <= most_elements; power *= 2)
      for (const double n : {power, std::floor(1.5 * power)}) try {
          for (const Launch& launch : launches_alone(n)) names.emplace(launch.name());
        } catch (const std::invalid_argument&) {
        }
    return names;
  }

  /// Those that a plan for some skewed keys has, but neither one for none nor one for all of them, if the
  /// input has some for any n.
  std::set<std::string> kernels_beside_skewed_keys() const {
    return kernels_of_likely_path([](const Problem& likely) {
      return likely.skewed > 0 && likely.skewed < likely.n && likely.frequent == 0;
    });
  }
  /// Those that a plan has only where frequent keys are looked for, if the input has some for any n.
  std::set<std::string> kernels_of_frequent_keys() const {
    return kernels_of_likely_path([](const Problem& likely) { return likely.frequent > 0; });
  }

  std::set<std::string> kernels_other_than(const std::vector<std::string>& counted) const {
    std::set<std::string> names = kernels_of_any_n();
    for (const std::string& name : counted) names.erase(name);
    return names;
  }

  /// Counts a size: all kernels or, unless empty, only some.
  std::vector<Observation> observe(const SizeToCount& size, Path path,
                                   const std::set<std::string>& only = {}) {
    const Problem asked = problem(size.n, path);
    CountingExecutor executor(device(size.multiprocessors), {}, options_.progress);
    executor.separate_grids();
    executor.skip_shared_checks();  // count() has them, and it is where an author looks for mistakes
    const auto workload = case_.algorithm->make_workload(executor, asked, case_.input);
    const Plan plan = case_.algorithm->plan(asked, executor.plan_device());
    executor.reset();  // discards the launches that made the input
    if (!only.empty()) executor.end_after(launches_until(plan, only));
    // The work of later launches depends on how many blocks there are, not on the keys: one pass shows it.
    if (size.use == SizeToCount::Use::fit_later_launches && repeat_together(plan))
      executor.end_after(plan.size());
    workload->run();
    const std::vector<WorkSize> sizes = work_sizes(size.n, plan);
    std::vector<Observation> observations;
    std::map<std::string, double> blocks;
    for (const KernelCounts& counts : executor.counts()) {
      if (!only.empty() && !only.contains(counts.kernel)) continue;
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

  /// Gives what was observed of a kernel a second name, that of a variant which does the same.
  void add_name(const std::string& kernel, const std::string& name) {
    launches_.emplace(name, launches_.at(kernel));
    unknown_opcodes_[name] = unknown_opcodes_[kernel];
    uncertain_[name] = uncertain_[kernel];
  }

  /// Of a kernel that was observed.
  void add_code(KernelWork& kernel) {
    const KernelCode code = resources(launches_.at(kernel.kernel));
    kernel.registers = code.registers;
    kernel.local_bytes = code.local_bytes;
    kernel.unknown_opcodes = unknown_opcodes_[kernel.kernel];
    if (const Uncertain& found = uncertain_[kernel.kernel]; found.instructions > 0)
      kernel.uncertain = found.contradicted / found.instructions;
  }

 private:
  static constexpr double most_elements = 0x1p34;

  Problem on_likely_path(double n) const {
    return case_.algorithm->with_path(problem(n), case_.input, any_device(limits_.shared_bytes_per_block));
  }

  /// Those of the plan for the least power of two of which `is_of_path` is true, but not of the plans for the
  /// same elements on the other paths, none or all of them skewed.
  template <class IsOfPath>
  std::set<std::string> kernels_of_likely_path(IsOfPath is_of_path) const {
    std::set<std::string> names;
    const PlanDevice device = any_device(limits_.shared_bytes_per_block);
    for (double n = 1; n <= most_elements && case_.algorithm->skew && names.empty(); n *= 2) try {
        const Problem likely = on_likely_path(n);
        if (!is_of_path(likely)) continue;
        for (const Launch& launch : case_.algorithm->plan(likely, device)) names.emplace(launch.name());
        for (const Path path : {Path::usual, Path::skewed})
          for (const Launch& launch : case_.algorithm->plan(problem(n, path), device))
            names.erase(std::string(launch.name()));
      } catch (const std::invalid_argument&) {
      }
    return names;
  }

  /// How many launches of the plan there are up to the last of one of the kernels.
  static std::size_t launches_until(const Plan& plan, const std::set<std::string>& kernels) {
    double launches = 0, until = 0;
    for (const Launch& launch : plan) {
      launches += launch.repeats;
      if (kernels.contains(std::string(launch.name()))) until = launches;
    }
    return std::size_t(until);
  }

  /// True if the launches are those of one pass, which is repeated: launches that repeat equally often take
  /// turns in every plan that there is.
  static bool repeat_together(const Plan& plan) {
    return std::ranges::all_of(plan,
                               [&](const Launch& launch) { return launch.repeats == plan.front().repeats; });
  }

  CountingDevice device(int multiprocessors) {
    CountingDevice device{.multiprocessors = multiprocessors, .limits = limits_, .workers = options_.workers};
    if (code_.resources)
      device.registers = [this](const Launch& launch) -> double { return resources(launch).registers; };
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
    Observation observed{counts.kernel, false, {{0, 0, 0}, double(counts.blocks), work_of(counts), true}};
    double repeats = 0;
    bool at_a_time = true;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].name() != counts.kernel || plan[i].blocks != blocks) continue;
      launches_.emplace(counts.kernel, plan[i]);
      WorkSize size = sizes[i];
      size *= plan[i].repeats;
      observed.point.size += size;
      repeats += plan[i].repeats;
      observed.point.has_parts &= plan[i].parts > 0;
      at_a_time &= plan[i].grid == Grid::resident && plan[i].parts > 0;
      observed.later_launch |= plan[i].parts == 0 && sizes[i].partials > 1;
    }
    if (repeats == 0) throw std::logic_error(counts.kernel + " was launched, but is not in the plan");
    observed.point.size *= 1 / repeats;
    // Such a launch ends with its slowest block. Where others start as soon as one ends, these even it out.
    // Without parts a block differs by what it does for all others, which its chain has already (chain.h).
    if (at_a_time)
      for (double Work::*demand : demands_of_waiting)
        observed.point.work.*demand *= counts.busiest_over_mean();
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

  const Case& case_;
  const CodeReader& code_;
  const CountWorkOptions& options_;
  OccupancyLimits limits_;
  std::map<std::tuple<const KernelInfo*, std::array<int, Launch::most_constants>, int>, KernelCode>
      resources_;
  std::map<std::string, Launch> launches_;  ///< one of each kernel; no single size has all
  std::map<std::string, std::vector<std::string>> unknown_opcodes_;
  struct Uncertain {
    double instructions = 0, contradicted = 0;
  };
  std::map<std::string, Uncertain> uncertain_;  ///< of all sizes together
};

/// But for checks whose plan has kernels that those of the other sizes lack.
void leave_out_checks(const PlanAt& plan, std::vector<SizeToCount>& sizes) {
  const auto is_check = [](const SizeToCount& size) { return size.use == SizeToCount::Use::check; };
  std::set<std::string_view> fitted;
  for (const SizeToCount& size : sizes)
    if (!is_check(size))
      for (const Launch& launch : plan(size.n, size.multiprocessors)) fitted.insert(launch.name());
  std::erase_if(sizes, [&](const SizeToCount& size) {
    return is_check(size) &&
           std::ranges::all_of(plan(size.n, size.multiprocessors),
                               [&](const Launch& launch) { return fitted.contains(launch.name()); });
  });
}

/// The elements at which `small`, a case with the parameters of Descriptor::all_variants_with, has variants
/// that the sizes counted lack, and the variants to count there: full tiles of as many elements as take two
/// seconds to count.
std::map<double, std::set<std::string>> sizes_of_other_variants(const WorkCounter& of,
                                                                const WorkCounter& small,
                                                                const std::vector<std::string>& counted) {
  std::set<std::string> missing = of.kernels_other_than(counted);
  std::map<double, std::set<std::string>> sizes;
  constexpr double most_elements = 1 << 21;
  const Plan plan = small.launches_alone(most_elements);
  const double tile = std::ranges::find(plan, Grid::tiles, &Launch::grid)->tile;
  for (double tiles = std::floor(most_elements / tile); tiles >= 1; tiles = std::floor(tiles / 2)) {
    const double n = tiles * tile;
    if (small.is_skewed(n)) continue;
    for (const Launch& launch : small.launches_alone(n))
      if (missing.erase(std::string(launch.name())) > 0) sizes[n].emplace(launch.name());
  }
  return sizes;
}

}  // namespace

AlgorithmWork count_work(const Case& of, int architecture, const CodeReader& code,
                         const CountWorkOptions& options) {
  if (!of.algorithm->is_countable())
    throw std::invalid_argument(of.algorithm->slug +
                                " has no kernels of its own, whose work could be counted");
  of.algorithm->check(of.problem);
  WorkCounter counter(of, architecture, code, options);
  const PlanAt plan_at = [&](double n, int multiprocessors) { return counter.plan(n, multiprocessors); };

  struct Counted {
    std::vector<WorkPoint> points, check;
  };
  std::vector<std::string> kernels;  // in the order of their first launch
  std::map<std::string, Counted> counted;
  std::vector<SizeToCount> sizes = sizes_to_count(plan_at);
  if (!options.checked) leave_out_checks(plan_at, sizes);
  const auto count = [&](const SizeToCount& size, Path path, const std::set<std::string>& only) {
    for (const Observation& one : counter.observe(size, path, only)) {
      if (size.use == SizeToCount::Use::fit_later_launches && !one.later_launch) continue;
      if (!counted.contains(one.kernel)) kernels.push_back(one.kernel);
      Counted& of_kernel = counted[one.kernel];
      (size.use == SizeToCount::Use::check ? of_kernel.check : of_kernel.points).push_back(one.point);
    }
  };
  for (const auto& [size, path] : on_both_paths(of, sizes, [&](double n) { return counter.is_skewed(n); }))
    count(size, path, {});
  if (const auto names = counter.kernels_of_frequent_keys(); !names.empty())
    for (const SizeToCount& size : sizes) count(size, Path::frequent, names);

  const bool has_variants = !of.algorithm->all_variants_with.empty();
  Case small = of;
  for (const auto& [name, value] : of.algorithm->all_variants_with) small.problem.parameters.set(name, value);
  WorkCounter small_counter(small, architecture, code, options);
  Case equal = of;
  equal.input = Input::equal;
  WorkCounter equal_counter(equal, architecture, code, options);
  std::map<std::string, WorkCounter*> other_variants;  // by what has counted them
  std::map<std::string, std::string> other_names;      // with which a kernel was counted
  // Those of a plan for some skewed keys alone work on the others, which are spread as evenly as random
  // words.
  Case even = of;
  even.input = {Input::entropy, 1};
  WorkCounter even_counter(even, architecture, code, options);
  for (const std::string& name : counter.kernels_beside_skewed_keys()) {
    const std::string counted_as{kernel_and_constant(name).first};
    for (const SizeToCount& size : sizes) {
      if (size.use == SizeToCount::Use::fit_later_launches || even_counter.is_skewed(size.n)) continue;
      for (const Observation& one : even_counter.observe(size, Path::usual, {counted_as})) {
        Counted& of_kernel = counted[name];
        (size.use == SizeToCount::Use::check ? of_kernel.check : of_kernel.points).push_back(one.point);
      }
    }
    even_counter.add_name(counted_as, name);
    other_variants.emplace(name, &even_counter);
    other_names.emplace(name, counted_as);
    kernels.push_back(name);
  }
  const auto add_others = [&](WorkCounter& by, double n, const std::set<std::string>& names) {
    for (const Observation& one : by.observe({n, 1, SizeToCount::Use::fit}, Path::usual, names)) {
      if (other_variants.emplace(one.kernel, &by).second) kernels.push_back(one.kernel);
      counted[one.kernel].points.push_back(one.point);
    }
  };
  if (has_variants)
    for (const auto& [n, names] : sizes_of_other_variants(counter, small_counter, kernels))
      add_others(small_counter, n, names);
  // Passes that the keys need at all sizes counted, but not at others: equal keys need none.
  if (of.algorithm->shared_bits)
    if (const auto names = counter.kernels_other_than(kernels); !names.empty())
      add_others(equal_counter, sizes.front().n, names);

  AlgorithmWork result{work_key(of, architecture), {}};
  for (const std::string& name : kernels) {
    Counted& points = counted[name];
    if (points.points.empty()) points.points = points.check;  // a level that only the last size has
    const std::string& counted_as = other_names.contains(name) ? other_names.at(name) : name;
    if (const auto full = elements_when_full(plan_at, counted_as))
      fill_blocks(*full, points.points, points.check);
    KernelWork kernel = fit_work(points.points);
    kernel.kernel = name;
    if (!points.check.empty())
      kernel.check_error =
          deviation(mean_work(points.check, [&](const WorkPoint& point) { return kernel.at(point.size); }),
                    mean_work(points.check, [](const WorkPoint& point) { return point.work; }));
    const auto other = other_variants.find(name);
    (other == other_variants.end() ? counter : *other->second).add_code(kernel);
    result.kernels.push_back(std::move(kernel));
  }
  if (has_variants)
    for (const std::string& name : counter.kernels_of_any_n()) add_nearest_variant(name, result.kernels);
  return result;
}

}  // namespace fathom
