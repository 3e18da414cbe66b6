// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/units.h>

#include <catch2/catch.hpp>

#include <functional>

using namespace fathom;

namespace {

template <class Operation, class A, class B>
constexpr bool compiles = std::is_invocable_v<Operation, A, B>;
using Add = std::plus<>;
using Compare = std::less<>;
using Divide = std::divides<>;
using Multiply = std::multiplies<>;

static_assert(compiles<Add, Seconds, Seconds> && compiles<Compare, Seconds, Seconds>);
static_assert(compiles<Divide, Seconds, Seconds> && compiles<Multiply, Seconds, Hertz>);

// Mixing up units does not compile.
static_assert(!compiles<Add, Seconds, Clocks> && !compiles<Add, Bytes, Elements>);
static_assert(!compiles<Add, Seconds, double> && !compiles<Compare, Seconds, Clocks>);
static_assert(!compiles<Compare, Bytes, Elements> && !compiles<Compare, Hertz, double>);
static_assert(!compiles<Divide, Bytes, Elements> && !compiles<Divide, Seconds, Clocks>);
static_assert(!compiles<Divide, Bytes, Hertz> && !compiles<Multiply, Seconds, Seconds>);
static_assert(!compiles<Multiply, Clocks, Hertz> && !std::is_assignable_v<Seconds&, Clocks>);
static_assert(!std::is_assignable_v<Bytes&, Elements> && !std::is_assignable_v<Seconds&, double>);

}  // namespace

TEST_CASE("clocks over a rate are seconds, and seconds times a rate are clocks") {
  const Hertz rate{2e9};
  CHECK((Clocks{4e9} / rate).value == 2);
  CHECK((Seconds{2} * rate).value == 4e9);
}

TEST_CASE("quantities of one unit add, scale and form ratios") {
  Bytes sum{3};
  sum += Bytes{4} - Bytes{1};
  CHECK(sum == Bytes{6});
  CHECK(2 * sum == sum * 2);
  CHECK((sum / 2).value == 3);
  CHECK(sum / Bytes{2} == 3);
  CHECK(Bytes{1} < Bytes{2});
}
