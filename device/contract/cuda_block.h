// The block contract under CUDA: every member is one built-in or one access. Compiled by NVRTC only.
#pragma once

#include <fathom/device/contract/types.h>

#include <fathom/device/contract/put_in_order.h>

namespace fathom {

template <class T>
struct RemoveConst {
  using type = T;
};
template <class T>
struct RemoveConst<const T> {
  using type = T;
};

struct FourWords {
  u32 word[4];
};

template <class T>
struct Span {
  using Value = typename RemoveConst<T>::type;
  T* data;
  u64 count;  // the counting executor checks bounds

  FATHOM_DEVICE
  Value load(Index i) const { return data[i]; }
  FATHOM_DEVICE
  void store(Index i, const Value& value) const { data[i] = value; }
  template <int width>
  FATHOM_DEVICE
  Vector<Value, width> load_vector(Index i) const {
    return *reinterpret_cast<const Vector<Value, width>*>(data + i);
  }
  template <int width>
  FATHOM_DEVICE
  void store_vector(Index i, const Vector<Value, width>& value) const {
    *reinterpret_cast<Vector<Value, width>*>(data + i) = value;
  }
  /// For data that the device does not read again soon: the L2 evicts it first.
  template <int width>
  FATHOM_DEVICE
  void store_vector_streaming(Index i, const Vector<Value, width>& value) const {
    if constexpr (sizeof(value) == 16) {
      const auto words = __builtin_bit_cast(FourWords, value);
      asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(data + i), "r"(words.word[0]),
                   "r"(words.word[1]), "r"(words.word[2]), "r"(words.word[3])
                   : "memory");
    } else {
      store_vector<width>(i, value);
    }
  }
  FATHOM_DEVICE
  Span from(Index offset) const { return {data + offset, count - offset}; }
  /// Never torn, and eventually sees what other blocks stored; not ordered with the thread's other accesses.
  FATHOM_DEVICE
  Value load_relaxed(Index i) const {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8, "one access must move the whole element");
    if constexpr (sizeof(Value) == 4) {
      u32 word;
      asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(word) : "l"(data + i));
      return __builtin_bit_cast(Value, word);
    } else {
      u64 word;
      asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(data + i));
      return __builtin_bit_cast(Value, word);
    }
  }
  FATHOM_DEVICE
  void store_relaxed(Index i, const Value& value) const {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8, "one access must move the whole element");
    if constexpr (sizeof(Value) == 4)
      asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(data + i), "r"(__builtin_bit_cast(u32, value)));
    else
      asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(data + i), "l"(__builtin_bit_cast(u64, value)));
  }
  // Atomics that order nothing else; each returns the value before.
  FATHOM_DEVICE
  Value atomic_add_relaxed(Index i, Value value) const { return atomicAdd(atomic(i), value); }
  FATHOM_DEVICE
  Value atomic_or_relaxed(Index i, Value value) const { return atomicOr(atomic(i), value); }
  FATHOM_DEVICE
  Value atomic_min_relaxed(Index i, Value value) const { return atomicMin(atomic(i), value); }
  FATHOM_DEVICE
  Value atomic_max_relaxed(Index i, Value value) const { return atomicMax(atomic(i), value); }
  FATHOM_DEVICE
  Value atomic_exchange_relaxed(Index i, Value value) const { return atomicExch(atomic(i), value); }
  /// Accesses that follow it in the program also follow it in memory, for all blocks of the device.
  FATHOM_DEVICE
  Value load_acquire(Index i) const {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8, "one access must move the whole element");
    if constexpr (sizeof(Value) == 4) {
      u32 word;
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(word) : "l"(data + i) : "memory");
      return __builtin_bit_cast(Value, word);
    } else {
      u64 word;
      asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(word) : "l"(data + i) : "memory");
      return __builtin_bit_cast(Value, word);
    }
  }
  /// Accesses that precede it in the program also precede it in memory, for any thread that acquires the
  /// value.
  FATHOM_DEVICE
  void store_release(Index i, const Value& value) const {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8, "one access must move the whole element");
    if constexpr (sizeof(Value) == 4)
      asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(data + i), "r"(__builtin_bit_cast(u32, value))
                   : "memory");
    else
      asm volatile("st.release.gpu.u64 [%0], %1;" ::"l"(data + i), "l"(__builtin_bit_cast(u64, value))
                   : "memory");
  }

 private:
  FATHOM_DEVICE
  T* atomic(Index i) const {
    static_assert(has_atomics<T>, "atomics work on u32, i32 and u64");
    return data + i;
  }
};

