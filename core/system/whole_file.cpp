// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/whole_file.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace fathom {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t(1) << 28;

[[noreturn]] void fail(int error, const std::string& action, const fs::path& file) {
  throw std::system_error(error, std::generic_category(), "cannot " + action + " '" + file.string() + "'");
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  /// close(2) reports errors of deferred writes.
  int close() { return ::close(release()); }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(std::size_t(written));
  }
  return true;
}

std::optional<struct stat> status_of(const fs::path& file) {
  struct stat found;
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return found;
}

/// A device or a pipe, or what is open already under a name such as /dev/stdout: to be written to, not
/// replaced.
bool is_special(const fs::path& file) {
  const auto found = status_of(file);
  if (!found) return false;
  const std::string name = fs::absolute(file).lexically_normal().string();
  return (!S_ISREG(found->st_mode) && !S_ISDIR(found->st_mode)) || name.starts_with("/dev/std") ||
         name.starts_with("/dev/fd/") || name.starts_with("/proc/");
}

fs::path directory_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// The file that symbolic links lead to; it need not exist.
fs::path without_links(fs::path file) {
  constexpr int most_links = 40;  // as the kernel follows
  for (int i = 0; i < most_links; ++i) {
    std::error_code none;
    const fs::path next = fs::read_symlink(file, none);
    if (none) return file;
    file = next.is_absolute() ? next : directory_of(file) / next;
  }
  fail(ELOOP, "write", file);
}

// ---- the new content, before it takes the file's place ----

/// Not to be guessed: in a directory such as /tmp others could have made a link of that name.
std::string temporary_name() {
  std::array<std::uint8_t, 12> random;
  if (::getrandom(random.data(), random.size(), 0) != ssize_t(random.size()))
    throw std::system_error(errno, std::generic_category(), "no random numbers");
  constexpr char digits[] = "0123456789abcdef";
  std::string name = ".fathom-";
  for (std::uint8_t byte : random) {
    name += digits[byte / 16];
    name += digits[byte % 16];
  }
  return name + ".tmp";
}

/// A file in the directory that has no name yet where the file system can do that, so that nothing remains of
/// it if the process is killed. Otherwise `name` is what it was created as.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& directory)
      : path_(directory / temporary_name()),
        descriptor_(::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)) {
    if (descriptor_.open()) return;
    descriptor_ =
        FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    named_ = descriptor_.open();
  }
  ~TemporaryFile() {
    if (named_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool open() const { return descriptor_.open(); }

  void take_mode_and_owner(const struct stat& old) {
    if (::fchown(descriptor_.number(), old.st_uid, old.st_gid) != 0) {
      // Only root may give files away. The mode is kept in any case.
    }
    ::fchmod(descriptor_.number(), old.st_mode & 07777);
  }

  /// False, with errno, if one of the steps failed.
  bool become(const fs::path& file, std::string_view text) {
    if (!write_all(descriptor_.number(), text) || ::fsync(descriptor_.number()) != 0) return false;
    if (!named_) {
      const std::string unnamed = "/proc/self/fd/" + std::to_string(descriptor_.number());
      if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
      named_ = true;
    }
    if (descriptor_.close() != 0 || ::rename(path_.c_str(), file.c_str()) != 0) return false;
    named_ = false;
    return true;
  }

 private:
  fs::path path_;
  FileDescriptor descriptor_;
  bool named_ = false;
};

/// Makes the move itself durable. If the file system does not support this, the old file is not lost.
void sync_directory(const fs::path& directory) {
  const FileDescriptor descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.open()) ::fsync(descriptor.number());
}

void write_through(const fs::path& file, std::string_view text) {
  const FileDescriptor descriptor(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!descriptor.open() || !write_all(descriptor.number(), text)) fail(errno, "write", file);
}

// ---- claims ----

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw std::runtime_error(file.string() + why);
}

