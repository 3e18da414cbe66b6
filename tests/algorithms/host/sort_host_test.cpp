// SPDX-License-Identifier: Apache-2.0
// Sorts of data in host memory, beside the standard library.
#include "../../support/error_of.h"
#include "../../support/sanitized.h"
#include "../by_bits.h"
#include "../filled.h"
#include "queued_executor.h"

#include <fathom/algorithms/host/registry.h>
#include <fathom/algorithms/host/sort_host.h>
#include <fathom/device/forwarding_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <limits>
#include <numeric>
#include <span>
#include <thread>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

template <class Key>
Problem problem_of(std::size_t n, int parts) {
  Problem problem = find_host_algorithm("sort-host")->problem(double(n), element_type_of<Key>);
  problem.parameters.set("parts", parts);
  return problem;
}

/// One executor, which does everything in order.
struct InOrder {
  CountingExecutor executor;
  HostStreams streams{executor, executor, executor};
};

/// So many GPUs, each with memory of its own.
class SeveralInOrder {
 public:
  explicit SeveralInOrder(int count) : gpus_(std::size_t(count)) {
    for (InOrder& gpu : gpus_) streams.push_back(gpu.streams);
  }

 private:
  std::deque<InOrder> gpus_;

 public:
  std::vector<HostStreams> streams{};
};

template <class Key>
std::vector<Key> sorted(const std::vector<HostStreams>& gpus, const std::vector<Key>& keys, int parts,
                        std::size_t memory = unlimited) {
  std::vector<Key> output(keys.size());
  Problem problem = problem_of<Key>(keys.size(), parts);
  problem.parameters.set("gpus", int(gpus.size()));
  const auto call = find_host_algorithm("sort-host")->make_call(gpus, problem, memory);
  for (int run = 0; run < 2; ++run) {  // a call can run again
    std::ranges::fill(std::as_writable_bytes(std::span(output)), std::byte{0xa5});
    call->run({keys.data()}, {output.data()});
  }
  return output;
}

/// Memory that does not hold all elements, so that a sort of them has two rounds.
template <class Key, class Value = void>
constexpr std::size_t too_little(std::size_t n) {
  if constexpr (std::is_void_v<Value>)
    return n * sizeof(Key) - 1;
  else
    return n * (sizeof(Key) + sizeof(Value)) - 1;
}

template <class Key>
void sorts(std::size_t n, const Input& input, int parts, std::size_t memory = unlimited) {
  INFO(name(element_type_of<Key>) << " " << name(input) << ", n = " << n << ", " << parts << " parts, "
                                  << (memory == unlimited ? "one round" : "two rounds"));
  InOrder gpu;
  const std::vector<Key> keys = keys_of<Key>(input, n), before = keys;
  CHECK(same_bits(sorted({gpu.streams}, keys, parts, memory), in_order(keys)));
  CHECK(same_bits(keys, before));
}

}  // namespace

TEST_CASE("runs are cut where so many elements of their stable merge are before, as by a sort of all") {
  const std::vector<std::vector<f32>> runs{
      {-2, -0.0f, 0, 0, 1, 1, 1, 7}, {}, {1, 1, 1}, {-0.0f, 0, 1, 2, 3, 4, 5, 6}};
  struct Place {
    f32 key;
    std::size_t run;
  };
  std::vector<Place> all;
  std::vector<std::span<const f32>> spans;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    spans.emplace_back(runs[run]);
    for (const f32 key : runs[run]) all.push_back({key, run});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Place& a, const Place& b) { return in_order_of_bits(a.key, b.key); });
  for (std::size_t rank = 0; rank <= all.size(); ++rank) {
    std::vector<Index> expected(runs.size());
    for (std::size_t i = 0; i < rank; ++i) ++expected[all[i].run];
    CHECK(cut_runs(spans, Index(rank)) == expected);
  }
  const std::vector<u64> largest(3, ~u64(0));
  CHECK(cut_runs<u64>({largest, largest}, 4) == std::vector<Index>{3, 1});
}

