// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/device/cuda/nccl.h>
#include <fathom/device/cuda/nccl_group.h>
#include <fathom/device/group/meeting.h>

#include "check.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

namespace fathom {
namespace {

using Clock = std::chrono::steady_clock;

/// Those that a group is to have. Throws DeviceUnavailable.
std::vector<int> chosen(std::vector<int> gpus) {
  const std::vector<GpuInfo> present = present_gpus();
  if (present.empty())
    throw DeviceUnavailable("no NVIDIA GPU is present (nvidia-smi lists those that the driver sees)");
  if (gpus.empty()) {
    gpus.resize(present.size());
    std::iota(gpus.begin(), gpus.end(), 0);
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (gpus[i] < 0 || std::size_t(gpus[i]) >= present.size())
      throw DeviceUnavailable("there is no GPU " + std::to_string(gpus[i]) + ": the driver sees " +
                              std::to_string(present.size()) + ", numbered from 0");
    if (std::find(gpus.begin(), gpus.begin() + std::ptrdiff_t(i), gpus[i]) !=
        gpus.begin() + std::ptrdiff_t(i))
      throw DeviceUnavailable("GPU " + std::to_string(gpus[i]) +
                              " is named twice: a rank has one of its own");
    const std::string &first = present[std::size_t(gpus[0])].name, &name = present[std::size_t(gpus[i])].name;
    if (name != first)
      throw DeviceUnavailable("GPU " + std::to_string(gpus[0]) + " is of the kind " + first + ", GPU " +
                              std::to_string(gpus[i]) + " of the kind " + name +
                              ": choose GPUs of one kind for a group");
  }
  return gpus;
}

/// Lets copies between GPUs take the links, where there are any: otherwise they would go through the host's
/// memory.
void enable_peer_access(const std::vector<int>& gpus) {
  for (const int own : gpus)
    for (const int other : gpus) {
      if (own == other) continue;
      int possible = 0;
      check(cudaDeviceCanAccessPeer(&possible, own, other), "ask whether GPUs access each other's memory");
      if (!possible) continue;
      check(cudaSetDevice(own), "use GPU " + std::to_string(own));
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(other, 0);
      if (enabled == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError();  // forgets it
      else
        check(enabled,
              "let GPU " + std::to_string(own) + " access the memory of GPU " + std::to_string(other));
    }
}

/// The calling thread's current GPU is the same again when this goes out of scope.
class CurrentGpuKept {
 public:
  CurrentGpuKept() { check(cudaGetDevice(&gpu_), "ask for the current GPU"); }
  ~CurrentGpuKept() { cudaSetDevice(gpu_); }
  CurrentGpuKept(const CurrentGpuKept&) = delete;

 private:
  int gpu_ = 0;
};

}  // namespace

/// What a rank keeps from run to run.
struct NcclGroup::RankState {
  int gpu = 0;
  std::unique_ptr<CudaExecutor> executor;
  nccl::Communicator communicator = nullptr;  ///< nullptr after a failure
  cudaEvent_t done = nullptr;                 ///< of the last exchange
  /// What follows is shared with the thread that watches. It is held while NCCL is called.
  std::timed_mutex mutex;
  bool is_pending = false;  ///< an exchange may not have ended
  Clock::time_point queued;
};

class NcclGroup::Rank final : public Communicator {
 public:
  Rank(Meeting& meeting, RankState& state, int rank, int size)
      : meeting_(meeting), state_(state), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Executor& executor() override { return *state_.executor; }

  void all_to_all(const void* from, std::span<const Part> sent, void* to,
                  std::span<const Part> received) override {
    const ExchangeCall call = ExchangeCall::all_to_all(from, sent, to, received);
    queue(call, "all_to_all", [&](const nccl::Library& library) { send_and_receive(library, call); });
  }
  void all_gather(const void* from, std::size_t bytes, void* to) override {
    queue(ExchangeCall::all_gather(from, bytes, to, size_), "all_gather", [&](const nccl::Library& library) {
      library.check(library.all_gather(from, to, bytes, nccl::of_bytes, state_.communicator, stream()),
                    "all_gather");
    });
  }
  void all_reduce(const unsigned* from, unsigned* to, std::size_t count) override {
    queue(ExchangeCall::all_reduce(from, to, count, size_), "all_reduce", [&](const nccl::Library& library) {
      library.check(
          library.all_reduce(from, to, count, nccl::of_u32, nccl::sum, state_.communicator, stream()),
          "all_reduce");
    });
  }

 private:
  void* stream() const { return state_.executor->stream(); }

  template <class Queue>
  void queue(const ExchangeCall& call, const std::string& step, Queue queue_it) {
    meeting_.meet(rank_, call);
    {
      const std::lock_guard lock(state_.mutex);
      if (!state_.communicator) throw ExchangeFailure(step + ": the group has failed");
      state_.is_pending = true;
      state_.queued = Clock::now();
      queue_it(nccl::library());
      check(cudaEventRecord(state_.done, static_cast<cudaStream_t>(stream())), step);
    }
    // Else a rank could wait in the driver for its GPU, as when it frees memory, and there keep another from
    // queueing what that GPU waits for.
    meeting_.leave();
  }

