// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/cuda/gpu_activity.h>
#include <fathom/device/cuda/nvml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

namespace fathom {
namespace {

using Device = void*;  // nvmlDevice_t

struct Utilization {  // nvmlUtilization_t
  unsigned gpu, memory;
};
struct ProcessInfo {  // nvmlProcessInfo_v2_t, which the functions ending in _v3 fill
  unsigned pid;
  unsigned long long used_bytes;  // all bits set if unknown
  unsigned gpu_instance, compute_instance;
};

void add_processes(const Nvml& nvml, Device device, const char* function,
                   std::vector<GpuActivity::Process>& processes) {
  std::vector<ProcessInfo> infos(256);
  auto count = unsigned(infos.size());
  if (!nvml.call(function, device, &count, infos.data())) return;
  infos.resize(std::min<std::size_t>(count, infos.size()));
  for (const ProcessInfo& info : infos) {
    const auto pid = int(info.pid);
    if (std::any_of(processes.begin(), processes.end(), [&](const auto& one) { return one.pid == pid; }))
      continue;
    processes.push_back(
        {pid, info.used_bytes == ~0ull ? std::nullopt : std::optional(double(info.used_bytes))});
  }
}

/// The bits of nvmlDeviceGetCurrentClocksThrottleReasons that disturb a measurement: an idle GPU, or a clock
/// fixed by its owner, does not.
std::vector<std::string> reasons_of(unsigned long long bits) {
  static constexpr std::pair<unsigned long long, const char*> reasons[] = {
      {0x04, "the power limit"}, {0x08, "a slowdown by the hardware"}, {0x10, "another GPU, kept in step"},
      {0x20, "its temperature"}, {0x40, "its temperature (hardware)"}, {0x80, "the power supply's brake"}};
  std::vector<std::string> names;
  for (const auto& [bit, name] : reasons)
    if (bits & bit) names.emplace_back(name);
  return names;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string whole(double number) {
  return std::to_string(std::llround(number));
}

std::string describe(const GpuActivity::Process& process) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(process.pid) + "/comm"), name);
  std::vector<std::string> details;
  if (!name.empty()) details.push_back(name);
  if (process.bytes) details.push_back(whole(*process.bytes / 1e6) + " MB");
  return std::to_string(process.pid) + (details.empty() ? "" : " (" + joined(details) + ")");
}

/// The other processes. Their numbers mean something here only if this process is found under its own, which
/// it is not in most containers: then there is only a number of processes.
std::string other_processes(const GpuActivity& before, const GpuActivity& at_end, int own_pid) {
  std::map<int, GpuActivity::Process> others;
  bool numbers_hold = false;
  for (const auto* seen : {&before.processes, &at_end.processes})
    for (const GpuActivity::Process& process : *seen) {
      if (process.pid == own_pid)
        numbers_hold = true;
      else
        others.emplace(process.pid, process);
    }
  std::size_t count = others.size();
  if (!numbers_hold)  // one of those at the end is this process
    count = std::max(before.processes.size(), std::max<std::size_t>(at_end.processes.size(), 1) - 1);
  if (count == 0) return {};
  std::string text =
      count == 1 ? "another process uses the GPU" : std::to_string(count) + " other processes use the GPU";
  if (!numbers_hold) return text;
  std::vector<std::string> names;
  for (const auto& [pid, process] : others) names.push_back(describe(process));
  return text + ": " + joined(names);
}

}  // namespace

GpuActivity gpu_activity(const std::string& bus_id, const char* nvml_library) {
  const Nvml nvml(nvml_library);
  GpuActivity activity;
  Device device = nullptr;
  if (!nvml.call("nvmlDeviceGetHandleByPciBusId_v2", bus_id.c_str(), &device)) return activity;

  add_processes(nvml, device, "nvmlDeviceGetComputeRunningProcesses_v3", activity.processes);
  add_processes(nvml, device, "nvmlDeviceGetGraphicsRunningProcesses_v3", activity.processes);
  if (Utilization busy{}; nvml.call("nvmlDeviceGetUtilizationRates", device, &busy))
    activity.busy_percent = int(busy.gpu);
  constexpr int at_the_gpu = 0;  // NVML_TEMPERATURE_GPU
  if (unsigned celsius = 0; nvml.call("nvmlDeviceGetTemperature", device, at_the_gpu, &celsius))
    activity.celsius = int(celsius);
  if (unsigned milliwatts = 0; nvml.call("nvmlDeviceGetPowerUsage", device, &milliwatts))
    activity.watts = 1e-3 * milliwatts;
  if (unsigned milliwatts = 0; nvml.call("nvmlDeviceGetEnforcedPowerLimit", device, &milliwatts))
    activity.watts_allowed = 1e-3 * milliwatts;
  if (unsigned long long bits = 0;
      nvml.call("nvmlDeviceGetCurrentClocksThrottleReasons", device, &bits) ||
      nvml.call("nvmlDeviceGetCurrentClocksEventReasons", device, &bits))  // its name in newer drivers
    activity.slowed_by = reasons_of(bits);
  return activity;
}

std::vector<std::string> disturbances(const GpuActivity& before, const GpuActivity& at_end,
                                      const GpuActivity& afterwards, int own_pid) {
  constexpr int hardly_busy = 5;  // percent
  std::vector<std::string> causes;
  if (std::string others = other_processes(before, at_end, own_pid); !others.empty())
    causes.push_back(others);
  const auto busy = [&](const GpuActivity& activity, const std::string& when) {
    if (activity.busy_percent.value_or(0) > hardly_busy)
      causes.push_back("the GPU was " + std::to_string(*activity.busy_percent) + " % busy " + when);
  };
  busy(before, "before the calibration began");
  busy(afterwards, "after the calibration, with other work");
  if (!at_end.slowed_by.empty()) {
    std::vector<std::string> figures;
    if (at_end.watts && at_end.watts_allowed)
      figures.push_back(whole(*at_end.watts) + " of " + whole(*at_end.watts_allowed) + " W");
    if (at_end.celsius) figures.push_back(std::to_string(*at_end.celsius) + " °C");
    causes.push_back("the clock was held down by " + joined(at_end.slowed_by) +
                     (figures.empty() ? "" : " (" + joined(figures) + ")"));
  }
  return causes;
}

}  // namespace fathom
