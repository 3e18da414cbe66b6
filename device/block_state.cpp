#include <fathom/device/block_state.h>

#include <algorithm>
#include <sstream>

namespace fathom::counting {

namespace {

/// The block that runs on this thread of the host. Fibers never leave the thread that started them.
constinit thread_local BlockState* current = nullptr;

struct Running {
  explicit Running(BlockState& block) { current = &block; }
  ~Running() { current = nullptr; }
  Running(const Running&) = delete;
};

bool same_place(Where a, Where b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (a.line() == b.line() && a.column() == b.column());
}

std::string place(Where where) {
  const std::string_view path = where.file_name();
  return std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(where.line());
}

}  // namespace

// ---- shared memory: who may touch what when ----

std::optional<Moment> SharedWord::race_of_read(Moment now) const {
  if (write_.ever() && !write_.is_before(now)) return write_;
  return std::nullopt;
}

std::optional<Moment> SharedWord::race_of_write(Moment now) const {
  if (const auto race = race_of_read(now)) return race;
  for (const Moment read : reads_)
    if (read.ever() && !read.is_before(now)) return read;
  return std::nullopt;
}

void SharedWord::read(Moment now) {
  for (Moment& read : reads_)
    if (!read.ever() || read.is_before(now)) {
      read = now;
      if (&read == &reads_[0] && reads_[1].is_before(now)) reads_[1] = {};
      return;
    }
  if (reads_[0].warp() == reads_[1].warp()) reads_[1] = now;
}

Moment BlockState::now() const {
  return {block_epoch_, warp_epochs_[std::size_t(running_ / warp_width)], running_};
}

void BlockState::fail_race(const char* verb, Moment other, const char* other_verb, std::size_t word,
                           Where where) const {
  std::ostringstream text;
  text << "race: " << verb << " the word at byte " << 4 * word << " of shared memory, which thread "
       << other.thread() << ' ' << other_verb << " with no barrier between";
  fail(text.str(), where);
}

void BlockState::access_shared(Access access, const void* address, std::size_t bytes, Where where) {
  const auto offset = std::size_t(static_cast<const std::byte*>(address) - shared_.data());
  const Moment moment = now();
  SharedWord& word = words_[offset / 4];  // the first word stands for all of an element
  if (access == Access::shared_load) {
    if (!word.written_since(first_epoch_))
      fail("reads the word at byte " + std::to_string(offset) + " of shared memory, which nothing wrote",
           where);
    if (const auto race = word.race_of_read(moment)) fail_race("reads", *race, "wrote", offset / 4, where);
    word.read(moment);
  } else {
    if (const auto race = word.race_of_write(moment)) {
      const bool by_write = word.race_of_read(moment).has_value();
      fail_race("writes", *race, by_write ? "wrote" : "read", offset / 4, where);
    }
    word.write(moment);
  }
  this->access({access, offset, bytes, where});
}

// ---- threads ----

BlockState::BlockState(std::string kernel, BlockShape shape, const Allocations& allocations,
                       const TraceRequests& requests)
    : kernel_(std::move(kernel)),
      threads_(std::size_t(shape.threads)),
      logs_(std::size_t(shape.threads)),
      shared_(std::size_t(shape.shared_bytes)),
      words_(std::size_t(shape.shared_bytes / 4)),
      warp_epochs_(std::size_t((shape.threads + warp_width - 1) / warp_width)),
      counter_(allocations),
      recorder_(requests, shape.threads) {
  for (auto& buffer : slots_) buffer.resize(threads_.size());
}

void BlockState::run(BlockOnCpu body, const void* kernel, Index index, Index blocks) {
  const Running running(*this);
  index_ = index;
  if (block_epoch_ > Moment::most_block_epochs / 2) {
    std::fill(words_.begin(), words_.end(), SharedWord());
    block_epoch_ = 0;
  }
  first_epoch_ = ++block_epoch_;
  std::fill(warp_epochs_.begin(), warp_epochs_.end(), 0);
  start(body, kernel, index, blocks);
  while (resume_runnable()) release_waiting();
  if (!all_wait(0, threads_.size(), Waiting::finished)) fail_waiting("threads wait in vain");
  for (std::size_t first = 0; first < threads_.size(); first += warp_width)
    converge(first, std::min(threads_.size(), first + warp_width));
  recorder_.end_block(index);
}

void BlockState::start(BlockOnCpu body, const void* kernel, Index index, Index blocks) {
  const int count = int(threads_.size());
  for (int t = 0; t < count; ++t) {
    Thread& thread = threads_[std::size_t(t)];
    thread.waiting = Waiting::no;
    thread.exchanges = 0;
    thread.polled = nullptr;
    thread.fiber.start(stacks_, [=, this, &thread] {
      Block block(*this, index, blocks, t, count);
      body(kernel, block);
      thread.waiting = Waiting::finished;
    });
  }
}

bool BlockState::resume_runnable() {
  bool progress = false;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    Thread& thread = threads_[t];
    if (thread.waiting != Waiting::no) continue;
    progress = true;
    running_ = int(t);
    thread.fiber.resume();
  }
  return progress;
}

