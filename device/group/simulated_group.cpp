// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/device/group/simulated_group.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace fathom {
namespace {

std::string call_of(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::all_gather:
      return "all_gather";
    case ExchangeKind::all_reduce:
      return "all_reduce";
    default:
      return "all_to_all";
  }
}

std::string rank_text(std::size_t rank) {
  return "rank " + std::to_string(rank);
}

/// Why it failed, for the other ranks.
std::string how_it_ended(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return std::string(" failed: ") + error.what();
  } catch (...) {  // Interrupted
    return " was stopped";
  }
}

}  // namespace

u64 CountedExchange::bytes_leaving(int rank) const {
  u64 sum = 0;
  for (int to = 0; to < ranks_; ++to)
    if (to != rank) sum += bytes(rank, to);
  return sum;
}

Exchange CountedExchange::priced() const {
  u64 most = 0;
  for (int rank = 0; rank < ranks_; ++rank) most = std::max(most, bytes_leaving(rank));
  return {kind_, double(most)};
}

/// Where the ranks of a run meet for an exchange. The last one to come does it for all.
class SimulatedGroup::Meeting {
 public:
  /// What a rank brings.
  struct Call {
    ExchangeKind kind{};
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::vector<Part> sent, received;  ///< of all_reduce: the numbers that each rank adds up, in both
  };

  Meeting(std::vector<std::unique_ptr<CountingExecutor>>& executors, std::vector<CountedExchange>& exchanges)
      : executors_(executors), exchanges_(exchanges), calls_(executors.size()), ended_(executors.size()) {}

  void exchange(std::size_t rank, Call call) {
    std::unique_lock lock(mutex_);
    if (!failure_)
      for (std::size_t other = 0; other < ended_.size(); ++other)
        if (ended_[other]) fail(rank_text(other) + " ended before it");
    if (failure_) throw ExchangeFailure(*failure_);
    calls_[rank] = std::move(call);
    const std::size_t number = done_;
    if (++present_ == calls_.size()) do_for_all();
    constexpr std::chrono::milliseconds between_looks(20);
    while (!arrived_.wait_for(lock, between_looks, [&] { return done_ > number || failure_; }))
      check_interruption();
    if (done_ == number) throw ExchangeFailure(*failure_);
  }

  /// `thrown` is empty if the rank returned.
  void end(std::size_t rank, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex_);
    ended_[rank] = true;
    if (thrown && !first_) first_ = thrown;
    if (failure_) return;
    if (thrown)
      fail(rank_text(rank) + how_it_ended(thrown));
    else if (present_ > 0)
      fail(rank_text(rank) + " ended before it");
  }

  void rethrow_first() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  void fail(const std::string& why) {
    failure_ = "exchange " + std::to_string(exchanges_.size() + 1) + ": " + why;
    arrived_.notify_all();
  }

  void do_for_all() {
    if (const auto wrong = fault()) return fail(*wrong);
    CountedExchange counted(calls_[0].kind, int(calls_.size()));
    if (calls_[0].kind == ExchangeKind::all_reduce)
      add_up(counted);
    else
      copy(counted);
    exchanges_.push_back(std::move(counted));
    present_ = 0;
    ++done_;
    arrived_.notify_all();
  }

  /// Of an all_reduce.
  static std::size_t numbers(const Call& call) {
    return (call.sent.back().begin + call.sent.back().bytes) / sizeof(unsigned);
  }

  void copy(CountedExchange& counted) const {
    for (std::size_t a = 0; a < calls_.size(); ++a)
      for (std::size_t b = 0; b < calls_.size(); ++b) {
        const Part part = calls_[a].sent[b];
        // An exchange in place: what a rank sends to itself is there.
        if (part.bytes > 0)
          std::memmove(calls_[b].to + calls_[b].received[a].begin, calls_[a].from + part.begin, part.bytes);
        counted.bytes(int(a), int(b)) = part.bytes;
      }
  }

  void add_up(CountedExchange& counted) const {
    std::vector<unsigned> sums(numbers(calls_[0]));
    for (const Call& call : calls_)
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += reinterpret_cast<const unsigned*>(call.from)[i];
    for (const Call& call : calls_)
      if (!sums.empty()) std::memcpy(call.to, sums.data(), sums.size() * sizeof(unsigned));
    const std::vector<Part>& shares = calls_[0].sent;
    for (std::size_t a = 0; a < shares.size(); ++a)
      for (std::size_t b = 0; b < shares.size(); ++b)
        if (a != b) counted.bytes(int(a), int(b)) = shares[a].bytes + shares[b].bytes;
  }

  std::optional<std::string> fault() const {
    for (std::size_t rank = 1; rank < calls_.size(); ++rank)
      if (calls_[rank].kind != calls_[0].kind)
        return "rank 0 called " + call_of(calls_[0].kind) + ", " + rank_text(rank) + " " +
               call_of(calls_[rank].kind);
    for (std::size_t rank = 0; rank < calls_.size(); ++rank)
      if (const auto wrong = fault_of_parts(rank)) return call_of(calls_[0].kind) + ": " + *wrong;
    for (std::size_t rank = 0; rank < calls_.size(); ++rank)
      if (const auto wrong = fault_of_memory(rank)) return call_of(calls_[0].kind) + ": " + *wrong;
    return std::nullopt;
  }

  std::optional<std::string> fault_of_parts(std::size_t rank) const {
    const Call& call = calls_[rank];
    if (call.kind == ExchangeKind::all_reduce) {
      const std::size_t own = numbers(call), others = numbers(calls_[0]);
      if (own == others) return std::nullopt;
      return rank_text(rank) + " adds up " + std::to_string(own) + " numbers, rank 0 " +
             std::to_string(others);
    }
    if (call.sent.size() != calls_.size() || call.received.size() != calls_.size())
      return rank_text(rank) + " sends " + std::to_string(call.sent.size()) + " parts and receives " +
             std::to_string(call.received.size()) + " in a group of " + std::to_string(calls_.size()) +
             " ranks";
    for (std::size_t to = 0; to < calls_.size(); ++to) {
      if (calls_[to].received.size() != calls_.size()) continue;  // named in its turn
      if (const std::size_t expected = calls_[to].received[rank].bytes; call.sent[to].bytes != expected)
        return rank_text(rank) + " sends " + std::to_string(call.sent[to].bytes) + " bytes to " +
               rank_text(to) + ", which expects " + std::to_string(expected);
    }
    return std::nullopt;
  }

  std::optional<std::string> fault_of_memory(std::size_t rank) const {
    const Call& call = calls_[rank];
    const CountingExecutor& own = *executors_[rank];
    for (const Part& part : call.sent)
      if (!own.holds(call.from + part.begin, part.bytes))
        return rank_text(rank) + " reads " + std::to_string(part.bytes) + " bytes that are not in its memory";
    for (const Part& part : call.received)
      if (!own.holds(call.to + part.begin, part.bytes))
        return rank_text(rank) + " writes " + std::to_string(part.bytes) +
               " bytes that are not in its memory";
    if (call.kind == ExchangeKind::all_reduce) return std::nullopt;  // may be in place
    for (std::size_t one = 0; one < call.received.size(); ++one) {
      const std::byte* const written = call.to + call.received[one].begin;
      const std::size_t bytes = call.received[one].bytes;
      for (std::size_t other = 0; other < one; ++other)
        if (overlap(written, bytes, call.to + call.received[other].begin, call.received[other].bytes))
          return "what " + rank_text(rank) + " receives from " + rank_text(other) + " and " + rank_text(one) +
                 " overlaps";
      for (std::size_t other = 0; other < call.sent.size(); ++other) {
        const std::byte* const read = call.from + call.sent[other].begin;
        const bool in_place = one == rank && read == written;
        if (!in_place && overlap(written, bytes, read, call.sent[other].bytes))
          return rank_text(rank) + " receives from " + rank_text(one) + " over what it sends to " +
                 rank_text(other);
      }
    }
    return std::nullopt;
  }

  static bool overlap(const std::byte* a, std::size_t bytes_of_a, const std::byte* b,
                      std::size_t bytes_of_b) {
    return bytes_of_a > 0 && bytes_of_b > 0 && a < b + bytes_of_b && b < a + bytes_of_a;
  }

  std::vector<std::unique_ptr<CountingExecutor>>& executors_;
  std::vector<CountedExchange>& exchanges_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Call> calls_;
  std::vector<bool> ended_;
  std::size_t present_ = 0, done_ = 0;
  std::optional<std::string> failure_;
  std::exception_ptr first_;
};

