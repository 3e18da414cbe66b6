// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/block/records.h>
#include <fathom/algorithms/gpus/choose_cuts.h>
#include <fathom/algorithms/launch.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/prepared_plan.h>

#include <catch2/catch.hpp>

#include <vector>

using namespace fathom;

namespace {

struct KeyedSample {
  u64 bits;
  Sample sample;
};
/// The cuts between so many parts among samples that are in order, equally many of each rank.
std::vector<RunCut> chosen(const std::vector<KeyedSample>& samples, const std::vector<Index>& n_of,
                           std::size_t parts, int slices = 1) {
  CountingExecutor executor;
  std::vector<u64> bits;
  std::vector<u32> tags;
  for (const auto& [key, sample] : samples) {
    bits.push_back(key);
    tags.push_back(sample.tag());
  }
  const DeviceArray<u64> bits_of(executor, std::span<const u64>(bits));
  const DeviceArray<u32> tags_of(executor, std::span<const u32>(tags));
  const DeviceArray<Index> n(executor, std::span<const Index>(n_of));
  const DeviceArray<RunCut> cuts(executor, parts - 1);
  PreparedPlan plan(executor, {launch_of<ChooseCuts>(Index(samples.size()), Index(parts) - 1,
                                                     {64, ChooseCuts::shared_memory()})});
  plan.launch(0, ChooseCuts{read_only(bits_of.span()), read_only(tags_of.span()), read_only(n.span()), slices,
                            cuts.span()});
  executor.synchronize();
  return cuts.download();
}

}  // namespace

TEST_CASE("samples are drawn from equal shares of a rank's elements, in order") {
  for (const Index n : {Index(1), Index(5), Index(7), Index(1000), Index(1) << 40})
    for (const Index samples : {Index(1), Index(7), Index(8192)}) {
      INFO(samples << " of " << n);
      for (u32 number = 0; number < u32(samples); ++number) {
        const Index position = Sample{3, number}.position(samples, n);
        // Exact, as 2^40 times 8192 fits.
        REQUIRE(position >= n * number / samples);
        REQUIRE(position < std::max(n * number / samples + 1, n * (number + 1) / samples));
      }
    }
  CHECK(Sample::from(Sample{300, 8191}.tag()).rank == 300);
  CHECK(Sample::from(Sample{300, 8191}.tag()).number == 8191);
}

TEST_CASE("cuts are the samples nearest to equal parts, each counting for what it stands for") {
  // Each sample of rank 0 stands for one of 4 elements, each of rank 1 for 10 of 40.
  const std::vector<KeyedSample> samples{{1, {0, 0}}, {2, {1, 0}}, {3, {0, 1}}, {4, {1, 1}},
                                         {5, {0, 2}}, {6, {1, 2}}, {7, {0, 3}}, {8, {1, 3}}};
  // In front of the samples are about 0.5, 6, 11.5, 17, 22.5, … elements; 22 are half of all.
  const auto half = chosen(samples, {4, 40}, 2);
  CHECK(half[0].bits == 5);
  CHECK(half[0].run == number_of_run(0, 0));
  // 11 and 33 are quarters; in front of the sixth sample are about 28, of the seventh 33.5.
  const auto quarters = chosen(samples, {4, 40}, 4);
  CHECK(quarters[0].bits == 3);
  CHECK(quarters[1].bits == 5);
  CHECK(quarters[2].bits == 7);
  // More samples than threads: each stands for one element.
  std::vector<KeyedSample> many;
  for (u32 i = 0; i < 1000; ++i) many.push_back({2 * i, {0, i}});
  const auto fifths = chosen(many, {1000}, 5);
  for (std::size_t part = 1; part < 5; ++part)
    CHECK(std::abs(double(fifths[part - 1].bits) - 400.0 * double(part)) <= 2);
}

TEST_CASE("ranks without elements have parts, and fewer elements than parts leave some empty") {
  const std::vector<KeyedSample> samples{{0, {0, 0}}, {0, {2, 0}}, {0, {3, 0}}, {7, {1, 0}}};
  const std::vector<RunCut> cuts = chosen(samples, {0, 1, 0, 0}, 4);
  REQUIRE(cuts.size() == 3);
  // A quarter of an element is as near to its beginning as to its middle, where its sample is; three quarters
  // are as near to the end.
  CHECK(cuts[0].bits < 7);
  for (const std::size_t behind : {1, 2}) {
    CHECK(cuts[behind].bits == 7);
    CHECK(cuts[behind].run == number_of_run(1, 0));
    CHECK(cuts[behind].before == 0);
  }
}

TEST_CASE("a key with all bits set is a sample like others") {
  // Both ranks have nothing else.
  const std::vector<KeyedSample> samples{
      {~u64(0), {0, 0}}, {~u64(0), {0, 1}}, {~u64(0), {1, 0}}, {~u64(0), {1, 1}}};
  const auto half = chosen(samples, {2, 2}, 2);
  CHECK(half[0].bits == ~u64(0));
  // In front of the second sample are about 1.5, of the next 2.5.
  CHECK(half[0].run == number_of_run(0, 0));
  CHECK(half[0].before == 1);
  CHECK(half[0].of == 2);
}

TEST_CASE("a cut falls into a run where its samples say") {
  // Every element is a sample, so positions are numbers. Rank 1 has 33 in two slices, the second of which
  // begins at 32 and has one; rank 0 has as many. All keys of rank 1 but the first are 5.
  std::vector<KeyedSample> samples;
  for (u32 i = 0; i < 33; ++i) samples.push_back({1, {0, i}});
  samples.push_back({2, {1, 0}});
  for (u32 i = 1; i < 33; ++i) samples.push_back({5, {1, i}});
  const auto cut = chosen(samples, {33, 33}, 4, 2);
  // Three quarters are 49.5 elements, as near to the 50th sample's middle as any: number 16 of rank 1.
  CHECK(cut[2].bits == 5);
  CHECK(cut[2].run == number_of_run(1, 0));
  CHECK(cut[2].before == 15);  // 1 to 15
  CHECK(cut[2].of == 31);      // 1 to 31
}
