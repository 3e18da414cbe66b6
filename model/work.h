// SPDX-License-Identifier: Apache-2.0
// The work of a kernel: its demands on the machine. They are counted: accesses by the counting executor,
// instructions and waits from the machine code. Nothing here is measured, so it is the same on every GPU of
// an architecture.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/core/problem.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// The work of one block: the mean over the blocks of a launch.
struct Work {
  // Warp instructions issued, and of these, those of single pipes.
  double instructions = 0;
  double alu = 0;      ///< integer, logic, comparisons, selections
  double fma = 0;      ///< multiplications, floating-point additions
  double special = 0;  ///< special functions, conversions, population counts

  // Passes through the load/store unit.
  double shared_wavefronts = 0;  ///< of loads, stores and atomics, with bank conflicts
  double global_lines = 0;       ///< of 128 bytes, of loads, stores and atomics
  double lines_read = 0;         ///< those of loads that the L1 does not have: it holds them on their way
  double shuffles = 0;           ///< of 32-bit words

  // Global memory, in sectors of 32 bytes that leave the multiprocessor: its L1 does not have them.
  double sectors_read = 0;
  double sectors_written = 0;
  double scattered_sectors = 0;  ///< read by accesses that touch hardly more than a sector of a line
  double atomics = 0;            ///< warp accesses
  // Distinct bytes of a launch, divided by its blocks: what DRAM moves if the L2 holds nothing yet.
  double bytes_read = 0;
  double bytes_written = 0;

  // The time of the slowest warp of the block, alone; of blocks that all run at a time, of the busiest one.
  double issue_clocks = 0;  ///< of its instructions, with the delays that the compiler encoded in them
  double global_waits =
      0;  ///< how often it waits for loads from global memory; several loads at once count once
  double shared_waits = 0;  ///< for shared memory or shuffles
  double other_waits = 0;   ///< for other instructions of variable latency
  double barriers = 0;
  /// Clocks of work between the issue of what is waited for and the wait, summed over the waits: they hide a
  /// part of the latency.
  double global_hidden = 0;
  double shared_hidden = 0;

  double code_bytes = 0;  ///< instructions that run at least once, each counted once

  double resumed_sectors = 0;  ///< written in part, and after a barrier of the block in another part
  double atomic_sectors = 0;   ///< changed by atomics

  bool operator==(const Work&) const = default;
};

/// The unit in which a demand is counted; only demands of one kind can be compared with each other.
enum class DemandKind { passes, bytes, clocks, waits, code };
/// One of the numbers, with its name in files and reports.
struct Demand {
  std::string_view name;
  double Work::*value;
  DemandKind kind = DemandKind::passes;
};
inline constexpr std::array all_demands{Demand{"instructions", &Work::instructions},
                                        Demand{"alu", &Work::alu},
                                        Demand{"fma", &Work::fma},
                                        Demand{"special", &Work::special},
                                        Demand{"shared_wavefronts", &Work::shared_wavefronts},
                                        Demand{"global_lines", &Work::global_lines},
                                        Demand{"lines_read", &Work::lines_read},
                                        Demand{"shuffles", &Work::shuffles},
                                        Demand{"sectors_read", &Work::sectors_read},
                                        Demand{"sectors_written", &Work::sectors_written},
                                        Demand{"scattered_sectors", &Work::scattered_sectors},
                                        Demand{"atomics", &Work::atomics},
                                        Demand{"bytes_read", &Work::bytes_read, DemandKind::bytes},
                                        Demand{"bytes_written", &Work::bytes_written, DemandKind::bytes},
                                        Demand{"issue_clocks", &Work::issue_clocks, DemandKind::clocks},
                                        Demand{"global_waits", &Work::global_waits, DemandKind::waits},
                                        Demand{"shared_waits", &Work::shared_waits, DemandKind::waits},
                                        Demand{"other_waits", &Work::other_waits, DemandKind::waits},
                                        Demand{"barriers", &Work::barriers, DemandKind::waits},
                                        Demand{"global_hidden", &Work::global_hidden, DemandKind::clocks},
                                        Demand{"shared_hidden", &Work::shared_hidden, DemandKind::clocks},
                                        Demand{"code_bytes", &Work::code_bytes, DemandKind::code},
                                        Demand{"resumed_sectors", &Work::resumed_sectors},
                                        Demand{"atomic_sectors", &Work::atomic_sectors}};

/// Files may still have these numbers after those of all_demands. They are skipped: no law read the clocks of
/// a block on a simulated multiprocessor.
inline constexpr std::array<std::string_view, 2> dropped_demands{"lone_clocks", "steady_clocks"};

/// The sizes on which the work of a block depends, besides the kernel. All blocks of a launch share these.
struct WorkSize {
  double elements = 0;   ///< that the launch works on, over its blocks
  double doublings = 0;  ///< log₂ n
  /// Parts that the launch works on, or blocks of the launch before it in the plan, over its blocks; 1 if it
  /// is the first.
  double partials = 1;

  WorkSize& operator+=(const WorkSize& other);
  WorkSize& operator*=(double factor);
};

/// The size of each launch of a plan for n elements.
std::vector<WorkSize> work_sizes(double n, const Plan& plan);

/// A kernel's work as a function of the size: constant + elements·per_element + doublings·per_doubling +
/// partials·per_partial. Most kernels need the constant alone (one tile per block) or also the elements (a
/// fixed grid).
struct KernelWork {
  std::string kernel;   ///< "MergeTiles"
  int registers = 0;    ///< per thread
  int local_bytes = 0;  ///< per thread: spilled registers
  Work constant{}, per_element{}, per_doubling{}, per_partial{};
  /// How far this was off at a further n, which it was not fitted to: the worst deviation of a demand,
  /// relative to it or, of small ones, to a twentieth of the largest of its kind. Absent if no other n was
  /// counted.
  std::optional<double> check_error{};
  /// Opcodes that the decoder does not know. They count as instructions, but of no pipe.
  std::vector<std::string> unknown_opcodes{};
  /// Share of its instructions by which frequencies and counts contradict each other.
  double uncertain = 0;

  /// At least 0: a fit may fall below it at sizes smaller than those counted.
  Work at(const WorkSize& size) const;
  bool operator==(const KernelWork&) const = default;
};

/// Everything that determines the work of an algorithm's kernels, as a function of n.
struct WorkKey {
  std::string algorithm;  ///< slug
  Instantiation type = ElementType{};
  Parameters parameters{};
  Input input = Input::random;
  int architecture = 0;  ///< compute capability: 90 for sm_90

  bool operator==(const WorkKey&) const = default;
};
std::string in_words(const WorkKey& key);  ///< "sort-pairwise u32 E=17 t=256 random on sm_90"

class AssumedRuns;   // laws/assumed_run.h
struct Assumptions;  // laws/law.h

/// The kernels of an algorithm for one choice of everything but n.
struct AlgorithmWork : WorkKey {
  std::vector<KernelWork> kernels;  ///< in the order of their first launch
  /// In place of `kernels`, where nothing was counted; else nullptr.
  std::shared_ptr<const AssumedRuns> assumed{};
  /// This says what `kernels` rest on where they were estimated (laws/estimated_work.h); nullptr if they were
  /// counted.
  std::shared_ptr<const Assumptions> estimate{};

  /// Throws std::invalid_argument if it has no kernel of this name.
  const KernelWork& of(std::string_view kernel) const;
  bool operator==(const AlgorithmWork&) const = default;
};

}  // namespace fathom
