#include <fathom/store/whole_file.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace fathom {
namespace {

[[noreturn]] void fail(int error, std::string_view action, const std::filesystem::path& file) {
  throw std::system_error(error, std::generic_category(),
                          fmt::format("cannot {} '{}'", action, file.string()));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  /// close(2) reports errors of deferred writes.
  int close() { return ::close(std::exchange(number_, -1)); }

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

/// Makes the move itself durable. If the file system does not support this, the old file is not lost.
void sync_directory(const std::filesystem::path& directory) {
  const FileDescriptor descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.open()) ::fsync(descriptor.number());
}

/// Devices and pipes need no atomic write and must not be replaced by a file.
void write_through(const std::filesystem::path& file, std::string_view text) {
  FileDescriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!descriptor.open() || !write_all(descriptor.number(), text)) fail(errno, "write", file);
}

}  // namespace

std::string read_whole(const std::filesystem::path& file) {
  const FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.open()) fail(errno, "read", file);
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno, "read", file);
    if (count == 0) return text;
    text.append(buffer.data(), std::size_t(count));
  }
}

void write_whole(const std::filesystem::path& file, std::string_view text) {
  if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file))
    return write_through(file, text);
  const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
  const std::filesystem::path temporary =
      directory / fmt::format(".{}.{}.tmp", file.filename().string(), ::getpid());
  FileDescriptor descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!descriptor.open()) fail(errno, "write", file);
  const bool written = write_all(descriptor.number(), text) && ::fsync(descriptor.number()) == 0 &&
                       descriptor.close() == 0 && ::rename(temporary.c_str(), file.c_str()) == 0;
  if (!written) {
    const int error = errno;
    ::unlink(temporary.c_str());
    fail(error, "write", file);
  }
  sync_directory(directory);
}

}  // namespace fathom