template <class T>
struct Shared {
  T* data;

  FATHOM_DEVICE
  T load(int i) const { return data[i]; }
  template <class Element, class Member>
  FATHOM_DEVICE
  Member load(int i, Member Element::*member) const { return data[i].*member; }
  FATHOM_DEVICE
  void store(int i, const T& value) const { data[i] = value; }
  FATHOM_DEVICE
  Shared from(int offset) const { return {data + offset}; }

  // Atomics that order nothing else; each returns the value before.
  FATHOM_DEVICE
  T atomic_add(int i, T value) const { return atomicAdd(atomic(i), value); }
  FATHOM_DEVICE
  T atomic_or(int i, T value) const { return atomicOr(atomic(i), value); }
  FATHOM_DEVICE
  T atomic_min(int i, T value) const { return atomicMin(atomic(i), value); }
  FATHOM_DEVICE
  T atomic_max(int i, T value) const { return atomicMax(atomic(i), value); }
  FATHOM_DEVICE
  T atomic_exchange(int i, T value) const { return atomicExch(atomic(i), value); }

 private:
  FATHOM_DEVICE
  T* atomic(int i) const {
    static_assert(has_atomics<T>, "atomics work on u32, i32 and u64");
    return data + i;
  }
};

/// Counters in the fields of words of shared memory. Adding two words adds their fields as long as no sum
/// exceeds `greatest`: nothing between the fields stops a carry. The counting executor checks this.
template <int bits>
struct PackedCounters {
  using Fields = PackedFields<bits>;
  static constexpr int per_word = Fields::per_word;
  static constexpr u32 greatest = Fields::greatest;
  Shared<u32> words;

  FATHOM_DEVICE
  u32 load(int word, int field) const { return Fields::get(words.load(word), field); }
  /// For a word that no other thread uses. Returns the previous count.
  FATHOM_DEVICE
  u32 increment(int word, int field) const {
    const u32 before = words.load(word);
    words.store(word, before + Fields::one(field));
    return Fields::get(before, field);
  }
  /// For a word that threads share.
  FATHOM_DEVICE
  u32 atomic_increment(int word, int field) const {
    return Fields::get(words.atomic_add(word, Fields::one(field)), field);
  }
  FATHOM_DEVICE
  static u32 add(u32 a, u32 b) { return a + b; }
};

namespace detail {

FATHOM_DEVICE
u32 shared_address(const void* pointer) {
  return u32(__cvta_generic_to_shared(pointer));
}

}  // namespace detail

/// Asynchronous copies of one warp from global to shared memory, in stages: see contract.h.
///
/// A stage's arrival word is an mbarrier that expects one arrival: lane 0 arrives in wait(). So the phase
/// cannot end between two copies that are started in the same stage. On sm_90 the copy engine adds the bytes
/// that are still to come, on sm_80 each lane an arrival that is made when its copies are done.
template <class Row>
class CopyPipeline {
#if __CUDA_ARCH__ >= 900
  static constexpr bool by_engine = sizeof(Row) == 16;
#else
  static constexpr bool by_engine = false;
#endif
#if __CUDA_ARCH__ >= 800
  static constexpr bool by_lanes = !by_engine && (sizeof(Row) == 4 || sizeof(Row) == 8 || sizeof(Row) == 16);
#else
  static constexpr bool by_lanes = false;
#endif

