// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/gpus/cuts.h>

#include <algorithm>
#include <cmath>

namespace fathom {

std::vector<Cut> choose_cuts(std::span<const Cut> samples, std::span<const Sampled> of_rank,
                             std::size_t parts) {
  std::size_t count = 0;
  double elements = 0;
  for (const Sampled& rank : of_rank) {
    count += std::size_t(rank.samples);
    elements += double(rank.elements);
  }
  const auto share_of = [&](const Cut& sample) {
    const Sampled& rank = of_rank[std::size_t(rank_of(sample.place))];
    return double(rank.elements) / double(rank.samples);
  };

  std::vector<Cut> cuts;
  std::size_t next = 0;
  double before = 0;  // elements that the samples before the next one stand for
  for (std::size_t part = 1; part < parts; ++part) {
    const double wanted = elements * double(part) / double(parts);
    // From sample to sample as long as that comes nearer. Half of a sample's share comes before it.
    const auto at = [&](std::size_t sample) {
      return sample < count ? before + share_of(samples[sample]) / 2 : elements;
    };
    while (next < count) {
      const double here = at(next), share = share_of(samples[next]);
      const double there = next + 1 < count ? before + share + share_of(samples[next + 1]) / 2 : elements;
      if (std::abs(there - wanted) >= std::abs(here - wanted)) break;
      before += share;
      ++next;
    }
    cuts.push_back(next < count ? samples[next] : behind_all);
  }
  return cuts;
}

RunCut in_run(const Cut& cut, std::span<const Cut> samples, const std::function<u64(u64 place)>& run_of) {
  if (cut.place == behind_all.place) return {cut.bits, ~u64(0), 0, 1};
  RunCut in_run{cut.bits, run_of(cut.place), 0, 0};
  for (auto sample = std::ranges::lower_bound(samples, cut.bits, {}, &Cut::bits);
       sample != samples.end() && sample->bits == cut.bits; ++sample) {
    if (sample->place == behind_all.place || run_of(sample->place) != in_run.run) continue;
    ++in_run.of;
    if (sample->place < cut.place) ++in_run.before;
  }
  return in_run;
}

}  // namespace fathom
