// SPDX-License-Identifier: Apache-2.0
// A library with NVML's functions, for one GPU that two processes use.
#include <cstring>

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  static int gpu;
  *device = &gpu;
  return std::strcmp(bus_id, "0000:1A:00.0") == 0 ? 0 : 6;  // NVML_ERROR_NOT_FOUND
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
