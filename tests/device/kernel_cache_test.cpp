// SPDX-License-Identifier: Apache-2.0
// The cache of compiled kernels: its keys, damaged entries, and where it lies.
#include "../support/environment.h"
#include "../support/skip.h"
#include "../support/temporary_directory.h"

#include <fathom/device/cuda/compiler/compile_ahead.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>

#include <fathom/core/interruption.h>
#include <fathom/core/system/whole_file.h>

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace fathom;
namespace fs = std::filesystem;

namespace {

std::string key(std::string_view included, std::string_view nested, std::string_view other,
                const std::string& constants = "fathom::Constant<1>", int threads = 128,
                int compute_capability = 90) {
  const HeaderText headers[] = {{"kernel.h", included}, {"nested.h", nested}, {"other.h", other}};
  return kernel_cache_key({"kernel.h", "fathom::Kernel<" + constants + ">", headers}, threads,
                          compute_capability);
}

}  // namespace

TEST_CASE("a kernel's cache key covers the headers that it includes, directly or not, and no others") {
  tests::need_compiler();
  const std::string includes = "#include <nested.h>\nint a;", key_before = key(includes, "int b;", "int c;");
  CHECK(key(includes, "int b;", "int c;") == key_before);
  CHECK(key(includes, "int b;", "int changed;") == key_before);
  CHECK(key(includes, "int changed;", "int c;") != key_before);
  CHECK(key(includes + " ", "int b;", "int c;") != key_before);
  CHECK(key("int a;", "int b;", "int c;") != key_before);
}

TEST_CASE("a kernel's cache key covers its specialisation, its block size and the architecture") {
  tests::need_compiler();
  const std::string key_before = key("", "", "");
  CHECK(key("", "", "", "fathom::Constant<2>") != key_before);
  CHECK(key("", "", "", "fathom::Constant<1>", 256) != key_before);
  CHECK(key("", "", "", "fathom::Constant<1>", 128, 80) != key_before);
}

namespace {

/// A cache of its own for a test.
class OwnCache {
 public:
  fs::path path() const { return folder_ / "cache"; }
  fs::path only_entry() const {
    const std::vector<fs::directory_entry> entries(fs::directory_iterator(path()), {});
    REQUIRE(entries.size() == 1);
    return entries.front().path();
  }

 private:
  tests::TemporaryDirectory folder_;
  tests::Environment variable_{"FATHOM_CACHE", path().string()};
};

CompiledKernel compiled() {
  return cached_cuda("template <int> __global__ void nothing() {}", "nothing<1>", 90);
}

}  // namespace

TEST_CASE("a damaged cache entry is compiled again") {
  tests::need_compiler();
  const OwnCache cache;
  const CompiledKernel fresh = compiled();
  const fs::path entry = cache.only_entry();
  const std::string good = read_whole(entry);
  CHECK(decode_entry(good)->cubin == fresh.cubin);

  std::string flipped = good;
  flipped[good.size() / 2] = char(flipped[good.size() / 2] ^ 1);
  for (const std::string& damaged :
       {good.substr(0, good.size() / 2), good.substr(0, good.size() - 1), good + "x", std::string(), flipped,
        fresh.symbol + "\n" + std::string(fresh.cubin.begin(), fresh.cubin.end())}) {
    write_whole(entry, damaged);
    const CompiledKernel again = compiled();
    CHECK(again.cubin == fresh.cubin);
    CHECK(again.symbol == fresh.symbol);
    CHECK(read_whole(entry) == good);
  }
}

TEST_CASE("an intact cache entry is used") {
  tests::need_compiler();
  const OwnCache cache;
  compiled();
  const CompiledKernel planted{{'c', 'o', 'd', 'e'}, "planted"};
  write_whole(cache.only_entry(), encode_entry(planted));
  CHECK(compiled().symbol == "planted");
}

TEST_CASE("an interrupt cancels a compilation, which leaves no entry") {
  tests::need_compiler();
  if (nvrtc::version().major < 13) tests::skip("NVRTC cancels compilations since version 13");
  const OwnCache cache;
  for (const int after : {0, 2}) {  // calls of the check: none of them is ours
    const Interruptible interruptible([calls = 0, after]() mutable {
      if (calls++ >= after) throw Interrupted("interrupted");
    });
    CHECK_THROWS_AS(compiled(), Interrupted);
  }
  CHECK(fs::is_empty(cache.path()));
  CHECK_FALSE(compiled().cubin.empty());  // the compiler is still good
}

TEST_CASE("kernels compiled ahead are those that are compiled when they are needed") {
  tests::need_compiler();
  const OwnCache cache;
  const std::string text = "template <int N> __global__ void store(int* to) { *to = N; }";
  const CudaSource one{text, "store<1>"}, two{text, "store<2>"}, broken{text, "store<none>"};
  const CompileAhead ahead({one, broken, two}, 90);
  CHECK(ahead.find(two)->cubin == compile_cuda(text, "store<2>", 90).cubin);
  CHECK(ahead.find(one)->symbol == compile_cuda(text, "store<1>", 90).symbol);
  CHECK_THROWS_AS(ahead.find(broken), KernelFailure);
  CHECK(ahead.find(one));  // more than once
  CHECK_FALSE(ahead.find({text, "store<3>"}));
}

TEST_CASE("what is left to compile ahead is given up with its owner, or cancelled") {
  tests::need_compiler();
  const OwnCache cache;
  const std::string text = "template <int N> __global__ void store(int* to) { *to = N; }";
  std::vector<CudaSource> many;
  for (int i = 0; i < 1000; ++i) many.push_back({text, "store<" + std::to_string(i) + ">"});
  CompileAhead(many, 90).find(many[0]);
  const std::vector<fs::directory_entry> entries(fs::directory_iterator(cache.path()), {});
  CHECK(entries.size() < many.size());

  const Interruptible interruptible([] { throw Interrupted("interrupted"); });
  const CompileAhead cancelled({{text, "store<-1>"}}, 90);
  if (nvrtc::version().major >= 13) CHECK_THROWS_AS(cancelled.find({text, "store<-1>"}), Interrupted);
}

TEST_CASE("the kernel cache is used only where no one else can write") {
  tests::need_compiler();
  const OwnCache cache;
  CHECK_FALSE(kernel_cache_problem());
  compiled();
  const CompiledKernel planted{{'c', 'o', 'd', 'e'}, "planted"};
  write_whole(cache.only_entry(), encode_entry(planted));
  fs::permissions(cache.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK(kernel_cache_problem()->find("can be written to by other users") != std::string::npos);
  CHECK(compiled().symbol != "planted");
}

TEST_CASE("the kernel cache is in the user's cache directory, never in the working directory") {
  const tests::Environment no_cache("FATHOM_CACHE", "");
  {
    const tests::Environment xdg("XDG_CACHE_HOME", "/xdg");
    CHECK(kernel_cache_directory() == fs::path("/xdg/fathom"));
  }
  for (const char* no_path : {"", "relative"}) {
    const tests::Environment xdg("XDG_CACHE_HOME", no_path), home("HOME", "/home/some");
    CHECK(kernel_cache_directory() == fs::path("/home/some/.cache/fathom"));
  }
  for (const char* no_home : {static_cast<const char*>(nullptr), "", "relative"}) {
    const tests::Environment xdg("XDG_CACHE_HOME", ""), home("HOME", no_home);
    const auto directory = kernel_cache_directory();
    CHECK((!directory || (directory->is_absolute() && directory->string().ends_with(".cache/fathom"))));
  }
}
