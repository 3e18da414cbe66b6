// SPDX-License-Identifier: Apache-2.0
// The order in which choices are counted, on times that are stated by hand.
#include <fathom/calls/tuning/choice_order.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace fathom;
using namespace fathom::calls;

namespace {

std::vector<Parameters> grid(int tiles, int widths) {
  std::vector<Parameters> all;
  for (int e = 0; e < tiles; ++e)
    for (int t = 0; t < widths; ++t) all.push_back({{"E", e}, {"t", t}});
  return all;
}

const SharedWork some_work = std::make_shared<const AlgorithmWork>();

/// Seconds that grow with the distance from a fastest choice.
SecondsOfChoice fastest_at(int e, int t) {
  return [=](const Parameters& choice, const AlgorithmWork&) {
    return 1.0 + std::hypot(choice.at("E") - e, choice.at("t") - t);
  };
}

/// The choices in the order of counting, each of which succeeds.
std::vector<Parameters> counted(ChoiceOrder order) {
  std::vector<Parameters> all;
  while (const auto next = order.next()) {
    all.push_back(order.choices()[*next]);
    order.set(*next, some_work);
  }
  return all;
}

}  // namespace

TEST_CASE("the usual choice comes first, then neighbours, and the fastest long before the end") {
  const Parameters usual{{"E", 1}, {"t", 1}}, fastest{{"E", 6}, {"t", 4}};
  const auto order = counted({grid(10, 8), usual, fastest_at(6, 4)});
  REQUIRE(order.size() == 80);
  CHECK(order.front() == usual);
  const int steps = std::abs(order[1].at("E") - 1) + std::abs(order[1].at("t") - 1);
  CHECK(steps == 1);
  CHECK(std::ranges::find(order, fastest) - order.begin() <= 20);
}

TEST_CASE("every choice comes once, also where none can be counted") {
  ChoiceOrder order(grid(3, 3), {{"E", 0}, {"t", 0}}, fastest_at(0, 0));
  std::vector<Parameters> all;
  while (const auto next = order.next()) {
    all.push_back(order.choices()[*next]);
    order.set(*next, nullptr);
  }
  CHECK(order.left() == 0);
  CHECK(std::isinf(order.fastest_s()));
  std::ranges::sort(all);
  CHECK(all == grid(3, 3));
}

TEST_CASE("a usual choice that is not among the choices is replaced by the nearest") {
  ChoiceOrder order(grid(3, 1), {{"E", 7}, {"t", 0}}, fastest_at(0, 0));
  order.set(0, some_work);
  const auto first = order.next();
  REQUIRE(first);
  CHECK(order.choices()[*first] == Parameters{{"E", 2}, {"t", 0}});
}

TEST_CASE("similar work ranks choices ahead of the neighbours of the fastest") {
  ChoiceOrder order(grid(9, 1), {{"E", 0}, {"t", 0}}, fastest_at(5, 0));
  for (std::size_t i = 3; i < 9; ++i) order.set_similar(i, *some_work);
  CHECK(order.next() == 0u);  // the usual choice
  order.set(0, some_work);
  CHECK(order.next() == 5u);
  CHECK(order.next() == 4u);
  CHECK(order.next() == 6u);
  for (int i = 0; i < 3; ++i) CHECK(order.next() != 1u);
  CHECK(order.next() == 1u);  // the neighbour of 0, of which nothing similar is known
}

TEST_CASE("known choices are not given, and the others are ranked by the work of the nearest") {
  ChoiceOrder order(grid(9, 1), {{"E", 0}, {"t", 0}}, fastest_at(5, 0));
  for (const std::size_t known : {0, 8}) order.set(known, some_work);
  CHECK(order.left() == 7);
  // E = 8 is the faster of the two known; its neighbour first, then what promises to be fastest.
  CHECK(order.next() == 7u);
  CHECK(order.next() == 5u);
}
