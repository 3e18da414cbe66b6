// SPDX-License-Identifier: Apache-2.0
// The block contract on the CPU: every thread of a block is a fiber, and every access is checked and counted.
// Host compiler only.
#pragma once

#include <fathom/device/contract/counting/global_memory.h>
#include <fathom/device/contract/counting/registers.h>
#include <fathom/device/contract/counting/shared_memory.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace fathom {

template <class Row>
class CopyPipeline;

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
  u32 match(const T& value, Where where = Where::current()) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a matched type must consist of one or two 32-bit words");
    const counting::LaneValue* values = matched(&value, sizeof(T), where);
    u32 equal = 0;
    for (int other = 0; other < warp_width; ++other)
      equal |= u32(std::memcmp(values[other].data(), &value, sizeof(T)) == 0) << other;
    return equal;
  }

  template <class T>
  T reduce_add(T value, Where where = Where::current()) {
    return reduce(value, counting::Add{}, where);
  }
  template <class T>
  T reduce_min(T value, Where where = Where::current()) {
    return reduce(value, Minimum{}, where);
  }
  template <class T>
  T reduce_max(T value, Where where = Where::current()) {
    return reduce(value, Maximum{}, where);
  }
  template <class T>
  T reduce_and(T value, Where where = Where::current()) {
    return reduce(value, counting::And{}, where);
  }
  template <class T>
  T reduce_or(T value, Where where = Where::current()) {
    return reduce(value, counting::Or{}, where);
  }
  template <class T>
  T reduce_xor(T value, Where where = Where::current()) {
    return reduce(value, counting::ExclusiveOr{}, where);
  }

  template <class T>
  Shared<T> shared(int count, Where where = Where::current()) {
    const int offset = shared_used_;
    shared_used_ += shared_bytes<T>(count);
    return {reinterpret_cast<T*>(shared_memory(offset, shared_used_, where)), count};
  }

  void sleep(int) const {}

  template <class T, int width>
  void begin_copy(const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to, int count,
                  const Shared<u64>& arrival, Where where = Where::current()) {
    if (lane() == 0) counting::claim_arrival(arrival.checked(warp(), where), where);
    copies_.push_back(begun_copy(from, i, to, count, where));
  }
  template <class T, int width>
  void wait_for_copy(const Shared<Vector<T, width>>&, const Shared<u64>&, Where where = Where::current()) {
    if (copies_.empty()) counting::failed("waits for a copy that was not started", where);
    finish_copies(copies_, where);
  }
  template <class Row>
  CopyPipeline<Row> copy_pipeline(const Shared<u64>& arrivals, int stages, Where where = Where::current()) {
    return CopyPipeline<Row>(*this, arrivals, stages, where);
  }

  template <class T>
  T atomic_add(const Span<T>& span, Index i, T value, Where where = Where::current()) {
    return std::atomic_ref<T>(*span.at(counting::Access::global_atomic, i, 1, where)).fetch_add(value);
  }

 private:
  friend class counting::BlockState;
  template <class Row>
  friend class CopyPipeline;
  /// One lane's part of a pending copy.
  using Copy = std::function<void()>;

  /// The copy is performed, and counted, when it is waited for. Until then no thread may touch its
  /// destination.
  template <class T, int width>
  Copy begun_copy(const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to, int count,
                  Where where) {
    for (int at = lane(); at < count; at += warp_width) counting::copy_begins(to.checked(at, where), where);
    ++copies_in_flight_;
    last_copy_ = where;
    return [=, lane = lane()] {
      for (int at = lane; at < count; at += warp_width) {
        counting::copy_ends(to.checked(at, where));
        to.store(at, from.template load_vector<width>(i + Index(at) * width, where), where);
      }
    };
  }
  void finish_copies(std::vector<Copy>& copies, Where where);
  /// The thread has reached the end of the kernel.
  void end() const {
    if (copies_in_flight_ > 0) counting::failed("ends without waiting for a copy", last_copy_);
  }

  template <class T, class Operator>
  T reduce(T value, Operator combine, Where where) {
    static_assert(has_atomics<T> && sizeof(T) == 4, "a warp reduces u32 and i32");
    const counting::LaneValue* values = reduced(&value, sizeof(T), where);
    const auto value_of = [&](int lane) {
      T of_lane;
      std::memcpy(&of_lane, values[lane].data(), sizeof(T));
      return of_lane;
    };
    T result = value_of(0);
    for (int lane = 1; lane < warp_width; ++lane) result = combine(result, value_of(lane));
    return result;
  }
  template <class T>
  T exchange(const T& value, int source_lane, Where where) {
    static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= counting::widest_shuffle,
                  "a shuffled type must consist of at most eight whole 32-bit words");
    const counting::LaneValue* values = shuffled(&value, sizeof(T), where);
    T received;
    std::memcpy(&received, values[source_lane].data(), sizeof(T));
    return received;
  }
  // Each passes the value to the warp, waits for all lanes and returns their values, valid until the next
  // such call.
  const counting::LaneValue* shuffled(const void* value, std::size_t bytes, Where where);
  const counting::LaneValue* matched(const void* value, std::size_t bytes, Where where);
  const counting::LaneValue* reduced(const void* value, std::size_t bytes, Where where);
  std::byte* shared_memory(int offset, int end, Where where);

  counting::BlockState* state_;
  Index index_, blocks_;
  int thread_, threads_;
  int shared_used_ = 0;
  std::vector<Copy> copies_;  // started by begin_copy()
  int copies_in_flight_ = 0;  // including those of pipelines
  Where last_copy_;
};

template <class Row>
class CopyPipeline {
 public:
  using Where = counting::Where;
  CopyPipeline(Block& block, const Shared<u64>& arrivals, int stages, Where where)
      : block_(&block), copies_(std::size_t(stages)) {
    constexpr int most_stages = 32;  // the phases are kept as bits of one word
    if (stages < 1 || stages > most_stages)
      counting::failed(
          "a pipeline of " + std::to_string(stages) + " stages: choose 1 to " + std::to_string(most_stages),
          where);
    for (int stage = 0; stage < stages; ++stage) {
      const u64* const arrival = arrivals.checked(stage, where);
      if (block.lane() == 0) counting::claim_arrival(arrival, where);
    }
    block.warp_barrier(where);
  }

  template <class T, int width>
  void begin(int stage, const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to, int count,
             Where where = Where::current()) {
    static_assert(sizeof(Vector<T, width>) == sizeof(Row), "all vectors of a pipeline have the same size");
    copies_of(stage, where).push_back(block_->begun_copy(from, i, to, count, where));
  }
  void wait(int stage, Where where = Where::current()) {
    if (copies_of(stage, where).empty())
      counting::failed("waits for stage " + std::to_string(stage) + ", for which no copy was started", where);
    block_->finish_copies(copies_of(stage, where), where);
  }

 private:
  std::vector<Block::Copy>& copies_of(int stage, Where where) {
    if (stage < 0 || std::size_t(stage) >= copies_.size())
      counting::failed(
          "stage " + std::to_string(stage) + " of a pipeline of " + std::to_string(copies_.size()), where);
    return copies_[std::size_t(stage)];
  }

  Block* block_;
  std::vector<std::vector<Block::Copy>> copies_;  // pending, by stage
};

}  // namespace fathom
