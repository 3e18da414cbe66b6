// What a kernel compiled earlier may be used for.
#include <fathom/device/cuda/kernel_cache.h>

#include <catch2/catch.hpp>

using namespace fathom;

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
  const std::string includes = "#include <nested.h>\nint a;", key_before = key(includes, "int b;", "int c;");
  CHECK(key(includes, "int b;", "int c;") == key_before);
  CHECK(key(includes, "int b;", "int changed;") == key_before);
  CHECK(key(includes, "int changed;", "int c;") != key_before);
  CHECK(key(includes + " ", "int b;", "int c;") != key_before);
  CHECK(key("int a;", "int b;", "int c;") != key_before);
}

TEST_CASE("a kernel's cache key covers its specialisation, its block size and the architecture") {
  const std::string key_before = key("", "", "");
  CHECK(key("", "", "", "fathom::Constant<2>") != key_before);
  CHECK(key("", "", "", "fathom::Constant<1>", 256) != key_before);
  CHECK(key("", "", "", "fathom::Constant<1>", 128, 80) != key_before);
}
