// SPDX-License-Identifier: Apache-2.0
// This file is long, as a rank's queues, its exchanges by copies and by NCCL, and the thread that ends those
// which take too long share what a rank keeps, which nothing else knows.
#include <fathom/core/interruption.h>
#include <fathom/device/cuda/nccl.h>
#include <fathom/device/cuda/nccl_group.h>
#include <fathom/device/cuda/nccl_processes.h>
#include <fathom/device/group/process_meeting.h>
#include <fathom/device/group/thread_meeting.h>

#include "check.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace fathom {
namespace {

using Clock = std::chrono::steady_clock;

/// The number of a rank's GPU is that of its process on its host. Throws DeviceUnavailable.
int gpu_of(const Processes& processes) {
  const std::size_t present = present_gpus().size();
  if (present > 0 && present < std::size_t(processes.size_on_host()))
    throw DeviceUnavailable(std::to_string(processes.size_on_host()) +
                            " processes were started on a host whose driver shows them " +
                            std::to_string(present) +
                            " GPUs: start one for each GPU at most, and let each see all");
  return chosen_gpus({processes.rank_on_host()}).front();
}

/// Lets copies between GPUs take the links, where there are any: otherwise they would go through the host's
/// memory. Whether all of them have such access.
bool enable_peer_access(const std::vector<int>& gpus) {
  bool all = true;
  for (const int own : gpus)
    for (const int other : gpus) {
      if (own == other) continue;
      int possible = 0;
      check(cudaDeviceCanAccessPeer(&possible, own, other), "ask whether GPUs access each other's memory");
      if (!possible) {
        all = false;
        continue;
      }
      check(cudaSetDevice(own), "use GPU " + std::to_string(own));
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(other, 0);
      if (enabled == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError();  // forgets it
      else
        check(enabled,
              "let GPU " + std::to_string(own) + " access the memory of GPU " + std::to_string(other));
    }
  return all;
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
  /// A stream for what a rank receives from one rank in an exchange. Copies that followed one another left
  /// the links of four H200s idle for a quarter of the time (data/h200-gpus-older), and on two, what a rank
  /// sends to itself took a fifth of an exchange until it was beside the rest.
  class Lane {
   public:
    Lane() {
      check(cudaEventCreateWithFlags(&ended_, cudaEventDisableTiming), "create an event");
      check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    }
    ~Lane() {
      cudaEventDestroy(ended_);
      cudaStreamDestroy(stream_);
    }
    Lane(const Lane&) = delete;
    cudaStream_t stream() const { return stream_; }
    /// What is queued next begins after `event`.
    void wait_for(cudaEvent_t event, const std::string& step) const {
      check(cudaStreamWaitEvent(stream_, event), step);
    }
    /// What is queued next on `stream` begins after all that this lane has.
    void hold_back(cudaStream_t stream, const std::string& step) const {
      check(cudaEventRecord(ended_, stream_), step);
      check(cudaStreamWaitEvent(stream, ended_), step);
    }

   private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t ended_ = nullptr;
  };

  /// That of its kernels, or the one beside it.
  struct Queue {
    Queue(int gpu, std::size_t ranks, StreamPriority priority) : executor(gpu, priority), lanes(ranks) {
      for (cudaEvent_t* event : {&ready[0], &ready[1], &done[0], &done[1]})
        check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "create an event");
    }
    ~Queue() {
      for (const cudaEvent_t event : {ready[0], ready[1], done[0], done[1]}) cudaEventDestroy(event);
    }
    Queue(const Queue&) = delete;
    cudaStream_t stream() const { return static_cast<cudaStream_t>(executor.stream()); }

    CudaExecutor executor;
    /// What came before an exchange has ended; this rank has what it receives. Exchanges take turns, since a
    /// rank may be in the next exchange while another still asks for the events of the last.
    cudaEvent_t ready[2] = {}, done[2] = {};
    std::size_t exchanges = 0;  ///< of this run
    std::vector<Lane> lanes;    ///< by the rank that sends
    /// What follows is shared with the thread that watches, under the rank's mutex.
    cudaEvent_t pending = nullptr;  ///< of an exchange that may not have ended
    Clock::time_point queued;
  };

  /// What is beside large kernels is small and waited for, but would begin when their last block has.
  RankState(int gpu, std::size_t ranks)
      : gpu(gpu), main(gpu, ranks, StreamPriority::usual), beside(gpu, ranks, StreamPriority::first) {}

  int gpu;
  Queue main, beside;
  nccl::Communicator communicator = nullptr;  ///< nullptr after a failure
  std::timed_mutex mutex;                     ///< held while NCCL is called
};

struct NcclGroup::Implementation {
  std::vector<std::unique_ptr<RankState>> ranks;  ///< of this process
  int first_rank = 0, size = 0;                   ///< the first of these, and how many all processes have
  Processes* processes = nullptr;                 ///< nullptr: this one alone
  std::chrono::nanoseconds limit;
  bool are_peers = false;  ///< each GPU can read the memory of all others

