// SPDX-License-Identifier: Apache-2.0
#include <fathom/functions/functions.h>

#include <fathom/calls/measuring/calibrate.h>
#include <fathom/calls/profiles.h>
#include <fathom/core/overlap.h>
#include <fathom/device/arena_executor.h>
#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/device/recording_executor.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace fathom {
namespace {

constexpr std::size_t widest_access = 16;

/// Sums of signed numbers are those of unsigned ones, bit by bit.
ElementType summand(ElementType type) {
  if (type == ElementType::i32) return ElementType::u32;
  if (type == ElementType::i64) return ElementType::u64;
  return type;
}

Problem problem_of(const Task& task) {
  return {.kind = task.kind,
          .n = double(task.n),
          .type = is_sort(task.kind) ? task.type.key : summand(task.type.key),
          .value_type = task.type.value,
          .order = task.order,
          .key_bits = task.bits,
          .stable = task.stable,
          .lists = double(task.lists)};
}

std::size_t key_bytes(const Task& task) {
  return task.n * std::size_t(size_in_bytes(task.type.key));
}
std::size_t value_bytes(const Task& task) {
  return task.type.value ? task.n * std::size_t(size_in_bytes(*task.type.value)) : 0;
}

/// Sorts have an input apart from the output.
bool needs_copy(const Task& task) {
  return task.in_place && is_sort(task.kind);
}

/// The task of a power of two of elements whose choice does for this one. Where a sort writes does not
/// matter.
Task near(Task task) {
  const auto rounded = [](double number) { return std::exp2(std::round(std::log2(number))); };
  const double n = double(task.n);
  task.n = std::size_t(rounded(n));
  if (task.lists > 0)
    task.lists = std::size_t(std::max(1., double(task.n) / rounded(n / double(task.lists))));
  task.in_place &= task.kind == Kind::scan;
  return task;
}

/// `what`: "the keys".
void check_array(const void* begin, const char* what) {
  if (!begin) throw std::invalid_argument(fmt::format("{}: the pointer is null", what));
  if (reinterpret_cast<std::uintptr_t>(begin) % widest_access != 0)
    throw std::invalid_argument(fmt::format(
        "{} must begin at a multiple of {} bytes: copy them to such an array", what, widest_access));
}

void check_apart(const void* input, std::size_t input_bytes, const void* output, std::size_t output_bytes,
                 const char* what) {
  if (overlap(input, input_bytes, output, output_bytes))
    throw std::invalid_argument(
        fmt::format("the {} of input and output overlap: call it in place, or with arrays apart", what));
}

/// Throws std::invalid_argument if there is no such call, whatever its arrays are.
void check_task(const Task& task) {
  if (task.kind == Kind::other) throw std::invalid_argument("a function sorts, scans or reduces");
  if (task.n > 0 && task.kind == Kind::segmented_sort && task.lists == 0)
    throw std::invalid_argument("elements without a list: say how many lists there are");
  if (task.kind != Kind::sort && (task.order != Order::ascending || !task.bits.are_all()))
    throw std::invalid_argument(
        fmt::format("a {} is of whole elements in their order: omit order and bits", name(task.kind)));
  const int all = 8 * size_in_bytes(task.type.key);
  const auto [begin, end] = task.bits;
  if (!task.bits.are_all() && (begin < 0 || begin >= end || end > all))
    throw std::invalid_argument(
        fmt::format("bits {} to {}: keys of {} have bits 0 to {}", begin, end, name(task.type.key), all));
}

std::size_t output_key_bytes(const Task& task) {
  return task.kind == Kind::reduce ? std::size_t(size_in_bytes(task.type.key)) : key_bytes(task);
}

void check_arrays(const Task& task, const InputArrays& input, const OutputArrays& output) {
  if (task.kind == Kind::reduce || task.n > 0) check_array(output.keys, "the output");
  if (task.n == 0) return;
  check_array(input.keys, "the input");
  if (task.type.value) {
    check_array(input.values, "the values");
    check_array(output.values, "the output's values");
  }
  if (task.kind == Kind::segmented_sort && !input.begins)
    throw std::invalid_argument("the begins of the lists: the pointer is null");
  if (task.in_place) {
    if (input.keys != output.keys || (task.type.value && input.values != output.values))
      throw std::invalid_argument("a call in place has one array for input and output");
    return;
  }
  check_apart(input.keys, key_bytes(task), output.keys, output_key_bytes(task), "elements");
  if (task.type.value)
    check_apart(input.values, value_bytes(task), output.values, value_bytes(task), "values");
}

/// Throws std::invalid_argument for a work space of which the arrays have a part.
void check_work_space(const Task& task, const InputArrays& input, const OutputArrays& output,
                      const CallOptions& options) {
  const auto check = [&](const void* array, std::size_t bytes, const char* what) {
    if (array && overlap(options.work_space, options.work_space_bytes, array, bytes))
      throw std::invalid_argument(
          fmt::format("the work space overlaps {}: give the call memory of its own", what));
  };
  check(input.keys, key_bytes(task), "the input");
  check(output.keys, output_key_bytes(task), "the output");
  check(input.values, value_bytes(task), "the values");
  check(output.values, value_bytes(task), "the output's values");
  check(input.begins, (task.lists + 1) * sizeof(*input.begins), "the begins of the lists");
}

/// The profile of a GPU by its name; made, in a few seconds, if there is none.
DeviceProfile profile_of(int gpu, const std::string& name,
                         const std::function<void(std::string_view)>& note) {
  const calls::Listener listener{[](std::string_view, std::size_t, std::size_t) {}, note};
  if (auto known = calls::profile_of_gpu(name, listener)) return *std::move(known);
  note("there is no profile of " + name +
       ": it is calibrated, in a few seconds; 'fathom calibrate' makes a better one");
  calls::CalibrateOptions options;
  options.gpu = gpu;
  options.quick = true;
  options.command = "fathom::Functions";
  return calls::calibrate(options, listener).profile;
}

}  // namespace

