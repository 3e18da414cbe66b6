// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/cuda/linked_pairs.h>
#include <fathom/device/cuda/nvml.h>

#include <optional>

namespace fathom {
namespace {

using Gpu = void*;  // nvmlDevice_t

// Of nvmlGpuP2PCapsIndex_t and nvmlGpuP2PStatus_t.
constexpr int of_reading = 0, of_nvlink = 2;
constexpr int status_ok = 0;

std::vector<Gpu> gpus_of(const Nvml& nvml, const std::vector<std::string>& bus_ids) {
  std::vector<Gpu> gpus;
  for (const std::string& bus_id : bus_ids) {
    Gpu gpu = nullptr;
    if (!nvml.call("nvmlDeviceGetHandleByPciBusId_v2", bus_id.c_str(), &gpu)) return {};
    gpus.push_back(gpu);
  }
  return gpus;
}

/// Absent if NVML does not say.
std::optional<bool> can(const Nvml& nvml, Gpu first, Gpu second, int capability) {
  int status = 0;
  if (!nvml.call("nvmlDeviceGetP2PStatus", first, second, capability, &status)) return std::nullopt;
  return status == status_ok;
}

std::optional<LinkType> type_of(const Nvml& nvml, Gpu first, Gpu second) {
  const auto nvlink = can(nvml, first, second, of_nvlink), reads = can(nvml, first, second, of_reading);
  if (!nvlink || !reads) return std::nullopt;
  return *nvlink ? LinkType::nvlink : *reads ? LinkType::pcie : LinkType::host;
}

}  // namespace

std::vector<LinkedPair> linked_pairs(const std::vector<std::string>& bus_ids, const char* nvml_library) {
  const Nvml nvml(nvml_library);
  const std::vector<Gpu> gpus = gpus_of(nvml, bus_ids);
  std::vector<LinkedPair> pairs;
  for (std::size_t second = 0; second < gpus.size(); ++second)
    for (std::size_t first = 0; first < second; ++first) {
      const std::optional<LinkType> type = type_of(nvml, gpus[first], gpus[second]);
      if (!type) return {};
      pairs.push_back({int(first), int(second), *type});
    }
  return pairs;
}

}  // namespace fathom