  /// Of one group of calls no rank waits for another's.
  void send_and_receive(const nccl::Library& library, const ExchangeCall& call) const {
    const auto self = std::size_t(rank_);
    const std::byte* const own = call.from + call.sent[self].begin;
    std::byte* const own_place = call.to + call.received[self].begin;
    if (own != own_place) state_.executor->copy(own_place, own, call.sent[self].bytes);
    library.check(library.group_start(), "all_to_all");
    int result = nccl::success;
    for (std::size_t other = 0; other < call.sent.size() && result == nccl::success; ++other) {
      if (other == self) continue;
      if (const Part part = call.sent[other]; part.bytes > 0)
        result = library.send(call.from + part.begin, part.bytes, nccl::of_bytes, int(other),
                              state_.communicator, stream());
      if (const Part part = call.received[other]; part.bytes > 0 && result == nccl::success)
        result = library.receive(call.to + part.begin, part.bytes, nccl::of_bytes, int(other),
                                 state_.communicator, stream());
    }
    const int ended = library.group_end();  // also after a failure
    library.check(result, "all_to_all");
    library.check(ended, "all_to_all");
  }

  Meeting& meeting_;
  RankState& state_;
  int rank_, size_;
};

struct NcclGroup::Implementation {
  std::vector<std::unique_ptr<RankState>> ranks;
  std::chrono::nanoseconds limit;

  void begin();
  void abort();
  std::optional<std::string> fault_of_exchanges() const;
  void watch(Meeting& meeting);
};

void NcclGroup::Implementation::begin() {
  if (ranks[0]->communicator) return;
  std::vector<int> gpus;
  for (const auto& rank : ranks) gpus.push_back(rank->gpu);
  std::vector<nccl::Communicator> communicators(ranks.size());
  const nccl::Library& library = nccl::library();
  library.check(library.init_all(communicators.data(), int(ranks.size()), gpus.data()),
                "begin a group of " + std::to_string(ranks.size()) + " GPUs");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank]->communicator = communicators[rank];
}

/// Ends exchanges for which GPUs wait. Each in a thread of its own: NCCL may wait for the other ranks'.
void NcclGroup::Implementation::abort() {
  std::vector<std::jthread> threads;
  for (const auto& each : ranks)
    threads.emplace_back([this, rank = each.get()] {
      cudaSetDevice(rank->gpu);
      // A call of NCCL that does not return has to be ended, too.
      const std::unique_lock lock(rank->mutex, limit);
      if (const auto communicator = std::exchange(rank->communicator, nullptr))
        nccl::library().abort(communicator);
      rank->is_pending = false;
    });
}

/// Of the ranks whose exchanges have failed, or take too long, the first.
std::optional<std::string> NcclGroup::Implementation::fault_of_exchanges() const {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankState& state = *ranks[rank];
    const std::unique_lock lock(state.mutex, std::try_to_lock);
    if (!lock || !state.communicator) continue;
    int result = nccl::success;
    if (nccl::library().get_async_error(state.communicator, &result) == nccl::success &&
        result != nccl::success)
      return rank_text(rank) + ": NCCL: " + nccl::library().get_error_string(result);
    if (!state.is_pending) continue;
    if (cudaEventQuery(state.done) != cudaErrorNotReady)
      state.is_pending = false;
    else if (Clock::now() - state.queued > limit)
      return rank_text(rank) + " has not ended its last exchange in " +
             std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(limit).count()) + " ms";
  }
  return std::nullopt;
}

/// Until all ranks have ended, which a failure makes them do.
void NcclGroup::Implementation::watch(Meeting& meeting) {
  constexpr std::chrono::milliseconds between_looks(1);
  bool aborted = false;
  std::exception_ptr interrupted;
  while (!meeting.all_ended()) {
    std::this_thread::sleep_for(between_looks);
    if (!interrupted) try {
        check_interruption();
      } catch (...) {
        interrupted = std::current_exception();
        meeting.fail("stopped");
      }
    if (const auto wrong = fault_of_exchanges()) meeting.fail(*wrong);
    if (meeting.has_failed() && !aborted) {
      abort();
      aborted = true;
    }
  }
  if (meeting.has_failed() && !aborted) abort();
  if (interrupted) std::rethrow_exception(interrupted);
}

NcclGroup::NcclGroup(std::vector<int> gpus, std::chrono::nanoseconds limit)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->limit = limit;
  gpus = chosen(std::move(gpus));
  nccl::library();  // says that it is missing before a GPU is used, but where there is none, that counts
  const CurrentGpuKept kept;
  for (const int gpu : gpus) {
    auto rank = std::make_unique<RankState>();
    rank->gpu = gpu;
    rank->executor = std::make_unique<CudaExecutor>(gpu);
    check(cudaEventCreateWithFlags(&rank->done, cudaEventDisableTiming), "create an event");
    implementation_->ranks.push_back(std::move(rank));
  }
  enable_peer_access(gpus);
  implementation_->begin();
}

NcclGroup::~NcclGroup() {
  for (const auto& rank : implementation_->ranks) {
    if (rank->communicator) nccl::library().destroy(rank->communicator);
    cudaEventDestroy(rank->done);
  }
}

int NcclGroup::size() const {
  return int(implementation_->ranks.size());
}

CudaExecutor& NcclGroup::executor(int rank) {
  return *implementation_->ranks[std::size_t(rank)]->executor;
}

void NcclGroup::run(const std::function<void(Communicator&)>& each) {
  Implementation& self = *implementation_;
  {
    const CurrentGpuKept kept;
    self.begin();
  }
  Meeting meeting(size(), [](const std::vector<ExchangeCall>&) { return std::optional<std::string>(); });
  const InterruptionCheck interruption = interruption_check();
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size(); ++rank)
      threads.emplace_back([&, rank] {
        const Interruptible as_the_caller(interruption);
        RankState& state = *self.ranks[std::size_t(rank)];
        Rank own(meeting, state, rank, size());
        meeting.run(rank, [&] {
          check(cudaSetDevice(state.gpu), "use GPU " + std::to_string(state.gpu));
          each(own);
          state.executor->synchronize();
        });
      });
    self.watch(meeting);
  }
  meeting.rethrow_first();
}

}  // namespace fathom