bool BlockState::all_wait(std::size_t first, std::size_t last, Waiting what) const {
  return std::all_of(threads_.begin() + std::ptrdiff_t(first), threads_.begin() + std::ptrdiff_t(last),
                     [&](const Thread& thread) { return thread.waiting == what; });
}

void BlockState::release_waiting() {
  if (all_wait(0, threads_.size(), Waiting::for_block)) {
    for (std::size_t first = 0; first < threads_.size(); first += warp_width)
      release(first, std::min(threads_.size(), first + warp_width));
    if (std::any_of(threads_.begin(), threads_.end(),
                    [&](const Thread& thread) { return !same_place(thread.where, threads_[0].where); }))
      fail_waiting("threads wait at different barriers");
    ++block_epoch_;
    std::fill(warp_epochs_.begin(), warp_epochs_.end(), 0);
    recorder_.wait_for_block();
    return;
  }
  for (std::size_t first = 0; first < threads_.size(); first += warp_width) {
    const std::size_t last = std::min(threads_.size(), first + warp_width);
    if (!all_wait(first, last, Waiting::for_warp)) continue;
    release(first, last);
    recorder_.wait_for_warp(int(first / warp_width));
  }
}

/// The threads of one warp, which all wait.
void BlockState::release(std::size_t first, std::size_t last) {
  const Instruction instruction = threads_[first].instruction;
  for (std::size_t t = first; t < last; ++t) {
    if (threads_[t].instruction != instruction)
      fail_waiting("lanes of a warp wait at different instructions");
    threads_[t].waiting = Waiting::no;
  }
  converge(first, last);
  counter_.count(instruction);
  recorder_.instructions(1);
  if (instruction == Instruction::warp_barrier &&
      ++warp_epochs_[first / warp_width] == Moment::most_warp_epochs)
    throw KernelFailure(kernel_ + ": more barriers of a warp than can be told apart");
}

void BlockState::converge(std::size_t first, std::size_t last) {
  const int warp = int(first / warp_width);
  const u64 comparisons =
      counter_.converge(std::span(logs_).subspan(first, last - first),
                        [&](const WarpAccess& access) { recorder_.access(warp, access); });
  recorder_.instructions(comparisons);
}

void BlockState::wait(int thread, Waiting what, Instruction instruction, Where where) {
  Thread& self = threads_[std::size_t(thread)];
  self.waiting = what;
  self.instruction = instruction;
  self.where = where;
  self.fiber.suspend();
}

void BlockState::wait_for_block(int thread, Where where) {
  wait(thread, Waiting::for_block, Instruction::barrier, where);
}

void BlockState::wait_for_warp(int thread, Where where) {
  wait(thread, Waiting::for_warp, Instruction::warp_barrier, where);
}

const ShuffleSlot* BlockState::publish(int thread, const void* value, std::size_t bytes,
                                       Instruction instruction, Where where) {
  // Two buffers in turn: a lane can be one exchange ahead of a lane that still reads, never two.
  auto& buffer = slots_[threads_[std::size_t(thread)].exchanges++ % 2];
  std::memcpy(buffer[std::size_t(thread)].data(), value, bytes);
  wait(thread, Waiting::for_warp, instruction, where);
  return &buffer[std::size_t(thread / warp_width * warp_width)];
}

const ShuffleSlot* BlockState::shuffle(int thread, const void* value, std::size_t bytes, Where where) {
  return publish(thread, value, bytes, Instruction::shuffle, where);
}

