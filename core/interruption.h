// SPDX-License-Identifier: Apache-2.0
// Cancellation of long work, in whatever layer and on whatever thread it runs.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace fathom {

/// Thrown when the user cancels. A call that has kept something says what. It is no std::exception, so that
/// no handler that would go on without a result catches it.
class Interrupted {
 public:
  explicit Interrupted(std::string what) : what_(std::move(what)) {}
  const std::string& what() const { return what_; }

 private:
  std::string what_;
};

/// A function that throws Interrupted once the user has cancelled.
using InterruptionCheck = std::function<void()>;
/// The one that check_interruption() calls on this thread; empty if nothing can cancel the work.
inline InterruptionCheck& interruption_check() {
  static thread_local InterruptionCheck check;
  return check;
}

/// Throws Interrupted if the user has cancelled what this thread works on. Loops call it whose steps may add
/// up to more than a tenth of a second; it costs some nanoseconds.
inline void check_interruption() {
  if (const InterruptionCheck& check = interruption_check()) check();
}

/// While it lives, this thread's work is cancelled by `check`, which throws Interrupted: at the beginning of
/// a command, and on threads that work for another one, with that one's interruption_check().
class Interruptible {
 public:
  explicit Interruptible(InterruptionCheck check)
      : before_(std::exchange(interruption_check(), std::move(check))) {}
  ~Interruptible() { interruption_check() = std::move(before_); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  InterruptionCheck before_;
};

}  // namespace fathom
