// SPDX-License-Identifier: Apache-2.0
// The actions of a running thread that the contract's members report on the CPU.
//
// Each access and each wait gets its source location from a default last argument, which kernels do not pass.
// Warp accesses are assembled by this location (warp_counter.h), and errors name it.
#pragma once

#include <fathom/device/contract/types.h>

#include <array>
#include <cstddef>
#if __has_builtin(__builtin_source_location)
#include <source_location>
#else
#include <cstdint>
#endif
#include <string>

namespace fathom::counting {

#if __has_builtin(__builtin_source_location)
using Where = std::source_location;
#else
/// std::source_location as far as it is used here, for Clang before 15, which cannot compile libstdc++'s.
class Where {
 public:
  static constexpr Where current(const char* file = __builtin_FILE(),
                                 const char* function = __builtin_FUNCTION(),
                                 std::uint_least32_t line = __builtin_LINE(),
                                 std::uint_least32_t column = __builtin_COLUMN()) {
    Where here;
    here.file_ = file;
    here.function_ = function;
    here.line_ = line;
    here.column_ = column;
    return here;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr const char* function_name() const { return function_; }
  constexpr std::uint_least32_t line() const { return line_; }
  constexpr std::uint_least32_t column() const { return column_; }

 private:
  const char* file_ = "";
  const char* function_ = "";
  std::uint_least32_t line_ = 0;
  std::uint_least32_t column_ = 0;
};
#endif

/// State shared by the threads of a running block: shared memory, and which threads wait (block_state.h).
class BlockState;

enum class Access : unsigned char {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  shared_atomic
};

// Actions of the running thread. They throw KernelFailure, with kernel, block and thread, for what no kernel
// may do.
void global_access(Access access, const void* address, std::size_t bytes, Where where);
/// `bytes` of the element at `address`, from byte `member` of it on.
void shared_access(Access access, const void* address, std::size_t bytes, Where where,
                   std::size_t member = 0);
/// An asynchronous copy may write here until copy_ends().
void copy_begins(const void* address, Where where);
void copy_ends(const void* address);
void claim_arrival(const void* address, Where where);  ///< the word is set up to signal a copy's arrival
void polled(const void* address, Where where);         ///< a value that another thread should change
void compared();
void exchanged(std::size_t bytes);  ///< of an element
[[noreturn]] void out_of_bounds(const char* memory, Index index, Index count, Where where);
[[noreturn]] void misaligned(std::size_t alignment, Where where);
[[noreturn]] void failed(const std::string& what, Where where);

inline constexpr std::size_t widest_shuffle = 32;  ///< bytes
/// The value that one lane passes to the other lanes of its warp.
using LaneValue = std::array<std::byte, widest_shuffle>;

// Operators of atomics and of warp reductions.
struct Add {  // wraps around, even for signed types
  template <class T>
  T operator()(T a, T b) const {
    return T(u64(a) + u64(b));
  }
};
struct And {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct ExclusiveOr {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
struct Second {
  template <class T>
  T operator()(T, T b) const {
    return b;
  }
};

}  // namespace fathom::counting
