// The block contract on the CPU: every thread of a block is a fiber, every access is checked and counted.
// Host compiler only.
//
// Each access and each wait knows its place in the source, from a defaulted last argument that kernels do not
// give. That place is what warp accesses are put together by (warp_counter.h), and what errors name.
#pragma once

#include <fathom/device/contract_types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <source_location>
#include <type_traits>
#include <vector>

namespace fathom {

namespace counting {

using Where = std::source_location;

/// What the threads of one running block share: shared memory, and who waits for whom (block_state.h).
class BlockState;

enum class Access : unsigned char { global_load, global_store, global_atomic, shared_load, shared_store };

// What the running thread does. Throw KernelFailure for what no kernel may do, naming kernel, block and
// thread.
void global_access(Access access, const void* address, std::size_t bytes, Where where);
void shared_access(Access access, const void* address, std::size_t bytes, Where where);
void polled(const void* address, Where where);  ///< a value that another thread is expected to change
void compared(bool exchanged);
[[noreturn]] void out_of_bounds(const char* memory, Index index, Index count, Where where);
[[noreturn]] void misaligned(std::size_t alignment, Where where);

inline constexpr std::size_t widest_shuffle = 32;  ///< bytes
using ShuffleSlot = std::array<std::byte, widest_shuffle>;

}  // namespace counting

template <class T>
struct Span {
  using Value = std::remove_const_t<T>;
  using Where = counting::Where;
  T* data;
  u64 count;

  Value load(Index i, Where where = Where::current()) const {
    return *at(counting::Access::global_load, i, 1, where);
  }
  void store(Index i, const Value& value, Where where = Where::current()) const {
    *at(counting::Access::global_store, i, 1, where) = value;
  }
  template <int width>
  Vector<Value, width> load_vector(Index i, Where where = Where::current()) const {
    Vector<Value, width> vector;
    std::memcpy(vector.element, aligned<width>(at(counting::Access::global_load, i, width, where), where),
                sizeof vector);
    return vector;
  }
  template <int width>
  void store_vector(Index i, const Vector<Value, width>& vector, Where where = Where::current()) const {
    std::memcpy(aligned<width>(at(counting::Access::global_store, i, width, where), where), vector.element,
                sizeof vector);
  }
  template <int width>
  void store_vector_streaming(Index i, const Vector<Value, width>& vector,
                              Where where = Where::current()) const {
    store_vector<width>(i, vector, where);
  }
  /// What another thread may be about to store; to be called until it has. Blocks that communicate run one
  /// after another, so plain accesses do.
  Value load_acquire(Index i, Where where = Where::current()) const {
    const T* const element = at(counting::Access::global_load, i, 1, where);
    counting::polled(element, where);
    return *element;
  }
  void store_release(Index i, const Value& value, Where where = Where::current()) const {
    store(i, value, where);
  }
  Value load_relaxed(Index i, Where where = Where::current()) const { return load_acquire(i, where); }
  void store_relaxed(Index i, const Value& value, Where where = Where::current()) const {
    store(i, value, where);
  }
  Span from(Index offset, Where where = Where::current()) const {
    if (offset < 0 || u64(offset) > count) counting::out_of_bounds("global", offset, Index(count), where);
    return {data + offset, count - u64(offset)};
  }

 private:
  friend class Block;
  T* at(counting::Access access, Index i, int width, Where where) const {
    if (i < 0 || u64(i) + u64(width) > count) counting::out_of_bounds("global", i, Index(count), where);
    counting::global_access(access, data + i, sizeof(T) * std::size_t(width), where);
    return data + i;
  }
  template <int width>
  T* aligned(T* first, Where where) const {
    constexpr std::size_t alignment = alignof(Vector<Value, width>);
    if (std::size_t(first) % alignment != 0) counting::misaligned(alignment, where);
    return first;
  }
};

template <class T>
struct Shared {
  static_assert(sizeof(T) % 4 == 0, "elements of shared memory must consist of whole 32-bit words");
  using Where = counting::Where;
  T* data;
  int count;

  T load(int i, Where where = Where::current()) const { return *at(counting::Access::shared_load, i, where); }
  void store(int i, const T& value, Where where = Where::current()) const {
    *at(counting::Access::shared_store, i, where) = value;
  }
  Shared from(int offset, Where where = Where::current()) const {
    if (offset < 0 || offset > count) counting::out_of_bounds("shared", offset, count, where);
    return {data + offset, count - offset};
  }

