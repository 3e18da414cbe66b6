// SPDX-License-Identifier: Apache-2.0
// The measured constants of a machine: one row for each, with everything that is known about it. Files,
// ranges, units, what-if, "10 % faster", tables and fits derive from these rows.
//
// A new rate is a member of Rates (machine.h), a row here, a benchmark (core/benchmarks.h, microbench/), a
// fit (calibration/fits/), and the term of the law that uses it.
#pragma once

#include <fathom/model/machine.h>
#include <fathom/model/resources.h>

#include <span>

namespace fathom {

enum class Unit {
  clocks,
  seconds,
  bytes,
  words_per_clock_per_core,
  per_clock,  ///< and per multiprocessor
  bytes_per_second,
  sectors_per_second,
  number
};
/// The suffix of a field's name in files: "_clocks" gives value_clocks and interval_clocks; "" for numbers.
std::string_view suffix(Unit unit);

struct Range {
  double lowest, highest;
  bool holds(double value) const { return lowest <= value && value <= highest; }
};

/// Exchanges (links.h) have no rows: these are the ranges of α and β of a line.
inline constexpr Range line_latencies{-10, 10};  ///< s
inline constexpr Range first_latencies{0, 10};   ///< s, of the line of the smallest exchanges
inline constexpr Range seconds_per_byte_of_links{0, 1e-3};
inline constexpr Range numbers_of_hosts{1, 1 << 16};

/// What becomes faster where a constant improves: a resource, the launches themselves (no resource), or, by
/// default, nothing that a law says apart.
struct Speeds {
  bool something = false;
  std::optional<Resource> resource{};
  bool operator==(const Speeds&) const = default;
};
constexpr Speeds speeds(std::optional<Resource> resource) {
  return {true, resource};
}
inline constexpr Speeds speeds_launches{true, std::nullopt};

enum class Better { higher, lower, neither };

struct ConstantInfo {
  std::string_view name;   ///< in files and options: "dram.read"
  std::string_view label;  ///< in tables: "DRAM, read"
  Unit unit;
  /// What it can be on any machine, generously: three or more orders of magnitude to each side of the GPUs
  /// known. A value outside is a mistake or damage. Within these ranges every prediction is finite and
  /// positive.
  Range range;
  int since;  ///< the first version of the profile file that has it
  Better better;
  Speeds use{};
  std::string_view group{};  ///< the name under which what-if changes it together with others; may be empty
};

/// Where a machine keeps a constant.
template <class Real>
class Member {
 public:
  using Value = std::optional<Real>;
  constexpr Member(Value Machine<Real>::*of_machine) : of_machine_(of_machine) {}
  constexpr Member(Value Rates<Real>::*rate) : rate_(rate) {}
  constexpr Member(Level level, Value LevelConstants<Real>::*member)
      : level_(level), member_of_level_(member) {}

  bool of_level() const { return member_of_level_ != nullptr; }
  bool is_rate() const { return rate_ != nullptr; }
  Value& of(Machine<Real>& machine) const {
    return of_machine_ ? machine.*of_machine_
           : rate_     ? machine.rates.*rate_
                       : machine.at(level_).*member_of_level_;
  }
  const Value& of(const Machine<Real>& machine) const { return of(const_cast<Machine<Real>&>(machine)); }

 private:
  Value Machine<Real>::*of_machine_ = nullptr;
  Value Rates<Real>::*rate_ = nullptr;
  Level level_ = Level::global;
  Value LevelConstants<Real>::*member_of_level_ = nullptr;
};

template <class Real>
struct ConstantRow : ConstantInfo {
  constexpr ConstantRow(Member<Real> where, ConstantInfo constant) : ConstantInfo(constant), member(where) {}
  Member<Real> member;
};

/// All rows, in the order of the profile's file. For double and for Boost's autodiff numbers (constants.cpp).
template <class Real>
std::span<const ConstantRow<Real>> constants();

/// The row of this name. Throws std::invalid_argument for an unknown one.
const ConstantRow<double>& constant_named(std::string_view name);

/// Calls `visit(name, std::optional<Real>&)` for every constant, in the order of the rows.
template <class Real, class Visit>
void for_each_constant(Machine<Real>& machine, Visit&& visit) {
  for (const ConstantRow<Real>& row : constants<Real>()) visit(row.name, row.member.of(machine));
}
template <class Real, class Visit>
void for_each_constant(const Machine<Real>& machine, Visit&& visit) {
  for (const ConstantRow<Real>& row : constants<Real>()) visit(row.name, row.member.of(machine));
}
/// The same for the rates alone (Rates in machine.h).
template <class AnyMachine, class Visit>
void for_each_rate(AnyMachine& machine, Visit&& visit) {
  for (const ConstantRow<double>& row : constants<double>())
    if (row.member.is_rate()) visit(row.name, row.member.of(machine));
}

}  // namespace fathom
