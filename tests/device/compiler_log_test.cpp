// SPDX-License-Identifier: Apache-2.0
// What the run-time compiler's log is made into. Needs no compiler.
#include <fathom/device/cuda/compiler/compiler_log.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("the kernels of a source are found behind their attributes") {
  const std::string text = R"(
template <class T> __global__ void one(T* x) {}
__global__ void __launch_bounds__(32 * (2 + 2)) two(int n) { __syncthreads(); f(n); }
extern "C" __global__ __launch_bounds__(64)
void three () {}
__device__ void four() {}
__global__ void two(float n) {}
)";
  CHECK(kernels_of_source(text) == std::vector<std::string>{"one", "two", "three"});
  CHECK(kernels_of_source("").empty());
  CHECK(kernels_of_source("__global__").empty());
  CHECK(kernels_of_source("__global__ void __launch_bounds__((").empty());
}

TEST_CASE("a refused program is told in one line: the first error, or what is wrong with the name") {
  const std::string text = "__global__ void scale(float*) {}\n__global__ void add(float*) {}\n";
  struct Case {
    const char* expression;
    const char* log;
    const char* says;
  };
  const Case cases[] = {
      {"scale",
       "scale.cu(2): warning #177-D: variable \"x\" was declared but never referenced\n  x\n  ^\n\n"
       "scale.cu(4): error: identifier \"y\" is undefined\n    y = 1;\n    ^\n\n"
       "scale.cu(5): error: expected a \";\"\n",
       "scale does not compile: scale.cu(4): error: identifier \"y\" is undefined"},
      {"scale", "scale.cu(1): catastrophic error: could not open source file \"vector\"\n",
       "scale does not compile: scale.cu(1): catastrophic error: could not open source file \"vector\""},
      {"scale", "something else", "scale does not compile: something else"},
      {"scalf<float>", "__nv_name_map(2): error: identifier \"scalf\" is undefined\n  #pragma\n",
       "the source has no kernel 'scalf<float>': did you mean 'scale'? (it has scale, add)"},
      {"scale",
       "__nv_name_map(2): error: cannot determine which instance of function template \"scale\" is "
       "intended\n",
       "'scale' is a template: name its arguments, as in scale<float>"},
      {"scale",
       "__nv_name_map(2): error: cannot determine which instance of overloaded function \"scale\" is "
       "intended\n",
       "several kernels are named 'scale': choose one by its type, as in (void (*)(float*))scale"},
      {"help", "__nv_name_map(2): error: Name expression cannot form address of a non-__global__ function.\n",
       "'help' is no kernel: it is not __global__"},
      {"scale<", "__nv_name_map(2): error: expected an expression\n",
       "the source has no kernel 'scale<': expected an expression"},
  };
  for (const Case& one : cases) {
    INFO(one.log);
    CHECK(why_not_compiled(one.expression, text, one.log) == one.says);
  }
}
