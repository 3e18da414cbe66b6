// SPDX-License-Identifier: Apache-2.0
#include "terminal.h"

#include "progress_text.h"

#include <fathom/core/text/escape.h>
#include <fathom/core/text/spelling.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <limits>
#include <memory>
#include <thread>

namespace fathom::cli {
namespace {

constexpr int caught_signals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> signal_seen = 0;

/// Receives the signals, which all threads block, for the whole process: the first is kept, the second ends
/// the process.
void receive(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  signal_seen = signal;
  sigwait(&signals, &signal);
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::raise(signal);
}

constexpr const char* clear_line = "\r\033[K";
bool line_is_shown = false;

/// Not fmt::print(), which throws where stderr is closed or full: a note must not cost the answer.
void show(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

/// Returns the width of the terminal on stderr at this moment, since its user may change it. A terminal that
/// does not say has no limit.
std::size_t columns() {
  winsize size{};
  const bool says = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return says ? size.ws_col : std::numeric_limits<std::size_t>::max();
}

}  // namespace

// Not by handlers: NVRTC's front end has its own, under which a signal would end the process without a word.
void catch_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int caught : caught_signals) {
    const bool ignored = std::signal(caught, SIG_DFL) == SIG_IGN;
    if (ignored && caught == SIGHUP)
      std::signal(caught, SIG_IGN);  // nohup: work on without a terminal
    else
      sigaddset(&signals, caught);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // the threads to come inherit this
  std::thread(receive, signals).detach();
  for (int error_instead : {SIGPIPE, SIGXFSZ}) std::signal(error_instead, SIG_IGN);
}

void check_interrupted() {
  // A call that keeps something of its work says so instead.
  if (signal_seen != 0)
    throw Interrupted("interrupted: no answer was written; the same command starts again");
}

void clear_progress() {
  if (line_is_shown) show(clear_line);
  line_is_shown = false;
}

Progress progress_on_terminal() {
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const bool is_terminal = isatty(STDERR_FILENO);
  // Where lines stay, as in a log, few of them; but the first soon, since it tells that work goes on.
  // Copies of what is returned tell of works of their own, each with its time, but share one stderr.
  const auto pace = std::make_shared<Pace>(is_terminal ? Pace(now(), 0.05) : Pace(now() + 2, 10));
  return [=, text = ProgressText()](std::string_view what, std::size_t done, std::size_t total) mutable {
    check_interrupted();
    if (done >= total) return clear_progress();
    const double seconds = now();
    // Also of lines that are not shown: work may begin with them.
    const std::string line = line_for_terminal(text.line(what, done, total, seconds));
    if (!pace->is_due(seconds)) return;
    if (!is_terminal) return show(fmt::format("fathom: {}\n", line));
    // A line that wraps would leave all rows but its last: only that one is cleared.
    show(clear_line + cut(line, columns()));
    line_is_shown = true;
  };
}

std::string as_typed(std::string_view text) {
  return spelled(text, [](std::string_view option, std::string_view value) {
    std::string typed = option == "output" ? "-o" : "--" + std::string(option);
    std::ranges::replace(typed, '_', '-');
    return value.empty() || value == "true" ? typed : fmt::format("{} {}", typed, value);
  });
}

void show_on_stderr(std::string_view text) {
  clear_progress();
  show(for_terminal(text));
}

void note(std::string_view text) {
  clear_progress();
  show(fmt::format("fathom: note: {}\n", line_for_terminal(as_typed(text))));
}

calls::Listener on_terminal() {
  return {progress_on_terminal(), note};
}

}  // namespace fathom::cli
