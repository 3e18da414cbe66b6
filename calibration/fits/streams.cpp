// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::fits {

/// Sets each rate to that of the fastest form of its stream: by a grid or by tiles, of narrow or wide
/// accesses.
void streams(Fitting& fit) {
  using namespace benchmarks;
  const std::vector<std::pair<std::string_view, std::vector<const Benchmark*>>> forms{
      {"dram.read", {&stream_dram_read, &tiles_dram_read}},
      {"dram.write", {&stream_dram_write, &tiles_dram_write}},
      {"dram.copy", {&stream_dram_copy, &tiles_dram_copy}},
      {"dram.copy_by_grid", {&stream_dram_copy}},
      {"l2.read", {&stream_l2_read}},
      {"l2.write", {&stream_l2_write}},
      {"l2.copy", {&stream_l2_copy}}};
  for (const auto& [constant, benchmarks] : forms) {
    SeriesList all;
    for (const Benchmark* one : benchmarks)
      std::ranges::copy(fit.usable.of(*one, {along::bytes}), std::back_inserter(all));
    fit.set(constant, all, [](const SeriesList& series, const TimeOf& time) {
      return largest(series, [&](const Series& one) { return at(one, along::bytes) / time(one); });
    });
  }
}

}  // namespace fathom::fits
