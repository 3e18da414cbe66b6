// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/forwarding_executor.h>
#include <fathom/device/group/simulated_rank.h>

#include <algorithm>

namespace fathom {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_at(const std::byte* memory, std::size_t count) {
  return {memory, memory + count};
}

/// What a rank sends and receives beside its kernels. It is done at the last moment at which it may be: what
/// is read or changed too early is then seen to be wrong, on each run and not once in a while.
class BesideExecutor final : public ForwardingExecutor {
 public:
  using ForwardingExecutor::ForwardingExecutor;

  /// Of this rank's call, which has just been done. What it received is there when the exchange ends.
  void begin(const ExchangeCall& call) {
    Pending pending;
    for (const Part& part : call.received) {
      std::byte* const to = call.to + part.begin;
      pending.received.push_back({to, bytes_at(to, part.bytes)});
    }
    for (const Part& part : call.sent) {
      const std::byte* const from = call.from + part.begin;
      pending.sent.push_back({from, bytes_at(from, part.bytes)});
    }
    for (const auto& [to, bytes] : pending.received) std::fill_n(to, bytes.size(), not_yet_there);
    pending_.push_back(std::move(pending));
  }
  /// Throws ExchangeFailure if what is sent has changed.
  void end_exchanges() {
    for (const Pending& pending : pending_) {
      for (const auto& [to, bytes] : pending.received) std::ranges::copy(bytes, to);
      for (const auto& [from, bytes] : pending.sent)
        if (!std::equal(bytes.begin(), bytes.end(), from))
          throw ExchangeFailure("what is sent beside kernels has changed before the exchange has ended");
    }
    pending_.clear();
  }

  void synchronize() override {
    end_exchanges();
    ForwardingExecutor::synchronize();
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    end_exchanges();
    ForwardingExecutor::download(to, from, bytes);
  }
  // What is queued here begins when the exchanges before it have ended.
  void upload(void* to, const void* from, std::size_t bytes) override {
    end_exchanges();
    ForwardingExecutor::upload(to, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    end_exchanges();
    ForwardingExecutor::copy(to, from, bytes);
  }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    end_exchanges();
    ForwardingExecutor::fill(memory, byte, bytes);
  }
  void launch_erased(const PreparedKernel& prepared, Index blocks, const void* kernel,
                     std::size_t kernel_bytes) override {
    end_exchanges();
    ForwardingExecutor::launch_erased(prepared, blocks, kernel, kernel_bytes);
  }

 private:
  static constexpr std::byte not_yet_there{0xa5};
  struct Pending {
    std::vector<std::pair<std::byte*, Bytes>> received;
    std::vector<std::pair<const std::byte*, Bytes>> sent;
  };
  std::vector<Pending> pending_;
};

class SimulatedRank : public Communicator {
 public:
  SimulatedRank(Meeting& meeting, Executor& executor, int rank, int size)
      : meeting_(meeting), executor_(executor), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Executor& executor() override { return executor_; }

  void all_to_all(const void* from, std::span<const Part> sent, void* to,
                  std::span<const Part> received) override {
    exchange(ExchangeCall::all_to_all(from, sent, to, received));
  }
  void all_gather(const void* from, std::size_t bytes, void* to) override {
    exchange(ExchangeCall::all_gather(from, bytes, to, size_));
  }
  void all_reduce(const unsigned* from, unsigned* to, std::size_t count) override {
    exchange(ExchangeCall::all_reduce(from, to, count, size_));
  }

 protected:
  virtual void exchange(ExchangeCall call) {
    meeting_.meet(rank_, std::move(call));
    meeting_.leave();
  }

  Meeting& meeting_;

 private:
  Executor& executor_;
  int rank_, size_;
};

class SimulatedBeside final : public SimulatedRank {
 public:
  SimulatedBeside(Meeting& meeting, BesideExecutor& executor, int rank, int size)
      : SimulatedRank(meeting, executor, rank, size), executor_(executor) {}
  Communicator& beside() override { return *this; }

 private:
  void exchange(ExchangeCall call) override {
    executor_.end_exchanges();  // they come one after another
    meeting_.meet(rank(), call);
    executor_.begin(call);
    meeting_.leave();
  }
  BesideExecutor& executor_;
};

class SimulatedRankWithBeside final : public SimulatedRank {
 public:
  SimulatedRankWithBeside(Meeting& meeting, CountingExecutor& executor, int rank, int size)
      : SimulatedRank(meeting, executor, rank, size),
        beside_executor_(executor),
        beside_(meeting, beside_executor_, rank, size) {}
  Communicator& beside() override { return beside_; }

 private:
  BesideExecutor beside_executor_;
  SimulatedBeside beside_;
};

}  // namespace

std::unique_ptr<Communicator> simulated_rank(Meeting& meeting, CountingExecutor& executor, int rank,
                                             int size) {
  return std::make_unique<SimulatedRankWithBeside>(meeting, executor, rank, size);
}

std::optional<std::string> fault_of_memory(const CountingExecutor& own, const ExchangeCall& call,
                                           std::size_t rank) {
  const auto not_own = [&](const char* does, std::size_t bytes) {
    return rank_text(rank) + does + std::to_string(bytes) + " bytes that are not in its memory";
  };
  for (const Part& part : call.sent)
    if (!own.holds(call.from + part.begin, part.bytes)) return not_own(" reads ", part.bytes);
  for (const Part& part : call.received)
    if (!own.holds(call.to + part.begin, part.bytes)) return not_own(" writes ", part.bytes);
  return std::nullopt;
}

}  // namespace fathom
