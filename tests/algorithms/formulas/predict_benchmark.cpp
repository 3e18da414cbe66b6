// Time of one prediction: under 2 µs for sort-pairwise.
#include "formulas.h"

#include <benchmark/benchmark.h>

using namespace fathom;

namespace {

void predict_algorithm(benchmark::State& state, const char* slug, const Law& law) {
  const Algorithm& predicted = algorithm(slug);
  const Machine<double> machine = tests::complete_machine();
  const ConstantValues<double> constants = predicted.formula->default_constants();
  Problem problem = predicted.problem(1 << 26);
  for (auto _ : state) {
    benchmark::DoNotOptimize(problem.n += 1);
    benchmark::DoNotOptimize(predict(predicted, machine, problem, law, constants));
  }
}

const Law calibrated_with_exponent{LawName::calibrated, Ceiling::as_printed, Composition{2.5}};

BENCHMARK_CAPTURE(predict_algorithm, sort_pairwise_calibrated, "sort-pairwise", tests::calibrated);
BENCHMARK_CAPTURE(predict_algorithm, sort_pairwise_exponent, "sort-pairwise", calibrated_with_exponent);
BENCHMARK_CAPTURE(predict_algorithm, sort_pairwise_published, "sort-pairwise", tests::published);
BENCHMARK_CAPTURE(predict_algorithm, scan_matrix_calibrated, "scan-matrix", tests::calibrated);
BENCHMARK_CAPTURE(predict_algorithm, sort_mms_calibrated, "sort-mms", tests::calibrated);

}  // namespace

BENCHMARK_MAIN();
