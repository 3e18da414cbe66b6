// SPDX-License-Identifier: Apache-2.0
// What ranks bring to an exchange, and what may be wrong with it.
#pragma once

#include <fathom/core/exchange.h>
#include <fathom/device/group/communicator.h>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace fathom {

/// What a rank brings to an exchange.
struct ExchangeCall {
  ExchangeKind kind{};
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::vector<Part> sent, received;  ///< of all_reduce: the numbers that each rank adds up, in both

  static ExchangeCall all_to_all(const void* from, std::span<const Part> sent, void* to,
                                 std::span<const Part> received);
  static ExchangeCall all_gather(const void* from, std::size_t bytes, void* to, int ranks);
  static ExchangeCall all_reduce(const unsigned* from, unsigned* to, std::size_t count, int ranks);
  std::size_t numbers() const;  ///< of all_reduce
};

/// "rank 2"
std::string rank_text(std::size_t rank);
/// "all_gather"
std::string call_text(ExchangeKind kind);

/// What is wrong with an exchange to which the ranks bring these: they call different ones, or expect other
/// sizes than are sent, or one of them writes what it also reads, or writes it twice. Memory is only
/// compared, so it may be another process's.
std::optional<std::string> fault_of(const std::vector<ExchangeCall>& calls);

/// " failed: …", why a rank ended, for the others.
std::string how_it_ended(const std::exception_ptr& failure);

}  // namespace fathom
