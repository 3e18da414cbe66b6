// SPDX-License-Identifier: Apache-2.0
// NCCL, through which GPUs exchange data. Its library is loaded on first use: it is $FATHOM_NCCL, else
// libnccl.so.2 where the loader finds it, else that of the package that pip installs.
#pragma once

#include <fathom/device/executor.h>

namespace fathom::nccl {

/// The types and functions as NVIDIA documents them, so that a build needs no header of NCCL. Results are
/// numbers, of which 0 is success; streams are cudaStream_t.
using Communicator = struct ncclComm*;
inline constexpr int success = 0;
/// Types of data, and the one operation.
inline constexpr int of_bytes = 1, of_u32 = 3, sum = 0;

/// By which processes find each other.
struct UniqueId {
  char bytes[128];
};

struct Library {
  int (*get_version)(int* version);
  int (*get_unique_id)(UniqueId* id);
  int (*init_rank)(Communicator* communicator, int ranks, UniqueId id, int rank);
  int (*init_all)(Communicator* communicators, int count, const int* gpus);
  int (*abort)(Communicator communicator);
  int (*destroy)(Communicator communicator);
  int (*get_async_error)(Communicator communicator, int* result);
  const char* (*get_error_string)(int result);
  int (*group_start)();
  int (*group_end)();
  int (*send)(const void* from, std::size_t count, int type, int to_rank, Communicator communicator,
              void* stream);
  int (*receive)(void* to, std::size_t count, int type, int from_rank, Communicator communicator,
                 void* stream);
  int (*all_gather)(const void* from, void* to, std::size_t count_of_each, int type,
                    Communicator communicator, void* stream);
  int (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation,
                    Communicator communicator, void* stream);

  /// "2.32.3"
  std::string version() const;
  /// Throws ExchangeFailure, which names `step`, for any result but success.
  void check(int result, const std::string& step) const;
};

/// Throws DeviceUnavailable if no library is found that has all of these functions, saying how to get one.
const Library& library();

}  // namespace fathom::nccl
