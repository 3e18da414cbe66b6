// SPDX-License-Identifier: Apache-2.0
// A simulated GPU's side of a group, whether the others are in this process or not.
#pragma once

#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/group/meeting.h>

#include <memory>

namespace fathom {

/// Its exchanges are done when all ranks have met.
std::unique_ptr<Communicator> simulated_rank(Meeting& meeting, CountingExecutor& executor, int rank,
                                             int size);

/// What is wrong with a rank's call, if it touches other memory than its own.
std::optional<std::string> fault_of_memory(const CountingExecutor& own, const ExchangeCall& call,
                                           std::size_t rank);

}  // namespace fathom
