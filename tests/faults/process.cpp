// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace fathom::faults {

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

Process::Process(const Arguments& arguments, const Start& start) : began_(Clock::now()), id_(::fork()) {
  if (id_ < 0) throw std::runtime_error("cannot start a process");
  if (id_ > 0) return;
  ::signal(SIGINT, SIG_DFL);  // a shell's background process ignores it, and so would Python
  ::setenv("HOME", start.home.c_str(), 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  for (const auto& [name, value] : start.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (start.largest_file > 0) {
    const rlimit limit{start.largest_file, start.largest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ::dup2(::open(start.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  ::dup2(::open(start.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  std::vector<char*> values;
  for (const std::string& argument : arguments) values.push_back(const_cast<char*>(argument.c_str()));
  values.push_back(nullptr);
  ::execv(values.front(), values.data());
  ::_exit(127);
}

void Process::signal(int number) const {
  ::kill(id_, number);
}
Ended Process::wait() const {
  int status = 0;
  ::waitpid(id_, &status, 0);
  return {status, seconds()};
}
std::optional<Ended> Process::ended() const {
  int status = 0;
  if (::waitpid(id_, &status, WNOHANG) != id_) return std::nullopt;
  return Ended{status, seconds()};
}
double Process::seconds() const {
  return seconds_since(began_);
}

Arguments fathom_with(const std::string& command) {
  std::istringstream words(FATHOM_COMMAND " " + command);
  return {std::istream_iterator<std::string>(words), {}};
}

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}
double seconds_since(Clock::time_point moment) {
  return std::chrono::duration<double>(Clock::now() - moment).count();
}

}  // namespace fathom::faults
