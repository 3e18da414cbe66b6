// SPDX-License-Identifier: Apache-2.0
// The profile of a call: built-in, the user's own, or that of the GPU present.
#pragma once

#include <fathom/calls/listener.h>
#include <fathom/reports/results.h>
#include <fathom/store/dataset.h>
#include <fathom/store/profile.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fathom::calls {

/// $XDG_CONFIG_HOME/fathom/profiles, else ~/.config/fathom/profiles: where `fathom calibrate` writes without
/// -o. Absent for a user without a home.
std::optional<std::filesystem::path> user_profile_directory();
/// Where it keeps a profile of this name; makes the directory. Throws std::runtime_error for a user without a
/// home, std::filesystem::filesystem_error.
std::filesystem::path user_profile_file(const std::string& name);
/// The *.json files there, sorted.
std::vector<std::filesystem::path> user_profiles();

/// "NVIDIA H200" → "h200": the name of a profile made on this GPU.
std::string profile_name(std::string gpu);

/// The file that a --device or --profile means: a path (anything with a '/' or ending in .json), or the name
/// of one of the user's profiles. Absent for any other name, which can only be a built-in one.
std::optional<std::filesystem::path> profile_file(const std::string& name_or_path);

/// The profile in that file, or the built-in one. Notes if its measurements are implausible. Throws what
/// read_profile() and built_in_profile() throw.
DeviceProfile find_profile(const std::string& name_or_path, const Listener& listener,
                           OldFits old_fits = OldFits::refused);

/// Notes why the profile that was just fitted must not be believed. Throws std::runtime_error if it must not:
/// it is not to be written, unless `forced`.
void check_plausible(const DeviceProfile& profile, const std::filesystem::path& file, bool forced,
                     const Listener& listener);

/// The profile made on a GPU of this name, the user's own before the built-in ones. Implausible ones are
/// skipped with a note.
std::optional<DeviceProfile> profile_of_gpu(const std::string& gpu, const Listener& listener);

/// The GPU present, as named by the driver. Read from the driver's files if there are any, because starting
/// CUDA takes longer than a prediction may take.
std::optional<std::string> present_gpu();

/// The profile named by --device; without it that of the GPU present, or h200 if there is no GPU. Throws
/// std::runtime_error if the GPU present has no profile yet.
DeviceProfile choose_profile(const std::string& device_option, const Listener& listener);
/// Without --device: the profile of the GPU that the runs were measured on.
DeviceProfile choose_profile(const std::string& device_option, const Dataset& dataset,
                             const Listener& listener);

/// The files that a command with these options reads, as far as they can be told from the options: what its
/// output must not replace.
std::vector<std::filesystem::path> inputs_of(const std::vector<std::filesystem::path>& datasets,
                                             const std::vector<std::string>& devices);

/// The profiles, built in and the user's own, measured ones first, and the GPUs present. Notes files that
/// cannot be read, and why there are no GPUs.
std::vector<reports::DeviceEntry> known_devices(const Listener& listener);

}  // namespace fathom::calls
