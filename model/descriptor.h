// SPDX-License-Identifier: Apache-2.0
// The description of an algorithm: what it solves, its parameters, its plan and, if it has one, its formula.
#pragma once

#include <fathom/core/exchange.h>
#include <fathom/core/plan.h>
#include <fathom/core/problem.h>
#include <fathom/model/formulas/phase.h>
#include <fathom/model/machines/asymptotic_costs.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// How a formula's time depends on the input pattern.
enum class InputDependence {
  unknown,   ///< the source speaks of random input only
  none,      ///< every input takes the same steps
  conflicts  ///< through the bank conflict degree β, which is counted
};

/// The choices that a formula is read with, besides the problem.
struct Reading {
  Parameters options{};  ///< of Descriptor::options(); in a formula's hands, all of them
  /// β of the problem's input, counted; absent: that of random input, as printed.
  std::optional<double> conflict{};
};

/// The published formula of an algorithm.
struct Formula {
  /// The counts of the formula do not depend on measured constants.
  std::function<Phases(const Machine<double>&, const Problem&, const Reading&)> phases;
  /// Where the source leaves a choice, or contradicts itself, besides those of every formula
  /// (Descriptor::options): `option=register-factor=2`.
  std::vector<ParameterInfo> options{};
  InputDependence input = InputDependence::unknown;
};

/// Default values of some parameters for some problems, where others are the fastest for many elements of
/// most types.
struct OtherDefaults {
  Parameters parameters;
  double most_n = std::numeric_limits<double>::infinity();  ///< for problems of up to so many elements
  /// Of problems with keys, and with values, of this size; 0: without values. Absent: of any.
  std::optional<int> key_bytes{}, value_bytes{};

  bool apply_to(double n, const KeyAndValue& type) const;
};

/// Problem::skewed and Problem::frequent of an input's elements have these values.
struct KeySkew {
  double skewed = 0, frequent = 0;
};

struct Descriptor;

/// A step that every GPU of a group takes: launches on each of them, and then an exchange among all, which
/// waits for the slowest; or the GPU that data of the host pass through, which copies them.
struct RankStep {
  const Descriptor* local = nullptr;    ///< of one GPU; nullptr: no launches
  Problem problem{};                    ///< that `local` solves on the GPU which has most to do
  std::vector<std::size_t> launches{};  ///< those of its plan that run, in this order; empty: all
  std::optional<Exchange> exchange{};
  bool beside_next = false;            ///< the exchange goes on beside the next launches
  std::string_view name = "launches";  ///< what the launches do: "sort", "merge"
};

struct Descriptor {
  std::string slug;  ///< "sort-pairwise"
  Kind kind{};
  std::string group{};  ///< its folder: "sort/merge"
  std::string source;   ///< the publication or library: "karsin2018 §4.1", "CUB DeviceMergeSort"
  std::vector<ParameterInfo> parameters{};
  /// A parameter has the value of the first that applies to a problem and names it.
  std::vector<OtherDefaults> other_defaults{};
  std::vector<ElementType> types{};  ///< for which it has kernels; empty without kernels
  std::vector<KeyAndValue> pairs{};  ///< of keys with values, for which it has kernels
  bool stable = false;               ///< keeps the order of equal keys with values, if asked to
  bool by_bits = false;              ///< also sorts in descending order, and by Problem::key_bits
  bool separate_arrays = false;      ///< a scan that cannot write its output over its input
  bool in_host_memory = false;       ///< input and output are in the host's memory
  bool baseline = false;             ///< another project's kernels, for comparison
  /// The launches for a problem that check() accepts; nullptr if none of our kernels run.
  std::function<Plan(const Problem&, const PlanDevice&)> plan{};
  /// In place of a plan, of an algorithm for several GPUs or for data in host memory: the steps of a run, for
  /// a problem and one of its GPUs (gpus_of()). Its n elements are random and, on several GPUs, in equal
  /// parts.
  std::function<std::vector<RankStep>(const Problem&, const PlanDevice&)> steps{};
  /// Parameters that plans lower, the first that helps first, where a block has less shared memory than the
  /// defaults ask for (algorithms/fitting.h). Only those that are at their defaults.
  std::vector<std::string> fits_by{};
  /// Where what a kernel does depends on a choice that the plan makes for n, as that of the bits of a digit,
  /// each choice is a variant of it (device/kernel_info.h). With these parameters, which the kernel's work
  /// does not depend on, few elements have the variants that otherwise many have. Empty: n of all sizes have
  /// the same.
  Parameters all_variants_with{};
  /// About how many of the input's elements the sort is likely to sort another way, because too many keys
  /// begin alike, or beside frequent ones. Absent: it has one way.
  std::function<KeySkew(const Problem&, const Input&, const PlanDevice&)> skew{};
  /// Problem::shared_bits of the input's keys, for a sort whose plan depends on them. Absent: it does not.
  std::function<u64(const Problem&, const Input&)> shared_bits{};
  std::optional<Formula> formula{};  ///< absent for baselines
  asymptotic::Costs asymptotic_costs{};

