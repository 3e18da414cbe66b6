// SPDX-License-Identifier: Apache-2.0
// Command-line text to values. All functions throw UsageError for text that they cannot parse: one line that
// quotes the text and says what is valid.
#pragma once

#include <fathom/model/tune.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::cli {

/// The command line is wrong: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The values that an option with a whole number takes.
struct WholeRange {
  double low, high;      ///< at most 2^53
  bool is_size = false;  ///< may also be written as 1e6 or 2^20; else only as decimal digits
};
double parse_whole(std::string_view option, std::string_view text, const WholeRange& range);

/// The entries of all texts, which are lists separated by commas. Each entry is there once, and none is
/// empty.
std::vector<std::string> parse_list(std::string_view option, const std::vector<std::string>& texts);

/// Refuses a list in which an entry occurs twice.
void check_distinct(const std::vector<std::string>& list);

/// A number of elements: 1000000, 1e6, 1M (also k and G, powers of ten), 2^20. Whole, at least 1, at most
/// 2^53 (exact in a double).
double parse_count(std::string_view text);

/// Numbers of elements, in the order given: counts, and ranges over the powers of one base with an optional
/// stride of the exponent, separated by commas: "1e6,2^16..2^28:4". A size that ranges and a count have in
/// common is kept once; a count given twice is an error.
std::vector<double> parse_sizes(std::string_view text);

/// Each text is "E=15", "E=11,15,17" or "E=3..47" (every value allowed between the two). An assignment to a
/// parameter that the algorithm does not have is an error, and so is a value given twice, ranges aside.
Assignments parse_assignments(std::string_view algorithm, const std::vector<ParameterInfo>& infos,
                              const std::vector<std::string>& assignments);

/// Every combination of the values given, the algorithm's first parameter varying slowest.
std::vector<Parameters> parse_grid(std::string_view algorithm, const std::vector<ParameterInfo>& infos,
                                   const std::vector<std::string>& assignments);

/// Adds the numbers of GPUs, "2,4,8", to the assignments; an empty text is none.
void set_gpus(const Descriptor& algorithm, const std::string& gpus, std::vector<std::string>& assignments);

/// The name on the left of "E=15".
std::string assigned_parameter(std::string_view assignment);

/// The error for a parameter that the algorithm does not have.
UsageError unknown_parameter(std::string_view algorithm, const std::vector<ParameterInfo>& infos,
                             std::string_view parameter);

}  // namespace fathom::cli
