// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/core/system/wheels.h>
#include <fathom/device/cuda/compiler/compiler_log.h>
#include <fathom/device/cuda/compiler/nvrtc.h>
#include <fathom/model/architectures.h>

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>

namespace fathom::nvrtc {
namespace {

constexpr int success = 0;
constexpr ToolkitVersion oldest_version{12, 8};  // older ones lack what the kernels need

/// The functions as NVIDIA documents them, so that a build needs no header of the toolkit. A program is an
/// opaque pointer.
class Library {
 public:
  using Handle = void*;

  /// Throws DeviceUnavailable if it is too old or no run-time compiler.
  explicit Library(void* loaded) : loaded_(loaded) {
    int (*get_version)(int* major, int* minor);
    find(get_version, "nvrtcVersion");
    if (get_version(&version.major, &version.minor) != success) throw DeviceUnavailable("has no version");
    if (version < oldest_version)
      throw DeviceUnavailable("is version " + to_string(version) + ", too old for Fathom's kernels");
    find(createProgram, "nvrtcCreateProgram");
    find(destroyProgram, "nvrtcDestroyProgram");
    find(compileProgram, "nvrtcCompileProgram");
    find(addNameExpression, "nvrtcAddNameExpression");
    find(getLoweredName, "nvrtcGetLoweredName");
    find(getProgramLogSize, "nvrtcGetProgramLogSize");
    find(getProgramLog, "nvrtcGetProgramLog");
    find(getCUBINSize, "nvrtcGetCUBINSize");
    find(getCUBIN, "nvrtcGetCUBIN");
    find(getErrorString, "nvrtcGetErrorString");
    // Since CUDA 13. With an older one, a compilation ends before an interrupt does.
    setFlowCallback = reinterpret_cast<decltype(setFlowCallback)>(dlsym(loaded_, "nvrtcSetFlowCallback"));
  }

  ToolkitVersion version{};
  int (*createProgram)(Handle* program, const char* text, const char* name, int header_count,
                       const char* const* header_texts, const char* const* header_names);
  int (*destroyProgram)(Handle* program);
  int (*compileProgram)(Handle program, int option_count, const char* const* options);
  int (*addNameExpression)(Handle program, const char* expression);
  int (*getLoweredName)(Handle program, const char* expression, const char** symbol);
  int (*getProgramLogSize)(Handle program, std::size_t* size);
  int (*getProgramLog)(Handle program, char* log);
  int (*getCUBINSize)(Handle program, std::size_t* size);
  int (*getCUBIN)(Handle program, char* cubin);
  const char* (*getErrorString)(int result);
  int (*setFlowCallback)(Handle program, int (*callback)(void* payload, void* reserved), void* payload);

  void check(int result, const char* what) const {
    if (result != success) throw KernelFailure(std::string("NVRTC: ") + what + ": " + getErrorString(result));
  }

 private:
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(loaded_, name));
    if (!function) throw DeviceUnavailable(std::string("has no function ") + name);
  }
  void* loaded_;
};

