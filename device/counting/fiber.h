// SPDX-License-Identifier: Apache-2.0
// A fiber with its own stack: the threads of a block take turns on one core. Used only inside the counting
// executor.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <exception>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)  // GCC
#define FATHOM_ADDRESS_SANITIZER
#elif defined(__has_feature)  // Clang
#if __has_feature(address_sanitizer)
#define FATHOM_ADDRESS_SANITIZER
#endif
#endif
#ifdef FATHOM_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace fathom::counting {

/// The address range of a stack. AddressSanitizer takes an unannounced switch for one very large frame and
/// then reports false errors as soon as something is thrown.
class StackBounds {
 public:
  StackBounds() = default;
  explicit StackBounds(const boost::context::stack_context& stack)
      : bottom_(static_cast<const char*>(stack.sp) - stack.size), bytes_(stack.size) {}

#ifdef FATHOM_ADDRESS_SANITIZER
  /// Before the switch from this stack to `to`.
  void leave_for(const StackBounds& to) {
    __sanitizer_start_switch_fiber(&frames_, to.bottom_, to.bytes_);
  }
  /// The same for a stack that is never resumed.
  static void end_for(const StackBounds& to) {
    __sanitizer_start_switch_fiber(nullptr, to.bottom_, to.bytes_);
  }
  /// After the switch to this stack, from `from`.
  void arrive_from(StackBounds& from) {
    __sanitizer_finish_switch_fiber(frames_, &from.bottom_, &from.bytes_);
  }
#else
  void leave_for(const StackBounds&) {}
  static void end_for(const StackBounds&) {}
  void arrive_from(StackBounds&) {}
#endif

 private:
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
  void* frames_ = nullptr;  ///< the sanitizer's, while this stack waits
};

/// Runs a body that may suspend itself. All calls come from one host thread.
class Fiber {
 public:
  using Stacks = boost::context::pooled_fixedsize_stack;

  Fiber() = default;
  Fiber(const Fiber&) = delete;
  ~Fiber() { unwind(); }

  /// Makes the fiber ready to run `body()`. A body that has not ended is unwound first. `stacks` must outlive
  /// the fiber.
  template <class Body>
  void start(Stacks& stacks, Body body);

  /// From outside, for a fiber that has not ended: runs it until it suspends itself or ends. Rethrows an
  /// exception of the body.
  void resume();

  /// From inside: returns to the caller of resume() until it is called again.
  void suspend();

 private:
  /// Thrown from suspend() into a body that is no longer needed.
  struct Unwanted {};

  void unwind();
  void go_inside();

  boost::context::fiber inside_, outside_;  // whichever is not running
  StackBounds stack_inside_, stack_outside_;
  bool unwanted_ = false;
  std::exception_ptr failure_;
};

template <class Body>
void Fiber::start(Stacks& stacks, Body body) {
  unwind();
  const boost::context::stack_context stack = stacks.allocate();
  stack_inside_ = StackBounds(stack);
  inside_ =
      boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                            stacks, [this, body = std::move(body)](boost::context::fiber&& outside) {
                              stack_inside_.arrive_from(stack_outside_);
                              outside_ = std::move(outside);
                              try {
                                if (!unwanted_) body();  // else it is unwound before it started
                              } catch (const Unwanted&) {
                              } catch (...) {
                                failure_ = std::current_exception();
                              }
                              StackBounds::end_for(stack_outside_);
                              return std::move(outside_);
                            });
}

inline void Fiber::go_inside() {
  stack_outside_.leave_for(stack_inside_);
  inside_ = std::move(inside_).resume();
  stack_outside_.arrive_from(stack_inside_);
}

inline void Fiber::resume() {
  go_inside();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

inline void Fiber::suspend() {
  stack_inside_.leave_for(stack_outside_);
  outside_ = std::move(outside_).resume();
  stack_inside_.arrive_from(stack_outside_);
  if (unwanted_) throw Unwanted();
}

inline void Fiber::unwind() {
  if (!inside_) return;
  unwanted_ = true;
  go_inside();
  unwanted_ = false;
}

}  // namespace fathom::counting
