// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/gpus/cuts.h>

#include <catch2/catch.hpp>

using namespace fathom;

namespace {

bool same(const Cut& a, const Cut& b) {
  return a.bits == b.bits && a.place == b.place;
}

}  // namespace

TEST_CASE("a cut comes after smaller keys, and after equal ones of ranks and positions before it") {
  const Cut cut{10, place_of(2, 5)};
  CHECK(cut.comes_after(9, place_of(7, 7)));
  CHECK(cut.comes_after(10, place_of(1, 1000)));
  CHECK(cut.comes_after(10, place_of(2, 4)));
  CHECK_FALSE(cut.comes_after(10, place_of(2, 5)));
  CHECK_FALSE(cut.comes_after(10, place_of(3, 0)));
  CHECK_FALSE(cut.comes_after(11, place_of(0, 0)));
  CHECK(behind_all.comes_after(~u64(0), place_of(65535, 0)));
}

TEST_CASE("cuts are the samples nearest to equal parts, each counting for what it stands for") {
  // Rank 0 has 4 elements, all of them samples; rank 1 has 40, of which each sample stands for 10.
  const std::vector<Sampled> of_rank{{4, 4}, {40, 4}};
  const std::vector<Cut> samples{{1, place_of(0, 0)},  {2, place_of(1, 5)}, {3, place_of(0, 1)},
                                 {4, place_of(1, 15)}, {5, place_of(0, 2)}, {6, place_of(1, 25)},
                                 {7, place_of(0, 3)},  {8, place_of(1, 35)}};
  // In front of the samples are about 0.5, 6, 11.5, 17, 22.5, … elements; 22 are half of all.
  const std::vector<Cut> cuts = choose_cuts(samples, of_rank, of_rank.size());
  REQUIRE(cuts.size() == 1);
  CHECK(same(cuts[0], samples[4]));
}

TEST_CASE("ranks without elements have parts, and fewer samples than parts leave some empty") {
  const std::vector<Sampled> of_rank{{0, 0}, {1, 1}, {0, 0}, {0, 0}};
  const std::vector<Cut> samples{{7, place_of(1, 0)}, behind_all};
  const std::vector<Cut> cuts = choose_cuts(samples, of_rank, of_rank.size());
  REQUIRE(cuts.size() == 3);
  // A quarter and a half of an element are nearer to the element's middle than to the end.
  CHECK(same(cuts[0], samples[0]));
  CHECK(same(cuts[1], samples[0]));
  CHECK(same(choose_cuts({}, std::vector<Sampled>{{0, 0}, {0, 0}}, 2)[0], behind_all));
}

TEST_CASE("a cut falls into a run where its samples say, and behind all of them") {
  // Three samples of key 5 in the second slice of rank 1, which begins at 100, and one in its first.
  const std::vector<Cut> samples{
      {4, place_of(1, 120)}, {5, place_of(0, 7)},   {5, place_of(1, 50)},  {5, place_of(1, 100)},
      {5, place_of(1, 130)}, {5, place_of(1, 190)}, {6, place_of(1, 110)}, behind_all};
  const auto run_of = [](u64 place) {
    return number_of_run(rank_of(place), rank_of(place) == 1 && position_of(place) >= 100 ? 1 : 0);
  };
  const RunCut cut = in_run(samples[4], samples, run_of);
  CHECK(cut.bits == 5);
  CHECK(cut.run == number_of_run(1, 1));
  CHECK(cut.before == 1);
  CHECK(cut.of == 3);
  CHECK(in_run(behind_all, samples, run_of).run > number_of_run(1000, 1000));
}
