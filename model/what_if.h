// SPDX-License-Identifier: Apache-2.0
// Changes of a machine's constants: how long would it take if …?
#pragma once

#include <fathom/model/constants.h>

#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// "dram.bandwidth=1.5x".
struct WhatIf {
  /// A constant of for_each_constant(), "clock" (hertz), "multiprocessors", or a group: "dram.bandwidth" and
  /// "l2.bandwidth" stand for every rate of that memory, "link.bandwidth" and "link.latency" for the lines of
  /// all exchanges (scaled() in links.h). "link.hosts" says on how many hosts the GPUs are (Links::hosts).
  std::string constant;
  double value = 1;
  bool is_factor = true;  ///< else the value replaces the constant's
};

/// "NAME=1.5x" or "NAME=4.6e12". Throws std::invalid_argument for other text.
WhatIf parse_what_if(std::string_view text);

/// All names that a WhatIf may have.
std::vector<std::string> what_if_names();

/// Changes the machine, and returns the names of the constants changed. Of a group, those that it has; they
/// have different units, so a group takes only a factor. Multiprocessors and hosts are rounded to a whole
/// number. Throws std::invalid_argument for an unknown name, naming a near one or all, for a constant that
/// the machine lacks, and for a value outside its physical range.
std::vector<std::string> apply(const WhatIf& change, Machine<double>& machine);

}  // namespace fathom
