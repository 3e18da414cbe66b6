// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/digest.h>
#include <fathom/core/system/user_directory.h>
#include <fathom/core/system/whole_file.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/device/cuda/compiler/nvrtc.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace fathom {

namespace {

/// Adds the headers of `known` that `text` includes, directly or indirectly, each once.
void add_included(std::string_view text, const std::vector<HeaderText>& known,
                  std::vector<HeaderText>& included) {
  constexpr std::string_view directive = "#include <";
  for (std::size_t at = text.find(directive); at != text.npos; at = text.find(directive, at + 1)) {
    const std::size_t begin = at + directive.size();
    const std::string_view name = text.substr(begin, text.find('>', begin) - begin);
    const auto is_named = [name](const HeaderText& header) { return header.name == name; };
    const auto found = std::find_if(known.begin(), known.end(), is_named);
    if (found == known.end() || std::any_of(included.begin(), included.end(), is_named)) continue;
    included.push_back(*found);
    add_included(found->text, known, included);
  }
}

nvrtc::Program struct_program(const KernelSource& source, int threads, int compute_capability,
                              std::vector<HeaderText>& headers) {
  nvrtc::Program program{"#include <fathom/device/contract/contract.h>\n#include <" + source.header + ">\n" +
                             entry_function(source, threads),
                         struct_name(source.expression) + "<" + source.expression + ">",
                         compute_capability,
                         {}};
  const auto contract = contract_headers();
  std::vector<HeaderText> known(contract.begin(), contract.end());
  known.insert(known.end(), source.headers.begin(), source.headers.end());
  add_included(program.text, known, headers);
  program.headers = headers;
  return program;
}

/// `headers` has to outlive the program.
nvrtc::Program program_of(const KernelSource& source, int threads, int compute_capability,
                          std::vector<HeaderText>& headers) {
  if (!source.text.empty()) return {source.text, source.expression, compute_capability, {}};
  return struct_program(source, threads, compute_capability, headers);
}

/// Two digests of everything that determines the machine code, used as the file name.
std::string key_of(const nvrtc::Program& program) {
  std::ostringstream key;
  key << std::hex;
  for (std::uint64_t hash : {digest(""), second_digest}) {
    const auto mix = [&](std::string_view text) { hash = digest("\xff", digest(text, hash)); };
    mix(to_string(nvrtc::version()));
    for (const char* option : nvrtc::options) mix(option);
    mix(std::to_string(program.compute_capability));
    mix(program.text);
    mix(program.expression);
    for (const HeaderText& header : program.headers) mix(header.name), mix(header.text);
    key << hash << '-';
  }
  return key.str() + "sm_" + std::to_string(program.compute_capability);
}

/// The entry's file; absent if nothing is to be cached.
std::optional<std::filesystem::path> entry_of(const nvrtc::Program& program) {
  const auto directory = kernel_cache_directory();
  if (!directory || kernel_cache_problem()) return std::nullopt;
  return *directory / (key_of(program) + ".cubin");
}

std::optional<CompiledKernel> read(const std::filesystem::path& file) {
  try {
    return decode_entry(read_whole(file));
  } catch (const std::runtime_error&) {  // not cached yet, or not readable
    return std::nullopt;
  }
}

void write(const std::filesystem::path& file, const CompiledKernel& kernel) {
  try {
    write_whole(file, encode_entry(kernel));
  } catch (const std::runtime_error&) {  // without an entry it is compiled again, which only costs time
  }
}

CompiledKernel by_way_of_cache(const nvrtc::Program& program) {
  const auto file = entry_of(program);
  if (!file) return nvrtc::compile(program);
  if (auto kernel = read(*file)) return *std::move(kernel);
  const CompiledKernel kernel = nvrtc::compile(program);
  write(*file, kernel);
  return kernel;
}

}  // namespace

std::optional<std::filesystem::path> kernel_cache_directory() {
  const char* own = std::getenv("FATHOM_CACHE");
  if (own && *own) return own;
  const auto caches = user_directory("XDG_CACHE_HOME", ".cache");
  return caches ? std::optional(*caches / "fathom") : std::nullopt;
}

std::optional<std::string> kernel_cache_problem() {
  const auto directory = kernel_cache_directory();
  if (!directory) return "there is no home directory for it: set FATHOM_CACHE to a directory of your own";
  try {
    make_private_directory(*directory);
  } catch (const std::runtime_error& problem) {
    return problem.what() + std::string(": set FATHOM_CACHE to a directory of your own");
  }
  return std::nullopt;
}

std::string entry_function(const KernelSource& source, int threads) {
  return "template <class Kernel>\n"
         "__global__ void __launch_bounds__(" +
         std::to_string(threads) + ", fathom::least_resident_blocks<Kernel>()) " +
         struct_name(source.expression) +
         "(const __grid_constant__ Kernel kernel) {\n"
         "  fathom::Block block;\n"
         "  kernel(block);\n"
         "}\n";
}

CompiledKernel compile_kernel(const KernelSource& source, int threads, int compute_capability) {
  std::vector<HeaderText> headers;
  return nvrtc::compile(program_of(source, threads, compute_capability, headers));
}
CompiledKernel compile_cuda(const std::string& text, const std::string& expression, int compute_capability) {
  return nvrtc::compile({text, expression, compute_capability, {}});
}
std::string kernel_cache_key(const KernelSource& source, int threads, int compute_capability) {
  std::vector<HeaderText> headers;
  return key_of(program_of(source, threads, compute_capability, headers));
}
CompiledKernel cached_kernel(const KernelSource& source, int threads, int compute_capability) {
  std::vector<HeaderText> headers;
  return by_way_of_cache(program_of(source, threads, compute_capability, headers));
}
CompiledKernel cached_cuda(const std::string& text, const std::string& expression, int compute_capability) {
  return by_way_of_cache({text, expression, compute_capability, {}});
}

}  // namespace fathom
