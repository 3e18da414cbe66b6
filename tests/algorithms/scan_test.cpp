#include <fathom/algorithms/kernel_source.h>
#include <fathom/algorithms/scan/scan_matrix.h>
#include <fathom/device/counting_executor.h>

#include <catch2/catch.hpp>

#include <numeric>
#include <random>

using namespace fathom;

namespace {

template <class T>
std::vector<T> random_values(std::size_t n) {
  std::mt19937_64 generator(n);
  std::vector<T> values(n);
  for (T& value : values) value = T(generator());
  return values;
}

template <class T>
void check_scan(std::size_t n, int threads, int rows, int multiprocessors = 2) {
  CountingExecutor executor({.multiprocessors = multiprocessors});
  const auto values = random_values<T>(n);
  std::vector<T> expected(n);
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), T(0));
  const DeviceArray<T> input(executor, std::span<const T>(values)), output(executor, n);
  ScanMatrix<T, Plus> scan(executor, Index(n), threads, rows);
  INFO("n = " << n << ", t = " << threads << ", alpha = " << rows);

  scan.run({input.data(), input.size()}, output.span());
  CHECK(output.download() == expected);
  CHECK(input.download() == values);

  executor.copy(output.data(), input.data(), input.bytes());
  scan.run({output.data(), output.size()}, output.span());  // in place
  CHECK(output.download() == expected);
}

}  // namespace

TEST_CASE("the matrix scan is exact for sizes around warp, tile and chunk edges") {
  const int rows = 3, tile = 32 * rows;
  for (int n :
       {1, 2, 31, 32, 33, tile - 1, tile, tile + 1, 8 * tile - 1, 8 * tile, 8 * tile + 1, 4096, 5000, 20011})
    check_scan<u32>(std::size_t(n), 64, rows);
}

TEST_CASE("the matrix scan is exact for every number of rows") {
  for (int rows = 1; rows <= 32; ++rows) check_scan<u32>(6001, 64, rows, 1);
}

TEST_CASE("the matrix scan is exact for wide elements and other blocks") {
  for (int threads : {32, 128, 256}) check_scan<u64>(9999, threads, 8);
}
