// SPDX-License-Identifier: Apache-2.0
// Links are measured on GPUs whose times are known: those of a group that has neither GPUs nor a clock.
#include <fathom/core/benchmarks.h>
#include <fathom/microbench/links/links.h>
#include <fathom/model/links.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>
#include <thread>

using namespace fathom;
using namespace fathom::microbench;

namespace {

constexpr double MiB = 1024 * 1024, GiB = 1024 * MiB;

/// What exchanges take among any number of GPUs.
double true_seconds(ExchangeKind kind, double bytes) {
  switch (kind) {
    case ExchangeKind::peer_copy:
      return 5e-6 + 2e-12 * bytes;
    case ExchangeKind::send_receive:
      return 16e-6 + 3e-12 * bytes;
    case ExchangeKind::all_to_all:
      return 18e-6 + 4e-12 * bytes;
    case ExchangeKind::all_gather:
      return 17e-6 + 5e-12 * bytes;
    case ExchangeKind::all_reduce:
      return 19e-6 + 6e-12 * bytes;
    case ExchangeKind::host_to_device:
      return 8e-6 + 20e-12 * bytes;
    case ExchangeKind::device_to_host:
      return 9e-6 + 25e-12 * bytes;
    case ExchangeKind::host_both_ways:  // of QueuedCopies, whose directions do not disturb each other
      return true_seconds(ExchangeKind::device_to_host, bytes);
  }
  throw std::logic_error("no such exchange");
}

/// All GPUs have one time, which passes only while they exchange. Catch's checks are not for several threads.
struct Time {
  std::atomic<double> now{0};
  std::atomic<bool> is_uneven{false};  ///< a rank received other than it sent
  void pass(double seconds) { now.store(now.load() + seconds); }
};

/// Memory without content, of which there is so much, and copies that take their time.
class MemoryOnly : public Executor {
 public:
  MemoryOnly(std::size_t memory, bool tells_time, Time& time)
      : memory_(memory), tells_time_(tells_time), time_(time) {}

  void* allocate(std::size_t bytes) override {
    if (bytes > memory_) throw OutOfDeviceMemory("too much");
    memory_ -= bytes;
    char* const place = next_;
    sizes_[place] = bytes;
    next_ += bytes;
    return place;
  }
  void release(void* memory) noexcept override { memory_ += sizes_.at(memory); }
  void copy(void*, const void*, std::size_t bytes) override {
    if (tells_time_) time_.pass(true_seconds(ExchangeKind::peer_copy, double(bytes)));
  }
  void synchronize() override {}
  void upload(void*, const void*, std::size_t) override { unused(); }
  void download(void*, const void*, std::size_t) override { unused(); }
  void fill(void*, unsigned char, std::size_t) override { unused(); }
  int multiprocessors() const override { unused(); }
  double shared_bytes_per_multiprocessor() const override { unused(); }
  double shared_bytes_reserved() const override { unused(); }
  double shared_bytes_per_block() const override { unused(); }
  std::shared_ptr<const PreparedKernel> prepare(const Launch&) override { unused(); }
  void launch_erased(const PreparedKernel&, Index, const void*, std::size_t) override { unused(); }

 private:
  [[noreturn]] static void unused() { throw std::logic_error("no benchmark of links does this"); }
  std::size_t memory_;
  bool tells_time_;
  Time& time_;
  std::map<void*, std::size_t> sizes_;
  char* next_ = reinterpret_cast<char*>(std::uintptr_t{1} << 40);
};

/// The same, with a stream of its own for copies from the host or to it.
class QueuedCopies final : public MemoryOnly {
 public:
  QueuedCopies(std::size_t memory, std::size_t host_memory, Time& time)
      : MemoryOnly(memory, true, time), host_memory_(host_memory), time_(time) {}

  void* allocate_host(std::size_t bytes) override {
    if (bytes > host_memory_) throw OutOfHostMemory("too much");
    host_memory_ -= bytes;
    return sizes_.emplace(next_host_ += bytes, bytes).first->first;
  }
  void release_host(void* memory) noexcept override { host_memory_ += sizes_.at(static_cast<char*>(memory)); }
  void upload_queued(void*, const void*, std::size_t bytes) override {
    queue(true_seconds(ExchangeKind::host_to_device, double(bytes)));
  }
  void download_queued(void*, const void*, std::size_t bytes) override {
    queue(true_seconds(ExchangeKind::device_to_host, double(bytes)));
  }
  void synchronize() override { time_.now = std::max(time_.now.load(), idle_); }

