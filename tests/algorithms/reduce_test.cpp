#include <fathom/algorithms/count.h>
#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/reduce/reductions.h>
#include <fathom/algorithms/registry.h>
#include <fathom/device/counting_executor.h>

#include <catch2/catch.hpp>

#include <functional>
#include <numeric>
#include <random>
#include <set>

using namespace fathom;

namespace {

/// 2 × 2 matrices modulo a prime, under multiplication: the order of the factors matters.
struct Matrix {
  u32 entry[4];
  bool operator==(const Matrix&) const = default;
};
struct MatrixProduct {
  static constexpr u64 prime = 1000003;
  template <class T>
  T operator()(const T& a, const T& b) const {
    const auto dot = [](u32 p, u32 q, u32 r, u32 s) { return u32((u64(p) * q + u64(r) * s) % prime); };
    return {{dot(a.entry[0], b.entry[0], a.entry[1], b.entry[2]),
             dot(a.entry[0], b.entry[1], a.entry[1], b.entry[3]),
             dot(a.entry[2], b.entry[0], a.entry[3], b.entry[2]),
             dot(a.entry[2], b.entry[1], a.entry[3], b.entry[3])}};
  }
  template <class T>
  static constexpr T identity() {
    return {{1, 0, 0, 1}};
  }
};

/// Strings known by length and polynomial hash, under concatenation.
struct Text {
  u32 length, hash;
  bool operator==(const Text&) const = default;
};
struct Concatenate {
  static constexpr u64 prime = 4294967291u, base = 65599;
  template <class T>
  T operator()(const T& a, const T& b) const {
    u64 shift = 1, power = base;
    for (u32 bits = b.length; bits > 0; bits /= 2) {
      if (bits % 2) shift = shift * power % prime;
      power = power * power % prime;
    }
    return {a.length + b.length, u32((a.hash * shift + b.hash) % prime)};
  }
  template <class T>
  static constexpr T identity() {
    return {0, 0};
  }
};

/// Affine maps modulo a prime and how many were composed, in 12 bytes, which divide no power of two.
struct Map {
  u32 slope, shift, count;
  bool operator==(const Map&) const = default;
};
struct Compose {
  static constexpr u64 prime = 1000003;
  template <class T>
  T operator()(const T& a, const T& b) const {
    return {u32(u64(a.slope) * b.slope % prime), u32((u64(a.shift) * b.slope + b.shift) % prime),
            a.count + b.count};
  }
  template <class T>
  static constexpr T identity() {
    return {1, 0, 0};
  }
};

}  // namespace

template <>
struct fathom::TypeName<Map> {
  static constexpr const char* text = "Map";
};
template <>
struct fathom::TypeName<Compose> {
  static constexpr const char* text = "Compose";
};
template <>
struct fathom::TypeName<Matrix> {
  static constexpr const char* text = "Matrix";
};
template <>
struct fathom::TypeName<MatrixProduct> {
  static constexpr const char* text = "MatrixProduct";
};
template <>
struct fathom::TypeName<Text> {
  static constexpr const char* text = "Text";
};
template <>
struct fathom::TypeName<Concatenate> {
  static constexpr const char* text = "Concatenate";
};