TEST_CASE("a plan has one round where the memory holds it, and as large parts as fit otherwise") {
  // All elements and two parts, or four parts.
  const BytesOfPlan bytes = [](const HostPlan& plan) {
    return std::size_t(plan.one_round ? 6400 + 2 * plan.part : 4 * plan.part);
  };
  const auto plan_of = [&](std::size_t memory, int gpus = 1, Index n = 6400) {
    return plan_host({.n = n, .gpus = gpus, .parts = 20, .most_merged = 10}, memory, bytes);
  };
  const HostPlan all = plan_of(6400 + 1280);
  CHECK(all.one_round);
  CHECK(all.part == 640);
  const HostPlan usual = plan_of(6400);
  CHECK_FALSE(usual.one_round);
  CHECK(usual.part == 320);
  const HostPlan small = plan_of(4 * 192 + 255);
  CHECK_FALSE(small.one_round);
  CHECK(small.part == 192);
  CHECK(small.parts() == 34);
  CHECK(plan_of(1 << 20, 1, 1).parts() == 1);
  CHECK_THAT(error_of<OutOfDeviceMemory>([&] { plan_of(255); }),
             Contains("need at least 256 bytes of GPU memory, 255 may be used"));
  // Two GPUs have so many parts each, in two rounds.
  const HostPlan two = plan_of(1 << 20, 2);
  CHECK_FALSE(two.one_round);
  CHECK(two.part == 192);  // of 160, rounded up
  CHECK(two.parts() == 34);
}

TEST_CASE("GPUs share all parts, as evenly as can be") {
  for (const Index n : {0, 1, 64, 65, 6400, 6401})
    for (const int gpus : {1, 2, 3, 7, 64}) {
      const HostPlan plan{n, false, 64, gpus};
      Index next = 0;
      for (int gpu = 0; gpu < gpus; ++gpu) {
        const PartRange share = plan.share_of(gpu);
        CHECK(share.begin == next);
        next = share.end;
        CHECK(share.end - share.begin >= plan.parts() / gpus);
        CHECK(share.end - share.begin <= ceil_div(plan.parts(), gpus));
      }
      CHECK(next == plan.parts());
    }
}

TEST_CASE("every input is sorted, in one round and in two, in parts of which the last is smaller") {
  for (const Input input : two_if_sanitized(std::vector<Input>(all_inputs.begin(), all_inputs.end()))) {
    sorts<u32>(30001, input, 4);
    sorts<u32>(12001, input, 4, too_little<u32>(12001));
  }
}

TEST_CASE("any number of elements and parts is sorted") {
  for (const std::size_t n : some_if_sanitized(std::vector<std::size_t>{0, 1, 2, 63, 64, 65, 5000}))
    for (const int parts : two_if_sanitized(std::vector<int>{1, 2, 16, 64})) {
      sorts<u64>(n, Input::random, parts);
      sorts<u64>(n, Input::few_unique, parts);
    }
  for (const std::size_t n : two_if_sanitized(std::vector<std::size_t>{8064, 8000, 8001, 8063, 8065}))
    for (const int parts : two_if_sanitized(std::vector<int>{1, 2, 16, 64}))
      sorts<u64>(n, Input::few_unique, parts, too_little<u64>(n));
}

TEST_CASE("more parts than one merge takes are sorted in two rounds") {
  InOrder gpu;
  constexpr std::size_t n = 12000, memory = too_little<u32>(n);
  const HostPlan plan = SortHost<u32, Unstable>({gpu.streams}, problem_of<u32>(n, 64), memory).plan();
  CHECK_FALSE(plan.one_round);
  CHECK(plan.parts() > ListedRuns::most);
  for (const Input input : sanitized ? std::vector<Input>{Input::random}
                                     : std::vector<Input>{Input::random, Input::sorted, Input::reverse})
    sorts<u32>(n, input, 64, memory);
}

