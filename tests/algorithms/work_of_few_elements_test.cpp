// The work of radix-single, which has a kernel of its own where all elements fit in a tile. Takes long:
// beyond that its only block does everything.
#include <fathom/algorithms/count.h>
#include <fathom/algorithms/work.h>

#include <catch2/catch.hpp>
#include <cmath>

using namespace fathom;

TEST_CASE("what only few elements have is counted apart", "[work]") {
  const Algorithm& algorithm = fathom::algorithm("radix-single");
  const AlgorithmWork work =
      count_work({&algorithm, ElementType::u32, algorithm.default_parameters(), Input::random, 90}, {});
  const KernelWork& in_tile = work.of("SortInOneBlock<1>");
  CHECK(in_tile.check_error < 0.05);
  const KernelCounts counts = count({&algorithm, algorithm.problem(700), Input::random}, {}).kernels.front();
  CHECK(in_tile.at({700, std::log2(700.), 1}).shared_wavefronts ==
        Approx(counted_work(counts).shared_wavefronts).epsilon(0.1));
  CHECK(work.of("SortInOneBlock").per_element.bytes_written > 0);
}
