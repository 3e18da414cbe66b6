#include <fathom/device/counting_executor.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <cstdlib>
#include <exception>
#include <sstream>

namespace fathom {
namespace counting {

namespace context = boost::context;

enum class Waiting { no, at_barrier, at_warp_point, finished };

/// One block as it runs: its threads take turns until each waits or has finished; whoever waits goes on once
/// all it waits for have arrived.
class BlockState {
 public:
  BlockState(int threads, int shared_bytes)
      : threads_(std::size_t(threads)), shared_(std::size_t(shared_bytes)), slots_{} {
    for (auto& buffer : slots_) buffer.resize(std::size_t(threads));
  }

  /// Runs the block to its end. Throws what a thread threw, or KernelFailure for threads that wait in vain.
  void run(BlockOnCpu body, const void* kernel, Index index, Index blocks, const std::string& name) {
    start(body, kernel, index, blocks);
    while (resume_runnable()) release_waiting();
    for (const Thread& thread : threads_)
      if (thread.waiting != Waiting::finished) throw KernelFailure(describe_deadlock(name, index));
  }

  void wait(int thread, Waiting what) {
    threads_[std::size_t(thread)].waiting = what;
    scheduler_ = std::move(scheduler_).resume();
  }

  const ShuffleSlot* publish(int thread, const void* value, std::size_t bytes) {
    // Two buffers in turn: a lane can be one exchange ahead of a lane that still reads, never two.
    auto& exchanges = threads_[std::size_t(thread)].exchanges;
    auto& buffer = slots_[std::size_t(exchanges++ % 2)];
    std::memcpy(buffer[std::size_t(thread)].data(), value, bytes);
    wait(thread, Waiting::at_warp_point);
    return &buffer[std::size_t(thread / warp_width * warp_width)];
  }

  std::byte* shared(int offset, int end) {
    if (end > int(shared_.size())) out_of_bounds("dynamic shared", end, Index(shared_.size()));
    return shared_.data() + offset;
  }

 private:
  struct Thread {
    context::fiber fiber;
    Waiting waiting = Waiting::no;
    unsigned exchanges = 0;
  };

  void start(BlockOnCpu body, const void* kernel, Index index, Index blocks) {
    const int count = int(threads_.size());
    for (int t = 0; t < count; ++t) {
      Thread& thread = threads_[std::size_t(t)];
      thread.waiting = Waiting::no;
      thread.exchanges = 0;
      thread.fiber =
          context::fiber(std::allocator_arg, stacks_, [=, this, &thread](context::fiber&& scheduler) {
            scheduler_ = std::move(scheduler);
            try {
              Block block(*this, index, blocks, t, count);
              body(kernel, block);
            } catch (const context::detail::forced_unwind&) {
              throw;
            } catch (...) {
              if (!failure_) failure_ = std::current_exception();
            }
            thread.waiting = Waiting::finished;
            return std::move(scheduler_);
          });
    }
  }

  bool resume_runnable() {
    bool progress = false;
    for (Thread& thread : threads_) {
      if (thread.waiting != Waiting::no) continue;
      progress = true;
      thread.fiber = std::move(thread.fiber).resume();
      if (failure_) std::rethrow_exception(failure_);
    }
    return progress;
  }

  void release_waiting() {
    const auto all_wait = [&](std::size_t first, std::size_t last, Waiting what) {
      for (std::size_t t = first; t < last; ++t)
        if (threads_[t].waiting != what) return false;
      return true;
    };
    const auto release = [&](std::size_t first, std::size_t last) {
      for (std::size_t t = first; t < last; ++t) threads_[t].waiting = Waiting::no;
    };
    if (all_wait(0, threads_.size(), Waiting::at_barrier)) return release(0, threads_.size());
    for (std::size_t first = 0; first < threads_.size(); first += warp_width) {
      const std::size_t last = std::min(threads_.size(), first + warp_width);
      if (all_wait(first, last, Waiting::at_warp_point)) release(first, last);
    }
  }

  std::string describe_deadlock(const std::string& name, Index index) const {
    std::ostringstream text;
    text << name << ", block " << index << ": threads wait in vain:";
    std::size_t listed = 0;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      const char* where = threads_[t].waiting == Waiting::at_barrier      ? "barrier"
                          : threads_[t].waiting == Waiting::at_warp_point ? "warp"
                                                                          : nullptr;
      if (where && listed++ < 8) text << ' ' << t << " at a " << where << ';';
    }
    text << ' ' << listed << " in all";
    return text.str();
  }

  context::pooled_fixedsize_stack stacks_{64 * 1024};  // outlives the fibers below
  std::vector<Thread> threads_;
  std::vector<std::byte> shared_;
  std::array<std::vector<ShuffleSlot>, 2> slots_;
  context::fiber scheduler_;  // where to go back to, while a thread runs
  std::exception_ptr failure_;
};

void out_of_bounds(const char* memory, Index index, Index count) {
  std::ostringstream text;
  text << memory << " memory: index " << index << " outside [0, " << count << ")";
  throw KernelFailure(text.str());
}

}  // namespace counting

void Block::barrier() {
  state_->wait(thread_, counting::Waiting::at_barrier);
}
void Block::warp_barrier() {
  state_->wait(thread_, counting::Waiting::at_warp_point);
}
const counting::ShuffleSlot* Block::publish(const void* value, std::size_t bytes) {
  return state_->publish(thread_, value, bytes);
}
std::byte* Block::shared_memory(int offset, int end) {
  return state_->shared(offset, end);
}
u32 Block::ballot(bool predicate) {
  const u32 mine = predicate;
  const counting::ShuffleSlot* slots = publish(&mine, sizeof mine);
  u32 votes = 0;
  for (int lane = 0; lane < warp_width; ++lane) {
    u32 vote;
    std::memcpy(&vote, slots[lane].data(), sizeof vote);
    votes |= vote << lane;
  }
  return votes;
}

namespace {

struct CpuKernel final : PreparedKernel {
  BlockOnCpu body;
};

}  // namespace

void* CountingExecutor::allocate(std::size_t bytes) {
  // 256 bytes, as on a GPU: vector accesses rely on it.
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256 + 256);
  if (!memory) throw OutOfDeviceMemory("need " + std::to_string(bytes) + " bytes of host memory");
  return memory;
}
void CountingExecutor::release(void* memory) noexcept {
  std::free(memory);
}
void CountingExecutor::upload(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void CountingExecutor::download(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void CountingExecutor::copy(void* to, const void* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
}
void CountingExecutor::fill(void* memory, unsigned char byte, std::size_t bytes) {
  std::memset(memory, byte, bytes);
}

std::shared_ptr<const PreparedKernel> CountingExecutor::prepare_erased(const KernelSource& source,
                                                                       BlockShape shape, std::size_t,
                                                                       BlockOnCpu body) {
  auto kernel = std::make_shared<CpuKernel>();
  kernel->shape = shape;
  kernel->body = body;
  kernel->resources.name = source.expression;
  kernel->resources.shared_bytes = shape.shared_bytes;
  kernel->resources.resident_blocks =
      2;  // a number that drivers can size a grid by; the CPU has no occupancy
  return kernel;
}

void CountingExecutor::launch_erased(const PreparedKernel& prepared, Index blocks, const void* kernel,
                                     std::size_t) {
  const auto& cpu = static_cast<const CpuKernel&>(prepared);
  counting::BlockState block(cpu.shape.threads, cpu.shape.shared_bytes);
  for (Index index = 0; index < blocks; ++index)
    block.run(cpu.body, kernel, index, blocks, cpu.resources.name);
}

}  // namespace fathom