  RankState& state_of(int rank) const { return *ranks[std::size_t(rank - first_rank)]; }
  void begin();
  std::unique_ptr<Meeting> new_meeting() const;
  void abort();
  std::optional<std::string> fault_of_exchanges() const;
  void watch(Meeting& meeting);
};

/// Between peers, the copy engines of the GPUs move what all_to_all and large all_gather do: on two H200s
/// large exchanges are a quarter faster than by NCCL's kernels, which also take multiprocessors from those of
/// the ranks. NCCL does small gathers, whose latency is smaller with one kernel (15 us on two H200s,
/// data/h200-gpus) than with the copies of all ranks (22, data/h200-gpus-older), what has to be added up, and
/// all exchanges of GPUs that are not peers.
class NcclGroup::Rank final : public Communicator {
  using Queue = RankState::Queue;

 public:
  /// Of `beside`, the communicator beside is itself.
  Rank(Meeting& meeting, Implementation& group, Queue RankState::*queue, int rank, Communicator* beside)
      : meeting_(meeting), group_(group), queue_of_(queue), rank_(rank), beside_(beside ? *beside : *this) {}

  int rank() const override { return rank_; }
  int size() const override { return group_.size; }
  Executor& executor() override { return own().executor; }
  Communicator& beside() override { return beside_; }

  void all_to_all(const void* from, std::span<const Part> sent, void* to,
                  std::span<const Part> received) override {
    const ExchangeCall call = ExchangeCall::all_to_all(from, sent, to, received);
    if (group_.are_peers)
      copy_from_peers(call, "all_to_all");
    else
      queue(call, "all_to_all", [&](const nccl::Library& library) { send_and_receive(library, call); });
  }
  void all_gather(const void* from, std::size_t bytes, void* to) override {
    const ExchangeCall call = ExchangeCall::all_gather(from, bytes, to, size());
    if (group_.are_peers && bytes > most_gathered_by_nccl)
      copy_from_peers(call, "all_gather");
    else
      queue(call, "all_gather", [&](const nccl::Library& library) {
        library.check(library.all_gather(from, to, bytes, nccl::of_bytes, state().communicator, stream()),
                      "all_gather");
      });
  }
  void all_reduce(const unsigned* from, unsigned* to, std::size_t count) override {
    queue(ExchangeCall::all_reduce(from, to, count, size()), "all_reduce", [&](const nccl::Library& library) {
      library.check(
          library.all_reduce(from, to, count, nccl::of_u32, nccl::sum, state().communicator, stream()),
          "all_reduce");
    });
  }

 private:
  /// From each rank, in bytes, among peers.
  static constexpr std::size_t most_gathered_by_nccl = 256 << 10;

  RankState& state() const { return group_.state_of(rank_); }
  Queue& queue_of(int rank) const { return group_.state_of(rank).*queue_of_; }
  Queue& own() const { return queue_of(rank_); }
  cudaStream_t stream() const { return own().stream(); }

