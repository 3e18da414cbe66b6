// SPDX-License-Identifier: Apache-2.0
// The work of a kernel's blocks from its machine code alone, without any count: what docs/machine-code.md
// says is assumed.
#pragma once

#include <fathom/device/code/cubin.h>
#include <fathom/device/code/frequencies/assumed_frequencies.h>
#include <fathom/model/laws/law.h>
#include <fathom/model/reported_launch.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fathom {

struct AssumedWork {
  ReportedLaunch launch;  ///< with all of its demands
  std::vector<AssumedLoop> loops;
  std::size_t halved = 0;                    ///< as in AssumedFrequencies
  std::vector<std::string> unknown_opcodes;  ///< as in KernelWork
  std::vector<std::string> not_counted;      ///< opcodes of accesses whose bytes the code does not say
};

/// `dynamic_shared_bytes`: of a block. Throws std::invalid_argument for a launch that the kernel or its
/// architecture does not allow, for an architecture without tables (model/architectures.h), and what
/// assumed_frequencies() throws.
AssumedWork assumed_work(const CubinKernel& kernel, const Disassembly& code, const LaunchGrid& launch,
                         double dynamic_shared_bytes, std::span<const GivenTurns> given = {});

/// How far times predicted from it are off; absent if turns are assumed that nobody told.
std::optional<LawError> error_of(const AssumedWork& work);

/// What was assumed of accesses and branches, and what was left out: one sentence each.
std::vector<std::string> assumptions(const AssumedWork& work);

}  // namespace fathom
