// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/wheels.h>
#include <fathom/device/cuda/nccl.h>
#include <fathom/device/group/communicator.h>

#include <dlfcn.h>

#include <cstdlib>

namespace fathom::nccl {
namespace {

/// Throws DeviceUnavailable, which says what the library lacks.
Library functions_of(void* loaded) {
  Library found{};
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(loaded, name));
    if (!function) throw DeviceUnavailable(std::string("has no function ") + name);
  };
  find(found.get_version, "ncclGetVersion");
  find(found.get_unique_id, "ncclGetUniqueId");
  find(found.init_rank, "ncclCommInitRank");
  find(found.init_all, "ncclCommInitAll");
  find(found.abort, "ncclCommAbort");
  find(found.destroy, "ncclCommDestroy");
  find(found.get_async_error, "ncclCommGetAsyncError");
  find(found.get_error_string, "ncclGetErrorString");
  find(found.group_start, "ncclGroupStart");
  find(found.group_end, "ncclGroupEnd");
  find(found.send, "ncclSend");
  find(found.receive, "ncclRecv");
  find(found.all_gather, "ncclAllGather");
  find(found.all_reduce, "ncclAllReduce");
  return found;
}

Library first_usable() {
  const char* const own = std::getenv("FATHOM_NCCL");
  const bool is_named = own && *own;
  std::vector<std::string> files{is_named ? own : "libnccl.so.2"};
  if (!is_named)
    for (std::string& file : files_of_wheels("nccl/lib/libnccl.so.2")) files.push_back(std::move(file));

  std::string problem = "NCCL, through which GPUs exchange data, was not found";
  for (const std::string& file : files) {
    void* const loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!loaded) {
      if (is_named) problem = std::string("FATHOM_NCCL names no library: ") + dlerror();
      continue;
    }
    try {
      return functions_of(loaded);
    } catch (const DeviceUnavailable& unusable) {
      dlclose(loaded);
      problem = "NCCL's library " + file + " " + unusable.what();
    }
  }
  throw DeviceUnavailable(
      problem +
      ": run pip install nvidia-nccl-cu13 (nvidia-nccl-cu12 with CUDA 12), or set FATHOM_NCCL "
      "to a libnccl.so.2");
}

}  // namespace

std::string Library::version() const {
  int code = 0;
  check(get_version(&code), "ask for NCCL's version");
  return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
         std::to_string(code % 100);
}

void Library::check(int result, const std::string& step) const {
  if (result != success) throw ExchangeFailure(step + ": NCCL: " + get_error_string(result));
}

const Library& library() {
  static const Library loaded = first_usable();
  return loaded;
}

}  // namespace fathom::nccl