  /// For many elements: without other_defaults.
  Parameters default_parameters() const { return fathom::default_parameters(parameters); }
  /// Returns in which range n is, of those that rows of other_defaults make; 0: that of many elements.
  int range_of_defaults(double n) const;
  Parameters default_parameters(double n, const KeyAndValue& type) const;
  /// For the problem's n and type.
  Parameters default_parameters(const Problem& problem) const;
  /// All that problems of the type have, those for many elements first.
  std::vector<Parameters> all_default_parameters(const KeyAndValue& type) const;
  /// n elements and defaults for the rest.
  Problem problem(double n, const Instantiation& of = ElementType::u32) const;
  /// The problem on the path that it is likely to take with this input on the device: with its skew, and
  /// without the passes that the input's keys do not need.
  Problem with_path(Problem problem, const Input& input, const PlanDevice& device) const;
  /// The types it has kernels for: those of keys alone, then those with values.
  std::vector<KeyAndValue> all_types() const;
  /// all_types(), and those with values also stably if the sort can be stable.
  std::vector<Instantiation> instantiations() const;
  /// It has steps for a problem's parameter `gpus`.
  bool for_several_gpus() const { return steps && find_parameter("gpus"); }
  /// Says in words what an algorithm with steps runs on.
  std::string_view runs_on() const { return in_host_memory ? "data in host memory" : "several GPUs"; }
  /// The GPUs that solve a problem.
  int gpus_of(const Problem& problem) const { return for_several_gpus() ? problem.parameters.at("gpus") : 1; }
  /// nullptr if there is none of this name.
  const ParameterInfo* find_parameter(std::string_view name) const;
  /// Throws std::invalid_argument for an unknown parameter, naming the nearest, or a value out of range,
  /// naming the range.
  void check(const Parameters& given) const;
  /// How its formula can be read: the formula's options and those of all. Empty without a formula.
  std::vector<ParameterInfo> options() const;
  /// The same as for parameters. Throws for an algorithm without a formula, too.
  void check_options(const Parameters& given) const;
  /// Throws std::invalid_argument, saying what the algorithm can solve, for a problem of another kind and for
  /// unsupported types, values, orders or stability.
  void check(const Problem& problem) const;
};

/// Registers per thread of a kernel of which neither a work table nor the compiler says how many it has. A
/// multiprocessor of 65536 registers then holds 2048 threads: as many as any may have, so that plans have
/// their largest grid and need the most memory.
inline constexpr double unknown_registers = 32;

/// A device as plans see it, with as many resident blocks of a launch as its limits and the kernel's
/// registers per thread allow. `registers` may be empty: unknown_registers.
PlanDevice plan_device(int multiprocessors, const OccupancyLimits& limits,
                       std::function<double(const Launch&)> registers = {});
/// The machine with its memory, for kernels whose registers are unknown.
PlanDevice plan_device(const Machine<double>& machine);

}  // namespace fathom