u32 BlockState::ballot(int thread, bool predicate, Where where) {
  const u32 mine = predicate;
  const ShuffleSlot* slots = publish(thread, &mine, sizeof mine, Instruction::ballot, where);
  u32 votes = 0;
  for (int lane = 0; lane < warp_width; ++lane) {
    u32 vote;
    std::memcpy(&vote, slots[lane].data(), sizeof vote);
    votes |= vote << lane;
  }
  return votes;
}

std::byte* BlockState::shared(int offset, int end, Where where) {
  if (end > int(shared_.size()))
    fail("takes " + std::to_string(end) + " bytes of shared memory; the launch gave the block " +
             std::to_string(shared_.size()),
         where);
  return shared_.data() + offset;
}

void BlockState::access(ThreadAccess access) {
  logs_[std::size_t(running_)].accesses.push_back(access);
}

void BlockState::polled(const void* address, Where where) {
  Thread& self = threads_[std::size_t(running_)];
  self.polls = address == self.polled ? self.polls + 1 : 0;
  self.polled = address;
  // Blocks that wait for others run after these: only threads of the own block can still change the value.
  constexpr unsigned enough = 1 << 16;
  if (self.polls > enough) fail("polls in vain: no other thread changes the value", where);
  if (self.polls > 0) self.fiber.suspend();
}

void BlockState::compared(bool exchanged) {
  ThreadLog& log = logs_[std::size_t(running_)];
  ++(exchanged ? log.exchanges : log.compares);
}

// ---- failures ----

void BlockState::fail(const std::string& what, Where where) const {
  std::ostringstream text;
  text << kernel_ << ", block " << index_ << ", thread " << running_ << " (" << place(where) << "): " << what;
  throw KernelFailure(text.str());
}

/// "threads 0 to 31 at the barrier in scan.h:12; threads 32 to 63 have ended".
std::string BlockState::waiting_threads() const {
  const auto describe = [](const Thread& thread) {
    if (thread.waiting == Waiting::finished) return std::string("ended");
    return "at the " + std::string(name(thread.instruction)) + " in " + place(thread.where);
  };
  std::string text;
  for (std::size_t first = 0; first < threads_.size();) {
    const std::string where = describe(threads_[first]);
    std::size_t last = first;
    while (last + 1 < threads_.size() && describe(threads_[last + 1]) == where) ++last;
    text += text.empty() ? "" : "; ";
    text += first == last ? "thread " + std::to_string(first)
                          : "threads " + std::to_string(first) + " to " + std::to_string(last);
    text += " " + where;
    first = last + 1;
  }
  return text;
}

void BlockState::fail_waiting(const std::string& what) const {
  throw KernelFailure(kernel_ + ", block " + std::to_string(index_) + ": " + what + ": " + waiting_threads());
}

// ---- what kernels call ----

// Outside a kernel nothing is counted: so the building blocks of kernels can be called by themselves.

void global_access(Access access, const void* address, std::size_t bytes, Where where) {
  if (current) current->access({access, reinterpret_cast<std::uint64_t>(address), bytes, where});
}
void shared_access(Access access, const void* address, std::size_t bytes, Where where) {
  if (current) current->access_shared(access, address, bytes, where);
}
void polled(const void* address, Where where) {
  if (current) current->polled(address, where);
}
void compared(bool exchanged) {
  if (current) current->compared(exchanged);
}

namespace {
[[noreturn]] void fail(const std::string& what, Where where) {
  if (current) current->fail(what, where);
  throw KernelFailure(place(where) + ": " + what);
}
}  // namespace

void out_of_bounds(const char* memory, Index index, Index count, Where where) {
  fail(std::string(memory) + " memory: index " + std::to_string(index) + " outside [0, " +
           std::to_string(count) + ")",
       where);
}
void misaligned(std::size_t alignment, Where where) {
  fail("a vector at an address that is no multiple of " + std::to_string(alignment) + " bytes", where);
}

}  // namespace fathom::counting

namespace fathom {

void Block::barrier(Where where) {
  state_->wait_for_block(thread_, where);
}
void Block::warp_barrier(Where where) {
  state_->wait_for_warp(thread_, where);
}
u32 Block::ballot(bool predicate, Where where) {
  return state_->ballot(thread_, predicate, where);
}
const counting::ShuffleSlot* Block::publish(const void* value, std::size_t bytes, Where where) {
  return state_->shuffle(thread_, value, bytes, where);
}
std::byte* Block::shared_memory(int offset, int end, Where where) {
  return state_->shared(offset, end, where);
}

}  // namespace fathom
