// SPDX-License-Identifier: Apache-2.0
// Links of round numbers.
#pragma once

#include "machines.h"

#include <fathom/model/links.h>

namespace fathom::tests {

/// All-to-all among 2 GPUs: 16 µs, 4 µs per MB up to 1 MB, and then 15 µs + 5 µs per MB. Among 4: 24 µs, and
/// otherwise the same. Send and receive among 2: 16 µs and 2.4 µs per MB. Peer copies: 5 µs and 2.5 µs per
/// MB, without intervals. Each measured up to 1 GB. The rest is unknown.
inline Links links() {
  const auto estimate = [](double value, double deviation) {
    return Estimate{value, Interval{value - deviation, value + deviation}};
  };
  Links links;
  for (const auto& [gpus, latency] : {std::pair{2, 16e-6}, {4, 24e-6}})
    links.curves.push_back({ExchangeKind::all_to_all,
                            gpus,
                            1e9,
                            {{0, estimate(latency, 1e-6), estimate(4e-12, 1e-12)},
                             {1e6, estimate(latency - 1e-6, 3e-6), estimate(5e-12, 0.8e-12)}}});
  links.curves.push_back(
      {ExchangeKind::send_receive, 2, 1e9, {{0, estimate(16e-6, 3e-6), estimate(2.4e-12, 0.8e-12)}}});
  links.curves.push_back({ExchangeKind::peer_copy, 2, 1e9, {{0, {5e-6}, {2.5e-12}}}});
  return links;
}

/// A clock is a nanosecond, and a sequence of launches costs 2 µs.
inline Machine<double> linked_machine() {
  Machine<double> machine = simple_machine();
  machine.launch_overhead = 2e-6;
  machine.links = links();
  return machine;
}

}  // namespace fathom::tests
