// SPDX-License-Identifier: Apache-2.0
// A plain __global__ function as an algorithm: what a program says of it, in one struct, so that the commands
// measure and predict it. Nothing of the function is rewritten.
//
//     fathom::add_algorithm(fathom::cuda_algorithm({
//         .slug = "scale",
//         .file = "scale.cu",
//         .text = R"(__global__ void scale(const float* in, float* out, int n, float by) { … })",
//         .name = "scale",
//         .arguments = {CudaArgument::input(), CudaArgument::output(), CudaArgument::n<int>(),
//                       CudaArgument::value(2.5f)},
//         .blocks = [](const Problem& problem) { return std::ceil(problem.n / problem.parameters.at("t"));
//         }}));
//
// NVRTC compiles it, for the GPU that is there or for the architecture that is asked about. On a GPU it is
// run, checked and timed; its predictions rest on what its machine code tells (docs/machine-code.md).
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/device/kernel_info.h>

#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace fathom {

/// A number that depends on n, the element type and the parameters.
using OfProblem = std::function<double(const Problem&)>;

/// This says what the kernel gets for one of its parameters. Arrays are in the memory of the GPU; they are
/// aligned to 256 bytes and do not overlap.
class CudaArgument {
 public:
  enum class Role { input, output, buffer, value };
  using Bytes = std::vector<std::byte>;

  /// An array of the problem's type that the kernel reads and does not change, filled with the pattern of the
  /// problem's input. Random floating-point numbers are -1, 0 or 1, whose sums are exact in any order.
  /// `length`: elements; n by default. An empty array is one too.
  static CudaArgument input(OfProblem length = all) { return {Role::input, std::move(length), 0}; }
  /// An array of the problem's type that the kernel writes. Before a checked run each of its bytes is 0xa5;
  /// before a timed one it has what the run before left.
  static CudaArgument output(OfProblem length = all) { return {Role::output, std::move(length), 0}; }
  /// A further array of `length` elements, of Ts, which the kernel may read and write. It begins with
  /// `contents`, of that length, and with zeros if there are none; later runs find what the one before left.
  template <class T>
  static CudaArgument buffer(OfProblem length,
                             std::function<std::vector<T>(const Problem&)> contents = nullptr) {
    CudaArgument argument{Role::buffer, std::move(length), sizeof(T)};
    if (contents)
      argument.bytes_ = [contents = std::move(contents)](const Problem& problem) {
        const std::vector<T> values = contents(problem);
        Bytes bytes(values.size() * sizeof(T));
        if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
        return bytes;
      };
    return argument;
  }
  /// A value that depends on the problem. T is the type of the kernel's parameter: a number, or a struct
  /// that can be copied byte by byte.
  template <class T>
  static CudaArgument value(std::function<T(const Problem&)> of) {
    static_assert(std::is_trivially_copyable_v<T>, "a kernel's argument is copied byte by byte");
    CudaArgument argument{Role::value, nullptr, sizeof(T)};
    argument.is_number_ = std::is_arithmetic_v<T>;
    argument.bytes_ = [of = std::move(of)](const Problem& problem) {
      const T value = of(problem);
      Bytes bytes(sizeof(T));
      std::memcpy(bytes.data(), &value, sizeof(T));
      return bytes;
    };
    return argument;
  }
  /// The same value for every problem.
  template <class T>
  static CudaArgument value(T constant) {
    return value<T>([constant](const Problem&) { return constant; });
  }
  /// n, as a whole number of the type Int. Problems whose n it does not hold are refused.
  template <class Int>
  static CudaArgument n() {
    return value<Int>([](const Problem& problem) {
      if (problem.n > double(std::numeric_limits<Int>::max()))
        throw std::invalid_argument(
            "the kernel's argument n does not hold so many elements: choose a smaller n");
      return Int(problem.n);
    });
  }

  Role role() const { return role_; }
  bool is_array() const { return role_ != Role::value; }
  /// Bytes of a value, or of an element of an array.
  std::size_t element_bytes(const Problem& problem) const;
  /// Elements of an array. Throws std::invalid_argument for a length that is none.
  std::size_t length(const Problem& problem) const;
  /// A value, or the contents that a buffer begins with; empty for zeros.
  Bytes bytes(const Problem& problem) const { return bytes_ ? bytes_(problem) : Bytes{}; }
  bool is_number() const { return is_number_; }

