// SPDX-License-Identifier: Apache-2.0
// NVML, the driver's library for managing GPUs.
#pragma once

namespace fathom {

/// NVML comes with the driver, and Fathom must start without one, so the library is loaded at run time. Its
/// header is an optional part of the toolkit, so callers spell out the types of its functions, which belong
/// to a stable C interface.
class Nvml {
 public:
  explicit Nvml(const char* library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Calls a function of NVML. The arguments must have exactly the types of its parameters. False if NVML or
  /// the function is missing, or the function reports an error.
  template <class... Arguments>
  bool call(const char* function, Arguments... arguments) const {
    const auto found = reinterpret_cast<int (*)(Arguments...)>(symbol(function));
    return found && found(arguments...) == success;
  }

 private:
  static constexpr int success = 0;

  void* symbol(const char* function) const;  ///< nullptr if it is missing

  void* library_;  ///< nullptr if it could not be loaded
  bool initialised_;
};

}  // namespace fathom
