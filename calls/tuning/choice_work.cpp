// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/tuning/choice_work.h>

#include <fathom/core/interruption.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

namespace fathom::calls {
namespace {

/// Which of the algorithms counts a choice next: the one with the fewest turns for its speed. One that is
/// twice as slow as the fastest gets a turn for sixteen of that one's, for tuning gains less than twofold.
std::optional<std::size_t> next_algorithm(const std::vector<ChoiceOrder>& orders) {
  double fastest_s = std::numeric_limits<double>::infinity();
  for (const ChoiceOrder& order : orders) fastest_s = std::min(fastest_s, order.fastest_s());
  const auto turns = [&](const ChoiceOrder& order) {
    const bool is_known = std::isfinite(order.fastest_s());  // one of which nothing is known comes first
    return is_known ? double(1 + order.given()) * std::pow(order.fastest_s() / fastest_s, 4)
                    : double(order.given());
  };
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < orders.size(); ++i)
    if (orders[i].left() > 0 && (!chosen || turns(orders[i]) < turns(orders[*chosen]))) chosen = i;
  return chosen;
}

}  // namespace

ChoiceWork::ChoiceWork(const std::vector<AlgorithmChoices>& algorithms, const CountingLimit& limit,
                       const Progress& progress)
    : entries_(algorithms.size()) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = limit.time ? Clock::now() + *limit.time : Clock::time_point::max();
  std::vector<ChoiceOrder> orders;
  std::size_t missing = 0, all = 0;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    const AlgorithmChoices& of = algorithms[i];
    ChoiceOrder& order = orders.emplace_back(of.choices, of.usual, of.seconds, of.source.estimate);
    if (limit.time) order.leave_out_hopeless();
    for (std::size_t k = 0; k < of.choices.size(); ++k) {
      check_interruption();
      Entry entry;
      try {
        entry.work = of.source.known(of.choices[k]);
      } catch (const Interrupted&) {
        throw;
      } catch (...) {  // such as a choice of which no block fits
        entry.failure = std::current_exception();
      }
      if (!entry.work && !entry.failure) continue;
      order.set(k, entry.work);
      entries_[i][of.choices[k]] = std::move(entry);
    }
    if (order.left() > 0 && std::ranges::find(of.choices, of.usual) == of.choices.end())
      if (SharedWork usual = of.source.known(of.usual)) order.add_reference({of.usual, std::move(usual)});
    missing += order.left();
    all += of.choices.size();
  }
  why_left_out_ = "their work was not counted in the time: " + limit.rest;
  if (missing == 0) return;
  const auto why_not = limit.why_not ? limit.why_not(missing, all) : std::nullopt;
  if (why_not) {
    why_left_out_ = *why_not;
    for (std::size_t i = 0; i < algorithms.size(); ++i)
      if (const WorkSource& source = algorithms[i].source;
          !orders[i].has_references() && source.without_counting)
        if (SharedWork usual = source.without_counting(algorithms[i].usual))
          orders[i].add_reference({algorithms[i].usual, std::move(usual)});
  } else {
    count(algorithms, orders, deadline, missing, progress);
  }
  for (std::size_t i = 0; i < algorithms.size(); ++i)
    for (std::size_t k = 0; k < algorithms[i].choices.size(); ++k) {
      check_interruption();
      const Parameters& choice = algorithms[i].choices[k];
      if (entries_[i].contains(choice)) continue;
      if (SharedWork estimate = orders[i].estimate(k)) entries_[i][choice].work = std::move(estimate);
    }
}

void ChoiceWork::count(const std::vector<AlgorithmChoices>& algorithms, std::vector<ChoiceOrder>& orders,
                       std::chrono::steady_clock::time_point deadline, std::size_t missing,
                       const Progress& progress) {
  std::atomic<std::size_t> ended = 0, at_work = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  const auto stop_if_asked = [&](auto&&...) {
    if (stop) throw Interrupted("stopped");
  };
  const auto count_one = [&] {  // false: nothing is left
    std::unique_lock lock(mutex);
    const auto algorithm = next_algorithm(orders);
    if (!algorithm) return false;
    const auto number = orders[*algorithm].next();
    if (!number) return true;
    const Parameters& choice = algorithms[*algorithm].choices[*number];
    lock.unlock();
    Entry entry;
    try {
      entry.work = algorithms[*algorithm].source.count(choice, stop_if_asked);
    } catch (const Interrupted&) {
      return false;
    } catch (...) {
      entry.failure = std::current_exception();
    }
    lock.lock();
    orders[*algorithm].set(*number, entry.work);
    entries_[*algorithm][choice] = std::move(entry);
    ++ended;
    return true;
  };
  const auto work = [&] {
    const Interruptible interruptible(stop_if_asked);
    while (!stop && count_one()) {
    }
    --at_work;
  };
  std::vector<std::jthread> workers;
  struct StopAtEnd {  // before the workers are waited for, also where progress() throws
    std::atomic<bool>& stop;
    ~StopAtEnd() { stop = true; }
  } stop_at_end{stop};
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  at_work = std::min(cores, missing);
  for (std::size_t i = at_work; i > 0; --i) workers.emplace_back(work);
  try {
    while (at_work > 0 && std::chrono::steady_clock::now() < deadline) {
      progress("counting the work of choices", ended, missing);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  } catch (const Interrupted&) {
    throw Interrupted(
        fmt::format("interrupted: the work of {} of {} choices is counted and kept; the same "
                    "command continues from there",
                    ended.load(), missing));
  }
  progress("counted the work of choices", 1, 1);
}

SharedWork ChoiceWork::of(std::size_t algorithm, const Parameters& choice) const {
  const auto& entries = entries_.at(algorithm);
  const auto found = entries.find(choice);
  if (found == entries.end()) throw WorkUnavailable(why_left_out_);
  if (found->second.failure) std::rethrow_exception(found->second.failure);
  return found->second.work;
}

}  // namespace fathom::calls
