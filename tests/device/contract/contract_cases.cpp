// SPDX-License-Identifier: Apache-2.0
#include "contract_cases.h"

#include "contract_kernels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace fathom {
std::span<const HeaderText> contract_kernel_headers();  // generated: cmake/EmbedText.cmake
}

namespace {

using namespace fathom;

constexpr int threads = 64;
constexpr Index blocks = 3;

template <class Operation, class T>
T combined(T a, T b) {
  if constexpr (std::is_same_v<Operation, contract_kernels::Add>) return T(u64(a) + u64(b));
  if constexpr (std::is_same_v<Operation, contract_kernels::Minimum>) return std::min(a, b);
  if constexpr (std::is_same_v<Operation, contract_kernels::Maximum>) return std::max(a, b);
  if constexpr (std::is_same_v<Operation, contract_kernels::Or>) return a | b;
  if constexpr (std::is_same_v<Operation, contract_kernels::And>) return a & b;
  if constexpr (std::is_same_v<Operation, contract_kernels::ExclusiveOr>) return a ^ b;
  return b;  // Exchange
}

template <class T>
std::vector<T> random_values(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<T> values(count);
  for (T& value : values) value = T(random());
  return values;
}

/// "contract_kernels::Match<unsigned int>" → "Match<unsigned int>".
std::string short_name(std::string expression) {
  for (const std::string scope : {"contract_kernels::", "fathom::"})
    for (std::size_t at; (at = expression.find(scope)) != expression.npos;)
      expression.erase(at, scope.size());
  return expression;
}

template <class Kernel>
using Check = std::function<std::string(const std::vector<typename decltype(Kernel::input)::Value>& input,
                                        const std::vector<typename decltype(Kernel::output)::Value>& output)>;

/// `kernel` gets its input and output when it is run.
template <class Kernel>
ContractCase make_case(Kernel kernel, Launch launch, std::size_t inputs, std::size_t outputs,
                       Check<Kernel> check) {
  using Input = typename decltype(Kernel::input)::Value;
  using Output = typename decltype(Kernel::output)::Value;
  return {short_name(launch.source().expression), launch, [=](Executor& executor) mutable {
            const auto values = random_values<Input>(inputs);
            const DeviceArray<Input> input(executor, std::span<const Input>(values));
            const DeviceArray<Output> output(executor, outputs);
            executor.fill(output.data(), 0x55, output.bytes());
            kernel.input = {input.data(), input.size()};
            kernel.output = output.span();
            executor.launch(*executor.prepare(launch), launch.blocks, kernel);
            executor.synchronize();
            return check(values, output.download());
          }};
}

template <class Kernel>
Launch launch_of(Index block_count, BlockShape shape, std::initializer_list<int> constants = {}) {
  return make_launch<Kernel, contract_kernel_headers>(block_count, shape, constants);
}

std::string difference(std::size_t i, u64 seen, u64 expected) {
  return "output " + std::to_string(i) + " is " + std::to_string(seen) + ", should be " +
         std::to_string(expected);
}

/// A check of each output against `expected(input, i)`.
auto each_is(auto expected) {
  return [expected](const auto& input, const auto& output) -> std::string {
    for (std::size_t i = 0; i < output.size(); ++i)
      if (const auto right = expected(input, i); output[i] != right)
        return difference(i, u64(output[i]), u64(right));
    return "";
  };
}

/// Every thread has an input and leaves `expected(input, i)`.
template <class Kernel>
ContractCase by_thread(auto expected, int shared_bytes = 0) {
  return make_case(Kernel{}, launch_of<Kernel>(blocks, {threads, shared_bytes}), blocks * threads,
                   blocks * threads, each_is(expected));
}

/// For any order of the threads: every value that one thread leaves is found by another, except the first
/// found and the last left.
template <class T, class Operation>
std::string check_atomics(T start, Index block_count, const std::vector<T>& input,
                          const std::vector<T>& output) {
  constexpr std::size_t cells = contract_kernels::cells_per_block;
  for (std::size_t block = 0; block < std::size_t(block_count); ++block)
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const std::size_t first = block * (cells + threads);
      std::vector<T> found{output[first + cell]}, left{start};
      for (std::size_t thread = cell; thread < threads; thread += cells) {
        found.push_back(output[first + cells + thread]);
        left.push_back(combined<Operation>(found.back(), input[block * threads + thread]));
      }
      std::sort(found.begin(), found.end());
      std::sort(left.begin(), left.end());
      if (found != left)
        return "cell " + std::to_string(cell) + " of block " + std::to_string(block) + " went wrong";
    }
  return "";
}

