#include "terminal.h"

#include <fathom/core/escape.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace fathom::cli {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void on_interrupt(int) {
  interrupt_seen = 1;
  std::signal(SIGINT, SIG_DFL);
}

constexpr const char* clear_line = "\r\033[K";

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
}

bool interrupted() {
  return interrupt_seen != 0;
}

Progress progress_on_terminal() {
  const bool shown = isatty(STDERR_FILENO);
  return [shown](std::string_view what, std::size_t done, std::size_t total) {
    if (interrupted()) {
      if (shown) fmt::print(stderr, "{}", clear_line);
      throw Interrupted("interrupted");
    }
    if (!shown) return;
    if (done < total)
      fmt::print(stderr, "{}{}/{} {}", clear_line, done, total, line_for_terminal(what));
    else
      fmt::print(stderr, "{}", clear_line);
    std::fflush(stderr);
  };
}

void note(std::string_view text) {
  // Not fmt::print(), which throws where stderr is closed or full: a note must not cost the answer.
  std::fputs(fmt::format("fathom: note: {}\n", line_for_terminal(text)).c_str(), stderr);
}

}  // namespace fathom::cli
