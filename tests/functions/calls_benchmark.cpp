// SPDX-License-Identifier: Apache-2.0
// How long the host takes to queue a call of the functions, and its launches alone. Needs a GPU, which is
// idle before each series of calls, and never has more queued than it takes.
#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/functions/functions.h>

#include <benchmark/benchmark.h>

using namespace fathom;

namespace {

struct OnGpu {
  CudaExecutor executor{0};
  Functions functions{executor, built_in_profile("h200")};
};
OnGpu& on_gpu() {
  static OnGpu on;
  return on;
}

template <class Key>
struct Arrays {
  std::size_t n;
  DeviceArray<Key> keys{on_gpu().executor, n}, sorted{on_gpu().executor, n};
};

template <class Call>
void time_calls(benchmark::State& state, Call call) {
  for (int i = 0; i < 10; ++i) call();
  on_gpu().executor.synchronize();
  for (auto _ : state) call();
  on_gpu().executor.synchronize();
}

template <class Key>
void sort_again(benchmark::State& state) {
  const Arrays<Key> on{std::size_t(state.range(0))};
  const CallOptions options{.stream = on_gpu().executor.stream()};
  time_calls(state, [&] { on_gpu().functions.sort(on.keys.data(), on.sorted.data(), on.n, options); });
}

template <class Key>
void sort_another_n_each_time(benchmark::State& state) {
  const Arrays<Key> on{std::size_t(state.range(0))};
  const CallOptions options{.stream = on_gpu().executor.stream()};
  std::size_t less = 0;
  time_calls(state,
             [&] { on_gpu().functions.sort(on.keys.data(), on.sorted.data(), on.n - (less ^= 1), options); });
}

template <class Key>
void launches_alone(benchmark::State& state) {
  const Arrays<Key> on{std::size_t(state.range(0))};
  constexpr ElementType type = element_type_of<Key>;
  const Choice choice = on_gpu().functions.choice({Kind::sort, {type, {}}, on.n});
  Problem problem = choice.algorithm->problem(double(on.n), type);
  problem.parameters = choice.parameters;
  state.SetLabel(choice.algorithm->slug);
  const auto sort = choice.algorithm->make_call(on_gpu().executor, problem);
  time_calls(state, [&] { sort->run({on.keys.data()}, {on.sorted.data()}); });
}

}  // namespace

#define FATHOM_BENCHMARK(function) \
  BENCHMARK(function)              \
      ->Arg(1 << 10)               \
      ->Arg(1 << 16)               \
      ->Arg(1 << 20)               \
      ->Iterations(50)             \
      ->Repetitions(21)            \
      ->ReportAggregatesOnly()     \
      ->Unit(benchmark::kMicrosecond)
FATHOM_BENCHMARK(launches_alone<u32>);
FATHOM_BENCHMARK(sort_again<u32>);
FATHOM_BENCHMARK(sort_another_n_each_time<u32>);
FATHOM_BENCHMARK(launches_alone<u64>);
FATHOM_BENCHMARK(sort_again<u64>);
FATHOM_BENCHMARK(sort_another_n_each_time<u64>);

BENCHMARK_MAIN();