template <class T, class Operation>
void add_atomics(std::vector<ContractCase>& cases, T start) {
  using Shared = contract_kernels::SharedAtomic<T, Operation>;
  using Global = contract_kernels::GlobalAtomic<T, Operation>;
  constexpr std::size_t outputs = contract_kernels::cells_per_block + threads;
  cases.push_back(
      make_case(Shared{{}, {}, start},
                launch_of<Shared>(blocks, {threads, shared_bytes<T>(contract_kernels::cells_per_block)}),
                blocks * threads, blocks * outputs, [=](const auto& input, const auto& output) {
                  return check_atomics<T, Operation>(start, blocks, input, output);
                }));
  cases.push_back(make_case(Global{{}, {}, start}, launch_of<Global>(1, {threads}), threads, outputs,
                            [=](const auto& input, const auto& output) {
                              return check_atomics<T, Operation>(start, 1, input, output);
                            }));
}

template <class T, class... Operations>
void add_reductions(std::vector<ContractCase>& cases) {
  const auto add = [&]<class Operation>(Operation) {
    cases.push_back(
        by_thread<contract_kernels::WarpReduce<T, Operation>>([](const std::vector<T>& input, std::size_t i) {
          const auto first = input.begin() + std::ptrdiff_t(i / 32 * 32);
          return std::accumulate(first + 1, first + 32, *first, combined<Operation, T>);
        }));
  };
  (add(Operations{}), ...);
}

template <class T>
void add_match(std::vector<ContractCase>& cases) {
  using Kernel = contract_kernels::Match<T>;
  cases.push_back(by_thread<Kernel>([](const std::vector<T>& input, std::size_t i) {
    u32 lanes = 0;
    for (std::size_t lane = 0; lane < 32; ++lane)
      lanes |= u32(Kernel::value_of(input[i / 32 * 32 + lane]) == Kernel::value_of(input[i])) << lane;
    return lanes;
  }));
}

template <class T>
void add_narrow(std::vector<ContractCase>& cases) {
  cases.push_back(by_thread<contract_kernels::NarrowElements<T>>(
      [](const std::vector<u32>& input, std::size_t i) {
        return u32(T(input[i / threads * threads + threads - 1 - i % threads]));
      },
      shared_bytes<T>(threads)));
}

std::string check_histogram(const std::vector<u32>& input, const std::vector<u32>& output) {
  constexpr std::size_t counters = contract_kernels::counters_per_block;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * (counters + threads);
    std::map<u32, std::vector<u32>> found;
    for (std::size_t thread = 0; thread < threads; ++thread)
      found[input[block * threads + thread] % counters].push_back(output[first + counters + thread]);
    for (u32 value = 0; value < counters; ++value) {
      auto& ranks = found[value];
      if (output[first + value] != ranks.size())
        return difference(first + value, output[first + value], ranks.size());
      std::sort(ranks.begin(), ranks.end());
      for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        if (ranks[rank] != rank) return "two threads found the same count of " + std::to_string(value);
    }
  }
  return "";
}

/// The counts of each thread, counter by counter.
std::vector<std::vector<u32>> counts_by_thread(const std::vector<u32>& input) {
  std::vector<std::vector<u32>> counts;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (i % contract_kernels::values_per_thread == 0)
      counts.emplace_back(contract_kernels::counters_per_block);
    ++counts.back()[input[i] % contract_kernels::counters_per_block];
  }
  return counts;
}

template <class Field>
std::string check_columns(const std::vector<u32>& input, const std::vector<u32>& output) {
  constexpr std::size_t words = contract_kernels::PackedColumns<Field>::words, bits = 8 * sizeof(Field);
  constexpr std::size_t values = contract_kernels::values_per_thread;
  const auto counts = counts_by_thread(input);
  for (std::size_t thread = 0; thread < counts.size(); ++thread) {
    const std::size_t first = thread * (words + values);
    for (std::size_t value = 0; value < contract_kernels::counters_per_block; ++value) {
      const u32 sum = output[first + value % words] >> value / words * bits & ((1u << bits) - 1);
      const u32 expected = counts[thread][value] + counts[thread ^ 1][value];
      if (sum != expected) return difference(first + value % words, sum, expected);
    }
    std::map<u32, u32> before;
    for (std::size_t k = 0; k < values; ++k) {
      const u32 expected = before[input[thread * values + k] % contract_kernels::counters_per_block]++;
      if (output[first + words + k] != expected)
        return difference(first + words + k, output[first + words + k], expected);
    }
  }
  return "";
}

