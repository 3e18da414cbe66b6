// Compares the calibrated formulas with the counts of their kernels.
//
// One rule for all. A formula counts whole blocks (docs/counting.md), so it is compared with its kernels at
// sizes that fill the last block of every launch. There the words that a kernel moves must agree to 1 %, or
// to 5 % for kernels that compare keys, since the end of a search depends on them. If the last block is not
// full, the formula may exceed the count by that block.
#include "registry_cases.h"

#include <fathom/algorithms/audit.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// A few multiprocessors, so that warps get many tiles, but not all the same number.
Machine<double> small_machine() {
  Machine<double> machine;
  machine.name = "small";
  machine.multiprocessors = 4;
  machine.cores_per_multiprocessor = 128;
  machine.limits.shared_bytes_per_multiprocessor = machine.limits.shared_bytes_per_block = 200 * 1024;
  return machine;
}

/// The blocks and repeats of a problem's launches, which determine how many elements fit.
std::vector<double> grid(const Algorithm& algorithm, Problem problem, double n) {
  problem.n = n;
  std::vector<double> grid;
  for (const Launch& launch : plan_on(small_machine(), algorithm, problem))
    grid.insert(grid.end(), {double(launch.blocks), launch.repeats});
  return grid;
}

/// The largest n with the same launches, which fills their last blocks. The problem's own n if the grid is
/// limited by resident blocks and so does not depend on n.
double filling(const Algorithm& algorithm, const Problem& problem) {
  const auto launches = grid(algorithm, problem, problem.n);
  if (grid(algorithm, problem, 2 * problem.n) == launches) return problem.n;
  double fits = problem.n, too_many = 2 * problem.n;
  while (too_many - fits > 1) {
    const double middle = std::floor((fits + too_many) / 2);
    (grid(algorithm, problem, middle) == launches ? fits : too_many) = middle;
  }
  return fits;
}

/// The last block's share of the first launch, which processes the input.
double share_of_a_block(const Algorithm& algorithm, const Problem& problem) {
  return 1 / double(plan_on(small_machine(), algorithm, problem).front().blocks);
}

bool compares(const std::vector<KernelCounts>& kernels) {
  return std::any_of(kernels.begin(), kernels.end(), [](const KernelCounts& kernel) {
    return kernel.count(Instruction::compare) + kernel.count(Instruction::compare_exchange) > 0;
  });
}

/// Words of the whole algorithm, by the calibrated law and as counted.
struct Words {
  double formula = 0, counted = 0;
};
Words words_of(const std::vector<AuditEntry>& entries, Level level) {
  Words sum;
  for (const AuditEntry& entry : entries) {
    if (entry.law != LawName::calibrated || entry.level != level) continue;
    sum.formula += entry.formula.value_or(0);
    sum.counted += entry.counted.value_or(0);
  }
  return sum;
}

/// `idle` is the share of the formula's words that may be those of threads without elements.
void check_words(const Algorithm& algorithm, const Problem& problem, double idle) {
  const CountCase one{&algorithm, problem};
  const Count counted = count(one, counting_device(small_machine(), one));
  const auto entries = audit(algorithm, problem, small_machine(), counted.kernels);
  const double tolerance = compares(counted.kernels) ? 0.05 : 0.01;
  std::ostringstream parameters;
  for (const auto& [name, value] : problem.parameters) parameters << " " << name << " = " << value;
  INFO(algorithm.slug << " " << type_text(problem) << " n = " << problem.n << parameters.str());
  for (Level level : {Level::global, Level::shared}) {
    const Words words = words_of(entries, level);
    INFO(name(level) << ": " << words.counted << " counted, " << words.formula << " by the formula");
    CHECK(words.counted <= words.formula * (1 + tolerance));
    CHECK(words.counted >= words.formula * (1 - tolerance - idle));
  }
  for (const AuditEntry& entry : entries) {
    if (entry.law != LawName::calibrated) continue;
    INFO(entry.phase << " " << name(entry.level));
    CHECK(entry.counted.has_value() == entry.formula.has_value());
  }
}

/// Every parameter at its minimum: more blocks, rounds and groups than by default.
Parameters least_parameters(const Descriptor& algorithm) {
  Parameters parameters = algorithm.default_parameters();
  for (const ParameterInfo& info : algorithm.parameters) parameters.set(info.name, info.values.front());
  return parameters;
}

}  // namespace

TEST_CASE("kernels move as many words as their formulas say") {
  for (const Algorithm* each : with_plan()) {
    REQUIRE(each->formula);
    for (double n : {32768., 100003.}) {
      Problem least = each->problem(n);
      least.parameters = least_parameters(*each);
      for (Problem problem : {each->problem(n), each->problem(n, ElementType::u64), least}) {
        check_words(*each, problem, share_of_a_block(*each, problem));
        problem.n = filling(*each, problem);
        if (problem.n > n) check_words(*each, problem, 0);
      }
    }
  }
}

TEST_CASE("every launch of a reduction moves as many words as its formula says, without bank conflicts") {
  for (const Algorithm* each : with_plan()) {
    if (each->kind != Kind::reduce) continue;
    for (ElementType type : {ElementType::u32, ElementType::pair})
      for (double n : {262144., 100003.}) {
        const CountCase one{each, each->problem(n, type)};
        const Count counted = count(one, counting_device(small_machine(), one));
        INFO(each->slug << " " << name(type) << " n = " << n);
        for (const AuditEntry& entry : audit(*each, one.problem, small_machine(), counted.kernels)) {
          if (entry.law != LawName::calibrated) continue;
          INFO(entry.phase << " " << name(entry.level));
          REQUIRE(entry.ratio());
          CHECK(*entry.ratio() == Approx(1).epsilon(0.01));
        }
        for (const KernelCounts& kernel : counted.kernels)
          CHECK(kernel.shared().wavefronts == kernel.shared().least_wavefronts);
      }
  }
}