  /// Once all ranks are there, `queue_it` queues this rank's part. When this returns, the others' are queued,
  /// too.
  template <class QueueIt>
  void queue(const ExchangeCall& call, const std::string& step, QueueIt queue_it) {
    const std::size_t turn = own().exchanges++ % 2;
    check(cudaEventRecord(own().ready[turn], stream()), step);
    meeting_.meet(rank_, call);
    {
      const std::lock_guard lock(state().mutex);
      if (!state().communicator) throw ExchangeFailure(step + ": the group has failed");
      own().pending = own().done[turn];
      own().queued = Clock::now();
      queue_it(nccl::library());
      check(cudaEventRecord(own().pending, stream()), step);
    }
    // Else a rank could wait in the driver for its GPU, as when it frees memory, and there keep another from
    // queueing what that GPU waits for.
    meeting_.leave();
  }

  void copy_from_peers(const ExchangeCall& call, const std::string& step) {
    const std::size_t turn = own().exchanges % 2;
    queue(call, step, [&](const nccl::Library&) {
      // From different ranks first: one that all read from would be the slowest.
      for (int step_on = 1; step_on <= size(); ++step_on) {
        const int other = (rank_ + step_on) % size();
        const RankState::Lane& lane = own().lanes[std::size_t(other)];
        lane.wait_for(own().ready[turn], step);
        if (other != rank_) lane.wait_for(queue_of(other).ready[turn], step);
        copy_from(other, call, lane.stream(), step);
        lane.hold_back(stream(), step);
      }
    });
    for (int other = 0; other < size(); ++other)  // they read this rank's memory
      if (other != rank_) check(cudaStreamWaitEvent(stream(), queue_of(other).done[turn]), step);
  }

  void copy_from(int other, const ExchangeCall& call, cudaStream_t stream, const std::string& step) const {
    const ExchangeCall& others = meeting_.brought_by(other);
    const Part part = others.sent[std::size_t(rank_)];
    std::byte* const to = call.to + call.received[std::size_t(other)].begin;
    const std::byte* const from = others.from + part.begin;
    if (part.bytes == 0 || to == from) return;  // it may be there already, of what a rank sends to itself
    if (other == rank_)
      check(cudaMemcpyAsync(to, from, part.bytes, cudaMemcpyDeviceToDevice, stream), step);
    else
      check(cudaMemcpyPeerAsync(to, state().gpu, from, group_.state_of(other).gpu, part.bytes, stream), step);
  }

  /// Of one group of calls no rank waits for another's.
  void send_and_receive(const nccl::Library& library, const ExchangeCall& call) const {
    const Part own_part = call.sent[std::size_t(rank_)];
    const std::byte* const from = call.from + own_part.begin;
    std::byte* const to = call.to + call.received[std::size_t(rank_)].begin;
    if (own_part.bytes > 0 && to != from) own().executor.copy(to, from, own_part.bytes);
    library.check(library.group_start(), "all_to_all");
    int result = nccl::success;
    for (std::size_t other = 0; other < call.sent.size() && result == nccl::success; ++other) {
      if (int(other) == rank_) continue;
      if (const Part part = call.sent[other]; part.bytes > 0)
        result = library.send(call.from + part.begin, part.bytes, nccl::of_bytes, int(other),
                              state().communicator, stream());
      if (const Part part = call.received[other]; part.bytes > 0 && result == nccl::success)
        result = library.receive(call.to + part.begin, part.bytes, nccl::of_bytes, int(other),
                                 state().communicator, stream());
    }
    const int ended = library.group_end();  // also after a failure
    library.check(result, "all_to_all");
    library.check(ended, "all_to_all");
  }

  Meeting& meeting_;
  Implementation& group_;
  Queue RankState::*queue_of_;
  int rank_;
  Communicator& beside_;
};

void NcclGroup::Implementation::begin() {
  if (ranks[0]->communicator) return;
  const std::string step = "begin a group of " + std::to_string(size) + " GPUs";
  if (processes) {
    ranks[0]->communicator = joined(*processes, ranks[0]->gpu, limit, step);
    return;
  }
  std::vector<int> gpus;
  for (const auto& rank : ranks) gpus.push_back(rank->gpu);
  std::vector<nccl::Communicator> communicators(ranks.size());
  const nccl::Library& library = nccl::library();
  library.check(library.init_all(communicators.data(), int(ranks.size()), gpus.data()), step);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank]->communicator = communicators[rank];
}

