// SPDX-License-Identifier: Apache-2.0
// Sorts, scans and reductions of arrays on a GPU, by the kernels of this library.
//
//     fathom::sort(keys, n);               // in place, on CUDA's default stream
//     fathom::sort(keys, sorted, n, {.stream = stream});
//
// The law chooses algorithm and parameters for the GPU, the type and n. The first call of a kind asks the law
// and compiles kernels, which takes up to some seconds once; compiled kernels stay in the user's cache. A
// call that repeats the one before it on its stream only queues launches.
//
// Arrays are on the GPU and begin at multiples of 16 bytes. Calls queue their work on the stream and return.
// Sorts are stable only if asked to be, and put NaN where the bits of a number put it, after all numbers or
// before them. Segmented sorts are ascending, by all bits. Types: keys u32, u64, i32, i64, f32, f64; keys
// with values u32 and u32, u64 and u32, u64 and u64; sums of u32, u64, i32, i64, f32, f64. Integer types of
// the same size and sign are the same.
#pragma once

#include <fathom/algorithms/call.h>
#include <fathom/calls/listener.h>
#include <fathom/functions/choose.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <type_traits>

namespace fathom {

class CudaExecutor;

/// Where a call runs, and in which memory.
struct CallOptions {
  /// A cudaStream_t; nullptr is CUDA's default stream. It must not be destroyed before its work space is
  /// given back, or the functions' object is.
  void* stream = nullptr;
  /// Work space on the GPU, from a multiple of 256 bytes on, which only this call uses until it has run.
  /// nullptr: the stream's own, which grows to what its largest call needs. Growing waits for the GPU.
  void* work_space = nullptr;
  std::size_t work_space_bytes = 0;
  bool stable = false;  ///< equal keys with values keep their order
  Order order = Order::ascending;
  /// A sort by these bits of the keys alone: of floating-point and signed ones, those of the unsigned integer
  /// that orders as the key does.
  KeyBits bits{};
};

/// What a call does with n elements.
struct Task {
  Kind kind;  ///< sort; segmented_sort, of each list; scan, exclusive prefix sums; reduce, the sum
  KeyAndValue type;
  std::size_t n;
  bool stable = false;
  bool in_place = false;  ///< the output takes the place of the input
  std::size_t lists = 0;  ///< of a segmented sort
  Order order = Order::ascending;
  KeyBits bits{};  ///< by which a sort orders

  auto operator<=>(const Task&) const = default;
};

namespace detail {
template <class T>
consteval ElementType array_type() {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "elements are integers or floating-point numbers of 4 or 8 bytes");
  constexpr bool is_long = sizeof(T) == 8;
  if (std::is_floating_point_v<T>) return is_long ? ElementType::f64 : ElementType::f32;
  if (std::is_signed_v<T>) return is_long ? ElementType::i64 : ElementType::i32;
  return is_long ? ElementType::u64 : ElementType::u32;
}

/// With what the options say of it.
inline Task task_of(Kind kind, KeyAndValue type, std::size_t n, bool in_place, const CallOptions& options,
                    std::size_t lists = 0) {
  return {kind, type, n, options.stable, in_place, lists, options.order, options.bits};
}
}  // namespace detail

/// The functions on one GPU. Threads may share it: calls take turns until they have queued their work.
///
/// All calls throw std::invalid_argument for arrays and types that they cannot take, OutOfDeviceMemory,
/// KernelFailure for kernels that do not compile, and DeviceUnavailable without NVRTC.
class Functions {
 public:
  /// On this GPU. A GPU without a profile is calibrated, in about three seconds, and the profile written to
  /// the user's directory; `note` gets a line about that. Throws what CudaExecutor and calls::calibrate()
  /// throw.
  explicit Functions(
      int gpu, const std::function<void(std::string_view)>& note = [](std::string_view) {});
  /// On any executor, which must outlive it, as if it were the profile's GPU.
  Functions(Executor& on, DeviceProfile profile);
  ~Functions();
  Functions(const Functions&) = delete;

