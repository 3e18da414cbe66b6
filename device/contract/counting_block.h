// The block contract on the CPU: every thread of a block is a fiber, and every access is checked and counted.
// Host compiler only.
//
// Each access and each wait gets its source location from a default last argument, which kernels do not pass.
// Warp accesses are assembled by this location (warp_counter.h), and errors name it.
#pragma once

#include <fathom/device/contract/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#if __has_builtin(__builtin_source_location)
#include <source_location>
#else
#include <cstdint>
#endif
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fathom {

namespace counting {

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
  /// A value that another thread may still have to store; kernels call this until it has. Blocks that
  /// communicate run one after another, so plain accesses suffice.
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
  Value atomic_add_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, counting::Add{}, where);
  }
  Value atomic_or_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, counting::Or{}, where);
  }
  Value atomic_min_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, Minimum{}, where);
  }
  Value atomic_max_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, Maximum{}, where);
  }
  Value atomic_exchange_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, counting::Second{}, where);
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
  /// Blocks run in parallel on the host, too, so this needs a real atomic.
  template <class Operator>
  Value atomic(Index i, Value value, Operator combine, Where where) const {
    static_assert(has_atomics<T>, "atomics work on u32, i32 and u64");
    const std::atomic_ref<T> element(*at(counting::Access::global_atomic, i, 1, where));
    T before = element.load();
    while (!element.compare_exchange_weak(before, combine(before, value))) {
    }
    return before;
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
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) % 4 == 0,
                "elements of shared memory must have 1 or 2 bytes or whole 32-bit words");
  using Where = counting::Where;
  T* data;
  int count;

  T load(int i, Where where = Where::current()) const { return *at(counting::Access::shared_load, i, where); }
  /// A member of an element alone.
  template <class Element, class Member>
  Member load(int i, Member Element::*member, Where where = Where::current()) const {
    const Element* const element = checked(i, where);
    const Member& loaded = element->*member;
    counting::shared_access(
        counting::Access::shared_load, element, sizeof(Member), where,
        std::size_t(reinterpret_cast<const char*>(&loaded) - reinterpret_cast<const char*>(element)));
    return loaded;
  }
  void store(int i, const T& value, Where where = Where::current()) const {
    *at(counting::Access::shared_store, i, where) = value;
  }
  Shared from(int offset, Where where = Where::current()) const {
    if (offset < 0 || offset > count) counting::out_of_bounds("shared", offset, count, where);
    return {data + offset, count - offset};
  }

  T atomic_add(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, counting::Add{}, where);
  }
  T atomic_or(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, counting::Or{}, where);
  }
  T atomic_min(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, Minimum{}, where);
  }
  T atomic_max(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, Maximum{}, where);
  }
  T atomic_exchange(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, counting::Second{}, where);
  }

 private:
  friend class Block;
  template <class Row>
  friend class CopyPipeline;
  T* checked(int i, Where where) const {
    if (i < 0 || i >= count) counting::out_of_bounds("shared", i, count, where);
    return data + i;
  }
  T* at(counting::Access access, int i, Where where) const {
    T* const element = checked(i, where);
    counting::shared_access(access, element, sizeof(T), where);
    return element;
  }
  /// The threads of a block take turns, so no other thread can intervene.
  template <class Operator>
  T atomic(int i, T value, Operator combine, Where where) const {
    static_assert(has_atomics<T>, "atomics work on u32, i32 and u64");
    T* const element = at(counting::Access::shared_atomic, i, where);
    return std::exchange(*element, combine(*element, value));
  }
};

template <int bits>
struct PackedCounters {
  using Fields = PackedFields<bits>;
  using Where = counting::Where;
  static constexpr int per_word = Fields::per_word;
  static constexpr u32 greatest = Fields::greatest;
  Shared<u32> words;

  u32 load(int word, int field, Where where = Where::current()) const {
    return Fields::get(words.load(word, where), checked(field, where));
  }
  u32 increment(int word, int field, Where where = Where::current()) const {
    const u32 before = words.load(word, where);
    words.store(word, before + Fields::one(checked(field, where)), where);
    return incremented(before, field, where);
  }
  u32 atomic_increment(int word, int field, Where where = Where::current()) const {
    return incremented(words.atomic_add(word, Fields::one(checked(field, where)), where), field, where);
  }
  static u32 add(u32 a, u32 b, Where where = Where::current()) {
    for (int field = 0; field < per_word; ++field)
      if (Fields::get(a, field) + Fields::get(b, field) > greatest) overflow(where);
    return a + b;
  }

 private:
  static int checked(int field, Where where) {
    if (field < 0 || field >= per_word)
      counting::failed("field " + std::to_string(field) + " of a word with " + std::to_string(per_word),
                       where);
    return field;
  }
  static u32 incremented(u32 before, int field, Where where) {
    if (Fields::get(before, field) == greatest) overflow(where);
    return Fields::get(before, field);
  }
  [[noreturn]] static void overflow(Where where) {
    counting::failed("a packed counter of " + std::to_string(bits) + " bits overflows", where);
  }
};

/// Undefined until they are written: filled with a pattern, so that a kernel that relies on them goes wrong.
template <class T, class Count>
class Registers {
 public:
  explicit Registers(int count) : elements_(std::size_t(count)) {
    std::memset(static_cast<void*>(elements_.data()), 0xa5, elements_.size() * sizeof(T));
  }
  T& operator[](int i) { return elements_.at(std::size_t(i)); }
  const T& operator[](int i) const { return elements_.at(std::size_t(i)); }

 private:
  std::vector<T> elements_;
};

/// less(a, b), counted as one instruction.
template <class T, class LessThan>
bool compare(const T& a, const T& b, LessThan less) {
  counting::compared();
  return less(a, b);
}

/// Puts two elements in order.
template <class T, class LessThan>
void compare_exchange(T& a, T& b, LessThan less) {
  counting::exchanged(sizeof(T));
  if (less(b, a)) std::swap(a, b);
}

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
