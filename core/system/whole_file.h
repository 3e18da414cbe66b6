// SPDX-License-Identifier: Apache-2.0
// Reads whole files and replaces them whole or not at all. Every file that Fathom keeps is written here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fathom {

/// Throws std::system_error naming the file; std::runtime_error for a file of more than 256 MiB, which no
/// file of Fathom's is, and which a device such as /dev/zero would become.
std::string read_whole(const std::filesystem::path& file);

/// Replaces the file's content, or creates the file. Whatever interrupts it (a signal, a full disk, a power
/// failure), the file has its old content or the new one, never a part. Its mode, and as far as permitted its
/// owner, are kept; if it is a symbolic link, the file that it points to is replaced. Throws
/// std::system_error naming the file.
void write_whole(const std::filesystem::path& file, std::string_view text);

/// A file that will be written, claimed before the work that fills it. While this object exists, no other
/// process can claim the file, so that of two commands with the same output the later one is refused before
/// it starts, and what was reported as saved is still there.
///
/// The claim is a lock (flock) on ".NAME.lock" beside the file, which is removed with the claim. It ends with
/// the process, even if that is killed; the empty lock file then stays until the next claim. On file systems
/// without locks nothing is claimed. Devices and pipes are neither locked nor replaced, only written to.
class OutputFile {
 public:
  /// Throws std::runtime_error, saying what to do, if the file cannot be written: a directory, a missing
  /// folder, no permission, no space, a file with several hard links (replacing it would separate them), or
  /// claimed by another process.
  explicit OutputFile(const std::filesystem::path& file);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// As write_whole(). May be called more than once: each time replaces the content.
  void write(std::string_view text) const;

  /// As given.
  const std::filesystem::path& path() const { return given_; }

 private:
  std::filesystem::path given_;
  std::filesystem::path file_;  ///< at the end of the symbolic links
  std::filesystem::path lock_;  ///< empty: not locked
  int lock_descriptor_ = -1;
};

/// The directory, created if necessary, for files that only this user may change: it belongs to the user and
/// no one else may write to it. Throws std::runtime_error, saying why, if that is not so or cannot be made
/// so.
void make_private_directory(const std::filesystem::path& directory);

}  // namespace fathom
