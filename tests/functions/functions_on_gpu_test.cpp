// SPDX-License-Identifier: Apache-2.0
// The functions on a GPU, beside the standard library. Skipped (exit code 77) without one.
#include "../support/skip.h"
#include "filled_arrays.h"

#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/store/profile.h>

#include <catch2/catch.hpp>

#include <functional>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// Choices of an h200, on the GPU that is there.
struct OnGpu {
  CudaExecutor executor{0};
  Functions functions{executor, built_in_profile("h200")};
};

constexpr std::size_t sizes[] = {1, 33, 1024, 4097, 100003, 3000017};

template <class Key>
void sorts(OnGpu& on, void* stream) {
  for (const std::size_t n : sizes) {
    INFO(n);
    const std::vector<Key> keys = random_bits<Key>(n, unsigned(n));
    std::vector<Key> expected = keys;
    std::sort(expected.begin(), expected.end(), in_total_order<Key>);
    const DeviceArray<Key> input = on_device(on.executor, keys), output(on.executor, n);
    for (int run = 0; run < 3; ++run) {
      on.executor.use_stream(stream);
      on.executor.fill(output.data(), 0xa5, output.bytes());
      on.functions.sort(input.data(), output.data(), n, {.stream = stream});
      CHECK(same_bits(output.download(), expected));
    }
    on.functions.sort(input.data(), n, {.stream = stream});
    CHECK(same_bits(input.download(), expected));
  }
}

}  // namespace

TEST_CASE("sorts of every type of key, on the default stream and another") {
  skip_without_gpu();
  OnGpu on;
  const CudaExecutor other(0);
  for (void* stream : {static_cast<void*>(nullptr), other.stream()}) {
    sorts<u32>(on, stream);
    sorts<i32>(on, stream);
    sorts<f32>(on, stream);
    sorts<u64>(on, stream);
    sorts<i64>(on, stream);
    sorts<f64>(on, stream);
  }
}

TEST_CASE("descending order, and some bits of the keys") {
  skip_without_gpu();
  OnGpu on;
  for (const std::size_t n : sizes) {
    INFO(n);
    const std::vector<u64> keys = random_bits<u64>(n, unsigned(n));
    std::vector<u64> expected = keys;
    std::ranges::sort(expected, std::greater{});
    const DeviceArray<u64> input = on_device(on.executor, keys), output(on.executor, n);
    on.functions.sort(input.data(), output.data(), n, {.order = Order::descending});
    CHECK(output.download() == expected);
    expected = keys;
    std::ranges::stable_sort(expected, {}, [](u64 key) { return key >> 20 & 0xfffff; });
    on.functions.sort(input.data(), output.data(), n, {.bits = {20, 40}});
    CHECK(output.download() == expected);
    const std::vector<float> numbers = random_bits<float>(n, unsigned(n));
    std::vector<float> falling = numbers;
    std::ranges::sort(falling, [](float a, float b) { return in_total_order(b, a); });
    const DeviceArray<float> of_numbers = on_device(on.executor, numbers);
    on.functions.sort(of_numbers.data(), n, {.order = Order::descending});
    CHECK(same_bits(of_numbers.download(), falling));
  }
}

TEST_CASE("pairs, scans and reductions") {
  skip_without_gpu();
  OnGpu on;
  for (const std::size_t n : sizes) {
    INFO(n);
    const std::vector<u32> keys = few_keys<u32>(n, unsigned(n));
    std::vector<u32> places(n), sums(n);
    std::iota(places.begin(), places.end(), 0u);
    std::vector<u32> expected = places;
    std::stable_sort(expected.begin(), expected.end(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
    std::exclusive_scan(keys.begin(), keys.end(), sums.begin(), 0u);
    const DeviceArray<u32> input = on_device(on.executor, keys), output(on.executor, n);
    const DeviceArray<u32> values = on_device(on.executor, places), moved(on.executor, n),
                           sum(on.executor, 1);
    on.functions.scan(input.data(), output.data(), n);
    CHECK(output.download() == sums);
    on.functions.reduce(input.data(), sum.data(), n);
    CHECK(sum.download() == std::vector<u32>{sums.back() + keys.back()});
    const CallOptions stably{.stable = true};
    on.functions.sort_pairs(input.data(), values.data(), output.data(), moved.data(), n, stably);
    CHECK(moved.download() == expected);
    on.functions.sort_pairs(input.data(), values.data(), n, stably);
    CHECK(values.download() == expected);
    CHECK(input.download() == output.download());
  }
}

TEST_CASE("calls queued one after another in a work space of the caller's, without waiting between them") {
  skip_without_gpu();
  OnGpu on;
  constexpr std::size_t n = 1000003;
  const std::vector<u64> keys = random_bits<u64>(n, 1);
  std::vector<u64> expected = keys;
  std::sort(expected.begin(), expected.end());
  const Task task{Kind::sort, {ElementType::u64, {}}, n};
  const std::size_t bytes = on.functions.work_space_bytes(task);
  const DeviceArray<unsigned char> work_space(on.executor, bytes);
  const DeviceArray<u64> input = on_device(on.executor, keys);
  std::vector<DeviceArray<u64>> outputs;
  for (int i = 0; i < 8; ++i) outputs.emplace_back(on.executor, n);
  for (const DeviceArray<u64>& output : outputs)
    on.functions.sort(input.data(), output.data(), n,
                      {.work_space = work_space.data(), .work_space_bytes = bytes});
  for (const DeviceArray<u64>& output : outputs) CHECK(output.download() == expected);
}

TEST_CASE("each of many lists by itself") {
  skip_without_gpu();
  OnGpu on;
  std::vector<Index> begins{0};
  for (const Index length : {0, 1, 40, 0, 5000, 300000, 7}) begins.push_back(begins.back() + length);
  for (int i = 0; i < 20000; ++i) begins.push_back(begins.back() + i % 100);
  const std::size_t n = std::size_t(begins.back()), lists = begins.size() - 1;
  const std::vector<u64> keys = random_bits<u64>(n, 1);
  std::vector<u64> expected = keys;
  for (std::size_t i = 0; i < lists; ++i)
    std::sort(expected.begin() + begins[i], expected.begin() + begins[i + 1]);
  const DeviceArray<Index> list_begins = on_device(on.executor, begins);
  const DeviceArray<u64> input = on_device(on.executor, keys), output(on.executor, n);
  on.functions.sort_segments(input.data(), output.data(), n, list_begins.data(), lists);
  CHECK(output.download() == expected);
}
