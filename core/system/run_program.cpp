// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/core/system/run_program.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

namespace fathom {
namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

/// A file in memory, with a descriptor that a child process can be given but no name in any folder.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = "") {
    if (const int descriptor = memfd_create("fathom", MFD_CLOEXEC); descriptor >= 0)
      file_.reset(fdopen(descriptor, "w+"));
    if (!file_ || std::fwrite(content.data(), 1, content.size(), file_.get()) != content.size() ||
        std::fflush(file_.get()) != 0)
      fail(errno, "cannot create a file in memory");
    std::rewind(file_.get());
  }

  int descriptor() const { return fileno(file_.get()); }

  std::size_t size() const {
    struct stat about {};
    return fstat(descriptor(), &about) == 0 ? std::size_t(about.st_size) : 0;
  }
  std::string content() const {
    std::rewind(file_.get());
    std::string all;
    char part[1 << 16];
    while (const std::size_t size = std::fread(part, 1, sizeof part, file_.get())) all.append(part, size);
    return all;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, &std::fclose};
};

/// A child process sends it to say why the program could not be started, or how it ended.
struct Message {
  enum Kind { not_started, ended } kind;
  int value;  ///< errno, or the status of waitpid()
};

/// A pipe that no started program inherits.
class MessagePipe {
 public:
  MessagePipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) fail(errno, "cannot create a pipe");
  }
  ~MessagePipe() {
    close(ends_[0]);
    close_for_writing();
  }
  MessagePipe(const MessagePipe&) = delete;
  MessagePipe& operator=(const MessagePipe&) = delete;

  void close_for_writing() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  void write(Message message) const {
    // Less than PIPE_BUF, so whole. If it fails, the reader finds the pipe's end.
    if (::write(ends_[1], &message, sizeof message) < 0) _exit(127);
  }
  /// Waits that long at most; absent if there is no message yet. The end of the pipe is a killed process.
  std::optional<Message> read(std::chrono::milliseconds wait) const {
    pollfd ready{ends_[0], POLLIN, 0};
    if (poll(&ready, 1, int(wait.count())) <= 0) return std::nullopt;
    Message message{};
    if (::read(ends_[0], &message, sizeof message) == sizeof message) return message;
    return Message{Message::ended, SIGKILL};
  }

 private:
  int ends_[2];
};

// From here to ProcessGroup, code runs in children of a process that may have had other threads: it calls
// only functions that are safe in signal handlers, and has what it needs in memory.

void use_as(int descriptor, int standard) {
  // The descriptor has that number already where the caller had closed its own.
  if (descriptor == standard)
    fcntl(standard, F_SETFD, 0);
  else
    dup2(descriptor, standard);
}

struct Started {
  char** words;
  int input, output;
  const ProgramLimits& limits;
  const MessagePipe& messages;
};

[[noreturn]] void become_program(const Started& program) {
  // In this order also where the caller has closed its own 0, 1 or 2, and these descriptors are among them.
  use_as(program.input, STDIN_FILENO);
  use_as(program.output, STDOUT_FILENO);
  if (const int null = open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) use_as(null, STDERR_FILENO);
  const rlimit memory{program.limits.memory_bytes, program.limits.memory_bytes},
      output{program.limits.output_bytes, program.limits.output_bytes};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_FSIZE, &output);
  execvp(program.words[0], program.words);
  program.messages.write({Message::not_started, errno});
  _exit(127);
}

/// The leader of the group: ends it when the process that waits for the program has ended.
[[noreturn]] void lead_group(const Started& program, pid_t parent) {
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);
  std::signal(SIGTERM, [](int) { kill(0, SIGKILL); });
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // it has ended already
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);
    become_program(program);
  }
  if (child < 0) {
    program.messages.write({Message::not_started, errno});
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) _exit(127);
  program.messages.write({Message::ended, status});
  pause();  // until the parent ends the group
  _exit(0);
}

/// The processes of a program, which end with this.
class ProcessGroup {
 public:
  ProcessGroup(const Started& program, const std::string& name) {
    const pid_t parent = getpid();
    leader_ = fork();
    if (leader_ == 0) lead_group(program, parent);
    if (leader_ < 0) fail(errno, "cannot start " + name);
    setpgid(leader_, leader_);  // the leader does so, too: whichever comes first
  }
  ~ProcessGroup() {
    kill(-leader_, SIGKILL);
    while (waitpid(leader_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

 private:
  pid_t leader_;
};

}  // namespace

ProgramResult run_program(std::vector<std::string> arguments, std::string_view input,
                          const ProgramLimits& limits) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds between_looks(20);
  const MemoryFile in(input), out;
  MessagePipe messages;
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const std::string& name = arguments.front();

  const Clock::time_point deadline = Clock::now() + limits.time;
  const ProcessGroup group({words.data(), in.descriptor(), out.descriptor(), limits, messages}, name);
  messages.close_for_writing();
  std::optional<Message> message;
  while (!(message = messages.read(between_looks))) {
    check_interruption();
    if (Clock::now() > deadline)
      throw ProgramLimitExceeded(fmt::format("{} was ended: it ran for more than {} s", name,
                                             std::chrono::duration<double>(limits.time).count()));
  }
  if (message->kind == Message::not_started) fail(message->value, "cannot start " + name);
  if (out.size() >= limits.output_bytes)
    throw ProgramLimitExceeded(
        fmt::format("{} was ended: it wrote more than {} MB", name, limits.output_bytes >> 20));
  return {message->value, out.content()};
}

}  // namespace fathom
