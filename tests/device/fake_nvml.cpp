// SPDX-License-Identifier: Apache-2.0
// A library with NVML's functions, for a GPU that two processes use, and two others. The first two are linked
// by NVLink, and only the first can read the third's memory.
#include <cstring>

namespace {
constexpr const char* bus_ids[] = {"0000:1A:00.0", "0000:1B:00.0", "0000:9A:00.0"};
int gpus[3];
}  // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  for (int i = 0; i < 3; ++i) {
    if (std::strcmp(bus_id, bus_ids[i]) != 0) continue;
    *device = &gpus[i];
    return 0;
  }
  return 6;  // NVML_ERROR_NOT_FOUND
}
int nvmlDeviceGetP2PStatus(void* first, void* second, int capability, int* status) {
  constexpr int of_nvlink = 2;  // NVML_P2P_CAPS_INDEX_NVLINK
  const bool has_first = first == &gpus[0] || second == &gpus[0];
  const bool has_third = first == &gpus[2] || second == &gpus[2];
  *status = !has_third || (has_first && capability != of_nvlink) ? 0 : 5;  // NVML_P2P_STATUS_NOT_SUPPORTED
  return 0;
}
struct Utilization {
  unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(void*, Utilization* busy) {
  *busy = {97, 40};
  return 0;
}
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* infos) {
  if (*count < 2) return 7;  // NVML_ERROR_INSUFFICIENT_SIZE
  *count = 2;
  infos[0] = {1000001, 5'000'000'000, ~0u, ~0u};
  infos[1] = {1000002, ~0ull, ~0u, ~0u};
  return 0;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  *celsius = 84;
  return sensor;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 698'700;
  return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  *milliwatts = 700'000;
  return 0;
}
int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* bits) {
  *bits = 0x4 | 0x20 | 0x2;
  return 0;
}
}
