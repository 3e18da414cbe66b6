// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/host_memory.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

namespace fathom {

double available_host_bytes() {
  std::ifstream facts("/proc/meminfo");
  constexpr auto rest_of_line = std::numeric_limits<std::streamsize>::max();
  for (std::string name; facts >> name; facts.ignore(rest_of_line, '\n'))
    if (double kibibytes = 0; name == "MemAvailable:" && facts >> kibibytes) return kibibytes * 1024;
  return double(sysconf(_SC_AVPHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
}

}  // namespace fathom