 public:
  FATHOM_DEVICE
  CopyPipeline(const Shared<u64>& arrivals, int stages) : arrivals_(arrivals) {
#if __CUDA_ARCH__ >= 800
    if constexpr (by_engine || by_lanes) {
      if (lane() == 0) {
        FATHOM_UNROLL
        for (int stage = 0; stage < stages; ++stage)
          asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(arrival(stage)) : "memory");
      }
      __syncwarp();
    }
#endif
  }

  template <class T, int width>
  FATHOM_DEVICE
  void begin(int stage, const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to,
             int count) const {
    static_assert(sizeof(Vector<T, width>) == sizeof(Row), "all vectors of a pipeline have the same size");
#if __CUDA_ARCH__ >= 900
    if constexpr (by_engine) {
      if (lane() == 0 && count > 0) {
        // The engine is another proxy: the fence makes the barrier and earlier accesses to the destination
        // visible to it.
        asm volatile(
            "fence.proxy.async.shared::cta;\n\t"
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\n\t"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%2], [%3], %1, [%0];" ::"r"(
                arrival(stage)),
            "r"(count * int(sizeof(Row))), "r"(detail::shared_address(to.data)), "l"(from.data + i)
            : "memory");
      }
      return;
    }
#endif
    for (int at = lane(); at < count; at += warp_width) {
#if __CUDA_ARCH__ >= 800
      if constexpr (sizeof(Row) == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(detail::shared_address(to.data + at)),
                     "l"(from.data + i + Index(at) * width)
                     : "memory");
        continue;
      } else if constexpr (by_lanes) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(detail::shared_address(to.data + at)),
                     "l"(from.data + i + Index(at) * width), "n"(sizeof(Row))
                     : "memory");
        continue;
      }
#endif
      to.store(at, from.template load_vector<width>(i + Index(at) * width));
    }
#if __CUDA_ARCH__ >= 800
    // Adds a pending arrival now and makes it when the copies are done. compute-sanitizer's synccheck (CUDA
    // 13.0) reports "Barrier overflow" here: it does not see the addition. The variant .noinc, which it does
    // accept, needs the number of arrivals in advance.
    if constexpr (by_lanes)
      asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(arrival(stage)) : "memory");
#endif
  }

  FATHOM_DEVICE
  void wait(int stage) {
    __syncwarp();
#if __CUDA_ARCH__ >= 800
    if constexpr (by_engine || by_lanes) {
      if (lane() == 0)
        asm volatile(
            "{\n\t.reg .b64 state;\n\t"
            "mbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(arrival(stage))
            : "memory");
      const u32 parity = phases_ >> stage & 1;
      phases_ ^= 1u << stage;
      while (!arrived(stage, parity)) {
      }
    }
#endif
  }

 private:
  FATHOM_DEVICE
  static int lane() {
    return threadIdx.x % warp_width;
  }
  FATHOM_DEVICE
  u32 arrival(int stage) const {
    return detail::shared_address(arrivals_.data + stage);
  }
#if __CUDA_ARCH__ >= 800
  FATHOM_DEVICE
  bool arrived(int stage, u32 parity) const {
    u32 yes;
#if __CUDA_ARCH__ >= 900  // suspends the warp for a while
    asm volatile(
        "{\n\t.reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(yes)
        : "r"(arrival(stage)), "r"(parity)
        : "memory");
#else
    asm volatile(
        "{\n\t.reg .pred p;\n\t"
        "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(yes)
        : "r"(arrival(stage)), "r"(parity)
        : "memory");
#endif
    return yes;
  }
#endif

  Shared<u64> arrivals_;
  u32 phases_ = 0;  // bit s: the parity of the phase that stage s is in
};

/// The second of the launch bounds; 0 sets none.
template <class Kernel>
constexpr int least_resident_blocks() {
  if constexpr (requires { Kernel::least_resident_blocks(); }) return Kernel::least_resident_blocks();
  return 0;
}

template <class T, class Count>
struct Registers;
template <class T, int count>
struct Registers<T, Constant<count>> {
  T element[count];
  FATHOM_DEVICE
  explicit Registers(Constant<count>) {}
  FATHOM_DEVICE
  T& operator[](int i) { return element[i]; }
  FATHOM_DEVICE
  const T& operator[](int i) const { return element[i]; }
};

/// less(a, b). The counting executor counts it as one instruction.
template <class T, class LessThan>
FATHOM_DEVICE
bool compare(const T& a, const T& b, LessThan less) {
  return less(a, b);
}

