// SPDX-License-Identifier: Apache-2.0
// Files that Fathom writes: they survive interruptions, other writers and what lies in their place.
#include "../support/error_of.h"
#include "../support/temporary_directory.h"

#include <fathom/core/system/whole_file.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>

using namespace fathom;
using tests::error_of;
namespace fs = std::filesystem;

namespace {

using Directory = tests::TemporaryDirectory;

void put(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

unsigned mode(const fs::path& file) {
  struct stat found;
  REQUIRE(::stat(file.c_str(), &found) == 0);
  return found.st_mode & 07777;
}

}  // namespace

TEST_CASE("a file keeps its mode and a new one has the usual mode") {
  const Directory directory;
  const fs::path file = directory / "a";
  const mode_t before = ::umask(022);
  write_whole(file, "one");
  CHECK(mode(file) == 0644);
  for (unsigned kept : {0600u, 0640u, 0755u}) {
    ::chmod(file.c_str(), kept);
    write_whole(file, "two");
    CHECK(mode(file) == kept);
  }
  ::umask(before);
  CHECK(read_whole(file) == "two");
  CHECK(directory.files() == 1);
}

TEST_CASE("writing through a symbolic link replaces the file that it leads to") {
  const Directory directory;
  fs::create_directory(directory / "there");
  put(directory / "there/real", "old");
  fs::create_symlink("there/real", directory / "link");
  fs::create_symlink("link", directory / "link-to-link");
  write_whole(directory / "link-to-link", "new");
  CHECK(fs::is_symlink(directory / "link"));
  CHECK(fs::is_symlink(directory / "link-to-link"));
  CHECK(read_whole(directory / "there/real") == "new");

  fs::create_symlink("there/not-yet", directory / "dangling");
  OutputFile(directory / "dangling").write("made");
  CHECK(fs::is_symlink(directory / "dangling"));
  CHECK(read_whole(directory / "there/not-yet") == "made");

  fs::create_symlink("circle", directory / "circle");
  CHECK_THROWS_AS(write_whole(directory / "circle", "x"), std::system_error);
}

TEST_CASE("a file with several hard links is refused instead of being separated") {
  const Directory directory;
  put(directory / "a", "old");
  fs::create_hard_link(directory / "a", directory / "b");
  CHECK(error_of<std::runtime_error>([&] { OutputFile(directory / "a"); }).find("several names") !=
        std::string::npos);
  CHECK(read_whole(directory / "b") == "old");
}

TEST_CASE("what others planted beside the file is neither followed nor removed") {
  const Directory directory;
  put(directory / "victim", "precious");
  fs::create_symlink("victim", directory / (".a." + std::to_string(::getpid()) + ".tmp").c_str());
  write_whole(directory / "a", "new");
  CHECK(read_whole(directory / "victim") == "precious");

  fs::create_symlink("victim", directory / ".b.lock");
  CHECK_THROWS_AS(OutputFile(directory / "b"), std::system_error);
  CHECK(read_whole(directory / "victim") == "precious");
  CHECK(fs::is_symlink(directory / ".b.lock"));
}

TEST_CASE("a failed write leaves the old content and nothing else") {
  const Directory directory;
  const fs::path file = directory / "a";
  write_whole(file, "old");
  rlimit before;
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string error = error_of<std::system_error>([&] { write_whole(file, std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(error == "cannot write '" + file.string() + "': File too large");
  CHECK(read_whole(file) == "old");
  CHECK(directory.files() == 1);
}

TEST_CASE("a file is claimed by one writer at a time") {
  const Directory directory;
  const fs::path file = directory / "a";
  {
    const OutputFile first(file);
    CHECK(error_of<std::runtime_error>([&] { OutputFile second(file); }) ==
          file.string() +
              " is being written by another fathom: wait until it has finished, or choose another file");
    const OutputFile other(directory / "b");
    first.write("one");
    first.write("two");
    CHECK_THROWS_AS(OutputFile(file), std::runtime_error);  // the claim outlives the first write
  }
  OutputFile(file).write("three");
  CHECK(read_whole(file) == "three");
  CHECK(directory.files() == 1);  // b was claimed and never written

  put(directory / ".a.lock", "");  // what a killed process leaves behind
  OutputFile(file).write("four");
  CHECK(directory.files() == 1);

  OutputFile moved = OutputFile(file);
  CHECK_THROWS_AS(OutputFile(file), std::runtime_error);
  moved = OutputFile(directory / "c");
  CHECK_NOTHROW(OutputFile(file));
}

TEST_CASE("a file that cannot be written is refused before the work, with the way out") {
  const Directory directory;
  const auto error = [&](const char* name) {
    return error_of<std::runtime_error>([&] { OutputFile(directory / name); });
  };
  fs::create_directory(directory / "folder");
  CHECK(error("folder").find("is a directory: name a file") != std::string::npos);
  CHECK(error("missing/a").find("missing does not exist: create it first") != std::string::npos);
  if (::geteuid() != 0) {  // root may write anywhere
    put(directory / "read-only", "");
    ::chmod((directory / "read-only").c_str(), 0444);
    CHECK(error("read-only").find("no permission to write to this file") != std::string::npos);
    ::chmod((directory / "folder").c_str(), 0555);
    CHECK(error("folder/a").find("no permission to write in") != std::string::npos);
  }
}

TEST_CASE("devices and pipes are written to and not replaced") {
  const Directory directory;
  OutputFile("/dev/null").write("x");
  CHECK(fs::is_character_file("/dev/null"));
  CHECK_THROWS_AS(OutputFile("/dev/full").write("x"), std::system_error);
  CHECK_THROWS_AS(read_whole("/dev/zero"), std::runtime_error);
}

TEST_CASE("a private directory belongs to the user alone") {
  const Directory directory;
  make_private_directory(directory / "a/b/c");
  CHECK(mode(directory / "a/b/c") == 0700);
  CHECK_NOTHROW(make_private_directory(directory / "a/b/c"));
  ::chmod((directory / "a/b/c").c_str(), 0777);
  CHECK(error_of<std::runtime_error>([&] {
          make_private_directory(directory / "a/b/c");
        }).find("can be written to by other users") != std::string::npos);
  fs::create_directory_symlink(directory / "a", directory / "link");
  CHECK(error_of<std::runtime_error>([&] {
          make_private_directory(directory / "link");
        }).find("is not a directory") != std::string::npos);
  put(directory / "file", "");
  CHECK_THROWS_AS(make_private_directory(directory / "file"), std::runtime_error);
  if (::geteuid() == 0) {  // only root may give a directory away
    make_private_directory(directory / "theirs");
    REQUIRE(::chown((directory / "theirs").c_str(), 12345, 12345) == 0);
    CHECK(error_of<std::runtime_error>([&] {
            make_private_directory(directory / "theirs");
          }).find("belongs to another user") != std::string::npos);
  }
}