namespace {

template <class T>
T random_value(std::mt19937_64& generator) {
  if constexpr (std::is_floating_point_v<T>)
    return T(int(generator() % 3) - 1);  // sums are exact in any order
  else if constexpr (std::is_same_v<T, Pair>)
    return {u32(generator()), u32(generator())};
  else if constexpr (std::is_same_v<T, Matrix>)
    return {
        {u32(generator() % 1000), u32(generator() % 1000), u32(generator() % 1000), u32(generator() % 1000)}};
  else if constexpr (std::is_same_v<T, Text>)
    return {u32(generator() % 4), u32(generator() % 1000)};
  else if constexpr (std::is_same_v<T, Map>)
    return {u32(generator() % 1000), u32(generator() % 1000), 1};
  else
    return T(generator());
}

template <class T>
std::vector<T> random_values(std::size_t n) {
  std::mt19937_64 generator(n);
  std::vector<T> values(n);
  for (T& value : values) value = random_value<T>(generator);
  return values;
}

/// What the class `Reduction` makes of `values`, which start `offset` elements behind a 16-byte boundary; run
/// twice, as a solver may be.
template <class Reduction, class T, class... Parameters>
T reduce_on_cpu(Executor& executor, const std::vector<T>& values, std::size_t offset,
                Parameters... parameters) {
  std::vector<T> shifted(offset);
  shifted.insert(shifted.end(), values.begin(), values.end());
  const DeviceArray<T> input(executor, std::span<const T>(shifted)), output(executor, 1);
  Reduction reduction(executor, Index(values.size()), parameters...);
  T result{};
  for (int run = 0; run < 2; ++run) {
    executor.fill(output.data(), 0xa5, output.bytes());
    reduction.run({input.data() + offset, values.size()}, output.span());
    result = output.download().front();
  }
  REQUIRE(input.download() == shifted);
  return result;
}

template <class T, class Operator>
T expected_of(const std::vector<T>& values) {
  return std::accumulate(values.begin(), values.end(), Operator::template identity<T>(), Operator{});
}

/// Each algorithm with parameters small enough that few elements make many blocks, levels and tiles.
template <template <class, class> class Reduction>
struct Shape;
template <>
struct Shape<ReduceTree> {
  static constexpr std::array parameters{std::tuple{32}, std::tuple{64}};
  static constexpr int tile = 64;
};
template <>
struct Shape<ReduceCascading> {
  static constexpr std::array parameters{std::tuple{32}, std::tuple{64}};
  static constexpr int tile = 64 * 8;
};
template <>
struct Shape<ReducePipeline> {
  static constexpr std::array parameters{std::tuple{32, 1}, std::tuple{64, 4}};
  static constexpr int tile = 4 * 32 * 4;
};
template <>
struct Shape<ReduceMatrix> {
  static constexpr std::array parameters{std::tuple{32}, std::tuple{64}};
  static constexpr int tile = 1024;
};
template <>
struct Shape<ReduceVector> {
  static constexpr std::array parameters{std::tuple{32, 2}, std::tuple{64, 4}};
  static constexpr int tile = 64 * 4 * 4;
};

template <template <class, class> class Reduction, class T, class Operator>
void check(std::size_t n, std::size_t offset = 0) {
  const auto values = random_values<T>(n);
  const T expected = expected_of<T, Operator>(values);
  for (const auto& parameters : Shape<Reduction>::parameters) {
    CountingDevice device;
    device.multiprocessors = 2;
    CountingExecutor executor(device);
    const T result = std::apply(
        [&](auto... each) {
          return reduce_on_cpu<Reduction<T, Operator>>(executor, values, offset, each...);
        },
        parameters);
    INFO("n = " << n << ", " << offset << " elements behind a boundary, t = " << std::get<0>(parameters));
    CHECK((result == expected));
  }
}

template <template <class, class> class Reduction>
void check_sizes() {
  const std::size_t tile = Shape<Reduction>::tile;
  for (std::size_t n :
       {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(31), std::size_t(32), std::size_t(33),
        tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 9 * tile + 5, 40 * tile - 1})
    check<Reduction, u32, Plus>(n);
}

template <template <class, class> class Reduction>
void check_types_and_operators() {
  const std::size_t n = 7 * Shape<Reduction>::tile + 13;
  check<Reduction, u64, Plus>(n);
  check<Reduction, f32, Plus>(n);
  check<Reduction, f64, Plus>(n);
  check<Reduction, Pair, Plus>(n);
  check<Reduction, u32, Minimum>(n);
  check<Reduction, u64, Maximum>(n);
  check<Reduction, f32, Minimum>(n);
  check<Reduction, f64, Maximum>(n);
}

template <template <class, class> class Reduction>
void check_order_is_kept() {
  for (std::size_t n : {0, 1, 2, 33, 1023, 1025, 5003}) {
    check<Reduction, Matrix, MatrixProduct>(n);
    check<Reduction, Text, Concatenate>(n);
    check<Reduction, Map, Compose>(n);
  }
}

template <template <class, class> class Reduction>
void check_any_alignment() {
  for (std::size_t offset : {1, 2, 3})
    for (std::size_t n : {0, 1, 2, 3, 4, 5, 127, 128, 129, 3001}) check<Reduction, u32, Plus>(n, offset);
  for (std::size_t n : {0, 1, 2, 63, 64, 3001}) check<Reduction, f64, Plus>(n, 1);
}

}  // namespace

