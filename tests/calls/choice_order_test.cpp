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

/// Estimates of choices with E from `first` on.
EstimateOfChoice estimates_from(int first) {
  return [=](const Parameters& choice, const Reference&) {
    return choice.at("E") >= first ? some_work : nullptr;
  };
}

TEST_CASE("estimates rank choices ahead of the neighbours of the fastest") {
  ChoiceOrder order(grid(9, 1), {{"E", 0}, {"t", 0}}, fastest_at(5, 0), estimates_from(3));
  CHECK(!order.estimate(5));  // there is no reference yet
  CHECK(order.next() == 0u);  // the usual choice
  order.set(0, some_work);
  CHECK(order.estimate(5) == some_work);
  CHECK(!order.estimate(2));
  CHECK(order.next() == 5u);
  CHECK(order.next() == 4u);
  CHECK(order.next() == 6u);
  for (int i = 0; i < 3; ++i) CHECK(order.next() != 1u);
  CHECK(order.next() == 1u);  // the neighbour of 0, of which there is no estimate
}

TEST_CASE("an estimate is made from the nearest reference, and again when a nearer one is known") {
  std::vector<int> references;
  const EstimateOfChoice estimate = [&](const Parameters& choice, const Reference& reference) {
    if (choice.at("E") == 8) references.push_back(reference.choice.at("E"));
    return some_work;
  };
  ChoiceOrder order(grid(9, 1), {{"E", 0}, {"t", 0}}, fastest_at(8, 0), estimate);
  order.add_reference({{{"E", -1}, {"t", 0}}, some_work});
  CHECK(order.estimate(8));
  for (const std::size_t known : {3, 1, 7}) {
    order.set(known, some_work);
    CHECK(order.estimate(8));
  }
  CHECK(references == std::vector<int>{-1, 3, 7});
  order.set(8, some_work);
  CHECK(!order.estimate(8));  // it is known
}

TEST_CASE("choices that are hopeless by their estimates are left out if they are asked to be") {
  const SecondsOfChoice seconds = [](const Parameters& choice, const AlgorithmWork&) {
    return 1 + 0.04 * choice.at("E");  // 1, 1.04, 1.08, 1.12, …
  };
  const auto given = [&](bool all) {
    ChoiceOrder order(grid(9, 1), {{"E", 0}, {"t", 0}}, seconds, estimates_from(0));
    if (!all) order.leave_out_hopeless();
    return counted(std::move(order)).size();
  };
  CHECK(given(true) == 9);
  CHECK(given(false) == 4);
}

TEST_CASE("hope needs an estimate: choices without one are counted") {
  ChoiceOrder order(grid(9, 1), {{"E", 0}, {"t", 0}}, fastest_at(0, 0), estimates_from(6));
  order.leave_out_hopeless();
  std::set<int> all;
  for (const Parameters& choice : counted(std::move(order))) all.insert(choice.at("E"));
  CHECK(all == std::set<int>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("known choices are not given, and the others are ranked by the work of the nearest") {
  ChoiceOrder order(grid(9, 1), {{"E", 0}, {"t", 0}}, fastest_at(5, 0));
  for (const std::size_t known : {0, 8}) order.set(known, some_work);
  CHECK(order.left() == 7);
  // E = 8 is the faster of the two known; its neighbour first, then what promises to be fastest.
  CHECK(order.next() == 7u);
  CHECK(order.next() == 5u);
}
