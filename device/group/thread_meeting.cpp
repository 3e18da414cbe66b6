// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/device/group/thread_meeting.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace fathom {

void ThreadMeeting::run(int rank, const std::function<void()>& each) {
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
void ThreadMeeting::wait_for_all(std::unique_lock<std::mutex>& lock, OnceAllAreHere once_all_are_here) {
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

void ThreadMeeting::meet(int rank, ExchangeCall call) {
  std::unique_lock lock(mutex_);
  if (!failure_)
    for (std::size_t other = 0; other < ended_.size(); ++other)
      if (ended_[other]) fail_locked(rank_text(other) + " ended before it");
  calls_[std::size_t(rank)] = std::move(call);
  wait_for_all(lock, [&] {
    std::optional<std::string> wrong = fault_of(calls_);
    if (!wrong) wrong = once_met_(calls_);
    if (wrong) fail_locked(call_text(calls_[0].kind) + ": " + *wrong);
  });
}

void ThreadMeeting::leave() {
  std::unique_lock lock(mutex_);
  wait_for_all(lock, [&] { ++exchanges_; });
}

void ThreadMeeting::fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!failure_) fail_locked(why);
  if (!first_) first_ = std::make_exception_ptr(ExchangeFailure(*failure_));
}

bool ThreadMeeting::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failure_.has_value();
}

bool ThreadMeeting::all_ended() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(ended_, false) == ended_.end();
}

void ThreadMeeting::rethrow_first() const {
  const std::lock_guard lock(mutex_);
  if (first_) std::rethrow_exception(first_);
}

void ThreadMeeting::fail_locked(const std::string& why) {
  failure_ = "exchange " + std::to_string(exchanges_ + 1) + ": " + why;
  changed_.notify_all();
}

void ThreadMeeting::end(int rank, std::exception_ptr thrown) {
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