void check_target(const fs::path& given, const fs::path& file) {
  const fs::path directory = directory_of(file);
  if (file.filename().empty() || fs::is_directory(file)) refuse(given, " is a directory: name a file");
  if (!fs::is_directory(directory))
    refuse(given, ": the directory " + directory.string() + " does not exist: create it first");
  // The file is moved into place when it is complete, so the directory must be writable.
  if (::access(directory.c_str(), W_OK) != 0)
    refuse(given, ": no permission to write in " + directory.string());
  if (const auto found = status_of(file)) {
    if (::access(file.c_str(), W_OK) != 0) refuse(given, ": no permission to write to this file");
    if (found->st_nlink > 1)
      refuse(given, " has several names (hard links), which writing would separate: choose another file");
  }
  struct statvfs space;
  if (::statvfs(directory.c_str(), &space) == 0 && space.f_blocks > 0 && space.f_bavail == 0)
    refuse(given, ": no space is left on its file system: free some, or choose another file");
}

/// The descriptor of the lock file, locked; −1 on a file system without locks.
int claim(const fs::path& given, const fs::path& lock) {
  while (true) {
    FileDescriptor descriptor(
        ::open(lock.c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (!descriptor.open()) fail(errno, "create the lock of", given);
    if (::flock(descriptor.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return -1;
      refuse(given,
             " is being written by another fathom: wait until it has finished, or choose another file");
    }
    // Whoever held the lock before removed the file; locking what has no name would claim nothing.
    struct stat mine;
    const auto named = status_of(lock);
    if (::fstat(descriptor.number(), &mine) == 0 && named && named->st_ino == mine.st_ino &&
        named->st_dev == mine.st_dev)
      return descriptor.release();
  }
}

}  // namespace

std::string read_whole(const fs::path& file) {
  const FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.open()) fail(errno, "read", file);
  std::string text;
  struct stat found;
  if (::fstat(descriptor.number(), &found) == 0 && S_ISREG(found.st_mode))
    text.reserve(std::min(std::size_t(found.st_size), largest_file));
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor.number(), buffer.data(), buffer.size());
    if (count < 0) fail(errno, "read", file);
    if (count == 0) return text;
    if (text.size() + std::size_t(count) > largest_file)
      throw std::runtime_error("'" + file.string() + "' is larger than 256 MiB: no file of Fathom's is");
    text.append(buffer.data(), std::size_t(count));
  }
}

void write_whole(const fs::path& given, std::string_view text) {
  if (is_special(given)) return write_through(given, text);
  const fs::path file = without_links(given);
  const auto old = status_of(file);
  const fs::path directory = directory_of(file);
  TemporaryFile replacement(directory);
  if (!replacement.open()) fail(errno, "write", given);
  if (old) replacement.take_mode_and_owner(*old);
  if (!replacement.become(file, text)) fail(errno, "write", given);
  sync_directory(directory);
}

OutputFile::OutputFile(const fs::path& file) : given_(file), file_(file) {
  if (is_special(file)) return;
  file_ = without_links(file);
  check_target(given_, file_);
  std::string lock = ".";
  lock += file_.filename().string();
  lock += ".lock";
  lock_ = directory_of(file_) / lock;
  lock_descriptor_ = claim(given_, lock_);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : given_(std::move(other.given_)),
      file_(std::move(other.file_)),
      lock_(std::move(other.lock_)),
      lock_descriptor_(std::exchange(other.lock_descriptor_, -1)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(given_, other.given_);
  std::swap(file_, other.file_);
  std::swap(lock_, other.lock_);
  std::swap(lock_descriptor_, other.lock_descriptor_);
  return *this;
}

OutputFile::~OutputFile() {
  if (lock_descriptor_ < 0) return;
  ::unlink(lock_.c_str());  // while it is locked, so that it is certainly ours
  ::close(lock_descriptor_);
}

void OutputFile::write(std::string_view text) const {
  write_whole(file_, text);
}

void make_private_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory_of(directory), error);
  if (!error && ::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    error = std::error_code(errno, std::generic_category());
  if (error) throw std::system_error(error, "cannot create '" + directory.string() + "'");
  struct stat found;
  if (::lstat(directory.c_str(), &found) != 0) fail(errno, "read", directory);
  const auto refuse_because = [&](const char* why) {
    throw std::runtime_error("'" + directory.string() + "' " + why);
  };
  if (!S_ISDIR(found.st_mode)) refuse_because("is not a directory");
  if (found.st_uid != ::geteuid()) refuse_because("belongs to another user");
  if (found.st_mode & (S_IWGRP | S_IWOTH)) refuse_because("can be written to by other users");
}

}  // namespace fathom
