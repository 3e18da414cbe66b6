// SPDX-License-Identifier: Apache-2.0
// Work that is not in the tables is counted from source and machine code, and cached. Needs the run-time
// compiler and the disassembler, no GPU.
#include "../support/programs.h"
#include "../support/skip.h"
#include "find_work_case.h"

#include <fathom/core/system/whole_file.h>
#include <fathom/device/code/disassembly.h>

#include <iostream>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

/// Skips this program.
void need_disassembler() {
  try {
    disassemble({});
  } catch (const DisassemblerUnavailable& unavailable) {
    std::cout << "skipped: " << unavailable.what() << '\n';
    std::exit(77);
  } catch (const std::exception&) {  // it is there, and refuses what is no cubin
  }
}

}  // namespace

TEST_CASE("counted work is cached, and a damaged entry counted again", "[work]") {
  need_compiler();
  need_disassembler();
  const Cache cache;
  const AlgorithmWork counted = find_small();
  CHECK(counted.of("ReduceSegments").constant.instructions > 0);
  CHECK(counted.of("ReduceSegments").registers > 0);
  CHECK(counted.of("ReduceSegments").unknown_opcodes.empty());
  const std::filesystem::path entry = cache.entry();
  const std::string good = read_whole(entry);

  // It is read: an entry of other numbers, with their digest missing, is not believed …
  std::string other = good;
  const std::size_t at = other.find("\"registers\":") + 12;
  other[at] = other[at] == '9' ? '8' : '9';
  write_whole(entry, other);
  CHECK(find_small() == counted);
  CHECK(read_whole(entry) == good);
  for (const std::string& damaged : {std::string(), good.substr(0, good.size() / 2), std::string("x\n")}) {
    write_whole(entry, damaged);
    CHECK(find_small() == counted);
    CHECK(read_whole(entry) == good);
  }
  // … and one that another disassembler's listing led to is not looked at.
  const TemporaryDirectory folder;
  const Disassembler another(put_program(folder / "nvdisasm", "[ $1 = --version ]"));
  CHECK_THROWS_WITH(find_small(), Contains("cannot read the kernel's machine code"));
}