std::unique_ptr<Meeting> NcclGroup::Implementation::new_meeting() const {
  if (processes) return std::make_unique<ProcessMeeting>(*processes, limit);
  return std::make_unique<ThreadMeeting>(
      size, [](const std::vector<ExchangeCall>&) { return std::optional<std::string>(); });
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
      rank->main.pending = rank->beside.pending = nullptr;
    });
}

/// Of the ranks whose exchanges have failed, or take too long, the first.
std::optional<std::string> NcclGroup::Implementation::fault_of_exchanges() const {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankState& state = *ranks[rank];
    const std::string its_name = rank_text(std::size_t(first_rank) + rank);
    const std::unique_lock lock(state.mutex, std::try_to_lock);
    if (!lock || !state.communicator) continue;
    int result = nccl::success;
    if (nccl::library().get_async_error(state.communicator, &result) == nccl::success &&
        result != nccl::success)
      return its_name + ": NCCL: " + nccl::library().get_error_string(result);
    for (RankState::Queue* queue : {&state.main, &state.beside}) {
      if (!queue->pending) continue;
      if (cudaEventQuery(queue->pending) != cudaErrorNotReady)
        queue->pending = nullptr;
      else if (Clock::now() - queue->queued > limit)
        return its_name + " has not ended its last exchange in " +
               std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(limit).count()) + " ms";
    }
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
  gpus = chosen_gpus(std::move(gpus));
  nccl::library();  // says that it is missing before a GPU is used, but where there is none, that counts
  const CurrentGpuKept kept;
  for (const int gpu : gpus) implementation_->ranks.push_back(std::make_unique<RankState>(gpu, gpus.size()));
  implementation_->size = int(gpus.size());
  implementation_->are_peers = enable_peer_access(gpus);
  implementation_->begin();
}

NcclGroup::NcclGroup(Processes& processes, std::chrono::nanoseconds limit)
    : implementation_(std::make_unique<Implementation>()) {
  Implementation& self = *implementation_;
  self.first_rank = processes.rank();
  self.size = processes.size();
  self.processes = &processes;
  self.limit = limit;
  int gpu = 0;
  in_all_processes(processes, limit, [&] {
    gpu = gpu_of(processes);
    nccl::library();  // before a GPU is used
  });
  const CurrentGpuKept kept;
  std::string kind;
  in_all_processes(processes, limit, [&] {
    self.ranks.push_back(std::make_unique<RankState>(gpu, std::size_t(self.size)));
    kind = self.ranks[0]->main.executor.gpu().name;
  });
  check_one_kind(processes, kind, limit);
  self.begin();
}

NcclGroup::~NcclGroup() {
  for (const auto& rank : implementation_->ranks)
    if (rank->communicator) nccl::library().destroy(rank->communicator);
}

int NcclGroup::size() const {
  return implementation_->size;
}

bool NcclGroup::has_one_clock() const {
  return !implementation_->processes || are_on_one_host(*implementation_->processes);
}

CudaExecutor& NcclGroup::executor(int rank) {
  return implementation_->state_of(rank).main.executor;
}

void NcclGroup::run(const std::function<void(Communicator&)>& each) {
  Implementation& self = *implementation_;
  {
    const CurrentGpuKept kept;
    self.begin();
  }
  // A run that failed has left ranks at different exchanges.
  for (const auto& rank : self.ranks) rank->main.exchanges = rank->beside.exchanges = 0;
  const std::unique_ptr<Meeting> meeting = self.new_meeting();
  const InterruptionCheck interruption = interruption_check();
  {
    std::vector<std::jthread> threads;
    for (std::size_t own_rank = 0; own_rank < self.ranks.size(); ++own_rank)
      threads.emplace_back([&, rank = self.first_rank + int(own_rank)] {
        const Interruptible as_the_caller(interruption);
        RankState& state = self.state_of(rank);
        Rank beside(*meeting, self, &RankState::beside, rank, nullptr);
        Rank own(*meeting, self, &RankState::main, rank, &beside);
        meeting->run(rank, [&] {
          check(cudaSetDevice(state.gpu), "use GPU " + std::to_string(state.gpu));
          each(own);
          state.beside.executor.synchronize();
          state.main.executor.synchronize();
        });
      });
    self.watch(*meeting);
  }
  meeting->rethrow_first();
}

}  // namespace fathom