class SimulatedGroup::Rank final : public Communicator {
 public:
  Rank(Meeting& meeting, CountingExecutor& executor, std::size_t rank, std::size_t size)
      : meeting_(meeting), executor_(executor), rank_(rank), size_(size) {}

  int rank() const override { return int(rank_); }
  int size() const override { return int(size_); }
  Executor& executor() override { return executor_; }

  void all_to_all(const void* from, std::span<const Part> sent, void* to,
                  std::span<const Part> received) override {
    exchange(ExchangeKind::all_to_all, from, to, {sent.begin(), sent.end()},
             {received.begin(), received.end()});
  }
  void all_gather(const void* from, std::size_t bytes, void* to) override {
    std::vector<Part> received;
    for (std::size_t rank = 0; rank < size_; ++rank) received.push_back({rank * bytes, bytes});
    exchange(ExchangeKind::all_gather, from, to, std::vector<Part>(size_, {0, bytes}), std::move(received));
  }
  void all_reduce(const unsigned* from, unsigned* to, std::size_t count) override {
    std::vector<Part> shares;
    for (std::size_t rank = 0; rank < size_; ++rank) {
      const std::size_t begin = rank * count / size_, end = (rank + 1) * count / size_;
      shares.push_back({begin * sizeof(unsigned), (end - begin) * sizeof(unsigned)});
    }
    exchange(ExchangeKind::all_reduce, from, to, shares, shares);
  }

 private:
  void exchange(ExchangeKind kind, const void* from, void* to, std::vector<Part> sent,
                std::vector<Part> received) {
    meeting_.exchange(rank_, {kind, static_cast<const std::byte*>(from), static_cast<std::byte*>(to),
                              std::move(sent), std::move(received)});
  }

  Meeting& meeting_;
  CountingExecutor& executor_;
  std::size_t rank_, size_;
};

SimulatedGroup::SimulatedGroup(int size, CountingDevice device) {
  if (size < 1) throw std::invalid_argument("a group has at least one GPU, not " + std::to_string(size));
  if (device.workers == 0) device.workers = 1;
  for (int rank = 0; rank < size; ++rank) executors_.push_back(std::make_unique<CountingExecutor>(device));
}
SimulatedGroup::~SimulatedGroup() = default;

void SimulatedGroup::run(const std::function<void(Communicator&)>& each) {
  Meeting meeting(executors_, exchanges_);
  const InterruptionCheck check = interruption_check();
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < executors_.size(); ++rank)
      threads.emplace_back([&, rank] {
        const Interruptible as_the_caller(check);
        Rank communicator(meeting, *executors_[rank], rank, executors_.size());
        std::exception_ptr thrown;
        try {
          each(communicator);
        } catch (...) {
          thrown = std::current_exception();
        }
        meeting.end(rank, thrown);
      });
  }
  meeting.rethrow_first();
}

}  // namespace fathom