  /// Sorts `keys` into `sorted`. The arrays do not overlap.
  template <class Key>
  void sort(const Key* keys, Key* sorted, std::size_t n, const CallOptions& options = {}) {
    run(detail::task_of(Kind::sort, {detail::array_type<Key>(), {}}, n, false, options), {keys}, {sorted},
        options);
  }
  /// In place, with n more elements of work space.
  template <class Key>
  void sort(Key* keys, std::size_t n, const CallOptions& options = {}) {
    run(detail::task_of(Kind::sort, {detail::array_type<Key>(), {}}, n, true, options), {keys}, {keys},
        options);
  }
  /// Sorts keys, and the values with them.
  template <class Key, class Value>
  void sort_pairs(const Key* keys, const Value* values, Key* sorted_keys, Value* sorted_values, std::size_t n,
                  const CallOptions& options = {}) {
    run(detail::task_of(Kind::sort, {detail::array_type<Key>(), detail::array_type<Value>()}, n, false,
                        options),
        {keys, values}, {sorted_keys, sorted_values}, options);
  }
  /// In place, with n more elements of work space.
  template <class Key, class Value>
  void sort_pairs(Key* keys, Value* values, std::size_t n, const CallOptions& options = {}) {
    run(detail::task_of(Kind::sort, {detail::array_type<Key>(), detail::array_type<Value>()}, n, true,
                        options),
        {keys, values}, {keys, values}, options);
  }
  /// Sorts each of many lists, of any lengths: list i is keys [begins[i], begins[i + 1]) of n keys in all.
  /// `begins` has one element more than there are lists; it ascends from 0 to n, which is not checked.
  template <class Key>
  void sort_segments(const Key* keys, Key* sorted, std::size_t n, const Index* begins, std::size_t lists,
                     const CallOptions& options = {}) {
    run(detail::task_of(Kind::segmented_sort, {detail::array_type<Key>(), {}}, n, false, options, lists),
        {keys, nullptr, begins}, {sorted}, options);
  }
  /// The same with values, stably.
  template <class Key, class Value>
  void sort_segments_pairs(const Key* keys, const Value* values, Key* sorted_keys, Value* sorted_values,
                           std::size_t n, const Index* begins, std::size_t lists,
                           const CallOptions& options = {}) {
    Task task =
        detail::task_of(Kind::segmented_sort, {detail::array_type<Key>(), detail::array_type<Value>()}, n,
                        false, options, lists);
    task.stable = true;
    run(task, {keys, values, begins}, {sorted_keys, sorted_values}, options);
  }
  /// Exclusive prefix sums: sums[i] is the sum of the elements before i. `sums` may be `elements`.
  template <class T>
  void scan(const T* elements, T* sums, std::size_t n, const CallOptions& options = {}) {
    run(detail::task_of(Kind::scan, {detail::array_type<T>(), {}}, n, elements == sums, options), {elements},
        {sums}, options);
  }
  /// `sum` is one element, on the GPU. Of no elements it is 0.
  template <class T>
  void reduce(const T* elements, T* sum, std::size_t n, const CallOptions& options = {}) {
    run(detail::task_of(Kind::reduce, {detail::array_type<T>(), {}}, n, false, options), {elements}, {sum},
        options);
  }

  /// The same for types that are known at run time only.
  void run(const Task& task, const InputArrays& input, const OutputArrays& output,
           const CallOptions& options = {});
  /// Returns the bytes of work space that a call of this task needs. Throws std::invalid_argument for a task
  /// that run() refuses whatever its arrays are.
  std::size_t work_space_bytes(const Task& task);
  /// What a call of this task runs. n must not be 0.
  Choice choice(const Task& task);
  /// Gives back the streams' own work spaces, once all queued work has ended.
  void release_work_spaces();

 private:
  struct Ready;
  struct WorkSpace {
    void* memory = nullptr;
    std::size_t bytes = 0;
    std::unique_ptr<Ready> ready;  ///< what ran last in it: its state is still there
  };

  Choice chosen(const Task& task);
  void prepare(Ready& ready);
  std::size_t bytes_needed(const Task& task);
  Ready& ready_in_own(const Task& task, WorkSpace& space);

  std::unique_ptr<CudaExecutor> gpu_;  ///< nullptr on an executor of the caller's
  Executor* on_;
  DeviceProfile profile_;
  std::mutex mutex_;
  /// By tasks whose n is a power of two, and those whose n is too far from one.
  std::map<Task, Choice> choices_;
  std::set<std::shared_ptr<const PreparedKernel>> kernels_;  ///< stay loaded while their launches are queued
  std::map<void*, WorkSpace> work_spaces_;                   ///< by stream
};

/// The functions on the calling thread's current GPU, which are made at the first call. Throws like
/// Functions.
Functions& functions();

template <class Key>
void sort(const Key* keys, Key* sorted, std::size_t n, const CallOptions& options = {}) {
  functions().sort(keys, sorted, n, options);
}
template <class Key>
void sort(Key* keys, std::size_t n, const CallOptions& options = {}) {
  functions().sort(keys, n, options);
}
template <class Key, class Value>
void sort_pairs(const Key* keys, const Value* values, Key* sorted_keys, Value* sorted_values, std::size_t n,
                const CallOptions& options = {}) {
  functions().sort_pairs(keys, values, sorted_keys, sorted_values, n, options);
}
template <class Key, class Value>
void sort_pairs(Key* keys, Value* values, std::size_t n, const CallOptions& options = {}) {
  functions().sort_pairs(keys, values, n, options);
}
template <class Key>
void sort_segments(const Key* keys, Key* sorted, std::size_t n, const Index* begins, std::size_t lists,
                   const CallOptions& options = {}) {
  functions().sort_segments(keys, sorted, n, begins, lists, options);
}
template <class Key, class Value>
void sort_segments_pairs(const Key* keys, const Value* values, Key* sorted_keys, Value* sorted_values,
                         std::size_t n, const Index* begins, std::size_t lists,
                         const CallOptions& options = {}) {
  functions().sort_segments_pairs(keys, values, sorted_keys, sorted_values, n, begins, lists, options);
}
template <class T>
void scan(const T* elements, T* sums, std::size_t n, const CallOptions& options = {}) {
  functions().scan(elements, sums, n, options);
}
template <class T>
void reduce(const T* elements, T* sum, std::size_t n, const CallOptions& options = {}) {
  functions().reduce(elements, sum, n, options);
}

}  // namespace fathom
