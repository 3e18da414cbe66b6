// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/links/links.h>
#include <fathom/microbench/links/sweep.h>
#include <fathom/model/links.h>

namespace fathom::microbench {
namespace {

/// Where a GPU copies from and to, in its memory and in the host's.
struct HostArrays {
  DeviceArray<char> in, out;
  HostArray<char> from, to;
  HostArrays(Executor& gpu, std::size_t bytes)
      : in(gpu, bytes), out(gpu, bytes), from(gpu, bytes), to(gpu, bytes) {}
};

void queue_copies(ExchangeKind kind, const HostStreams& gpu, HostArrays& arrays, std::size_t bytes) {
  if (kind != ExchangeKind::device_to_host) gpu.in.upload_queued(arrays.in.data(), arrays.from.data(), bytes);
  if (kind != ExchangeKind::host_to_device)
    gpu.out.download_queued(arrays.to.data(), arrays.out.data(), bytes);
}

}  // namespace

std::vector<Series> measure_host_links(const HostStreams& gpu, const Effort& effort, const Progress& progress,
                                       const Seconds& now) {
  const std::size_t most = largest_held(
      LinkSweep::smallest_array, [&](std::size_t bytes) { const HostArrays arrays(gpu.kernels, bytes); });
  HostArrays arrays(gpu.kernels, most);
  const auto wait = [&] {
    gpu.in.synchronize();
    gpu.out.synchronize();
  };
  LinkSweep sweep(effort, progress, now);
  for (const ExchangeKind kind : all_exchange_kinds) {
    if (!is_with_host(kind)) continue;
    const auto bytes = [&](std::size_t array) { return share_sent(kind, 1) * double(array); };
    const auto samples = [&](std::size_t array, int exchanges, int repeats) {
      std::vector<double> taken;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        wait();
        const double begin = now();
        for (int i = 0; i < exchanges; ++i) queue_copies(kind, gpu, arrays, array);
        wait();
        taken.push_back((now() - begin) / exchanges);
      }
      return taken;
    };
    sweep({.kind = kind, .gpus = 1, .most = most, .bytes = bytes, .samples = samples});
  }
  return sweep.series();
}

}  // namespace fathom::microbench
