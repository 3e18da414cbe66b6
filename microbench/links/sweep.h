// SPDX-License-Identifier: Apache-2.0
// Exchanges of arrays of all sizes.
#pragma once

#include <fathom/core/exchange.h>
#include <fathom/microbench/links/links.h>
#include <fathom/microbench/repetition.h>

#include <functional>
#include <vector>

namespace fathom::microbench {

/// An exchange of one kind. Arrays are of bytes.
struct SizedExchange {
  ExchangeKind kind;
  int gpus;
  std::size_t most;                                ///< the largest array
  std::function<double(std::size_t array)> bytes;  ///< of the exchange, as the law has them (Exchange)
  /// Seconds of an exchange, `repeats` of them, each the mean of some exchanges that follow one another.
  std::function<std::vector<double>(std::size_t array, int exchanges, int repeats)> samples;
};

class LinkSweep {
 public:
  static constexpr std::size_t smallest_array = 8, largest_array = std::size_t(1) << 30;

  LinkSweep(const Effort& effort, const Progress& progress, const Seconds& now);

  /// Measures every size once.
  void operator()(const SizedExchange& exchange);

  const std::vector<Series>& series() const { return series_; }

 private:
  Series measured(const SizedExchange& exchange, std::size_t array) const;
  int exchanges_of_a_sample(const SizedExchange& exchange, std::size_t array) const;
  void report(const std::string& what, std::size_t done, std::size_t all) const;

  Effort effort_;
  Progress progress_;
  Repetition repetition_;
  std::vector<Series> series_;
};

/// The largest array from `least` on for which `hold` can allocate what it needs. Throws OutOfDeviceMemory,
/// OutOfHostMemory if that is not even the least.
std::size_t largest_held(std::size_t least, const std::function<void(std::size_t bytes)>& hold);

}  // namespace fathom::microbench
