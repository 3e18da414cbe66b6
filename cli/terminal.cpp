// SPDX-License-Identifier: Apache-2.0
#include "terminal.h"

#include "progress_text.h"

#include <fathom/core/text/escape.h>
#include <fathom/core/text/spelling.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
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
  if (signal_seen != 0) throw Interrupted("interrupted");
}

void clear_progress() {
  if (line_is_shown) show(clear_line);
  line_is_shown = false;
}

Progress progress_on_terminal() {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  const bool is_terminal = isatty(STDERR_FILENO);
  // Where lines stay, as in a log, few of them.
  const Clock::duration between_lines = is_terminal ? 50ms : 10s;
  return [=, text = ProgressText(), last = is_terminal ? Clock::time_point() : Clock::now()](
             std::string_view what, std::size_t done, std::size_t total) mutable {
    check_interrupted();
    if (done >= total) return clear_progress();
    const auto now = Clock::now();
    // Also of lines that are not shown: work may begin with them.
    const std::string line =
        text.line(what, done, total, std::chrono::duration<double>(now.time_since_epoch()).count());
    if (now - last < between_lines) return;
    last = now;
    if (!is_terminal) return show(fmt::format("fathom: {}\n", line_for_terminal(line)));
    show(clear_line + line_for_terminal(line));
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
