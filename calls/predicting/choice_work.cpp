// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/choice_work.h>

#include <fathom/core/interruption.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace fathom::calls {

ChoiceWork::ChoiceWork(const std::vector<Parameters>& choices, const WorkSource& source,
                       std::optional<std::chrono::milliseconds> limit, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = limit ? Clock::now() + *limit : Clock::time_point::max();
  std::vector<Parameters> missing;
  for (const Parameters& choice : choices) {
    check_interruption();
    Entry entry;
    try {
      entry.work = source.known(choice);
    } catch (const Interrupted&) {
      throw;
    } catch (...) {  // such as a choice of which no block fits
      entry.failure = std::current_exception();
    }
    if (entry.work || entry.failure)
      entries_[choice] = std::move(entry);
    else
      missing.push_back(choice);
  }

  std::atomic<std::size_t> next = 0, ended = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  const auto stop_if_asked = [&](auto&&...) {
    if (stop) throw Interrupted("stopped");
  };
  const auto work = [&] {
    const Interruptible interruptible(stop_if_asked);
    for (std::size_t i; !stop && (i = next++) < missing.size(); ++ended) {
      Entry entry;
      try {
        entry.work = source.count(missing[i], stop_if_asked);
      } catch (const Interrupted&) {
        return;
      } catch (...) {
        entry.failure = std::current_exception();
      }
      const std::scoped_lock lock(mutex);
      entries_[missing[i]] = std::move(entry);
    }
  };
  std::vector<std::jthread> workers;
  struct StopAtEnd {  // before the workers are waited for, also where progress() throws
    std::atomic<bool>& stop;
    ~StopAtEnd() { stop = true; }
  } stop_at_end{stop};
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < std::min(cores, missing.size()); ++i) workers.emplace_back(work);
  while (ended < missing.size() && Clock::now() < deadline) {
    progress("counting the work of choices", ended, missing.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  progress("counted the work of choices", 1, 1);
}

SharedWork ChoiceWork::of(const Parameters& choice) const {
  const auto found = entries_.find(choice);
  if (found == entries_.end())
    throw WorkUnavailable("their work was not counted in the time: `exhaustive=true` counts it");
  if (found->second.failure) std::rethrow_exception(found->second.failure);
  return found->second.work;
}

}  // namespace fathom::calls