TEST_CASE("keys of every type are in the order of their bits, with NaN at the ends") {
  const bool in_one_round = GENERATE(true, false);
  constexpr std::size_t n = 12000;
  const auto memory = [&]<class Key>(Key) { return in_one_round ? unlimited : too_little<Key>(n); };
  for (const Input input : {Input::random, Input::zipf}) {
    if constexpr (!sanitized) {  // other types of the same sizes
      sorts<i32>(n, input, 4, memory(i32()));
      sorts<i64>(n, input, 4, memory(i64()));
    }
    sorts<f32>(n, input, 4, memory(f32()));
    sorts<f64>(n, input, 4, memory(f64()));
  }
  std::vector<f32> keys = keys_of<f32>(Input::random, n);
  for (std::size_t i = 0; i < keys.size(); i += 3) keys[i] = i % 2 ? -0.0f : 0.0f;
  for (std::size_t i = 0; i < keys.size(); i += 100)
    keys[i] = std::copysign(std::numeric_limits<f32>::quiet_NaN(), i % 200 ? -1.0f : 1.0f);
  InOrder gpu;
  CHECK(same_bits(sorted({gpu.streams}, keys, 4, memory(f32())), in_order(keys)));
}

namespace {

template <class Key, class Value>
void sorts_pairs(const std::vector<HostStreams>& gpus, const Input& input, bool stable, bool in_one_round) {
  INFO(name(input) << (stable ? ", stable, " : ", ") << (in_one_round ? "one round" : "two rounds"));
  constexpr std::size_t n = 9000;
  const std::size_t memory = in_one_round ? unlimited : too_little<Key, Value>(n);
  std::vector<Key> keys = keys_of<Key>(input, n), keys_out(n);
  std::vector<Value> places(n), values_out(n);
  std::iota(places.begin(), places.end(), Value(0));
  std::vector<Value> expected = places;
  std::stable_sort(expected.begin(), expected.end(),
                   [&](Value a, Value b) { return in_order_of_bits(keys[a], keys[b]); });
  Problem problem = problem_of<Key>(n, 4);
  problem.parameters.set("gpus", int(gpus.size()));
  problem.value_type = element_type_of<Value>;
  problem.stable = stable;
  const auto call = find_host_algorithm("sort-host")->make_call(gpus, problem, memory);
  call->run({keys.data(), places.data()}, {keys_out.data(), values_out.data()});
  CHECK(same_bits(keys_out, in_order(keys)));
  if (stable) {
    CHECK(values_out == expected);
    return;
  }
  bool together = true;
  for (std::size_t i = 0; together && i < n; ++i)
    together = values_out[i] < n && ordered_bits(keys[values_out[i]]) == ordered_bits(keys_out[i]);
  CHECK(together);
  std::ranges::sort(values_out);
  CHECK(values_out == places);
}

}  // namespace

TEST_CASE("values stay with their keys, and equal keys in order where that is asked for") {
  InOrder gpu;
  for (const bool in_one_round : {true, false})
    for (const Input input :
         some_if_sanitized(std::vector<Input>{Input::few_unique, Input::random, Input::equal}))
      for (const bool stable : {false, true}) {
        sorts_pairs<u32, u32>({gpu.streams}, input, stable, in_one_round);
        sorts_pairs<u64, u32>({gpu.streams}, input, stable, in_one_round);
        sorts_pairs<u64, u64>({gpu.streams}, input, stable, in_one_round);
      }
}

TEST_CASE("an array is sorted in place") {
  for (const std::size_t memory : {unlimited, too_little<u32>(20000)}) {
    InOrder gpu;
    std::vector<u32> keys = keys_of<u32>(Input::random, 20000);
    const std::vector<u32> expected = in_order(keys);
    find_host_algorithm("sort-host")
        ->make_call({gpu.streams}, problem_of<u32>(keys.size(), 8), memory)
        ->run({keys.data()}, {keys.data()});
    CHECK(keys == expected);
  }
}

TEST_CASE("the result does not depend on how far any stream is ahead of the others") {
  std::mt19937 random(1);
  const auto choices = std::vector<std::function<std::size_t(std::size_t)>>{
      [](std::size_t) { return std::size_t(0); }, [](std::size_t count) { return count - 1; },
      [&](std::size_t count) { return std::size_t(random() % count); }};
  for (const auto& choice : choices)
    for (const int order : some_if_sanitized(std::vector<int>{0, 1, 2}))  // of the streams
      for (const bool in_one_round : {true, false}) {
        CountingExecutor counting;
        QueuedExecutor::Gpu gpu(counting, choice);
        QueuedExecutor first(gpu), second(gpu), third(gpu);
        const HostStreams streams = order == 0   ? HostStreams{first, second, third}
                                    : order == 1 ? HostStreams{second, third, first}
                                                 : HostStreams{third, first, second};
        const std::size_t n = in_one_round ? (sanitized ? 20001 : 40001) : 12001;
        const std::size_t memory = in_one_round ? unlimited : too_little<u32>(n);
        const std::vector<u32> keys = keys_of<u32>(Input::random, n);
        CHECK(same_bits(sorted({streams}, keys, 8, memory), in_order(keys)));
      }
}

