// SPDX-License-Identifier: Apache-2.0
// One prediction of every published formula on each of two machines, to six digits: a change of a formula or
// of the law fails under the name of the algorithm that it changes. The parts of most are computed by hand in
// the other files of this folder. After a deliberate change, replace the row and give the reason in the
// commit.
#include "formulas.h"

#include <catch2/catch.hpp>

#include <set>
#include <sstream>

using namespace fathom;
using namespace fathom::tests;

namespace {

struct Row {
  const char* slug;
  double m4000_s;     // 10^7 elements of u32, default parameters
  double complete_s;  // 10^8 elements of u64, every parameter at its minimum
};

constexpr Row rows[] = {
    {"sort-bitonic", 0.0710567, 0.08228866},
    {"sort-warp", 0.08770431, 0.02602194},
    {"sort-pairwise", 0.0114347, 0.01483322},
    {"sort-conflict-free", 0.01083024, 0.01233816},
    {"sort-kway", 0.007061227, 0.01355551},
    {"sort-multiway", 0.09708697, 0.02394890},
    {"sort-multiway-separators", 0.09708697, 0.02394890},
    {"sort-mms", 0.0140872, 0.02051768},
    {"sort-mms-shuffles", 0.0140872, 0.02051768},
    {"sort-splitter", 0.007521072, 0.007445925},
    {"sort-splitter-deterministic", 0.01690437, 0.03196277},
    {"radix-lsd", 0.008933765, 0.03712722},
    {"radix-tiled", 0.01329281, 0.06035992},
    {"radix-single", 0.2935648, 13.94531},
    {"radix-onesweep", 0.006012779, 0.01167178},
    {"radix-msd", 0.0055931641, 0.0039391309},
    {"radix-msd-recursive", 0.006064221, 0.008213334},
    {"reduce-halving", 0.000781952, 0.0007749302},
    {"reduce-tree", 0.0008731467, 0.0006430051},
    {"reduce-cascading", 0.0002638308, 0.0002540299},
    {"reduce-pipeline", 0.0004292370, 0.0003592931},
    {"reduce-matrix", 0.0006455173, 0.0006489896},
    {"reduce-vector", 0.0002636842, 0.0001952115},
    {"scan-naive", 0.01800025, 0.01964415},
    {"scan-interval", 0.002082441, 0.002061147},
    {"scan-sequential", 0.00215197, 1.562539},
    {"scan-matrix", 0.001208116, 0.001134391},
    {"scan-lookback", 0.0005137887, 0.0004085351},
    {"scan-stream", 0.0005146999, 0.0003839766},
};

Problem at_default(const Descriptor& algorithm, double n) {
  Problem problem = algorithm.problem(n);
  problem.parameters = algorithm.default_parameters();
  return problem;
}
Problem at_minimum(const Descriptor& algorithm, double n, ElementType type) {
  Problem problem = algorithm.problem(n, type);
  for (const ParameterInfo& info : algorithm.parameters)
    problem.parameters.set(info.name, info.values.front());
  return problem;
}

}  // namespace

TEST_CASE("every published prediction is unchanged") {
  std::set<std::string> seen;
  for (const Row& row : rows) {
    INFO(row.slug);
    const Algorithm& one = algorithm(row.slug);
    seen.insert(one.slug);
    CHECK(predicted(one, m4000(), at_default(one, 1e7)).time_s == Approx(row.m4000_s).epsilon(1e-6));
    CHECK(predicted(one, complete_machine(), at_minimum(one, 1e8, ElementType::u64)).time_s ==
          Approx(row.complete_s).epsilon(1e-6));
  }
  for (const Algorithm* each : with_formula()) {
    std::ostringstream row;
    row.precision(7);
    row << "{\"" << each->slug << "\", " << predicted(*each, m4000(), at_default(*each, 1e7)).time_s << ", "
        << predicted(*each, complete_machine(), at_minimum(*each, 1e8, ElementType::u64)).time_s << "}";
    INFO("the row would be " << row.str());
    CHECK(seen.count(each->slug) == 1);
  }
}

// Numbers of one size have the same words, and so the same published time.
TEST_CASE("a published time depends on the size of a number alone") {
  for (const Algorithm* each : with_formula())
    for (const ElementType type : types_of(*each))
      for (const Machine<double>& machine : {m4000(), complete_machine()}) {
        if (type == ElementType::point || type == ElementType::rational) continue;  // compare at a cost
        INFO(each->slug << " " << name(type) << " on " << machine.name);
        const ElementType same = words(type) == 1 ? ElementType::u32 : ElementType::u64;
        CHECK(predicted(*each, machine, each->problem(1e7, type)).time_s ==
              predicted(*each, machine, each->problem(1e7, same)).time_s);
      }
}