 private:
  void queue(double seconds) { idle_ = std::max(time_.now.load(), idle_) + seconds; }
  std::size_t host_memory_;
  Time& time_;
  double idle_ = 0;  ///< when it has copied all that was queued
  std::map<char*, std::size_t> sizes_;
  char* next_host_ = reinterpret_cast<char*>(std::uintptr_t{1} << 44);
};

/// Exchanges nothing, but waits for all ranks, and takes the time of the bytes that leave rank 0.
class FakeGroup final : public Group {
 public:
  FakeGroup(int size, std::size_t memory_of_last, Time& time) : time_(time) {
    for (int rank = 0; rank < size; ++rank)
      executors_.push_back(std::make_unique<MemoryOnly>(rank + 1 < size ? std::size_t(80e9) : memory_of_last,
                                                        rank == 0, time));
  }
  int size() const override { return int(executors_.size()); }
  void run(const std::function<void(Communicator&)>& each) override {
    std::barrier meeting(size(), [this]() noexcept { time_.pass(takes_); });
    std::vector<std::exception_ptr> failures(executors_.size());
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < size(); ++rank)
        threads.emplace_back([&, rank] {
          Rank communicator(*this, rank, [&] { meeting.arrive_and_wait(); });
          try {
            each(communicator);
          } catch (...) {
            failures[std::size_t(rank)] = std::current_exception();
          }
        });
    }
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  class Rank final : public Communicator {
   public:
    Rank(FakeGroup& group, int rank, std::function<void()> meet)
        : group_(group), rank_(rank), meet_(std::move(meet)) {}
    int rank() const override { return rank_; }
    int size() const override { return group_.size(); }
    Executor& executor() override { return *group_.executors_[std::size_t(rank_)]; }
    Communicator& beside() override { return *this; }
    void all_to_all(const void*, std::span<const Part> sent, void*, std::span<const Part> received) override {
      double leaving = 0;
      int receivers = 0;
      std::size_t arriving = 0;
      for (int rank = 0; rank < size(); ++rank)
        if (rank != rank_) {
          leaving += double(sent[std::size_t(rank)].bytes);
          receivers += sent[std::size_t(rank)].bytes > 0;
          arriving += received[std::size_t(rank)].bytes;
        }
      if (leaving != double(arriving)) group_.time_.is_uneven = true;
      // Among two, both are the same.
      exchange(receivers == 1 && size() > 2 ? ExchangeKind::send_receive : ExchangeKind::all_to_all, leaving);
    }
    void all_gather(const void*, std::size_t bytes, void*) override {
      exchange(ExchangeKind::all_gather, double(bytes) * (size() - 1));
    }
    void all_reduce(const unsigned*, unsigned*, std::size_t count) override {
      exchange(ExchangeKind::all_reduce, 4.0 * double(count) * 2 * (size() - 1) / size());
    }

   private:
    void exchange(ExchangeKind kind, double leaving) {
      if (rank_ == 0) group_.takes_ = true_seconds(kind, leaving);
      meet_();
    }
    FakeGroup& group_;
    int rank_;
    std::function<void()> meet_;
  };

  Time& time_;
  double takes_ = 0;  ///< of the exchange in which ranks are; set by rank 0 before it meets the others
  std::vector<std::unique_ptr<MemoryOnly>> executors_;
};

struct Measurements {
  std::vector<Series> series;
  std::vector<int> groups;  ///< that were asked for
};

Measurements measure(int gpus, std::size_t memory_of_last, bool quick = false) {
  Time time;
  Measurements measured;
  const auto make = [&](int size) {
    measured.groups.push_back(size);
    return std::make_unique<FakeGroup>(size, memory_of_last, time);
  };
  measured.series =
      measure_links(make, gpus, {.repeats = 11, .quick = quick}, {}, [&] { return time.now.load(); });
  CHECK_FALSE(time.is_uneven);
  return measured;
}

/// Measures copies with the host, of GPUs with so much memory each.
Measurements measure_with_host(const std::vector<std::size_t>& memories, std::size_t host_memory) {
  Time time;
  std::deque<QueuedCopies> queues;
  std::vector<HostStreams> gpus;
  for (const std::size_t memory : memories) {
    QueuedCopies& in = queues.emplace_back(memory, host_memory, time);
    QueuedCopies& kernels = queues.emplace_back(memory, host_memory, time);
    QueuedCopies& out = queues.emplace_back(memory, host_memory, time);
    gpus.push_back({in, kernels, out});
  }
  return {measure_host_links(gpus, {.repeats = 11, .quick = false}, {}, [&] { return time.now.load(); }), {}};
}
Measurements measure_with_host(std::size_t memory, std::size_t host_memory) {
  return measure_with_host(std::vector{memory}, host_memory);
}

std::vector<const Series*> of(const Measurements& measured, ExchangeKind kind, int gpus) {
  std::vector<const Series*> found;
  for (const Series& series : measured.series)
    if (series.benchmark == benchmarks::of(kind).name && series.coordinates.at("gpus") == gpus)
      found.push_back(&series);
  return found;
}

}  // namespace

