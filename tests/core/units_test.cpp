#include <fathom/core/units.h>

#include <catch2/catch.hpp>

using namespace fathom;

namespace {

template <class A, class B>
concept addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept comparable = requires(A a, B b) {
  a < b;
};
template <class A, class B>
concept divisible = requires(A a, B b) {
  a / b;
};
template <class A, class B>
concept multipliable = requires(A a, B b) {
  a* b;
};
template <class A, class B>
concept assignable = requires(A a, B b) {
  a = b;
};

static_assert(addable<Seconds, Seconds> && comparable<Seconds, Seconds>);

// Mixing up units does not compile.
static_assert(!addable<Seconds, Clocks> && !addable<Bytes, Elements> && !addable<Seconds, double>);
static_assert(!comparable<Seconds, Clocks> && !comparable<Bytes, Elements> && !comparable<Hertz, double>);
static_assert(!divisible<Bytes, Elements> && !divisible<Seconds, Clocks> && !divisible<Bytes, Hertz>);
static_assert(!multipliable<Seconds, Seconds> && !multipliable<Clocks, Hertz>);
static_assert(!assignable<Seconds&, Clocks> && !assignable<Bytes&, Elements> &&
              !assignable<Seconds&, double>);

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
