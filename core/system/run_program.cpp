#include <fathom/core/system/run_program.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
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

pid_t start(std::vector<std::string>& arguments, const MemoryFile& input, const MemoryFile& output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // In this order also where the caller has closed its own 0, 1 or 2, and these descriptors are among them.
  posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);

  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  pid_t child;
  const int failed = posix_spawnp(&child, words[0], &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) fail(failed, "cannot start " + arguments[0]);
  return child;
}

}  // namespace

ProgramResult run_program(std::vector<std::string> arguments, std::string_view input) {
  const MemoryFile in(input), out;
  const pid_t child = start(arguments, in, out);
  ProgramResult result;
  while (waitpid(child, &result.status, 0) < 0)
    if (errno != EINTR) fail(errno, "cannot wait for " + arguments[0]);
  result.output = out.content();
  return result;
}

}  // namespace fathom
