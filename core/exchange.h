// SPDX-License-Identifier: Apache-2.0
// What GPUs of a group exchange, for the law.
#pragma once

namespace fathom {

/// How the GPUs of a group exchange data.
enum class ExchangeKind { peer_copy, send_receive, all_to_all, all_gather, all_reduce };
/// An exchange as the law prices it: the bytes that leave the GPU which sends most.
struct Exchange {
  ExchangeKind kind;
  double bytes;
};

}  // namespace fathom
