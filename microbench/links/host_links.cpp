// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/links/links.h>
#include <fathom/microbench/links/sweep.h>
#include <fathom/model/links.h>

#include <span>

namespace fathom::microbench {
namespace {

/// Where a GPU copies from and to, in its memory and in the host's.
struct HostArrays {
  DeviceArray<char> in, out;
  HostArray<char> from, to;
  HostArrays(Executor& gpu, std::size_t bytes)
      : in(gpu, bytes), out(gpu, bytes), from(gpu, bytes), to(gpu, bytes) {}
};

std::vector<HostArrays> arrays_on(std::span<const HostStreams> gpus, std::size_t bytes) {
  std::vector<HostArrays> arrays;
  for (const HostStreams& gpu : gpus) {
    gpu.kernels.use_on_this_thread();
    arrays.emplace_back(gpu.kernels, bytes);
  }
  return arrays;
}

void queue_copies(ExchangeKind kind, const HostStreams& gpu, HostArrays& arrays, std::size_t bytes) {
  gpu.kernels.use_on_this_thread();
  if (kind != ExchangeKind::device_to_host) gpu.in.upload_queued(arrays.in.data(), arrays.from.data(), bytes);
  if (kind != ExchangeKind::host_to_device)
    gpu.out.download_queued(arrays.to.data(), arrays.out.data(), bytes);
}

void wait_for(std::span<const HostStreams> gpus) {
  for (const HostStreams& gpu : gpus) {
    gpu.in.synchronize();
    gpu.out.synchronize();
  }
}

void measure_at_once(std::span<const HostStreams> gpus, LinkSweep& sweep, const Seconds& now) {
  const std::size_t most = largest_held(
      LinkSweep::smallest_array, [&](std::size_t bytes) { const auto arrays = arrays_on(gpus, bytes); });
  std::vector<HostArrays> arrays = arrays_on(gpus, most);
  for (const ExchangeKind kind : all_exchange_kinds) {
    if (!is_with_host(kind)) continue;
    const auto bytes = [&](std::size_t array) { return share_sent(kind, int(gpus.size())) * double(array); };
    const auto samples = [&](std::size_t array, int exchanges, int repeats) {
      std::vector<double> taken;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        wait_for(gpus);
        const double begin = now();
        for (int i = 0; i < exchanges; ++i)
          for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
            queue_copies(kind, gpus[gpu], arrays[gpu], array);
        wait_for(gpus);
        taken.push_back((now() - begin) / exchanges);
      }
      return taken;
    };
    sweep({.kind = kind, .gpus = int(gpus.size()), .most = most, .bytes = bytes, .samples = samples});
  }
}

}  // namespace

std::vector<Series> measure_host_links(const std::vector<HostStreams>& gpus, const Effort& effort,
                                       const Progress& progress, const Seconds& now) {
  LinkSweep sweep(effort, progress, now);
  const std::span all(gpus);
  measure_at_once(all.first(1), sweep, now);
  for (const int number : numbers_of_gpus(int(gpus.size())))
    measure_at_once(all.first(std::size_t(number)), sweep, now);
  return sweep.series();
}

}  // namespace fathom::microbench