TEST_CASE("tree reduction: sizes, types, order, alignment") {
  check_sizes<ReduceTree>();
  check_types_and_operators<ReduceTree>();
  check_order_is_kept<ReduceTree>();
  check_any_alignment<ReduceTree>();
}
TEST_CASE("cascading reduction: sizes, types, alignment") {
  check_sizes<ReduceCascading>();
  check_types_and_operators<ReduceCascading>();
  check_any_alignment<ReduceCascading>();
}
TEST_CASE("pipeline reduction: sizes, types, order, alignment") {
  check_sizes<ReducePipeline>();
  check_types_and_operators<ReducePipeline>();
  check_order_is_kept<ReducePipeline>();
  check_any_alignment<ReducePipeline>();
  check<ReducePipeline, Text, Concatenate>(3001, 1);  // the head and the tail, too
}
TEST_CASE("matrix reduction: sizes, types, order, alignment") {
  check_sizes<ReduceMatrix>();
  check_types_and_operators<ReduceMatrix>();
  check_order_is_kept<ReduceMatrix>();
  check_any_alignment<ReduceMatrix>();
}
TEST_CASE("vector reduction: sizes, types, alignment") {
  check_sizes<ReduceVector>();
  check_types_and_operators<ReduceVector>();
  check_any_alignment<ReduceVector>();
}

TEST_CASE("operators that do not commute tell one order from another") {
  // What the tests of order rest on: the same elements in another order give another result.
  auto matrices = random_values<Matrix>(100);
  auto texts = random_values<Text>(100);
  const Matrix product = expected_of<Matrix, MatrixProduct>(matrices);
  const Text text = expected_of<Text, Concatenate>(texts);
  std::swap(matrices[40], matrices[41]);
  std::swap(texts[40], texts[41]);
  CHECK_FALSE((expected_of<Matrix, MatrixProduct>(matrices) == product));
  CHECK_FALSE((expected_of<Text, Concatenate>(texts) == text));
}

TEST_CASE("floating-point reductions of any input are within the bound of their depth") {
  for (const Algorithm& each : algorithms()) {
    if (each.family != "reduce" || each.baseline) continue;
    for (ElementType type : {ElementType::f32, ElementType::f64})
      for (Input input : {Input::random, Input::sorted, Input::few_unique, Input::zipf}) {
        CountingExecutor executor;
        INFO(each.slug << " " << name(type) << " " << name(input));
        const Problem problem{20011, type, each.formula->default_parameters()};
        CHECK_NOTHROW(each.make_driver(executor, problem, input)->check());
      }
  }
}

TEST_CASE("reductions move the words that their formulas say, without a bank conflict") {
  Machine<double> machine;
  machine.name = "small";
  machine.multiprocessors = 4;
  machine.cores_per_multiprocessor = 128;
  machine.limits.shared_bytes_per_multiprocessor = machine.limits.shared_bytes_per_block = 200 * 1024;
  for (const Algorithm& each : algorithms()) {
    if (each.family != "reduce" || each.baseline) continue;
    for (ElementType type : {ElementType::u32, ElementType::pair})
      for (double n : {262144., 100003.}) {
        const CountCase counted{&each, {n, type, each.formula->default_parameters()}};
        const Count counts = count(counted, counting_device(machine, counted));
        INFO(each.slug << " " << name(type) << " n = " << n);
        for (const AuditEntry& entry : audit(each, counted.problem, machine, counts.kernels)) {
          if (entry.law != LawName::calibrated) continue;
          INFO(entry.phase << " " << name(entry.level));
          REQUIRE(entry.ratio());
          CHECK(*entry.ratio() == Approx(1).epsilon(0.01));
        }
        for (const KernelCounts& kernel : counts.kernels)
          CHECK(kernel.shared().slots == kernel.shared().least_slots);
      }
  }
}

TEMPLATE_TEST_CASE("two rows put a warp's nodes on all banks", "", u32, u64) {
  constexpr int words = sizeof(TestType) / 4, part = 32 / words;  // lanes served together
  for (int length : {32, 128}) {
    std::vector<TestType> memory(2 * length, ~TestType(0));
    const TwoRows<TestType> rows{{memory.data(), 2 * length}, length};
    for (int node = 0; node < 2 * length; ++node) rows.store(node, TestType(node));
    const auto bank = [&](int node) {
      return int(std::find(memory.begin(), memory.end(), TestType(node)) - memory.begin()) * words % 32;
    };
    for (int k = 0; k < length; ++k) {
      CHECK(rows.even(k) == TestType(2 * k));
      CHECK(rows.odd(k) == TestType(2 * k + 1));
    }
    for (int first = 0; first < length; first += part) {
      std::set<int> evens, odds, low_nodes, high_nodes;
      for (int k = first; k < first + part; ++k) {
        evens.insert(bank(2 * k));
        odds.insert(bank(2 * k + 1));
        low_nodes.insert(bank(k));
        high_nodes.insert(bank(length + k));
      }
      for (const auto& banks : {evens, odds, low_nodes, high_nodes}) CHECK(int(banks.size()) == part);
    }
  }
}
