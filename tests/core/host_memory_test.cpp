// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/host_memory.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("what is available of the host's memory is some of it") {
  const double all = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  CHECK(available_host_bytes() > 0);
  CHECK(available_host_bytes() <= all);
}