 private:
  CudaArgument(Role role, OfProblem length, std::size_t element_bytes)
      : role_(role), length_(std::move(length)), element_bytes_(element_bytes) {}
  static double all(const Problem& problem) { return problem.n; }

  Role role_;
  OfProblem length_;
  std::size_t element_bytes_;  ///< 0: those of the problem's type
  bool is_number_ = false;
  std::function<Bytes(const Problem&)> bytes_{};
};

/// The arrays of a run that has ended, copied to the host.
class CudaRun {
 public:
  CudaRun(const Problem& problem, std::vector<CudaArgument::Bytes> arrays)
      : problem(problem), arrays_(std::move(arrays)) {}

  /// The argument at this place in CudaKernel::arguments, counted from 0. Throws std::invalid_argument if it
  /// is no array, or none of whole Ts.
  template <class T>
  std::span<const T> array(std::size_t argument) const {
    const CudaArgument::Bytes& bytes = bytes_of(argument);
    if (bytes.size() % sizeof(T) != 0)
      throw std::invalid_argument("argument " + std::to_string(argument) + " has elements of another size");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  const Problem& problem;

 private:
  const CudaArgument::Bytes& bytes_of(std::size_t argument) const;

  std::vector<CudaArgument::Bytes> arrays_;  ///< empty for values
};

/// How often a loop of the source turns each time that it is entered, where the machine code does not tell.
/// It concerns predictions only. A loop that nothing is said of is taken to turn once, and the answer says
/// so.
struct CudaLoop {
  /// A part of the line with the loop's condition, as "for (int k" is: one that no other line has.
  std::string line;
  OfProblem turns;  ///< at least 0: the mean over all warps
};

/// See the beginning of this file. A kernel is a single launch, and all of its blocks are one-dimensional.
/// Its runs must not depend on what runs before left, as sums into an output that is not cleared would.
struct CudaKernel {
  /// The algorithm's name on the command line and in files.
  std::string slug{};
  /// Compilers call the source so in messages: "scale.cu".
  std::string file{};
  /// CUDA C++ without includes: the compiler is given no headers. FATHOM_ELEMENT is the problem's type, as
  /// float, and FATHOM_P is the value of each parameter P.
  std::string text{};
  /// The __global__ function: "scale", "own::scale<FATHOM_ELEMENT, FATHOM_E>". Of functions of one name, a
  /// cast chooses: "(void (*)(float*))scale".
  std::string name{};
  /// In the order of the kernel's parameters.
  std::vector<CudaArgument> arguments{};
  OfProblem blocks{};  ///< of the grid: 1 to 2^31 - 1
  /// These are what tune varies, by default the threads of a block alone.
  std::vector<ParameterInfo> parameters{{"t", "threads per block", {64, 128, 256, 512, 1024}, 256}};
  /// A block has so many: 1 to 1024, and no more than the kernel's __launch_bounds__.
  OfProblem threads = [](const Problem& problem) -> double { return problem.parameters.at("t"); };
  OfProblem shared_bytes = [](const Problem&) { return 0.0; };  ///< of a block: dynamic shared memory
  std::vector<CudaLoop> loops{};
  /// Which types of elements it has, of u32, u64, i32, i64, f32 and f64.
  std::vector<ElementType> types{ElementType::f32};
  /// It returns what is wrong with the output, in one line; empty if nothing is. Without a check, measured
  /// runs say that they were never checked, and are left out of fits and validation.
  std::function<std::string(const CudaRun&)> check{};
};

/// The algorithm, for add_algorithm(). Throws std::invalid_argument, naming the member, for a description
/// that lacks something or names a loop's line that is not in the text, or is there several times.
///
/// Its plans throw std::invalid_argument for a grid, a block or shared memory beyond what can be launched. To
/// compile it throws KernelFailure, with the compiler's first error, for a text that does not compile, for a
/// name of no kernel or several, and for arguments that the kernel does not take. Its workloads run on a GPU
/// only; checked, they throw KernelFailure for a launch that fails and for a wrong result.
Algorithm cuda_algorithm(CudaKernel kernel);

/// The number of the line that `part` is in, from 1. Throws std::invalid_argument unless it is in one line.
int line_with(std::string_view text, std::string_view part);

/// Throws KernelFailure if the compiled kernel, of this mangled name, takes other arguments. Of an extern "C"
/// function the name does not tell.
void check_arguments(const CudaKernel& kernel, const Problem& problem, const std::string& symbol);

}  // namespace fathom
