// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/case.h>
#include <fathom/algorithms/check/on_host.h>
#include <fathom/algorithms/host/bench.h>
#include <fathom/algorithms/make_algorithm.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <span>

namespace fathom {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A sort of keys or records with its arrays.
template <class Element>
class SortInHostMemory {
  using Key = KeyOf<Element>;
  using Value = fathom::ValueOf<Element>;

 public:
  SortInHostMemory(const std::vector<HostStreams>& gpus, std::size_t memory_bytes, const HostCase& one)
      : stable_(one.problem.stable),
        keys_in_(gpus.front().kernels, count(one)),
        keys_out_(gpus.front().kernels, count(one)),
        values_in_(gpus.front().kernels, has_values<Element> ? count(one) : 0),
        values_out_(gpus.front().kernels, has_values<Element> ? count(one) : 0),
        call_(one.algorithm->make_call(gpus, one.problem, memory_bytes)) {
    fill_keys_on_host(keys_in_.span(), one.input);
    fill_values_on_host(values_in_.span());
  }

  void run() { call_->run({keys_in_.data(), values_in_.data()}, {keys_out_.data(), values_out_.data()}); }

  void check() {
    const auto overwrite = [](auto output) {
      std::ranges::fill(std::as_writable_bytes(output), std::byte{0xa5});
    };
    overwrite(keys_out_.span());  // unwritten output must not look right
    overwrite(values_out_.span());
    run();
    const std::span<const Key> in = keys_in_.span(), out = keys_out_.span();
    if constexpr (has_values<Element>)
      check_sorted_pairs_on_host<Key, Value>(in, out, values_out_.span(), stable_);
    else
      check_sorted_on_host(in, out);
  }

 private:
  static std::size_t count(const HostCase& one) { return std::size_t(one.problem.n); }

  bool stable_;
  HostArray<Key> keys_in_, keys_out_;
  HostArray<Value> values_in_, values_out_;  // without elements for keys alone
  std::unique_ptr<Call> call_;
};

template <class Work>
void time_runs(Work& work, int repeats, const std::function<double()>& clock, const Progress& progress,
               Measurement& measurement) {
  constexpr double moved = 0.01;
  for (int attempt = 0; attempt < 2 && (attempt == 0 || measurement.clock_moved); ++attempt) {
    measurement.seconds.clear();
    const double first_hz = clock();
    for (int i = 0; i < repeats; ++i) {
      if (progress) progress(measurement.algorithm, std::size_t(i), std::size_t(repeats));
      const double begin = now();
      work.run();
      measurement.seconds.push_back(now() - begin);
    }
    measurement.clock_hz = clock();
    measurement.clock_moved = std::abs(measurement.clock_hz / first_hz - 1) > moved;
  }
}

}  // namespace

Measurement bench(const std::vector<HostStreams>& gpus, std::size_t memory_bytes, const HostCase& one,
                  int repeats, const std::function<double()>& clock, const Progress& progress) {
  one.algorithm->check(one.problem);
  Measurement measurement{.algorithm = one.algorithm->slug, .problem = one.problem, .input = one.input};
  const auto named = [&](const std::exception& failure) {
    return in_words(measurement) + ": " + failure.what();
  };
  try {
    detail::with_sorted<false>(RadixKeys{}, RecordTypes{}, one.problem,
                               [&]<class Element>(std::type_identity<Element>, Unstable) {
                                 SortInHostMemory<Element> sort(gpus, memory_bytes, one);
                                 sort.check();  // it also warms up
                                 measurement.checked = true;
                                 time_runs(sort, repeats, clock, progress, measurement);
                               });
  } catch (const KernelFailure& failure) {
    throw KernelFailure(named(failure));
  } catch (const OutOfDeviceMemory& failure) {
    throw OutOfDeviceMemory(named(failure));
  } catch (const OutOfHostMemory& failure) {
    throw OutOfHostMemory(named(failure) + ": choose a smaller n");
  } catch (const std::invalid_argument& failure) {
    throw std::invalid_argument(named(failure));
  }
  return measurement;
}

}  // namespace fathom
