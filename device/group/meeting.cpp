// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/device/group/meeting.h>

#include <algorithm>
#include <chrono>
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

bool overlap(const std::byte* a, std::size_t bytes_of_a, const std::byte* b, std::size_t bytes_of_b) {
  return bytes_of_a > 0 && bytes_of_b > 0 && a < b + bytes_of_b && b < a + bytes_of_a;
}

using AllCalls = std::vector<ExchangeCall>;

std::optional<std::string> fault_of_sizes(const AllCalls& calls, std::size_t rank) {
  const ExchangeCall& call = calls[rank];
  if (call.kind == ExchangeKind::all_reduce) {
    const std::size_t own = call.numbers(), others = calls[0].numbers();
    if (own == others) return std::nullopt;
    return rank_text(rank) + " adds up " + std::to_string(own) + " numbers, rank 0 " + std::to_string(others);
  }
  if (call.sent.size() != calls.size() || call.received.size() != calls.size())
    return rank_text(rank) + " sends " + std::to_string(call.sent.size()) + " parts and receives " +
           std::to_string(call.received.size()) + " in a group of " + std::to_string(calls.size()) + " ranks";
  for (std::size_t to = 0; to < calls.size(); ++to) {
    if (calls[to].received.size() != calls.size()) continue;  // named in its turn
    if (const std::size_t expected = calls[to].received[rank].bytes; call.sent[to].bytes != expected)
      return rank_text(rank) + " sends " + std::to_string(call.sent[to].bytes) + " bytes to " +
             rank_text(to) + ", which expects " + std::to_string(expected);
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_overlap(const ExchangeCall& call, std::size_t rank) {
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
      const bool is_in_place = one == rank && read == written;
      if (!is_in_place && overlap(written, bytes, read, call.sent[other].bytes))
        return rank_text(rank) + " receives from " + rank_text(one) + " over what it sends to " +
               rank_text(other);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string rank_text(std::size_t rank) {
  return "rank " + std::to_string(rank);
}

ExchangeCall ExchangeCall::all_to_all(const void* from, std::span<const Part> sent, void* to,
                                      std::span<const Part> received) {
  return {ExchangeKind::all_to_all,
          static_cast<const std::byte*>(from),
          static_cast<std::byte*>(to),
          {sent.begin(), sent.end()},
          {received.begin(), received.end()}};
}

ExchangeCall ExchangeCall::all_gather(const void* from, std::size_t bytes, void* to, int ranks) {
  ExchangeCall call{ExchangeKind::all_gather,
                    static_cast<const std::byte*>(from),
                    static_cast<std::byte*>(to),
                    std::vector<Part>(std::size_t(ranks), {0, bytes}),
                    {}};
  for (std::size_t rank = 0; rank < std::size_t(ranks); ++rank)
    call.received.push_back({rank * bytes, bytes});
  return call;
}

ExchangeCall ExchangeCall::all_reduce(const unsigned* from, unsigned* to, std::size_t count, int ranks) {
  std::vector<Part> shares;
  for (std::size_t rank = 0, all = std::size_t(ranks); rank < all; ++rank) {
    const std::size_t begin = rank * count / all, end = (rank + 1) * count / all;
    shares.push_back({begin * sizeof(unsigned), (end - begin) * sizeof(unsigned)});
  }
  return {ExchangeKind::all_reduce, reinterpret_cast<const std::byte*>(from),
          reinterpret_cast<std::byte*>(to), shares, shares};
}

std::size_t ExchangeCall::numbers() const {
  return (sent.back().begin + sent.back().bytes) / sizeof(unsigned);
}

void Meeting::run(int rank, const std::function<void()>& each) {
  std::exception_ptr thrown;
  try {
    each();
  } catch (...) {
    thrown = std::current_exception();
  }
  end(rank, thrown);
}

/// For a short time: ranks mostly come almost together, and to wake a thread takes longer than a small
/// exchange.
template <class Condition>
static void spin_while(Condition condition) {
  constexpr std::chrono::microseconds shortly(50);
  const auto end = std::chrono::steady_clock::now() + shortly;
  while (condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

template <class OnceAllAreHere>
void Meeting::wait_for_all(std::unique_lock<std::mutex>& lock, OnceAllAreHere once_all_are_here) {
  if (failure_) throw ExchangeFailure(*failure_);
  const std::size_t before = waits_;
  if (++present_ == calls_.size()) {
    once_all_are_here();
    if (!failure_) {
      present_ = 0;
      ++waits_;
      changed_.notify_all();
    }
  } else {
    lock.unlock();
    spin_while([&] { return waits_ == before; });
    lock.lock();
  }
  constexpr std::chrono::milliseconds between_looks(20);
  while (!changed_.wait_for(lock, between_looks, [&] { return waits_ > before || failure_; }))
    check_interruption();
  if (waits_ == before) throw ExchangeFailure(*failure_);
}

void Meeting::meet(int rank, ExchangeCall call) {
  std::unique_lock lock(mutex_);
  if (!failure_)
    for (std::size_t other = 0; other < ended_.size(); ++other)
      if (ended_[other]) fail_locked(rank_text(other) + " ended before it");
  calls_[std::size_t(rank)] = std::move(call);
  wait_for_all(lock, [&] {
    std::optional<std::string> wrong = fault();
    if (!wrong) wrong = once_met_(calls_);
    if (wrong) fail_locked(call_of(calls_[0].kind) + ": " + *wrong);
  });
}

void Meeting::leave() {
  std::unique_lock lock(mutex_);
  wait_for_all(lock, [&] { ++exchanges_; });
}

void Meeting::fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!failure_) fail_locked(why);
  if (!first_) first_ = std::make_exception_ptr(ExchangeFailure(*failure_));
}

bool Meeting::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failure_.has_value();
}

bool Meeting::all_ended() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(ended_, false) == ended_.end();
}

void Meeting::rethrow_first() const {
  const std::lock_guard lock(mutex_);
  if (first_) std::rethrow_exception(first_);
}

std::optional<std::string> Meeting::fault() const {
  for (std::size_t rank = 1; rank < calls_.size(); ++rank)
    if (calls_[rank].kind != calls_[0].kind)
      return "rank 0 called it, " + rank_text(rank) + " " + call_of(calls_[rank].kind);
  for (std::size_t rank = 0; rank < calls_.size(); ++rank)
    if (auto wrong = fault_of_sizes(calls_, rank)) return wrong;
  for (std::size_t rank = 0; rank < calls_.size(); ++rank)
    if (auto wrong = fault_of_overlap(calls_[rank], rank)) return wrong;
  return std::nullopt;
}

void Meeting::fail_locked(const std::string& why) {
  failure_ = "exchange " + std::to_string(exchanges_ + 1) + ": " + why;
  changed_.notify_all();
}

void Meeting::end(int rank, std::exception_ptr thrown) {
  const std::lock_guard lock(mutex_);
  ended_[std::size_t(rank)] = true;
  if (thrown && !first_) first_ = thrown;
  if (failure_) return;
  if (thrown)
    fail_locked(rank_text(std::size_t(rank)) + how_it_ended(thrown));
  else if (present_ > 0)
    fail_locked(rank_text(std::size_t(rank)) + " ended before it");
}

}  // namespace fathom