template <class Field>
void add_packed(std::vector<ContractCase>& cases) {
  using Histogram = contract_kernels::PackedHistogram<Field>;
  using Columns = contract_kernels::PackedColumns<Field>;
  constexpr int counters = contract_kernels::counters_per_block;
  cases.push_back(make_case(Histogram{},
                            launch_of<Histogram>(blocks, {threads, shared_bytes<Field>(counters)}),
                            blocks * threads, blocks * (counters + threads), check_histogram));
  cases.push_back(
      make_case(Columns{}, launch_of<Columns>(blocks, {threads, shared_bytes<Field>(counters * threads)}),
                blocks * threads * contract_kernels::values_per_thread,
                blocks * threads * std::size_t(Columns::words + contract_kernels::values_per_thread),
                check_columns<Field>));
}

/// The rows of every tile in reverse order.
template <class Row>
u32 reversed_rows(const std::vector<u32>& input, std::size_t i) {
  constexpr std::size_t width = sizeof(Row) / 4, rows = contract_kernels::rows_per_tile;
  const std::size_t row = i / width, tile = row / rows;
  return input[(tile * rows + rows - 1 - row % rows) * width + i % width];
}

template <class Row>
void add_copies(std::vector<ContractCase>& cases, std::initializer_list<int> stage_counts) {
  constexpr std::size_t warps = blocks * threads / 32,
                        tile = contract_kernels::rows_per_tile * sizeof(Row) / 4;
  using Staged = contract_kernels::CopyInStages<Row>;
  for (const int stages : stage_counts) {
    const int tiles = 2 * stages + 1;
    const std::size_t count = warps * std::size_t(tiles) * tile;
    cases.push_back(
        make_case(Staged{{}, {}, tiles, stages},
                  launch_of<Staged>(blocks, {threads, Staged::shared_memory(threads, stages)}, {stages}),
                  count, count, each_is(reversed_rows<Row>)));
  }
  using Single = contract_kernels::SingleCopy<Row>;
  const int bytes =
      shared_bytes<Row>(threads / 32 * contract_kernels::rows_per_tile) + shared_bytes<u64>(threads / 32);
  cases.push_back(make_case(Single{}, launch_of<Single>(blocks, {threads, bytes}), warps * tile, warps * tile,
                            each_is(reversed_rows<Row>)));
}

}  // namespace

std::vector<ContractCase> contract_cases() {
  using namespace contract_kernels;
  std::vector<ContractCase> cases;
  add_atomics<u32, Add>(cases, 7);
  add_atomics<u32, Or>(cases, 0);
  add_atomics<u32, contract_kernels::Minimum>(cases, ~0u);
  add_atomics<u32, contract_kernels::Maximum>(cases, 0);
  add_atomics<u32, Exchange>(cases, 7);
  add_atomics<i32, Add>(cases, 7);
  add_atomics<i32, contract_kernels::Minimum>(cases, 0);
  add_atomics<i32, contract_kernels::Maximum>(cases, 0);
  add_atomics<u64, Add>(cases, 7);
  add_atomics<u64, Or>(cases, 0);
  add_atomics<u64, contract_kernels::Minimum>(cases, ~u64(0));
  add_atomics<u64, contract_kernels::Maximum>(cases, 0);
  add_atomics<u64, Exchange>(cases, 7);
  add_match<u32>(cases);
  add_match<u64>(cases);
  add_reductions<u32, Add, contract_kernels::Minimum, contract_kernels::Maximum, And, Or, ExclusiveOr>(cases);
  add_reductions<i32, Add, contract_kernels::Minimum, contract_kernels::Maximum, And, Or, ExclusiveOr>(cases);
  add_narrow<u8>(cases);
  add_narrow<u16>(cases);
  add_packed<u8>(cases);
  add_packed<u16>(cases);
  add_copies<Vector<u32, 4>>(cases, {1, 2, 3, 8});
  add_copies<Vector<u32, 2>>(cases, {2});
  add_copies<Vector<u32, 1>>(cases, {2});
  add_copies<Vector<u32, 3>>(cases, {2});
  return cases;
}
