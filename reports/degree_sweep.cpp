// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/degree_sweep.h>

namespace fathom::reports {

std::string pattern_name(Input::Pattern pattern) {
  const std::string with_degree = name(Input(pattern));
  return with_degree.substr(0, with_degree.find('='));
}

}  // namespace fathom::reports
