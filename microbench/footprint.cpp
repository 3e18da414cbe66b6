// Up to what footprint does a copy stay in the L2, and how fast is it there and beyond?
#include <fathom/microbench/bench.h>

namespace fathom::microbench {
namespace {

// Powers of two from 1 MiB, and halfway between two of them, until eight times the L2 is covered.
std::vector<std::size_t> footprints(const Bench& bench) {
  std::vector<std::size_t> sizes;
  const std::size_t largest = 8 * bench.gpu.l2_bytes;
  for (std::size_t bytes = std::size_t{1} << 20; sizes.empty() || sizes.back() < largest; bytes *= 2) {
    sizes.push_back(bytes);
    if (!bench.quick) sizes.push_back(bytes / 2 * 3);
  }
  // The large arrays hold at least eight times the L2 in all.
  std::erase_if(sizes, [&](std::size_t bytes) { return bytes > 2 * bench.from.bytes(); });
  return sizes;
}

}  // namespace

std::vector<Series> measure_footprints(Bench& bench) {
  constexpr int independent = 4;
  const Residency resident = residency(bench.gpu, bench.warps().back());
  const double threads = double(resident.blocks) * resident.shape.threads * bench.gpu.multiprocessors;
  std::vector<Series> series;
  const auto sizes = footprints(bench);
  for (const std::size_t bytes : sizes) {
    bench.progress("footprint", series.size(), sizes.size());
    const Launch copy = bench.stream_copy(resident, independent, bytes / 2);
    const unsigned steps = bench.steps_for_a_millisecond(copy);
    const double moved = 2.0 * sizeof(unsigned) * independent * steps * threads;
    series.push_back(
        bench.timed("footprint", {{"bytes", double(bytes)}, {"moved", moved}}, [&] { copy(steps); }));
  }
  bench.progress("footprint", sizes.size(), sizes.size());
  return series;
}

}  // namespace fathom::microbench