/// A call in its work space, which has room for the copy of an input first.
struct Functions::Ready {
  Task task;
  ArenaExecutor arena;
  InputArrays copy{};
  std::unique_ptr<Call> call{};

  void run(const InputArrays& input, const OutputArrays& output) {
    if (!copy.keys) return call->run(input, output);
    arena.copy(const_cast<void*>(copy.keys), input.keys, key_bytes(task));
    if (copy.values) arena.copy(const_cast<void*>(copy.values), input.values, value_bytes(task));
    call->run({copy.keys, copy.values, input.begins}, output);
  }
};

namespace {

/// A call on this executor, whose allocations are the copy of the input, and then the solver's.
std::unique_ptr<Call> made(Executor& on, const Task& task, const Choice& choice, InputArrays& copy) {
  if (needs_copy(task)) {
    copy.keys = on.allocate(key_bytes(task));
    if (task.type.value) copy.values = on.allocate(value_bytes(task));
  }
  Problem problem = problem_of(task);
  problem.parameters = choice.parameters;
  return choice.algorithm->make_call(on, problem);
}

}  // namespace

Functions::Functions(int gpu, const std::function<void(std::string_view)>& note)
    : gpu_(std::make_unique<CudaExecutor>(gpu)),
      on_(gpu_.get()),
      profile_(profile_of(gpu, gpu_->gpu().name, note)) {}

Functions::Functions(Executor& on, DeviceProfile profile) : on_(&on), profile_(std::move(profile)) {}

Functions::~Functions() {
  for (auto& [stream, space] : work_spaces_) {
    space.ready.reset();
    if (space.memory) on_->release(space.memory);
  }
}

