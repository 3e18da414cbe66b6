// SPDX-License-Identifier: Apache-2.0
// Signals sent to the command: what ends it, how fast, and what it keeps. Each test waits for the progress
// line before it sends a signal, so that the work is known to have begun.
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "run.h"

namespace {

using Clock = std::chrono::steady_clock;

bool within_a_minute(const std::function<bool()>& holds) {
  for (const auto end = Clock::now() + std::chrono::minutes(1); Clock::now() < end;) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

/// The command with stderr on a pseudo-terminal, where it shows progress, and stdout in a file.
class Running {
 public:
  /// A terminal of no columns does not know its width.
  explicit Running(const std::string& arguments, const std::function<void()>& prepare = {},
                   unsigned short columns = 0) {
    std::istringstream words(FATHOM_COMMAND " " + arguments);
    std::vector<std::string> list{std::istream_iterator<std::string>(words), {}};
    std::vector<char*> argv;
    for (std::string& word : list) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string home = scratch_.file("home"), out = scratch_.file("out");
    int slave = -1;
    const winsize size{.ws_row = 0, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    REQUIRE(openpty(&terminal_, &slave, nullptr, nullptr, &size) == 0);
    process_ = fork();
    if (process_ == 0) {
      dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
      dup2(slave, STDERR_FILENO);
      setenv("HOME", home.c_str(), 1);
      setenv("XDG_CONFIG_HOME", home.c_str(), 1);
      setenv("CUDA_VISIBLE_DEVICES", "", 1);
      if (prepare) prepare();
      execv(argv.front(), argv.data());
      _exit(127);
    }
    close(slave);
    REQUIRE(process_ > 0);
    reader_ = std::jthread([this] {
      std::array<char, 4096> buffer{};
      for (ssize_t bytes; (bytes = read(terminal_, buffer.data(), buffer.size())) > 0;) {
        const std::lock_guard lock(mutex_);
        err_.append(buffer.data(), std::size_t(bytes));
      }
    });
  }
  ~Running() {
    if (!status_) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    reader_.join();
    close(terminal_);
  }

  /// Whether stderr shows the text within a minute.
  bool shows(const std::string& text) {
    return within_a_minute([&] { return err().find(text) != std::string::npos; });
  }
  void send(int signal) const { kill(process_, signal); }
  /// The status of waitpid(), once the process has ended; REQUIREs that it does within a minute.
  int status() {
    REQUIRE(within_a_minute([&] {
      int status = 0;
      if (waitpid(process_, &status, WNOHANG) == process_) status_ = status;
      return status_.has_value();
    }));
    return *status_;
  }
  std::string err() {
    const std::lock_guard lock(mutex_);
    return err_;
  }
  std::string out() const { return content(scratch_ / "out"); }

 private:
  ScratchDirectory scratch_;
  int terminal_ = -1;
  pid_t process_ = -1;
  std::optional<int> status_;
  std::mutex mutex_;
  std::string err_;
  std::jthread reader_;
};

void check_fails(Running& running) {
  const int status = running.status();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
}

/// Ends with exit code 1 soon after the signal. Mostly that takes milliseconds; the bound is for loaded
/// machines, and far below the time of the work.
void check_ends(Running& running, int signal) {
  const auto sent = Clock::now();
  running.send(signal);
  check_fails(running);
  const std::chrono::duration<double> took = Clock::now() - sent;
  INFO(running.err());
  CHECK(took.count() < 5);
}

constexpr const char* starts_again =
    "fathom: interrupted: no answer was written; the same command starts again";

constexpr const char* long_count = "count sort-pairwise -n 2^24 --device h200 --memory-limit 1e12";

}  // namespace

TEST_CASE("SIGINT, SIGTERM and SIGHUP end a count within its blocks") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  Running running(long_count);
  REQUIRE(running.shows("blocks of"));
  check_ends(running, signal);
  const std::string last = std::string("\r\033[K") + starts_again + "\r\n";
  CHECK(running.shows(last));  // the terminal may show it only after the process has ended
  CHECK(running.err().ends_with(last));
  CHECK(running.out().empty());
}

TEST_CASE("progress is cut to the width of the terminal") {
  constexpr unsigned short columns = 20;
  Running running(long_count, {}, columns);
  REQUIRE(running.shows("…\r"));
  check_ends(running, SIGINT);
  std::istringstream shown(running.err());
  for (std::string line; std::getline(shown, line, '\r');) {
    if (!line.starts_with("\033[K") || line.find("fathom: ") != std::string::npos) continue;
    INFO(line);
    const auto begins_character = [](char c) { return (c & 0xc0) != 0x80; };
    CHECK(std::ranges::count_if(line, begins_character) - 3 <= columns);
  }
}

TEST_CASE("an interrupted audit answers with the counts that are done, and says which are missing") {
  const ScratchDirectory scratch;
  const auto file = scratch / "audit.json";
  Running running("count scan-matrix -n 2^10,2^12,2^26 --audit --device h200 --memory-limit 1e12 --json -o " +
                  file.string());
  REQUIRE(running.shows("2/3 "));
  check_ends(running, SIGINT);
  CHECK(running.shows(
      "fathom: interrupted: 2 of 3 counts are done, those from scan-matrix n = 2^26, alpha = "));
  const json counts = json::parse(content(file))["counts"];
  REQUIRE(counts.size() == 2);
  CHECK(counts[1]["n"] == 4096);
}

TEST_CASE("an interrupted report is not written") {
  const ScratchDirectory scratch;
  const auto file = scratch / "report.html";
  Running running("report " FATHOM_DATA "/h200-merge-sorts/sizes.json " FATHOM_DATA
                  "/h200-merge-sorts/grid.json --device h200 -o " +
                  file.string());
  REQUIRE(running.shows("reading"));
  check_ends(running, SIGTERM);
  CHECK(running.shows(starts_again));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("an interrupt ends a hanging gnuplot and what it has started") {
  const ScratchDirectory scratch;
  const auto started = scratch / "started", gnuplot = scratch / "gnuplot";
  write(gnuplot, "#!/bin/sh\n/bin/sleep 1000 &\necho $! > " + started.string() + "\nwait\n");
  std::filesystem::permissions(gnuplot, std::filesystem::perms::owner_all);
  Running running("plot saturation --device h200 -o " + scratch.file("x.svg"),
                  [&] { setenv("PATH", gnuplot.parent_path().c_str(), 1); });
  std::string pid;
  for (int i = 0; i < 6000 && !pid.ends_with('\n'); ++i) {
    if (std::filesystem::exists(started)) pid = content(started);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  REQUIRE(pid.ends_with('\n'));
  check_ends(running, SIGINT);
  const auto is_running = [&] {  // no one may wait for it but init
    const std::string status = "/proc/" + std::to_string(std::stoi(pid)) + "/stat";
    return std::filesystem::exists(status) && content(status).find(") Z") == std::string::npos;
  };
  for (int i = 0; i < 500 && is_running(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(is_running());
  CHECK(running.shows(starts_again));
}

TEST_CASE("of several figures, an interrupt leaves those that are drawn, and says how many") {
  const ScratchDirectory scratch;
  const auto drew = scratch / "drew", hangs = scratch / "hangs", gnuplot = scratch / "gnuplot";
  write(gnuplot, "#!/bin/sh\ncat >/dev/null\nif [ -e " + drew.string() + " ]; then : > " + hangs.string() +
                     "; exec sleep 1000; fi\n: > " + drew.string() + "\necho figure\n");
  std::filesystem::permissions(gnuplot, std::filesystem::perms::owner_all);
  std::filesystem::create_directory(scratch / "figures");
  Running running("plot throughput " FATHOM_DATA "/h200-merge-sorts/inputs.json --device h200 -o " +
                      (scratch / "figures/x.png").string(),
                  [&] {
                    const std::string path = gnuplot.parent_path().string() + ":" + getenv("PATH");
                    setenv("PATH", path.c_str(), 1);
                  });
  REQUIRE(within_a_minute([&] { return std::filesystem::exists(hangs); }));
  check_ends(running, SIGINT);
  CHECK(running.shows("fathom: interrupted: 1 of 7 figures are written; the same command starts again"));
  const std::filesystem::directory_iterator figures(scratch / "figures");
  CHECK(std::distance(begin(figures), end(figures)) == 1);
}

TEST_CASE("a second signal ends the process, whatever it does") {
  const ScratchDirectory scratch;
  const auto pipe = scratch / "pipe.json";  // that no one writes to: opening it never ends
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  Running running("validate " + pipe.string() + " --device h200");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  running.send(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  running.send(SIGINT);
  CHECK(WIFSIGNALED(running.status()));
}

TEST_CASE("a limit on the size of files is an error of the command") {
  const ScratchDirectory scratch;
  const auto file = scratch / "algorithms.txt";
  Running running("algorithms -o " + file.string(), [] {
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  check_fails(running);
  CHECK(running.shows("File too large\r\n"));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a command whose reader has read enough ends without a word, as others do") {
  Running running("algorithms", [] {
    int ends[2];
    if (pipe(ends) != 0) _exit(126);
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
  });
  const int status = running.status();
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE));
  CHECK(running.err().empty());
}
