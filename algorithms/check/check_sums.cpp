// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/check/check_scan.h>
#include <fathom/algorithms/check/digest_keys.h>
#include <fathom/algorithms/check/reduce_runs.h>
#include <fathom/algorithms/check/run_check.h>

#include <cmath>
#include <iomanip>
#include <limits>
#include <numeric>
#include <sstream>
#include <tuple>

namespace fathom {
namespace {

/// The input split into runs of equal length, each reduced separately.
template <class T>
struct Runs {
  static constexpr Index length = 1024;
  std::vector<Wide<T>> results;
  std::vector<double> magnitudes;
};

template <class T, class Operator>
Runs<T> reduce_runs(Executor& executor, Span<const T> input) {
  const std::size_t count = std::size_t(ceil_div(Index(input.count), Runs<T>::length));
  const DeviceArray<Wide<T>> results(executor, count);
  const DeviceArray<double> magnitudes(executor, count);
  launch_over(executor, count,
              ReduceRuns<T, Operator>{input, results.span(), magnitudes.span(), Runs<T>::length});
  return {results.download(), magnitudes.download()};
}

/// The allowed rounding error, as a multiple of Σ|x|: the result's own, plus the reference's, whose elements
/// pass through the additions within their run and then those across runs.
template <class T>
double tolerance(const Runs<T>& runs, Index depth) {
  if constexpr (std::is_floating_point_v<T>) {
    const double reference_depth = double(Runs<T>::length) + double(runs.results.size());
    if (depth > 0)
      return double(depth) * std::numeric_limits<T>::epsilon() +
             reference_depth * std::numeric_limits<Wide<T>>::epsilon();
  }
  return 0;
}

template <class T>
bool within(const T& found, const Wide<T>& expected, double error) {
  if constexpr (std::is_floating_point_v<T>)
    return std::abs(double(found) - double(expected)) <= error;
  else
    return found == expected;
}

/// A number, or the words of any other type: "(1, 2)".
template <class T>
std::string text(const T& value) {
  std::ostringstream stream;
  if constexpr (requires { stream << value; }) {
    stream << std::setprecision(17) << value;
  } else {
    const auto words = words_of(value);
    for (const u32& word : words.word) stream << (&word == words.word ? "(" : ", ") << word;
    stream << ")";
  }
  return stream.str();
}

/// Number of wrong elements of a scan whose sums round.
template <class T, class Operator>
u64 count_wrong_by_reference(Executor& executor, Span<const T> input, Span<const T> output, Index depth) {
  using Kernel = CheckRoundedScan<T, Operator>;
  Runs<T> runs = reduce_runs<T, Operator>(executor, input);
  std::exclusive_scan(runs.results.begin(), runs.results.end(), runs.results.begin(),
                      identity_of<Operator, Wide<T>>(), Operator{});
  std::exclusive_scan(runs.magnitudes.begin(), runs.magnitudes.end(), runs.magnitudes.begin(), 0.0);
  const DeviceArray<Wide<T>> before(executor, std::span<const Wide<T>>(runs.results));
  const DeviceArray<double> magnitudes(executor, std::span<const double>(runs.magnitudes));
  return count_with(executor, before.size(),
                    Kernel{input,
                           output,
                           {before.data(), before.size()},
                           {magnitudes.data(), magnitudes.size()},
                           Runs<T>::length,
                           tolerance<T>(runs, depth),
                           {}},
                    &Kernel::wrong, 1)[0];
}

template <class T, class Operator>
u64 count_wrong(Executor& executor, Span<const T> input, Span<const T> output, Index depth) {
  if constexpr (std::is_floating_point_v<T>)
    if (depth > 0) return count_wrong_by_reference<T, Operator>(executor, input, output, depth);
  using Kernel = CheckScan<T, Operator>;
  return count_with(executor, input.count, Kernel{input, output, {}}, &Kernel::wrong, 1)[0];
}

}  // namespace

Index rounding_depth(Input input, Index depth) {
  return input == Input::random ? 0 : depth;
}

template <class T, class Operator>
void check_reduction(Executor& executor, Span<const T> input, Span<const T> output, Index depth) {
  const Runs<T> runs = reduce_runs<T, Operator>(executor, input);
  Wide<T> expected = identity_of<Operator, Wide<T>>();
  for (const Wide<T>& result : runs.results) expected = Operator{}(expected, result);
  const double magnitudes = std::accumulate(runs.magnitudes.begin(), runs.magnitudes.end(), 0.0);
  T found;
  executor.download(&found, output.data, sizeof found);
  if (!within(found, expected, tolerance<T>(runs, depth) * magnitudes))
    wrong_result("the reduction of " + std::to_string(input.count) + " elements gave " + text(found) +
                 " instead of " + text(expected));
}

template <class T, class Operator>
void check_exclusive_scan(Executor& executor, Span<const T> input, Span<const T> output, Index depth) {
  const u64 wrong = count_wrong<T, Operator>(executor, input, output, depth);
  if (wrong > 0)
    wrong_result(std::to_string(wrong) + " of " + std::to_string(input.count) +
                 " elements differ from the definition of the scan");
}

namespace {

// Taking their addresses instantiates the functions for all types in this object file.
template <class... T>
constexpr auto for_summands(Types<T...>) {
  return std::tuple{&check_reduction<T, Plus>..., &check_exclusive_scan<T, Plus>...};
}
[[gnu::used]] const auto functions = for_summands(SummandElements{});

}  // namespace

}  // namespace fathom
