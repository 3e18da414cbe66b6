// The checks must see what is wrong, or a passing bench means nothing.
#include <fathom/algorithms/check/check.h>
#include <fathom/device/counting_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t n = 3000;

struct Fixture {
  CountingExecutor executor;
  DeviceArray<u32> input{executor, n}, output{executor, n};

  Span<const u32> in() const { return {input.data(), n}; }
  Span<const u32> out() const { return {output.data(), n}; }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a sorted permutation passes, anything else does not") {
  fill_input<u32>(executor, input.span(), Input::random);
  auto keys = input.download();
  std::sort(keys.begin(), keys.end());
  const auto put = [&] { executor.upload(output.data(), keys.data(), output.bytes()); };
  put();
  CHECK_NOTHROW(check_sorted<u32, Less>(executor, in(), out()));

  const auto right = keys;
  std::swap(keys[100], keys[101]);
  put();
  CHECK_THROWS_WITH((check_sorted<u32, Less>(executor, in(), out())),
                    Contains("1 of 3000 keys are out of order"));

  keys = right;
  keys[50] = keys[51];  // one key lost, another twice
  put();
  CHECK_THROWS_WITH((check_sorted<u32, Less>(executor, in(), out())), Contains("other keys"));

  keys.assign(n, 0);
  put();
  CHECK_THROWS_WITH((check_sorted<u32, Less>(executor, in(), out())), Contains("other keys"));
}

TEST_CASE_METHOD(Fixture, "an exact scan passes, one wrong element does not") {
  fill_input<u32>(executor, input.span(), Input::random);
  const auto values = input.download();
  std::vector<u32> scanned(n);
  std::exclusive_scan(values.begin(), values.end(), scanned.begin(), 0u);
  const auto put = [&] { executor.upload(output.data(), scanned.data(), output.bytes()); };
  put();
  CHECK_NOTHROW(check_exclusive_scan<u32, Plus>(executor, in(), out()));
  for (std::size_t wrong : {std::size_t(0), n / 2, n - 1}) {
    ++scanned[wrong];
    put();
    CHECK_THROWS_WITH((check_exclusive_scan<u32, Plus>(executor, in(), out())),
                      Contains("differ from the definition"));
    --scanned[wrong];
  }
}

TEST_CASE_METHOD(Fixture, "the right sum passes, any other does not") {
  fill_input<u32>(executor, input.span(), Input::random);
  const auto values = input.download();
  u32 sum = std::accumulate(values.begin(), values.end(), 0u);
  const auto put = [&] { executor.upload(output.data(), &sum, sizeof sum); };
  put();
  CHECK_NOTHROW(check_reduction<u32, Plus>(executor, in(), out()));
  ++sum;
  put();
  CHECK_THROWS_WITH((check_reduction<u32, Plus>(executor, in(), out())),
                    Contains(std::to_string(sum) + " for the reduction of 3000 elements, which is " +
                             std::to_string(sum - 1)));
  sum = 0;
  put();
  CHECK_NOTHROW(check_reduction<u32, Plus>(executor, {input.data(), 0}, out()));
}

TEST_CASE("pairs are added and compared component by component") {
  CountingExecutor executor;
  const DeviceArray<Pair> input(executor, n), output(executor, 1);
  fill_input<Pair>(executor, input.span(), Input::random);
  Pair sum{};
  for (const Pair& pair : input.download()) sum = {sum.first + pair.first, sum.second + pair.second};
  const auto check = [&](Pair result) {
    executor.upload(output.data(), &result, sizeof result);
    check_reduction<Pair, Plus>(executor, {input.data(), n}, {output.data(), 1});
  };
  CHECK_NOTHROW(check(sum));
  CHECK_THROWS_AS(check({sum.first + 1, sum.second}), KernelFailure);
  CHECK_THROWS_AS(check({sum.first, sum.second + 1}), KernelFailure);
}

TEMPLATE_TEST_CASE("random floating-point input has sums that are exact in any order", "", f32, f64) {
  CountingExecutor executor;
  const DeviceArray<TestType> input(executor, n), output(executor, n);
  fill_input<TestType>(executor, input.span(), Input::random);
  const auto values = input.download();
  for (TestType value : {-1, 0, 1}) CHECK(std::count(values.begin(), values.end(), value) > int(n) / 4);
  CHECK(rounding_depth(Input::random, 100) == 0);

  TestType sum = std::accumulate(values.rbegin(), values.rend(), TestType(0));
  executor.upload(output.data(), &sum, sizeof sum);
  CHECK_NOTHROW(check_reduction<TestType, Plus>(executor, {input.data(), n}, {output.data(), 1}));
  sum = std::nextafter(sum, TestType(1e9));
  executor.upload(output.data(), &sum, sizeof sum);
  CHECK_THROWS_AS((check_reduction<TestType, Plus>(executor, {input.data(), n}, {output.data(), 1})),
                  KernelFailure);
}

