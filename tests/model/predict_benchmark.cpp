// How long the library takes to answer: under 2 µs for sort-pairwise.
#include "machines.h"

#include <fathom/model/formulas/formulas.h>
#include <fathom/model/predict.h>

#include <benchmark/benchmark.h>

using namespace fathom;

namespace {

void predict_formula(benchmark::State& state, const Formula& formula, const Law& law) {
  const Machine<double> machine = tests::complete_machine();
  const ConstantValues<double> constants = formula.standard_constants();
  Problem problem{1 << 26, ElementType::u32, formula.default_parameters()};
  for (auto _ : state) {
    benchmark::DoNotOptimize(problem.n += 1);
    benchmark::DoNotOptimize(predict(formula, machine, problem, law, constants));
  }
}

const Law calibrated{};
const Law calibrated_with_exponent{LawName::calibrated, Ceiling::as_printed, {2.5}};
const Law published{LawName::published};

BENCHMARK_CAPTURE(predict_formula, sort_pairwise_calibrated, sort_pairwise(), calibrated);
BENCHMARK_CAPTURE(predict_formula, sort_pairwise_exponent, sort_pairwise(), calibrated_with_exponent);
BENCHMARK_CAPTURE(predict_formula, sort_pairwise_published, sort_pairwise(), published);
BENCHMARK_CAPTURE(predict_formula, scan_matrix_calibrated, scan_matrix(), calibrated);
BENCHMARK_CAPTURE(predict_formula, sort_mms_calibrated, sort_mms(), calibrated);

}  // namespace

BENCHMARK_MAIN();
