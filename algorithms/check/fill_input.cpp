// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/check/conflict_heavy.h>
#include <fathom/algorithms/check/fill_input.h>
#include <fathom/algorithms/check/judge.h>
#include <fathom/algorithms/check/run_check.h>

#include <array>
#include <bit>
#include <cmath>
#include <tuple>

namespace fathom {
Pattern pattern_of(const Input& input) {
  switch (input.pattern) {
    case Input::random:
      return Pattern::random;
    case Input::sorted:
      return Pattern::sorted;
    case Input::reverse:
      return Pattern::reverse;
    case Input::nearly_sorted:
      return Pattern::nearly_sorted;
    case Input::few_unique:
      return Pattern::few_unique;
    case Input::equal:
      return Pattern::equal;
    case Input::zipf:
      return Pattern::zipf;
    case Input::sortedness:
      return Pattern::sortedness;
    case Input::entropy:
      return Pattern::entropy;
    case Input::conflict_heavy:
      break;  // its elements are not functions of their index alone
  }
  throw std::invalid_argument("unknown input pattern");
}

namespace {

/// The p ≤ ½ of a bit that is 1 with probability p and has so many bits of entropy, −p·log p − (1 − p)·log(1
/// − p).
double probability_of(double entropy) {
  double low = 0, high = 0.5;
  for (int step = 0; step < 60; ++step) {
    const double p = (low + high) / 2;
    const double bits = p > 0 ? -p * std::log2(p) - (1 - p) * std::log2(1 - p) : 0;
    (bits < entropy ? low : high) = p;
  }
  return (low + high) / 2;
}

}  // namespace

u64 threshold_of(const Input& input) {
  if (input.pattern == Input::sortedness) return u64(std::round(input.degree * 0x1p32));
  if (input.pattern == Input::entropy) return u64(std::round(probability_of(input.degree) * 0x1p16));
  return 0;
}

namespace {

/// One in 64 random floating-point keys is zero, infinite or denormal (core/elements/numbers.h).
std::vector<PrefixShare> random_prefixes(int exponent_bits, int bits) {
  if (bits == 1) return {{0.5, 2}};
  // So many prefixes of a sign have one exponent, or only a share of a prefix has.
  const double of_exponent = std::exp2(bits - 1 - exponent_bits);
  const double prefixes = std::max(1.0, of_exponent), finite = 1 - std::min(1.0, of_exponent);
  const double usual = 63 / 64.0 * std::exp2(-bits), denormal = usual + 1 / 512.0 / prefixes;
  // A zero's prefix is one of the denormal keys' of that sign. No other keys have the exponent of infinity.
  return {{denormal + 1 / 256.0, 2},
          {denormal, 2 * (prefixes - 1)},
          {usual * finite + 1 / 512.0, 2},
          {usual, std::exp2(bits) - 4 * prefixes}};
}

std::vector<PrefixShare> biased_prefixes(double of_one, int bits) {
  std::vector<PrefixShare> shares;
  double with_ones = 1;  // prefixes with so many bits that are 1
  for (int ones = 0; ones <= bits; ++ones) {
    shares.push_back({std::pow(of_one, ones) * std::pow(1 - of_one, bits - ones), with_ones});
    with_ones *= double(bits - ones) / (ones + 1);
  }
  return shares;
}

bool has_random_keys(const Input& input) {
  switch (input.pattern) {
    case Input::random:
    case Input::nearly_sorted:
      return true;
    case Input::sortedness:
      return input.degree < 1;
    case Input::entropy:
      return threshold_of(input) > 0;
    default:
      return false;
  }
}

/// Keys at each end of an input that tell of the others.
constexpr Index told = 256;

/// Where zipf's keys have more bits than all before them: behind the first ones, as far as 2^33 keys.
constexpr std::array<Index, 12> first_of_more_bits{
    259, 4137, 23486, 72812, 91199, 1009366, 2866022, 3747935, 63433462, 123162318, 340336568, 3169205348};

/// The first and last keys of an input without random ones tell of all: in ordered keys the bits that change
/// least often differ between the two ends, and those that change most often do so within either.
template <class Key>
u64 shared_by_keys(const Input& input, Index n) {
  const Pattern pattern = input == Input::conflict_heavy ? Pattern::sorted : pattern_of(input);
  const auto bits = [](u64 value) -> u64 { return ordered_bits(AsKey::of<Key>(value)); };
  const auto value = [&](Index i) { return pattern_value(pattern, i, n, threshold_of(input)); };
  const u64 first = bits(value(0));
  u64 differing = 0;
  for (Index i = 0; i < std::min(n, told); ++i)
    differing |= (first ^ bits(value(i))) | (first ^ bits(value(n - 1 - i)));
  if (pattern == Pattern::zipf)  // all but its largest keys are small, and keys below those have any bits
    for (const Index i : first_of_more_bits)
      if (i < n) differing |= first ^ bits(std::bit_ceil(value(i) + 1) - 1);
  return ~differing & ~u64(0) >> (64 - key_bits<Key>);
}

template <class T, class Role>
void fill(Executor& executor, Span<T> output, Input input, TileShape tile) {
  if (input != Input::conflict_heavy)
    return launch_over(executor, output.count,
                       FillInput<T, Role>{output, pattern_of(input), threshold_of(input)});
  Index longest_run = tile.elements;
  while (2 * longest_run < Index(output.count)) longest_run *= 2;
  launch_over(executor, output.count,
              ConflictHeavy<T, Role>{output, longest_run, tile.threads, tile.elements});
}

}  // namespace

TileShape tile_shape(const Problem& problem) {
  if (!problem.parameters.contains("t") || !problem.parameters.contains("E")) return {};
  if (problem.parameters.at("E") == 0) return {};  // sort-mms without such tiles
  return {.threads = problem.parameters.at("t"), .elements = problem.parameters.at("E")};
}

std::vector<PrefixShare> prefix_shares(const Input& input, ElementType key, int bits) {
  switch (input.pattern) {
    case Input::few_unique:
    case Input::equal:
    case Input::zipf:
      return {{1, 1}};  // small numbers, of zipf all but one in 2^16
    case Input::entropy:
      return biased_prefixes(probability_of(input.degree), bits);
    case Input::random:
      if (key == ElementType::f32) return random_prefixes(8, bits);
      if (key == ElementType::f64) return random_prefixes(11, bits);
      break;
    default:
      break;
  }
  return {{std::exp2(-bits), std::exp2(bits)}};  // spread over the type's range
}

std::vector<double> frequent_key_shares(const Input& input) {
  constexpr std::size_t most = 1000;
  std::vector<double> shares;
  switch (input.pattern) {
    case Input::few_unique:
      return std::vector<double>(16, 1 / 16.0);
    case Input::equal:
      return {1};
    case Input::zipf:
      for (std::size_t k = 1; k <= most; ++k) shares.push_back(1 / (double(k) * double(k + 1)));
      return shares;
    case Input::entropy:  // words of 32 bits, those with the fewest that are 1 first
      for (const auto& [share, keys] : biased_prefixes(probability_of(input.degree), 32))
        shares.insert(shares.end(), std::size_t(std::min(keys, double(most - shares.size()))), share);
      return shares;
    default:
      return {};
  }
}

u64 shared_bits(const Problem& problem, const Input& input) {
  if (has_random_keys(input)) return 0;
  return with_element_type(
      Types<u32, u64, i32, i64, f32, f64>{}, problem.type,
      [&]<class Key>(std::type_identity<Key>) { return shared_by_keys<Key>(input, Index(problem.n)); });
}

template <class Key>
void fill_keys(Executor& executor, Span<Key> output, Input input, TileShape tile) {
  fill<Key, AsKey>(executor, output, input, tile);
}

template <class T>
void fill_summands(Executor& executor, Span<T> output, Input input, TileShape tile) {
  fill<T, AsSummand>(executor, output, input, tile);
}

template <class Value>
void fill_values(Executor& executor, Span<Value> output) {
  launch_over(executor, output.count, FillValues<Value>{output});
}

namespace {

// Taking their addresses instantiates the functions for all types in this object file.
template <class... Key>
constexpr auto for_keys(Types<Key...>) {
  return std::tuple{&fill_keys<Key>...};
}
template <class... T>
constexpr auto for_summands(Types<T...>) {
  return std::tuple{&fill_summands<T>...};
}
[[gnu::used]] const auto key_functions = for_keys(KeyElements{});
[[gnu::used]] const auto summand_functions = for_summands(SummandElements{});

}  // namespace

template void fill_values<u32>(Executor&, Span<u32>);
template void fill_values<u64>(Executor&, Span<u64>);

}  // namespace fathom
