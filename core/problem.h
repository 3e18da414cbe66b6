// SPDX-License-Identifier: Apache-2.0
// Problems that algorithms solve, and patterns of input.
#pragma once

#include <fathom/core/element_type.h>
#include <fathom/core/parameters.h>
#include <fathom/core/portable.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

/// The task of an algorithm. A segmented sort sorts each of many lists by itself. `other` is anything else,
/// of which only the algorithm itself knows input and check.
enum class Kind { sort, segmented_sort, scan, reduce, other };
inline constexpr std::array all_kinds{Kind::sort, Kind::segmented_sort, Kind::scan, Kind::reduce,
                                      Kind::other};
std::string_view name(Kind kind);        ///< "sort"
bool is_sort(Kind kind);                 ///< it puts keys in order: of one list, or of many
Kind parse_kind(std::string_view text);  ///< throws std::invalid_argument naming the choices

enum class Order { ascending, descending };
std::string_view name(Order order);        ///< "ascending"
Order parse_order(std::string_view text);  ///< throws std::invalid_argument naming the choices

/// The type of elements, or of keys and of the value that accompanies each.
struct KeyAndValue {
  ElementType key{};
  std::optional<ElementType> value{};

  auto operator<=>(const KeyAndValue&) const = default;
};
std::string type_text(const KeyAndValue& type);      ///< "u32", and "u32:u64" for keys with values
KeyAndValue parse_type_text(std::string_view text);  ///< throws std::invalid_argument naming the choices

/// Bits [begin, end) of a key, of the unsigned integer that orders as it does.
struct KeyBits {
  int begin = 0, end = 0;  ///< both 0: all bits

  auto operator<=>(const KeyBits&) const = default;
  bool are_all() const { return end == 0; }
};

/// A problem instance. Everything except n and `type` is optional.
struct Problem {
  Kind kind = Kind::sort;
  double n = 0;                             ///< elements; whole, at most 2^53
  ElementType type = ElementType::u32;      ///< of the elements, or of the keys if there are values
  std::optional<ElementType> value_type{};  ///< of the value that accompanies each key
  Order order = Order::ascending;           ///< of a sort
  KeyBits key_bits{};                       ///< by which a sort orders; keys that agree in them are equal
  bool stable = false;                      ///< equal keys have to keep their order
  /// Elements that a sort with two paths sorts on the other one, because their keys begin like too many
  /// others; whole, at most n. If it is n, the sort takes that path, whatever the keys.
  double skewed = 0;
  /// Elements with keys that are frequent enough for a sort to put them at their places at once: `skewed` are
  /// then the others. If it is not 0, and `skewed` is not n, the sort does that whenever it finds such keys,
  /// however few elements there are.
  double frequent = 0;
  /// Bits of the keys, as a radix sort orders them, that are known to be the same in all keys: a sort that
  /// leaves out passes by such bits has a plan that says so. It decides by the keys all the same.
  u64 shared_bits = 0;
  /// Of a segmented sort: into how many lists the elements are cut; 0: as the parameter `length` says.
  double lists = 0;
  Parameters parameters{};

  double bytes_per_element() const;  ///< of key and value together
  bool operator==(const Problem&) const = default;
};

std::string type_text(const Problem& problem);
double words(const Problem& problem);  ///< 32-bit words of an element, of key and value together

/// The types for which a problem's kernels are instantiated, besides parameters: other kernels, other work.
struct Instantiation {
  KeyAndValue type;
  bool stable = false;

  Instantiation(ElementType key) : type{key, {}} {}
  Instantiation(KeyAndValue types, bool keeps_order) : type(types), stable(keeps_order) {}
  explicit Instantiation(const Problem& problem)
      : Instantiation({problem.type, problem.value_type}, problem.stable) {}

  auto operator<=>(const Instantiation&) const = default;
};
std::string name(const Instantiation& of);  ///< "u32:u32 stable"

/// A pattern of input. Conflict-heavy makes the merges of a pairwise mergesort read shared memory through few
/// banks. Two patterns have a degree from 0 to 1: sortedness, the share of elements at their place among
/// sorted ones, the others being random; and entropy, bits of entropy per bit of the keys, whose bits are
/// independent.
struct Input {
  enum Pattern {
    random,
    sorted,
    reverse,
    nearly_sorted,
    few_unique,
    equal,
    conflict_heavy,
    zipf,
    sortedness,
    entropy
  };
  Pattern pattern;
  double degree;  ///< 0 for patterns that have none

  constexpr Input(Pattern of = random, double by = 0) : pattern(of), degree(by) {}
  bool operator==(const Input&) const = default;
  auto operator<=>(const Input&) const = default;
};
/// Those without a degree.
inline constexpr std::array<Input, 8> all_inputs{Input::random,         Input::sorted,     Input::reverse,
                                                 Input::nearly_sorted,  Input::few_unique, Input::equal,
                                                 Input::conflict_heavy, Input::zipf};
std::string name(const Input& input);      ///< "nearly-sorted", "sortedness=0.5"
Input parse_input(std::string_view text);  ///< throws std::invalid_argument naming the choices
std::string input_names();                 ///< "random, sorted, …": all of them

}  // namespace fathom