/// Puts two elements in order.
template <class T, class LessThan>
FATHOM_DEVICE
void compare_exchange(T& a, T& b, LessThan less) {
  put_in_order(a, b, less(b, a));
}

extern __shared__ __align__(16) unsigned char dynamic_shared_memory[];

class Block {
 public:
  FATHOM_DEVICE
  int thread() const { return threadIdx.x; }
  FATHOM_DEVICE
  int threads() const { return blockDim.x; }
  FATHOM_DEVICE
  Index index() const { return blockIdx.x; }
  FATHOM_DEVICE
  Index blocks() const { return gridDim.x; }
  FATHOM_DEVICE
  int lane() const { return threadIdx.x % warp_width; }
  FATHOM_DEVICE
  int warp() const { return threadIdx.x / warp_width; }
  FATHOM_DEVICE
  int warps() const { return blockDim.x / warp_width; }

  FATHOM_DEVICE
  void barrier() const { __syncthreads(); }
  FATHOM_DEVICE
  void warp_barrier() const { __syncwarp(); }

  template <class T>
  FATHOM_DEVICE
  T shuffle(const T& value, int source_lane) const {
    return by_words(value, [&](u32 word) { return __shfl_sync(~0u, word, source_lane); });
  }
  /// From the lane `distance` below; the lane's own value where there is none.
  template <class T>
  FATHOM_DEVICE
  T shuffle_up(const T& value, int distance) const {
    return by_words(value, [&](u32 word) { return __shfl_up_sync(~0u, word, distance); });
  }
  template <class T>
  FATHOM_DEVICE
  T shuffle_down(const T& value, int distance) const {
    return by_words(value, [&](u32 word) { return __shfl_down_sync(~0u, word, distance); });
  }
  template <class T>
  FATHOM_DEVICE
  T shuffle_xor(const T& value, int mask) const {
    return by_words(value, [&](u32 word) { return __shfl_xor_sync(~0u, word, mask); });
  }
  FATHOM_DEVICE
  u32 ballot(bool predicate) const { return __ballot_sync(~0u, predicate); }
  /// The lanes whose value has the same bits.
  template <class T>
  FATHOM_DEVICE
  u32 match(const T& value) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a matched type must consist of one or two 32-bit words");
    if constexpr (sizeof(T) == 4)
      return __match_any_sync(~0u, __builtin_bit_cast(u32, value));
    else
      return __match_any_sync(~0u, __builtin_bit_cast(u64, value));
  }

  // Over the values of all lanes; all lanes get the result.
  template <class T>
  FATHOM_DEVICE
  T reduce_add(T value) const {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, reducible(value));
