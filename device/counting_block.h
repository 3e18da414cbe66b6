// The block contract on the CPU: every thread of a block is a fiber, every access is checked. Host compiler
// only.
#pragma once

#include <fathom/device/contract_types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace fathom {

namespace counting {

/// What the threads of one running block share: shared memory, and who waits for whom
/// (counting_executor.cpp).
class BlockState;

[[noreturn]] void out_of_bounds(const char* memory, Index index, Index count);

inline constexpr std::size_t widest_shuffle = 32;  ///< bytes
using ShuffleSlot = std::array<std::byte, widest_shuffle>;

}  // namespace counting

template <class T>
struct Span {
  using Value = std::remove_const_t<T>;
  T* data;
  u64 count;

  Value load(Index i) const { return *at(i, 1); }
  void store(Index i, const Value& value) const { *at(i, 1) = value; }
  template <int width>
  Vector<Value, width> load_vector(Index i) const {
    Vector<Value, width> vector;
    std::memcpy(vector.element, at(i, width), sizeof vector);
    return vector;
  }
  template <int width>
  void store_vector(Index i, const Vector<Value, width>& vector) const {
    std::memcpy(at(i, width), vector.element, sizeof vector);
  }
  Value load_relaxed(Index i) const {
    return std::atomic_ref<Value>(const_cast<Value&>(*at(i, 1))).load(std::memory_order_relaxed);
  }
  void store_relaxed(Index i, const Value& value) const {
    std::atomic_ref<Value>(*at(i, 1)).store(value, std::memory_order_relaxed);
  }
  Value load_acquire(Index i) const {
    return std::atomic_ref<Value>(const_cast<Value&>(*at(i, 1))).load(std::memory_order_acquire);
  }
  void store_release(Index i, const Value& value) const {
    std::atomic_ref<Value>(*at(i, 1)).store(value, std::memory_order_release);
  }
  Span from(Index offset) const {
    if (offset < 0 || u64(offset) > count) counting::out_of_bounds("global", offset, Index(count));
    return {data + offset, count - u64(offset)};
  }

 private:
  T* at(Index i, int width) const {
    if (i < 0 || u64(i) + u64(width) > count) counting::out_of_bounds("global", i, Index(count));
    return data + i;
  }
};

template <class T>
struct Shared {
  T* data;
  int count;

  T load(int i) const { return *at(i); }
  void store(int i, const T& value) const { *at(i) = value; }
  Shared from(int offset) const {
    if (offset < 0 || offset > count) counting::out_of_bounds("shared", offset, count);
    return {data + offset, count - offset};
  }

 private:
  T* at(int i) const {
    if (i < 0 || i >= count) counting::out_of_bounds("shared", i, count);
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

/// One thread's view of its block.
class Block {
 public:
  Block(counting::BlockState& state, Index index, Index blocks, int thread, int threads)
      : state_(&state), index_(index), blocks_(blocks), thread_(thread), threads_(threads) {}

  int thread() const { return thread_; }
  int threads() const { return threads_; }
  Index index() const { return index_; }
  Index blocks() const { return blocks_; }
  int lane() const { return thread_ % warp_width; }
  int warp() const { return thread_ / warp_width; }
  int warps() const { return threads_ / warp_width; }

  void barrier();
  void warp_barrier();

  template <class T>
  T shuffle(const T& value, int source_lane) {
    return exchange(value, source_lane % warp_width);
  }
  template <class T>
  T shuffle_up(const T& value, int distance) {
    return exchange(value, lane() >= distance ? lane() - distance : lane());
  }
  template <class T>
  T shuffle_down(const T& value, int distance) {
    return exchange(value, lane() + distance < warp_width ? lane() + distance : lane());
  }
  template <class T>
  T shuffle_xor(const T& value, int mask) {
    return exchange(value, lane() ^ mask);
  }
  u32 ballot(bool predicate);

  template <class T>
  Shared<T> shared(int count) {
    const int offset = shared_used_;
    shared_used_ += shared_bytes<T>(count);
    return {reinterpret_cast<T*>(shared_memory(offset, shared_used_)), count};
  }

  template <class T>
  T atomic_add(const Span<T>& span, Index i, T value) {
    span.load(i);  // for its check of the bounds
    return std::atomic_ref<T>(span.data[i]).fetch_add(value, std::memory_order_acq_rel);
  }

 private:
  template <class T>
  T exchange(const T& value, int source_lane) {
    static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= counting::widest_shuffle,
                  "a shuffled type must consist of at most eight whole 32-bit words");
    const counting::ShuffleSlot* slots = publish(&value, sizeof(T));
    T received;
    std::memcpy(&received, slots[source_lane].data(), sizeof(T));
    return received;
  }
  /// Puts the value into this lane's slot and waits for the warp; the slots of all lanes, valid until the
  /// next publish.
  const counting::ShuffleSlot* publish(const void* value, std::size_t bytes);
  std::byte* shared_memory(int offset, int end);

  counting::BlockState* state_;
  Index index_, blocks_;
  int thread_, threads_;
  int shared_used_ = 0;
};

}  // namespace fathom