 private:
  T* at(counting::Access access, int i, Where where) const {
    if (i < 0 || i >= count) counting::out_of_bounds("shared", i, count, where);
    counting::shared_access(access, data + i, sizeof(T), where);
    return data + i;
  }
};

template <class T, class Count>
class Registers {
 public:
  explicit Registers(int count) : elements_(std::size_t(count)) {}
  T& operator[](int i) { return elements_.at(std::size_t(i)); }
  const T& operator[](int i) const { return elements_.at(std::size_t(i)); }

 private:
  std::vector<T> elements_;
};

/// less(a, b), as an instruction of its own.
template <class T, class LessThan>
bool compare(const T& a, const T& b, LessThan less) {
  counting::compared(false);
  return less(a, b);
}

/// Puts two elements in order.
template <class T, class LessThan>
void compare_exchange(T& a, T& b, LessThan less) {
  counting::compared(true);
  if (less(b, a)) std::swap(a, b);
}

/// One thread's view of its block.
class Block {
 public:
  using Where = counting::Where;
  Block(counting::BlockState& state, Index index, Index blocks, int thread, int threads)
      : state_(&state), index_(index), blocks_(blocks), thread_(thread), threads_(threads) {}

  int thread() const { return thread_; }
  int threads() const { return threads_; }
  Index index() const { return index_; }
  Index blocks() const { return blocks_; }
  int lane() const { return thread_ % warp_width; }
  int warp() const { return thread_ / warp_width; }
  int warps() const { return threads_ / warp_width; }

  void barrier(Where where = Where::current());
  void warp_barrier(Where where = Where::current());

  template <class T>
  T shuffle(const T& value, int source_lane, Where where = Where::current()) {
    return exchange(value, source_lane % warp_width, where);
  }
  template <class T>
  T shuffle_up(const T& value, int distance, Where where = Where::current()) {
    return exchange(value, lane() >= distance ? lane() - distance : lane(), where);
  }
  template <class T>
  T shuffle_down(const T& value, int distance, Where where = Where::current()) {
    return exchange(value, lane() + distance < warp_width ? lane() + distance : lane(), where);
  }
  template <class T>
  T shuffle_xor(const T& value, int mask, Where where = Where::current()) {
    return exchange(value, lane() ^ mask, where);
  }
  u32 ballot(bool predicate, Where where = Where::current());

  template <class T>
  Shared<T> shared(int count, Where where = Where::current()) {
    const int offset = shared_used_;
    shared_used_ += shared_bytes<T>(count);
    return {reinterpret_cast<T*>(shared_memory(offset, shared_used_, where)), count};
  }

  void sleep(int) const {}

  /// The copy is made, and counted, when it is waited for: until then nobody may count on it.
  template <class T, int width>
  void begin_copy(const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to, int count,
                  const Shared<u64>&, Where where = Where::current()) {
    copy_ = [=, lane = lane()] {
      for (int at = lane; at < count; at += warp_width)
        to.store(at, from.template load_vector<width>(i + Index(at) * width, where), where);
    };
  }
  template <class T, int width>
  void wait_for_copy(const Shared<Vector<T, width>>&, const Shared<u64>&, Where where = Where::current()) {
    copy_();
    warp_barrier(where);
  }

  template <class T>
  T atomic_add(const Span<T>& span, Index i, T value, Where where = Where::current()) {
    return std::atomic_ref<T>(*span.at(counting::Access::global_atomic, i, 1, where)).fetch_add(value);
  }

 private:
  template <class T>
  T exchange(const T& value, int source_lane, Where where) {
    static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= counting::widest_shuffle,
                  "a shuffled type must consist of at most eight whole 32-bit words");
    const counting::ShuffleSlot* slots = publish(&value, sizeof(T), where);
    T received;
    std::memcpy(&received, slots[source_lane].data(), sizeof(T));
    return received;
  }
  /// Puts the value into this lane's slot and waits for the warp; the slots of all lanes, valid until the
  /// next publish.
  const counting::ShuffleSlot* publish(const void* value, std::size_t bytes, Where where);
  std::byte* shared_memory(int offset, int end, Where where);

  counting::BlockState* state_;
  Index index_, blocks_;
  int thread_, threads_;
  int shared_used_ = 0;
  std::function<void()> copy_;
};

}  // namespace fathom
