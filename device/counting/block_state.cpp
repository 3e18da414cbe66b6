// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/counting/block_state.h>

#include <algorithm>
#include <sstream>

namespace fathom::counting {

namespace {

/// The block running on this host thread. Fibers never move to another host thread.
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

BlockState::BlockState(std::string kernel, BlockShape shape, double l1_bytes, HowToRun how,
                       const Allocations& allocations, const TraceRequests& requests,
                       std::function<void()> poll)
    : kernel_(std::move(kernel)),
      how_(how),
      poll_(std::move(poll)),
      threads_(std::size_t(shape.threads)),
      logs_(std::size_t(shape.threads)),
      shared_(std::size_t(shape.shared_bytes)),
      warp_epochs_(std::size_t((shape.threads + warp_width - 1) / warp_width)),
      counter_(allocations, l1_bytes),
      recorder_(requests, shape.threads) {
  if (shape.threads > Moment::most_threads)
    throw KernelFailure(kernel_ + ": " + std::to_string(shape.threads) + " threads per block: at most " +
                        std::to_string(Moment::most_threads));
  for (auto& buffer : exchanged_) buffer.resize(threads_.size());
}

void BlockState::run(RunThread body, const void* kernel, Index index, Index blocks) {
  const Running running(*this);
  index_ = index;
  if (block_epoch_ > Moment::most_block_epochs / 2) {
    for (auto& elements : elements_) std::fill(elements.begin(), elements.end(), SharedElement());
    block_epoch_ = 0;
  }
  first_epoch_ = ++block_epoch_;
  ++blocks_begun_;
  std::fill(warp_epochs_.begin(), warp_epochs_.end(), 0);
  rounds_ = 0;
  start(body, kernel, index, blocks);
  while (resume_runnable()) release_waiting();
  if (!all_wait(0, threads_.size(), Waiting::finished)) fail_waiting("threads wait forever");
  for (std::size_t first = 0; first < threads_.size(); first += warp_width)
    converge(first, std::min(threads_.size(), first + warp_width));
  counter_.end_block();
  recorder_.end_block(index);
}

void BlockState::start(RunThread body, const void* kernel, Index index, Index blocks) {
  const int count = int(threads_.size());
  for (int t = 0; t < count; ++t) {
    Thread& thread = threads_[std::size_t(t)];
    thread.waiting = Waiting::no;
    thread.exchanges = 0;
    thread.polled = nullptr;
    thread.fiber.start(stacks_, [=, this, &thread] {
      Block block(*this, index, blocks, t, count);
      body(kernel, block);
      block.end();
      thread.waiting = Waiting::finished;
    });
  }
}

bool BlockState::goes_backwards(u64 round) const {
  const bool first =
      how_.lane_order == LaneOrder::backwards || how_.lane_order == LaneOrder::backwards_and_forth;
  return how_.alternates() && round % 2 == 1 ? !first : first;
}

bool BlockState::resume_runnable() {
  bool progress = false;
  const bool backwards = goes_backwards(rounds_++);
  for (std::size_t turn = 0; turn < threads_.size(); ++turn) {
    const std::size_t t = backwards ? turn ^ (warp_width - 1) : turn;
    Thread& thread = threads_[t];
    if (thread.waiting != Waiting::no) continue;
    poll_sometimes();  // threads may do nothing but wait for each other
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
    counter_.pass_barrier();
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

/// Acts for the threads of one warp, all of which wait.
void BlockState::release(std::size_t first, std::size_t last) {
  const Instruction instruction = threads_[first].instruction;
  for (std::size_t t = first; t < last; ++t) {
    if (threads_[t].instruction != instruction)
      fail_waiting("lanes of a warp wait at different instructions");
    threads_[t].waiting = Waiting::no;
  }
  converge(first, last);
  counter_.count(instruction, threads_[first].where, threads_[first].bytes);
  recorder_.instructions(1);
  const bool orders_memory =
      instruction == Instruction::warp_barrier || instruction == Instruction::copy_wait;
  if (orders_memory && ++warp_epochs_[first / warp_width] == Moment::most_warp_epochs)
    throw KernelFailure(kernel_ + ": too many warp barriers between two block barriers");
}

void BlockState::converge(std::size_t first, std::size_t last) {
  const int warp = int(first / warp_width);
  const u64 comparisons =
      counter_.converge(std::span(logs_).subspan(first, last - first), blocks_begun_, warp,
                        [&](const WarpAccess& access) { recorder_.access(warp, access); });
  recorder_.instructions(comparisons);
}

void BlockState::wait(int thread, Waiting what, Instruction instruction, Where where, std::size_t bytes) {
  Thread& self = threads_[std::size_t(thread)];
  self.waiting = what;
  self.instruction = instruction;
  self.where = where;
  self.bytes = bytes;
  self.fiber.suspend();
}

void BlockState::wait_for_block(int thread, Where where) {
  wait(thread, Waiting::for_block, Instruction::barrier, where);
}

void BlockState::wait_for_warp(int thread, Where where) {
  wait(thread, Waiting::for_warp, Instruction::warp_barrier, where);
}

void BlockState::wait_for_copy(int thread, Where where) {
  wait(thread, Waiting::for_warp, Instruction::copy_wait, where);
}

const LaneValue* BlockState::exchange(int thread, const void* value, std::size_t bytes,
                                      Instruction instruction, Where where) {
  // Two alternating buffers: a lane can be one exchange ahead of a lane that still reads, never two.
  auto& buffer = exchanged_[threads_[std::size_t(thread)].exchanges++ % 2];
  std::memcpy(buffer[std::size_t(thread)].data(), value, bytes);
  wait(thread, Waiting::for_warp, instruction, where, bytes);
  return &buffer[std::size_t(thread / warp_width * warp_width)];
}

u32 BlockState::ballot(int thread, bool predicate, Where where) {
  const u32 mine = predicate;
  const LaneValue* values = exchange(thread, &mine, sizeof mine, Instruction::ballot, where);
  u32 votes = 0;
  for (int lane = 0; lane < warp_width; ++lane) {
    u32 vote;
    std::memcpy(&vote, values[lane].data(), sizeof vote);
    votes |= vote << lane;
  }
  return votes;
}

std::byte* BlockState::shared(int offset, int end, Where where) {
  if (end > int(shared_.size()))
    fail("uses " + std::to_string(end) + " bytes of shared memory; the launch gave the block " +
             std::to_string(shared_.size()),
         where);
  return shared_.data() + offset;
}

void BlockState::access(ThreadAccess access) {
  poll_sometimes();
  logs_[std::size_t(running_)].accesses.push_back(access);
}

void BlockState::polled(const void* address, Where where) {
  Thread& self = threads_[std::size_t(running_)];
  self.polls = address == self.polled ? self.polls + 1 : 0;
  self.polled = address;
  // Blocks run after those that they wait for, so only threads of this block can still change the value.
  constexpr unsigned enough = 1 << 16;
  if (self.polls > enough) fail("polls forever: no other thread changes the value", where);
  if (self.polls > 0) self.fiber.suspend();
}

void BlockState::compared() {
  ++logs_[std::size_t(running_)].compares;
}

void BlockState::exchanged(std::size_t bytes) {
  ThreadLog& log = logs_[std::size_t(running_)];
  ++log.exchanges;
  log.exchanged_words += (bytes + 3) / 4;
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

// Outside a kernel nothing is counted, so that tests can call the building blocks of kernels directly.

void global_access(Access access, const void* address, std::size_t bytes, Where where) {
  if (current) current->access({access, reinterpret_cast<std::uint64_t>(address), bytes, where});
}
void shared_access(Access access, const void* address, std::size_t bytes, Where where, std::size_t member) {
  if (current) current->access_shared(access, address, bytes, where, member);
}
void copy_begins(const void* address, Where where) {
  if (current) current->copy_begins(address, where);
}
void copy_ends(const void* address) {
  if (current) current->copy_ends(address);
}
void claim_arrival(const void* address, Where where) {
  if (current) current->claim_arrival(address, where);
}
void polled(const void* address, Where where) {
  if (current) current->polled(address, where);
}
void compared() {
  if (current) current->compared();
}
void exchanged(std::size_t bytes) {
  if (current) current->exchanged(bytes);
}

void failed(const std::string& what, Where where) {
  if (current) current->fail(what, where);
  throw KernelFailure(place(where) + ": " + what);
}
void out_of_bounds(const char* memory, Index index, Index count, Where where) {
  failed(std::string(memory) + " memory: index " + std::to_string(index) + " outside [0, " +
             std::to_string(count) + ")",
         where);
}
void misaligned(std::size_t alignment, Where where) {
  failed("a vector at an address that is not a multiple of " + std::to_string(alignment) + " bytes", where);
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
const counting::LaneValue* Block::shuffled(const void* value, std::size_t bytes, Where where) {
  return state_->exchange(thread_, value, bytes, Instruction::shuffle, where);
}
const counting::LaneValue* Block::matched(const void* value, std::size_t bytes, Where where) {
  return state_->exchange(thread_, value, bytes, Instruction::match, where);
}
const counting::LaneValue* Block::reduced(const void* value, std::size_t bytes, Where where) {
  return state_->exchange(thread_, value, bytes, Instruction::reduce, where);
}
void Block::finish_copies(std::vector<Copy>& copies, Where where) {
  for (const Copy& copy : copies) copy();
  copies_in_flight_ -= int(copies.size());
  copies.clear();
  state_->wait_for_copy(thread_, where);
}
std::byte* Block::shared_memory(int offset, int end, Where where) {
  return state_->shared(offset, end, where);
}

}  // namespace fathom
