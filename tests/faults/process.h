// SPDX-License-Identifier: Apache-2.0
// Programs that are started to be broken off, and the files that they work on.
#pragma once

#include "../support/temporary_directory.h"

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fathom::faults {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Arguments = std::vector<std::string>;
using Directory = tests::TemporaryDirectory;

std::string content(const fs::path& file);
void put(const fs::path& file, const std::string& text);

struct Ended {
  int status;  ///< of waitpid()
  double seconds;
  bool succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
  bool failed() const { return WIFEXITED(status) && WEXITSTATUS(status) == 1; }
};

/// The words and surroundings that a program is started with.
struct Start {
  fs::path home;
  fs::path out = "/dev/null", errors = "/dev/null";
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< beyond this process's
  rlim_t largest_file = 0;                                            ///< bytes; 0 for no limit
};

/// A program at work; its first argument is its path.
class Process {
 public:
  Process(const Arguments& arguments, const Start& start);
  void signal(int number) const;
  /// Waits for the end.
  Ended wait() const;
  /// The end, if it has come. Is asked no more after that.
  std::optional<Ended> ended() const;

 private:
  double seconds() const;

  Clock::time_point began_;
  pid_t id_;
};

/// `command` with spaces between its words, as arguments of fathom.
Arguments fathom_with(const std::string& command);

void sleep_for(double seconds);
double seconds_since(Clock::time_point moment);

}  // namespace fathom::faults