TEST_CASE("several GPUs sort in two rounds, also with fewer parts than GPUs, or none") {
  for (const int gpus : two_if_sanitized(std::vector<int>{2, 3, 5})) {
    SeveralInOrder several(gpus);
    for (const std::size_t n : some_if_sanitized(std::vector<std::size_t>{8001, 0, 1, 64, 65, 200}))
      for (const Input input : two_if_sanitized(std::vector<Input>{Input::random, Input::few_unique}))
        for (const int parts : {1, 3}) {
          INFO(gpus << " GPUs, n = " << n << " " << name(input) << ", " << parts << " parts of each");
          const std::vector<u32> keys = keys_of<u32>(input, n);
          CHECK(same_bits(sorted(several.streams, keys, parts), in_order(keys)));
        }
  }
}

TEST_CASE("several GPUs sort in place") {
  SeveralInOrder several(3);
  std::vector<u64> keys = keys_of<u64>(Input::random, 9001);
  const std::vector<u64> expected = in_order(keys);
  Problem problem = problem_of<u64>(keys.size(), 2);
  problem.parameters.set("gpus", 3);
  find_host_algorithm("sort-host")
      ->make_call(several.streams, problem, unlimited)
      ->run({keys.data()}, {keys.data()});
  CHECK(keys == expected);
}

TEST_CASE("several GPUs keep values with their keys, and equal keys in order where that is asked for") {
  SeveralInOrder several(2);
  for (const Input input : two_if_sanitized(std::vector<Input>{Input::few_unique, Input::random}))
    for (const bool stable : {false, true}) {
      sorts_pairs<u32, u32>(several.streams, input, stable, true);
      sorts_pairs<u64, u64>(several.streams, input, stable, true);
    }
}

TEST_CASE("each of several GPUs uses its memory as far as allowed") {
  constexpr std::size_t memory = 40000;
  std::deque<CountingExecutor> executors;
  std::vector<HostStreams> gpus;
  for (int i = 0; i < 3; ++i) {
    CountingExecutor& one = executors.emplace_back(CountingDevice{.memory_bytes = memory});
    gpus.push_back({one, one, one});
  }
  const std::vector<u32> keys = keys_of<u32>(Input::random, 20000);
  CHECK(same_bits(sorted(gpus, keys, 2, memory), in_order(keys)));
}

TEST_CASE("the result of several GPUs does not depend on how far any stream is ahead of the others") {
  for (const bool latest : {false, true}) {
    const auto choice = [latest](std::size_t count) { return latest ? count - 1 : std::size_t(0); };
    std::deque<CountingExecutor> counting(2);
    std::deque<QueuedExecutor::Gpu> gpus;
    std::deque<QueuedExecutor> queues;
    std::vector<HostStreams> streams;
    for (CountingExecutor& executor : counting) {
      QueuedExecutor::Gpu& gpu = gpus.emplace_back(executor, choice);
      QueuedExecutor &in = queues.emplace_back(gpu), &kernels = queues.emplace_back(gpu),
                     &out = queues.emplace_back(gpu);
      streams.push_back({in, kernels, out});
    }
    const std::vector<u32> keys = keys_of<u32>(Input::random, 12001);
    CHECK(same_bits(sorted(streams, keys, 4), in_order(keys)));
  }
}

namespace {

/// A GPU on which copies out fail, or none.
class FailingExecutor final : public ForwardingExecutor {
 public:
  FailingExecutor(Executor& on, bool fails) : ForwardingExecutor(on), fails_(fails) {}
  void download_queued(void* to, const void* from, std::size_t bytes) override {
    if (fails_) throw KernelFailure("this copy fails");
    download(to, from, bytes);
  }
  void use_on_this_thread() override { thread = std::this_thread::get_id(); }
  void mend() { fails_ = false; }
  std::thread::id thread{};

