#include <fathom/device/cuda/nvrtc.h>

#include <dlfcn.h>
#include <nvrtc.h>

#include <memory>

namespace fathom::nvrtc {
namespace {

class Library {
 public:
  Library() : handle_(open()) {
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
    find(version, "nvrtcVersion");
  }

  decltype(&nvrtcCreateProgram) createProgram;
  decltype(&nvrtcDestroyProgram) destroyProgram;
  decltype(&nvrtcCompileProgram) compileProgram;
  decltype(&nvrtcAddNameExpression) addNameExpression;
  decltype(&nvrtcGetLoweredName) getLoweredName;
  decltype(&nvrtcGetProgramLogSize) getProgramLogSize;
  decltype(&nvrtcGetProgramLog) getProgramLog;
  decltype(&nvrtcGetCUBINSize) getCUBINSize;
  decltype(&nvrtcGetCUBIN) getCUBIN;
  decltype(&nvrtcGetErrorString) getErrorString;
  decltype(&nvrtcVersion) version;

  void check(nvrtcResult result, const char* what) const {
    if (result != NVRTC_SUCCESS)
      throw KernelFailure(std::string("NVRTC: ") + what + ": " + getErrorString(result));
  }

 private:
  static void* open() {
    // By name if the loader finds it, else in the toolkit that Fathom was built with.
    for (const char* name : {FATHOM_NVRTC_SONAME, FATHOM_TOOLKIT_LIBRARIES "/" FATHOM_NVRTC_SONAME})
      if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
    throw DeviceUnavailable(
        "the CUDA run-time compiler " FATHOM_NVRTC_SONAME
        " was not found: install the CUDA toolkit, or add its library folder to LD_LIBRARY_PATH");
  }
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (!function) throw DeviceUnavailable(std::string(FATHOM_NVRTC_SONAME " has no function ") + name);
  }
  void* handle_;
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace

CompiledKernel compile(const Program& program) {
  const Library& nvrtc = library();
  std::vector<const char*> names, texts;
  for (const HeaderText& header : program.headers) {
    names.push_back(header.name.data());  // both come from string literals, so they end with a NUL
    texts.push_back(header.text.data());
  }

  nvrtcProgram handle;
  nvrtc.check(nvrtc.createProgram(&handle, program.text.c_str(), "fathom_kernel.cu", int(names.size()),
                                  texts.data(), names.data()),
              "create program");
  const auto destroy = [&](nvrtcProgram* p) { nvrtc.destroyProgram(p); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> guard(&handle, destroy);

  nvrtc.check(nvrtc.addNameExpression(handle, program.expression.c_str()), program.expression.c_str());
  const std::string architecture = "--gpu-architecture=sm_" + std::to_string(program.compute_capability);
  std::vector<const char*> all_options{architecture.c_str()};
  all_options.insert(all_options.end(), std::begin(options), std::end(options));
  if (nvrtc.compileProgram(handle, int(all_options.size()), all_options.data()) != NVRTC_SUCCESS) {
    std::size_t size = 0;
    nvrtc.getProgramLogSize(handle, &size);
    std::string log(size, '\0');
    nvrtc.getProgramLog(handle, log.data());
    throw KernelFailure("compiling " + program.expression + " for sm_" +
                        std::to_string(program.compute_capability) + ":\n" + log);
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

std::string version() {
  int major = 0, minor = 0;
  library().check(library().version(&major, &minor), "version");
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace fathom::nvrtc
