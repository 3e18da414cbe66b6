#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/reports/json.h>
#include <fathom/reports/text.h>

#include <memory>

#include "commands.h"
#include "output.h"
#include "profiles.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

reports::DeviceEntry device_entry(const GpuInfo& gpu) {
  return {.name = "gpu " + std::to_string(gpu.index),
          .where = "present",
          .origin = "",
          .gpu = gpu.name,
          .multiprocessors = gpu.multiprocessors,
          .cores_per_multiprocessor = gpu.cores_per_multiprocessor,
          .clock_hz = std::nullopt,  // it varies: the profile has the clock observed while kernels ran
          .global_memory_bytes = double(gpu.global_bytes),
          .global_bytes_per_second = std::nullopt};
}

std::vector<reports::DeviceEntry> known_devices() {
  std::vector<reports::DeviceEntry> devices;
  for (const std::string& name : built_in_profiles())
    devices.push_back(reports::device_entry(built_in_profile(name), "built in"));
  for (const auto& file : user_profiles()) {
    try {
      devices.push_back(reports::device_entry(read_profile(file), file.string()));
    } catch (const std::exception& error) {  // one broken file must not hide the others
      note(error.what());
    }
  }
  try {
    for (const GpuInfo& gpu : present_gpus()) devices.push_back(device_entry(gpu));
  } catch (const DeviceUnavailable& reason) {
    note(reason.what());
  }
  return devices;
}

}  // namespace

void add_devices(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("devices", "Known profiles and GPUs present");
  command->footer("Example: fathom devices --json");
  auto output = std::make_shared<Output>();
  add_output_options(*command, *output);
  command->callback([output] {
    const Answer answer(*output);
    const auto devices = known_devices();
    answer([&] { return reports::text(devices); }, [&] { return reports::json(devices); });
  });
}

}  // namespace fathom::cli