/// Cancels a compilation once check_interruption() throws for the thread that made this. The compiler may ask
/// on any thread.
class Cancellation {
 public:
  static int is_asked_for(void* self, void*) {
    Cancellation& cancellation = *static_cast<Cancellation*>(self);
    const std::scoped_lock lock(cancellation.mutex_);
    if (!cancellation.thrown_ && cancellation.check_) try {
        cancellation.check_();
      } catch (...) {  // must not pass through the compiler
        cancellation.thrown_ = std::current_exception();
      }
    return cancellation.thrown_ ? 1 : 0;
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  InterruptionCheck check_ = interruption_check();
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

std::vector<std::string> usual_files() {
  std::vector<std::string> files;
  for (const std::string folder : {"",  // the loader's
#ifdef FATHOM_TOOLKIT_LIBRARIES
                                   FATHOM_TOOLKIT_LIBRARIES "/",
#endif
                                   "/usr/local/cuda/lib64/"})
    for (const char* name : {
#ifdef FATHOM_NVRTC_SONAME
             FATHOM_NVRTC_SONAME,  // first: the driver may be too old for the code of a newer one
#endif
             "libnvrtc.so.13", "libnvrtc.so.12"})
      files.push_back(folder + name);
  for (const char* wheel : {"cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12"})
    for (std::string& file : files_of_wheels(wheel)) files.push_back(std::move(file));
  return files;
}

Library first_usable() {
  const char* own = std::getenv("FATHOM_NVRTC");
  const bool is_named = own && *own;
  std::string problem = "the CUDA run-time compiler, NVRTC, was not found";
  for (const std::string& file : is_named ? std::vector<std::string>{own} : usual_files()) {
    void* const loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!loaded) {
      if (is_named) problem = std::string("FATHOM_NVRTC names no library: ") + dlerror();
      continue;
    }
    try {
      return Library(loaded);
    } catch (const DeviceUnavailable& unusable) {
      dlclose(loaded);
      problem = "the CUDA run-time compiler " + file + " " + unusable.what();
    }
  }
  throw DeviceUnavailable(problem +
                          ": install the CUDA toolkit (12.8 or newer), or run pip install nvidia-cuda-nvrtc, "
                          "or set FATHOM_NVRTC to a libnvrtc.so.13");
}

const Library& library() {
  static const Library loaded = first_usable();
  return loaded;
}

DeviceUnavailable wrong_compiler(const Architecture& on) {
  const std::string wanted = on.newest
                                 ? "one of " + to_string(oldest_version) + " to " + to_string(*on.newest)
                                 : "one of " + to_string(on.oldest) + " or newer";
  return DeviceUnavailable("the CUDA run-time compiler is version " + to_string(library().version) +
                           ", which does not compile for " + on.name() +
                           ": set FATHOM_NVRTC to the file of " + wanted);
}

}  // namespace

ToolkitVersion version() {
  return library().version;
}

CompiledKernel compile(const Program& program) {
  const Library& nvrtc = library();
  if (const Architecture* on = find_architecture(program.compute_capability);
      on && !on->compiled_by(version()))
    throw wrong_compiler(*on);
  std::vector<const char*> names, texts;
  for (const HeaderText& header : program.headers) {
    names.push_back(header.name.data());  // both come from string literals, so they end with a NUL
    texts.push_back(header.text.data());
  }

  Library::Handle handle;
  nvrtc.check(nvrtc.createProgram(&handle, program.text.c_str(), "fathom_kernel.cu", int(names.size()),
                                  texts.data(), names.data()),
              "create program");
  const auto destroy = [&](Library::Handle* p) { nvrtc.destroyProgram(p); };
  const std::unique_ptr<Library::Handle, decltype(destroy)> guard(&handle, destroy);

  nvrtc.check(nvrtc.addNameExpression(handle, program.expression.c_str()), program.expression.c_str());
  const std::string architecture = "--gpu-architecture=sm_" + std::to_string(program.compute_capability);
  std::vector<const char*> all_options{architecture.c_str()};
  all_options.insert(all_options.end(), std::begin(options), std::end(options));
  Cancellation cancellation;
  if (nvrtc.setFlowCallback)
    nvrtc.check(nvrtc.setFlowCallback(handle, Cancellation::is_asked_for, &cancellation),
                "watch for the end");
  const int result = nvrtc.compileProgram(handle, int(all_options.size()), all_options.data());
  cancellation.rethrow();
  if (result != success) {
    std::size_t size = 0;
    nvrtc.getProgramLogSize(handle, &size);
    std::string log(size, '\0');
    nvrtc.getProgramLog(handle, log.data());
    while (!log.empty() && log.back() == '\0') log.pop_back();
    // The first error of a template in a header has only the place; who asked for it stands below.
    if (!program.headers.empty())
      throw KernelFailure("compiling " + program.expression + " for sm_" +
                          std::to_string(program.compute_capability) + ":\n" + log);
    throw KernelFailure(why_not_compiled(program.expression, program.text, log));
  }

  CompiledKernel kernel;
  const char* symbol = nullptr;
  nvrtc.check(nvrtc.getLoweredName(handle, program.expression.c_str(), &symbol), "find the entry function");
  kernel.symbol = symbol;
  std::size_t size = 0;
  nvrtc.check(nvrtc.getCUBINSize(handle, &size), "read the machine code");
  kernel.cubin.resize(size);
  nvrtc.check(nvrtc.getCUBIN(handle, kernel.cubin.data()), "read the machine code");
  return kernel;
}

}  // namespace fathom::nvrtc
