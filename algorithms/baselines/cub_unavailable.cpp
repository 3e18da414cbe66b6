#include <fathom/algorithms/baselines/cub.h>

namespace fathom {

MakeDriver cub_merge_driver() {
  return nullptr;
}
MakeDriver cub_scan_driver() {
  return nullptr;
}
MakeDriver cub_reduce_driver() {
  return nullptr;
}
std::size_t cub_bytes(const Problem&) {
  return 0;
}

}  // namespace fathom