#else
    return butterfly(value, [](T a, T b) { return T(u32(a) + u32(b)); });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_min(T value) const {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(~0u, reducible(value));
#else
    return butterfly(value, [](T a, T b) { return min(a, b); });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_max(T value) const {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(~0u, reducible(value));
#else
    return butterfly(value, [](T a, T b) { return max(a, b); });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_and(T value) const {
#if __CUDA_ARCH__ >= 800
    return T(__reduce_and_sync(~0u, u32(reducible(value))));
#else
    return butterfly(value, [](T a, T b) { return a & b; });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_or(T value) const {
#if __CUDA_ARCH__ >= 800
    return T(__reduce_or_sync(~0u, u32(reducible(value))));
#else
    return butterfly(value, [](T a, T b) { return a | b; });
#endif
  }
  template <class T>
  FATHOM_DEVICE
  T reduce_xor(T value) const {
#if __CUDA_ARCH__ >= 800
    return T(__reduce_xor_sync(~0u, u32(reducible(value))));
#else
    return butterfly(value, [](T a, T b) { return a ^ b; });
#endif
  }

  template <class T>
  FATHOM_DEVICE
  Shared<T> shared(int count) {
    T* start = reinterpret_cast<T*>(dynamic_shared_memory + shared_used_);
    shared_used_ += shared_bytes<T>(count);
    return {start};
  }

  /// Suspends the thread for about this many nanoseconds.
  FATHOM_DEVICE
  void sleep(int nanoseconds) const {
    __nanosleep(nanoseconds);
  }

  /// Called by a whole warp, once: starts an asynchronous copy of `count` vectors from global to shared
  /// memory. `arrival` has one element per warp of the block. After wait_for_copy() all lanes can read the
  /// vectors.
  template <class T, int width>
  FATHOM_DEVICE
  void begin_copy(const Span<const T>& from, Index i, const Shared<Vector<T, width>>& to, int count,
                  const Shared<u64>& arrival) const {
    constexpr int bytes = sizeof(Vector<T, width>);
#if __CUDA_ARCH__ >= 900
    if constexpr (bytes == 16) {  // one request to the copy engine for all vectors
      if (lane() == 0) {
        const u32 barrier = shared_address(arrival.data + warp());
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
            "fence.proxy.async.shared::cta;\n\t"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n\t"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%2], [%3], %1, [%0];" ::"r"(
                barrier),
            "r"(count * bytes), "r"(shared_address(to.data)), "l"(from.data + i)
            : "memory");
      }
      __syncwarp();
      return;
    }
#endif
    for (int at = lane(); at < count; at += warp_width) {
#if __CUDA_ARCH__ >= 800
      if constexpr (bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to.data + at)),
                     "l"(from.data + i + Index(at) * width)
                     : "memory");
        continue;
      }
#endif
      to.store(at, from.template load_vector<width>(i + Index(at) * width));
    }
  }
  template <class T, int width>
  FATHOM_DEVICE
  void wait_for_copy(const Shared<Vector<T, width>>&, const Shared<u64>& arrival) const {
#if __CUDA_ARCH__ >= 900
    if constexpr (sizeof(Vector<T, width>) == 16) {
      const u32 barrier = shared_address(arrival.data + warp());
      u32 arrived = 0;
      while (!arrived)
        asm volatile(
            "{\n\t.reg .pred p;\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
            "selp.u32 %0, 1, 0, p;\n\t}"
            : "=r"(arrived)
            : "r"(barrier)
            : "memory");
      return;
    }
#endif
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncwarp();
  }
  /// Called by a whole warp: see CopyPipeline. `arrivals` has one element per stage, for this warp only.
  template <class Row>
  FATHOM_DEVICE
  CopyPipeline<Row> copy_pipeline(const Shared<u64>& arrivals, int stages) const {
    return CopyPipeline<Row>(arrivals, stages);
  }

  /// Returns the previous value. Releases this thread's earlier writes and acquires those of the threads that
  /// added before: made for tickets.
  template <class T>
  FATHOM_DEVICE
  T atomic_add(const Span<T>& span, Index i, T value) const {
    fence();
    const T before = atomicAdd(span.data + i, value);
    fence();
    return before;
  }

 private:
  FATHOM_DEVICE
  static u32 shared_address(const void* pointer) {
    return detail::shared_address(pointer);
  }

  /// __threadfence() orders more than this and takes longer.
  FATHOM_DEVICE
  static void fence() {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }

  template <class T>
  FATHOM_DEVICE
  static T reducible(T value) {
    static_assert(has_atomics<T> && sizeof(T) == 4, "a warp reduces u32 and i32");
    return value;
  }
#if __CUDA_ARCH__ < 800
  template <class T, class Operator>
  FATHOM_DEVICE
  T butterfly(T value, Operator combine) const {
    value = reducible(value);
    FATHOM_UNROLL
    for (int mask = warp_width / 2; mask > 0; mask /= 2) value = combine(value, shuffle_xor(value, mask));
    return value;
  }
#endif

  template <int count>
  struct Words {
    u32 word[count];
  };

  /// Word by word, with a bit cast and constant indices: a union, or a loop over its words, would put the
  /// value into local memory.
  template <class T, class Exchange>
  FATHOM_DEVICE
  static T by_words(const T& value, Exchange exchange) {
    static_assert(sizeof(T) % 4 == 0, "a shuffled type must consist of whole 32-bit words");
    constexpr int count = sizeof(T) / 4;
    Words<count> words = __builtin_bit_cast(Words<count>, value);
    FATHOM_UNROLL
    for (int i = 0; i < count; ++i) words.word[i] = exchange(words.word[i]);
    return __builtin_bit_cast(T, words);
  }

  int shared_used_ = 0;
};

}  // namespace fathom
