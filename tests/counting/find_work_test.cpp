// SPDX-License-Identifier: Apache-2.0
// Work that is not in the tables and cannot be counted.
#include "../support/skip.h"
#include "find_work_case.h"

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

TEST_CASE("work that cannot be counted says what to install", "[work]") {
  need_compiler();
  const Cache cache;
  const Disassembler none;
  CHECK_THROWS_WITH(find_small(), Contains("reduce-tree f64 t=64") && Contains("sm_89") &&
                                      Contains("nvdisasm") && !Contains("\n"));
  CHECK_THROWS_AS(find_small(), WorkUnavailable);
}