 private:
  bool fails_;
};

}  // namespace

TEST_CASE("the failure of one of several GPUs ends the sort, which can run again") {
  std::deque<CountingExecutor> counting(2);
  FailingExecutor good(counting[0], false), failing(counting[1], true);
  Problem problem = problem_of<u32>(1000, 2);
  problem.parameters.set("gpus", 2);
  const auto call = find_host_algorithm("sort-host")
                        ->make_call({{good, good, good}, {failing, failing, failing}}, problem, unlimited);
  const std::vector<u32> keys = keys_of<u32>(Input::random, 1000);
  std::vector<u32> output(1000);
  for (int run = 0; run < 2; ++run)
    CHECK(error_of<KernelFailure>([&] { call->run({keys.data()}, {output.data()}); }) == "this copy fails");
  failing.mend();
  call->run({keys.data()}, {output.data()});
  CHECK(output == in_order(keys));
  for (const FailingExecutor* each : {&good, &failing}) {
    CHECK(each->thread != std::thread::id());
    CHECK(each->thread != std::this_thread::get_id());
  }
}

TEST_CASE("interrupting a sort interrupts the threads of all GPUs") {
  SeveralInOrder several(3);
  std::atomic<int> interrupted = 0;
  const auto work = [&](std::size_t) {
    try {
      check_interruption();
    } catch (const Interrupted&) {
      ++interrupted;
      throw;
    }
  };
  on_each_gpu(several.streams, work);
  const Interruptible cancelled([] { throw Interrupted("cancelled"); });
  CHECK_THROWS_AS(on_each_gpu(several.streams, work), Interrupted);
  CHECK(interrupted == 3);
}

TEST_CASE("where one GPU fails, the others end at their next step, and its error is the one thrown") {
  SeveralInOrder several(3);
  std::atomic<int> ended = 0;
  const auto work = [&](std::size_t gpu) {
    if (gpu == 1) throw KernelFailure("broken");
    try {
      while (true) check_interruption();
    } catch (...) {
      ++ended;
      throw;
    }
  };
  CHECK_THROWS_WITH(on_each_gpu(several.streams, work), Contains("broken"));
  CHECK(ended == 2);
}

TEST_CASE("a sort that is interrupted ends at its next step") {
  for (const int gpus : {1, 2}) {
    SeveralInOrder several(gpus);
    Problem problem = problem_of<u32>(1000, 2);
    problem.parameters.set("gpus", gpus);
    const auto call = find_host_algorithm("sort-host")->make_call(several.streams, problem, unlimited);
    const std::vector<u32> keys = keys_of<u32>(Input::random, 1000);
    std::vector<u32> output(1000);
    {
      const Interruptible cancelled([] { throw Interrupted("cancelled"); });
      CHECK_THROWS_AS(call->run({keys.data()}, {output.data()}), Interrupted);
      CHECK(output == std::vector<u32>(1000));
    }
    call->run({keys.data()}, {output.data()});
    CHECK(output == in_order(keys));
  }
}

TEST_CASE("another number of GPUs than the problem's is refused") {
  SeveralInOrder several(2);
  CHECK_THAT(
      error_of<std::invalid_argument>([&] {
        find_host_algorithm("sort-host")->make_call(several.streams, problem_of<u32>(100, 2), unlimited);
      }),
      Contains("`gpus` is 1, but there are streams of 2"));
}

TEST_CASE("the GPU's memory is used as far as allowed, and no further") {
  for (const std::size_t memory : {std::size_t(40000), std::size_t(100000), std::size_t(400000)}) {
    CountingExecutor executor({.memory_bytes = memory});
    const std::vector<u32> keys = keys_of<u32>(Input::random, 20000);
    CHECK(same_bits(sorted({{executor, executor, executor}}, keys, 8, memory), in_order(keys)));
  }
  InOrder gpu;
  CHECK_THAT(error_of<OutOfDeviceMemory>([&] {
               find_host_algorithm("sort-host")->make_call({gpu.streams}, problem_of<u32>(20000, 8), 100);
             }),
             Contains("of GPU memory, 100 may be used"));
}