TEST_CASE("links are measured among two GPUs, twice as many each time, and all") {
  CHECK(numbers_of_gpus(1).empty());
  CHECK(numbers_of_gpus(2) == std::vector{2});
  CHECK(numbers_of_gpus(3) == std::vector{2, 3});
  CHECK(numbers_of_gpus(6) == std::vector{2, 4, 6});
  CHECK(numbers_of_gpus(8) == std::vector{2, 4, 8});
}

TEST_CASE("every exchange takes the time that it is known to take, at each size once") {
  const Measurements measured = measure(3, std::size_t(80e9));
  CHECK(measured.groups == std::vector{2, 3});
  for (const ExchangeKind kind : all_exchange_kinds) {
    if (is_with_host(kind)) continue;
    INFO(name(kind));
    const auto series = of(measured, kind, 3);
    std::set<double> sizes;
    for (const Series* one : series) {
      const double bytes = one->coordinates.at("bytes");
      INFO(bytes);
      sizes.insert(bytes);
      CHECK(one->unit == "s");
      CHECK(one->samples.size() >= 6);
      for (const double seconds : one->samples) CHECK(seconds == Approx(true_seconds(kind, bytes)));
    }
    CHECK(sizes.size() == series.size());
    CHECK(series.size() >= 26);  // 28 doublings of 8 bytes, of which those below three words are one
    CHECK(*sizes.begin() <= 16);
    CHECK(*sizes.rbegin() == Approx(share_sent(kind, 3) * GiB).epsilon(1e-6));
  }
}

TEST_CASE("arrays are as large as the GPU with the least memory can hold two of") {
  const Measurements measured = measure(3, std::size_t(5 * MiB));
  for (const ExchangeKind kind : all_exchange_kinds) {
    if (is_with_host(kind)) continue;
    double largest = 0;
    for (const Series* one : of(measured, kind, 3)) largest = std::max(largest, one->coordinates.at("bytes"));
    CHECK(largest == Approx(share_sent(kind, 3) * 2 * MiB).epsilon(1e-4));
  }
  CHECK_THROWS_AS(measure(2, 8), OutOfDeviceMemory);
}

TEST_CASE("copies from the host, to it and both at once take the time that they are known to take") {
  const Measurements measured = measure_with_host(std::size_t(80e9), std::size_t(80e9));
  CHECK(measured.series.size() == 3 * 28);  // 28 doublings of 8 bytes
  for (const ExchangeKind kind :
       {ExchangeKind::host_to_device, ExchangeKind::device_to_host, ExchangeKind::host_both_ways}) {
    INFO(name(kind));
    const auto series = of(measured, kind, 1);
    REQUIRE(series.size() == 28);
    CHECK(series.front()->coordinates.at("bytes") == 8);
    CHECK(series.back()->coordinates.at("bytes") == GiB);
    for (const Series* one : series)
      for (const double seconds : one->samples)
        CHECK(seconds == Approx(true_seconds(kind, one->coordinates.at("bytes"))));
  }
}

TEST_CASE("copies of several GPUs with the host go on at once, and each number of them is measured") {
  const Measurements measured =
      measure_with_host({std::size_t(80e9), std::size_t(80e9), std::size_t(5 * MiB)}, std::size_t(80e9));
  for (const auto& [gpus, largest] : {std::pair(1, GiB), {2, GiB}, {3, 2 * MiB}}) {
    INFO(gpus << " GPUs");
    const auto series = of(measured, ExchangeKind::host_to_device, gpus);
    REQUIRE_FALSE(series.empty());
    CHECK(series.back()->coordinates.at("bytes") == largest);
    for (const Series* one : series)  // links of their own, each of which is as fast as one alone
      for (const double seconds : one->samples)
        CHECK(seconds == Approx(true_seconds(ExchangeKind::host_to_device, one->coordinates.at("bytes"))));
  }
  CHECK(of(measured, ExchangeKind::host_both_ways, 4).empty());
}

TEST_CASE("arrays are as large as GPU and host can hold two of") {
  for (const auto& [memory, host_memory] : {std::pair(5 * MiB, 80e9), std::pair(80e9, 5 * MiB)}) {
    const Measurements measured = measure_with_host(std::size_t(memory), std::size_t(host_memory));
    CHECK(of(measured, ExchangeKind::host_both_ways, 1).back()->coordinates.at("bytes") == 2 * MiB);
  }
  CHECK_THROWS_AS(measure_with_host(8, std::size_t(80e9)), OutOfDeviceMemory);
  CHECK_THROWS_AS(measure_with_host(std::size_t(80e9), 8), OutOfHostMemory);
}

TEST_CASE("a quick measurement has half as many sizes") {
  const std::size_t all = measure(2, std::size_t(80e9)).series.size();
  const std::size_t quick = measure(2, std::size_t(80e9), true).series.size();
  CHECK(quick >= all / 2);
  CHECK(quick <= all / 2 + 3);
}
