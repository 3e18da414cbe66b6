// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include "errors.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace fathom::python {
namespace {

/// Lines that any thread may add.
class Notes {
 public:
  void add(std::string_view text) {
    const std::lock_guard guard(mutex_);
    lines_.push_back(as_written(text));
  }
  /// As warnings of the code that called the package, whose functions call this module.
  void warn() const {
    const nb::object category = nb::module_::import_("fathom._errors").attr("Note");
    for (const std::string& line : lines_)
      if (PyErr_WarnEx(category.ptr(), line.c_str(), 2) != 0) throw nb::python_error();
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace

void run_interruptibly(const std::function<void(const calls::Listener&)>& work) {
  constexpr std::chrono::milliseconds between_looks(50);
  std::atomic<bool> cancelled = false;
  Notes notes;
  const auto check = [&](auto&&...) {
    if (cancelled) throw Interrupted("interrupted");
  };
  const calls::Listener listener{.progress = check, .note = [&](std::string_view text) { notes.add(text); }};
  std::future<void> done = std::async(std::launch::async, [&] {
    const Interruptible interruptible(check);
    work(listener);
  });
  std::optional<nb::python_error> raised;  // by a signal's handler
  for (;;) {
    {
      const nb::gil_scoped_release released;
      if (done.wait_for(between_looks) == std::future_status::ready) break;
    }
    if (PyErr_CheckSignals() == 0) continue;
    raised.emplace();  // takes the exception
    cancelled = true;
  }
  if (!raised) {
    notes.warn();
    return done.get();
  }
  try {
    done.get();
  } catch (const Interrupted& interrupted) {
    if (interrupted.what() != "interrupted") notes.add(interrupted.what());
  } catch (...) {  // whatever went wrong meanwhile: the user has asked for the end
  }
  notes.warn();
  throw std::move(*raised);
}

}  // namespace fathom::python