Choice Functions::chosen(const Task& task) {
  const auto at = [&](const Task& of) -> const Choice& {
    const auto found = choices_.find(of);
    if (found != choices_.end()) return found->second;
    return choices_.emplace(of, choose(problem_of(of), of.in_place, profile_)).first->second;
  };
  const Choice& usual = at(near(task));
  Problem problem = problem_of(task);
  problem.parameters = usual.parameters;
  try {
    usual.algorithm->plan(problem, on_->plan_device());
    return usual;
  } catch (const std::invalid_argument&) {  // parameters that do for the power of two, but not for this n
    return at(task);
  }
}

Choice Functions::choice(const Task& task) {
  if (task.n == 0) throw std::invalid_argument("nothing runs for no elements");
  const std::lock_guard lock(mutex_);
  return chosen(task);
}

std::size_t Functions::bytes_needed(const Task& task) {
  if (task.n == 0) return 0;
  RecordingExecutor recorder(on_->plan_device());
  InputArrays copy{};
  made(recorder, task, chosen(task), copy);
  return recorder.arena_bytes();
}

std::size_t Functions::work_space_bytes(const Task& task) {
  check_task(task);
  const std::lock_guard lock(mutex_);
  return bytes_needed(task);
}

void Functions::prepare(Ready& ready) {
  ready.call = made(ready.arena, ready.task, chosen(ready.task), ready.copy);
  kernels_.insert(ready.arena.kernels().begin(), ready.arena.kernels().end());
}

Functions::Ready& Functions::ready_in_own(const Task& task, WorkSpace& space) {
  if (space.ready && space.ready->task == task) return *space.ready;
  space.ready.reset();
  if (const std::size_t bytes = bytes_needed(task); bytes > space.bytes) {
    on_->synchronize();
    if (space.memory) on_->release(std::exchange(space.memory, nullptr));
    space.bytes = 0;
    space.memory = on_->allocate(bytes);
    space.bytes = bytes;
  }
  auto ready = std::make_unique<Ready>(Ready{task, ArenaExecutor(*on_, space.memory, space.bytes)});
  prepare(*ready);
  space.ready = std::move(ready);
  return *space.ready;
}

void Functions::run(const Task& task, const InputArrays& input, const OutputArrays& output,
                    const CallOptions& options) {
  check_task(task);
  check_arrays(task, input, output);
  const std::lock_guard lock(mutex_);
  on_->use_stream(options.stream);
  if (task.n == 0) {
    if (task.kind == Kind::reduce) on_->fill(output.keys, 0, std::size_t(size_in_bytes(task.type.key)));
    return;
  }
  if (!options.work_space) {
    ready_in_own(task, work_spaces_[options.stream]).run(input, output);
    return;
  }
  const std::size_t needed = bytes_needed(task);
  if (needed > options.work_space_bytes)
    throw std::invalid_argument(
        fmt::format("the work space has {} bytes, the call needs {}: ask "
                    "work_space_bytes()",
                    options.work_space_bytes, needed));
  if (reinterpret_cast<std::uintptr_t>(options.work_space) % ArenaExecutor::alignment != 0)
    throw std::invalid_argument(
        fmt::format("the work space must begin at a multiple of {} bytes", ArenaExecutor::alignment));
  check_work_space(task, input, output, options);
  Ready once{task, ArenaExecutor(*on_, options.work_space, options.work_space_bytes)};
  prepare(once);
  once.run(input, output);
}

void Functions::release_work_spaces() {
  const std::lock_guard lock(mutex_);
  for (auto& [stream, space] : work_spaces_) {
    on_->use_stream(stream);
    on_->synchronize();
    space.ready.reset();
    if (space.memory) on_->release(space.memory);
  }
  work_spaces_.clear();
}

Functions& functions() {
  // Never destroyed: at the end of the process the driver may be gone.
  static std::mutex& mutex = *new std::mutex;
  static auto& by_gpu = *new std::map<int, std::unique_ptr<Functions>>;
  const int gpu = current_gpu();
  const std::lock_guard lock(mutex);
  auto& there = by_gpu[gpu];
  if (!there) there = std::make_unique<Functions>(gpu);
  return *there;
}

}  // namespace fathom
