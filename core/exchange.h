// SPDX-License-Identifier: Apache-2.0
// The law prices what GPUs exchange with each other and with the host.
#pragma once

namespace fathom {

/// How GPUs exchange data: among each other, or each with pinned memory of the host.
enum class ExchangeKind {
  peer_copy,
  send_receive,
  all_to_all,
  all_gather,
  all_reduce,
  host_to_device,
  device_to_host,
  host_both_ways  ///< both copies at once
};
constexpr bool is_with_host(ExchangeKind kind) {
  return kind == ExchangeKind::host_to_device || kind == ExchangeKind::device_to_host ||
         kind == ExchangeKind::host_both_ways;
}
/// GPUs that an exchange takes.
constexpr int fewest_gpus(ExchangeKind kind) {
  return is_with_host(kind) ? 1 : 2;
}

/// An exchange as the law prices it: the bytes that leave the GPU which sends most, or those that a GPU
/// copies from the host or to it; in both directions at once, those of one.
struct Exchange {
  ExchangeKind kind;
  double bytes;
  double pieces = 1;  ///< of equal size, one after the other, of which each has its latency

  bool operator==(const Exchange&) const = default;
};

}  // namespace fathom