TEMPLATE_TEST_CASE("sums that round may be wrong by depth·ε·Σ|x|, no more", "", f32, f64) {
  CountingExecutor executor;
  const DeviceArray<TestType> input(executor, n), output(executor, n);
  fill_input<TestType>(executor, input.span(), Input::zipf);
  const auto values = input.download();
  std::vector<TestType> scanned(n);
  std::exclusive_scan(values.begin(), values.end(), scanned.begin(), TestType(0));
  const Span<const TestType> in{input.data(), n}, out{output.data(), n};
  const auto put = [&] { executor.upload(output.data(), scanned.data(), output.bytes()); };
  put();
  CHECK_NOTHROW(check_exclusive_scan<TestType, Plus>(executor, in, out, n));
  // All inputs are positive, so that the last result is nearly Σ|x|, and an error of four times the bound is
  // seen.
  const TestType last = scanned.back(), bound = TestType(n) * std::numeric_limits<TestType>::epsilon() * last;
  scanned.back() = last + 4 * bound;
  put();
  CHECK_THROWS_WITH((check_exclusive_scan<TestType, Plus>(executor, in, out, n)), Contains("1 of 3000"));

  TestType sum = last + values.back();
  executor.upload(output.data(), &sum, sizeof sum);
  CHECK_NOTHROW(check_reduction<TestType, Plus>(executor, in, out, n));
  sum += 4 * bound;
  executor.upload(output.data(), &sum, sizeof sum);
  CHECK_THROWS_AS((check_reduction<TestType, Plus>(executor, in, out, n)), KernelFailure);
}

TEST_CASE_METHOD(Fixture, "input patterns are what they are called") {
  const auto make = [&](Input pattern) {
    fill_input<u32>(executor, input.span(), pattern);
    return input.download();
  };
  const auto distinct = [](std::vector<u32> keys) {
    std::sort(keys.begin(), keys.end());
    return std::size_t(std::unique(keys.begin(), keys.end()) - keys.begin());
  };
  const auto descents = [](const std::vector<u32>& keys) {
    std::size_t count = 0;
    for (std::size_t i = 1; i < keys.size(); ++i) count += keys[i] < keys[i - 1];
    return count;
  };
  CHECK(distinct(make(Input::random)) > n - 10);
  CHECK(descents(make(Input::random)) > n / 3);
  CHECK(descents(make(Input::sorted)) == 0);
  CHECK(distinct(make(Input::sorted)) == n);
  CHECK(descents(make(Input::reverse)) == n - 1);
  const auto nearly = make(Input::nearly_sorted);
  CHECK(descents(nearly) > 0);
  CHECK(descents(nearly) < n / 32);
  CHECK(distinct(make(Input::few_unique)) == 16);
  CHECK(distinct(make(Input::equal)) == 1);
  const auto zipf = make(Input::zipf);
  const auto ones = std::size_t(std::count(zipf.begin(), zipf.end(), 1u));
  CHECK(ones > n * 45 / 100);  // P(1) = 1/2
  CHECK(ones < n * 55 / 100);
}

TEMPLATE_TEST_CASE("a conflict-heavy input is a permutation of the sorted one, whatever the tiles", "", u32,
                   u64, f64) {
  CountingExecutor executor;
  for (const TileShape tile : {TileShape{64, 3}, TileShape{64, 32}, TileShape{128, 17}, TileShape{256, 47}})
    for (const int around :
         {1, tile.elements, tile.threads * tile.elements, 5 * tile.threads * tile.elements})
      for (const int count : {around - 1, around, around + 1}) {
        if (count == 0) continue;
        INFO("n = " << count << ", t = " << tile.threads << ", E = " << tile.elements);
        const DeviceArray<TestType> keys(executor, std::size_t(count)), sorted(executor, std::size_t(count));
        executor.fill(keys.data(), 0xa5, keys.bytes());
        fill_input<TestType>(executor, keys.span(), Input::conflict_heavy, tile);
        fill_input<TestType>(executor, sorted.span(), Input::sorted);
        auto found = keys.download();
        std::sort(found.begin(), found.end());
        CHECK((found == sorted.download()));
      }
}
