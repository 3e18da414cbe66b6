// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/profiles.h>

#include <fathom/core/system/user_directory.h>
#include <fathom/device/cuda/cuda_executor.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace fathom::calls {

namespace fs = std::filesystem;

std::optional<fs::path> user_profile_directory() {
  const auto configuration = user_directory("XDG_CONFIG_HOME", ".config");
  return configuration ? std::optional(*configuration / "fathom" / "profiles") : std::nullopt;
}

fs::path user_profile_file(const std::string& name) {
  const auto directory = user_profile_directory();
  if (!directory)
    throw std::runtime_error(
        "there is no home directory for profiles: set HOME, or name a file with `output`");
  fs::create_directories(*directory);
  return *directory / (name + ".json");
}

std::vector<fs::path> user_profiles() {
  const auto directory = user_profile_directory();
  if (!directory) return {};
  std::vector<fs::path> files;
  std::error_code none;  // a missing directory holds no profiles
  for (const auto& entry : fs::directory_iterator(*directory, none))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string profile_name(std::string gpu) {
  for (std::string_view vendor : {"NVIDIA ", "GeForce ", "Tesla "})
    if (gpu.starts_with(vendor)) gpu.erase(0, vendor.size());
  for (char& c : gpu) c = std::isalnum(static_cast<unsigned char>(c)) ? char(std::tolower(c)) : '-';
  return gpu;
}

std::optional<fs::path> profile_file(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json")) return name_or_path;
  for (const fs::path& own : user_profiles())
    if (own.stem() == name_or_path) return own;
  return std::nullopt;
}

namespace {

std::string in_short(const std::vector<std::string>& reasons) {
  return reasons.front() + (reasons.size() > 1 ? fmt::format(" (and {} more)", reasons.size() - 1) : "");
}

/// Whether a profile that nobody named may be used.
bool is_believed(const DeviceProfile& profile, const std::string& where, const Listener& listener) {
  if (profile.implausible.empty()) return true;
  listener.note(fmt::format("skipped: {} is marked implausible: {}; name it with `device` to use it anyway",
                            where, in_short(profile.implausible)));
  return false;
}

DeviceProfile named_profile(const std::string& name_or_path, OldFits old_fits) {
  const auto file = profile_file(name_or_path);
  return file ? read_profile(*file, old_fits) : built_in_profile(name_or_path);
}

/// The profile used if neither the user nor a GPU names one.
DeviceProfile default_profile(const Listener& listener) {
  constexpr const char* name = "h200";
  if (const auto own = profile_file(name))
    if (DeviceProfile profile = read_profile(*own); is_believed(profile, own->string(), listener))
      return profile;
  return built_in_profile(name);
}

}  // namespace

DeviceProfile find_profile(const std::string& name_or_path, const Listener& listener, OldFits old_fits) {
  DeviceProfile profile = named_profile(name_or_path, old_fits);
  if (!profile.implausible.empty())
    listener.note(
        fmt::format("the profile {} is marked implausible: {}", name_or_path, in_short(profile.implausible)));
  return profile;
}

void check_plausible(const DeviceProfile& profile, const fs::path& file, bool forced,
                     const Listener& listener) {
  if (profile.implausible.empty()) return;
  for (const std::string& reason : profile.implausible) listener.note("implausible: " + reason);
  if (!forced)
    throw std::runtime_error(fmt::format(
        "{} is not written: its measurements are implausible: measure on an otherwise idle GPU, or "
        "write it nevertheless, marked, with `force=true`",
        file.string()));
  listener.note(
      fmt::format("{} is marked implausible: commands use it only if `device` names it", file.string()));
}

std::optional<DeviceProfile> profile_of_gpu(const std::string& gpu, const Listener& listener) {
  for (const fs::path& file : user_profiles()) {
    try {
      DeviceProfile profile = read_profile(file);
      if (profile.provenance.gpu == gpu && is_believed(profile, file.string(), listener)) return profile;
    } catch (const std::exception& error) {
      listener.note(fmt::format("skipped: {}", error.what()));  // one broken file must not stop every command
    }
  }
  // A built-in profile is named after its GPU, h100 after "NVIDIA H100 80GB HBM3": others are not parsed,
  // because raw samples take time.
  const std::string full_name = profile_name(gpu) + '-';
  for (const std::string& name : built_in_profiles()) {
    if (!full_name.starts_with(name + '-')) continue;
    DeviceProfile profile = built_in_profile(name);
    if (profile.provenance.gpu == gpu) return profile;
  }
  return std::nullopt;
}

std::optional<std::string> present_gpu() {
  std::error_code none;
  for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    std::ifstream information(gpu.path() / "information");
    for (std::string line; std::getline(information, line);)
      if (line.starts_with("Model:"))
        return line.substr(std::min(line.size(), line.find_first_not_of(" \t", 6)));
  }
  if (!fs::exists("/dev/nvidiactl") && !fs::exists("/dev/dxg")) return std::nullopt;
  try {
    const auto gpus = present_gpus();
    return gpus.empty() ? std::nullopt : std::optional(gpus.front().name);
  } catch (const DeviceUnavailable&) {  // predictions are then made as if no GPU were present
    return std::nullopt;
  }
}

DeviceProfile choose_profile(const std::string& device_option, const Listener& listener) {
  if (!device_option.empty()) return find_profile(device_option, listener);
  const auto gpu = present_gpu();
  if (!gpu) return default_profile(listener);
  if (auto profile = profile_of_gpu(*gpu, listener)) return *std::move(profile);
  throw std::runtime_error(fmt::format(
      "the GPU present, {}, has no profile: run fathom calibrate, or choose a profile with `device`", *gpu));
}

DeviceProfile choose_profile(const std::string& device_option, const Dataset& dataset,
                             const Listener& listener) {
  if (!device_option.empty()) return find_profile(device_option, listener);
  const std::string& gpu = dataset.provenance.gpu;
  if (gpu.empty())
    throw std::runtime_error(
        "the runs do not say on which GPU they were measured: choose its profile with `device`");
  if (auto profile = profile_of_gpu(gpu, listener)) return *std::move(profile);
  throw std::runtime_error(fmt::format(
      "the runs were measured on '{}', which has no profile: choose one with `device`, or run fathom "
      "calibrate on that GPU",
      gpu));
}

std::vector<fs::path> inputs_of(const std::vector<fs::path>& datasets,
                                const std::vector<std::string>& devices) {
  std::vector<fs::path> files = datasets;
  for (const std::string& device : devices)
    if (const auto file = profile_file(device)) files.push_back(*file);
  if (devices.empty() || devices.front().empty())  // one of them may be that of the GPU present
    std::ranges::move(user_profiles(), std::back_inserter(files));
  return files;
}

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

}  // namespace

std::vector<reports::DeviceEntry> known_devices(const Listener& listener) {
  std::vector<reports::DeviceEntry> devices;
  for (const std::string& name : built_in_profiles())
    devices.push_back(reports::device_entry(built_in_profile(name), "built in"));
  for (const auto& file : user_profiles()) {
    try {
      devices.push_back(reports::device_entry(read_profile(file), file.string()));
    } catch (const std::exception& error) {  // one broken file must not hide the others
      listener.note(error.what());
    }
  }
  // Not std::ranges', whose result Clang 14 does not compile.
  std::stable_partition(devices.begin(), devices.end(),
                        [](const auto& device) { return device.origin == "measured"; });
  try {
    for (const GpuInfo& gpu : present_gpus()) devices.push_back(device_entry(gpu));
  } catch (const DeviceUnavailable& reason) {
    listener.note(reason.what());
  }
  return devices;
}

}  // namespace fathom::calls
