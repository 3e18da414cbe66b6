// SPDX-License-Identifier: Apache-2.0
#include "../support/programs.h"

#include <fathom/core/interruption.h>
#include <fathom/core/system/run_program.h>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

/// The number that a program wrote into the file, once it is there.
pid_t number_in(const std::filesystem::path& file) {
  for (int i = 0; i < 1000; ++i) {
    pid_t number = 0;
    if (std::ifstream(file) >> number) return number;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL("nothing was written to " << file);
  return 0;
}

/// Whether the process ends within ten seconds. One that no one has waited for has ended.
bool ends(pid_t process) {
  const std::string status = "/proc/" + std::to_string(process) + "/stat";
  for (int i = 0; i < 1000; ++i) {
    std::string words;
    if (!std::getline(std::ifstream(status), words) || words.find(") Z") != words.npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// A shell that has started another process, whose number is in the file, and waits for it.
std::string with_child(const std::filesystem::path& file) {
  return "sleep 1000 & echo $! > " + file.string() + "; wait";
}

}  // namespace

TEST_CASE("a program gets its input and returns its output and its status") {
  const ProgramResult copied = run_program({"cat"}, "some text");
  CHECK(copied.output == "some text");
  CHECK(copied.status == 0);
  CHECK(run_program({"cat", "/dev/stdin"}, "by name").output == "by name");
  CHECK(WEXITSTATUS(run_program({"sh", "-c", "exit 7"}, "").status) == 7);
  const ProgramResult killed = run_program({"sh", "-c", "kill -9 $$"}, "");
  CHECK((WIFSIGNALED(killed.status) && WTERMSIG(killed.status) == SIGKILL));
  CHECK_THROWS_AS(run_program({"/no/such/program"}, ""), std::system_error);
}

TEST_CASE("a program that hangs, floods or takes too much memory is ended") {
  const TemporaryDirectory folder;
  CHECK_THROWS_WITH(
      run_program({"sh", "-c", with_child(folder / "child")}, "", {.time = std::chrono::milliseconds(200)}),
      Contains("sh was ended") && Contains("0.2 s"));
  CHECK(ends(number_in(folder / "child")));
  CHECK_THROWS_WITH(run_program({"sh", "-c", "yes"}, "", {.output_bytes = 1 << 20}), Contains("1 MB"));
  // Nothing of the shell itself needs so much; the process that does fails, and the shell says so.
  const ProgramResult large =
      run_program({"sh", "-c", "head -c 200000000 /dev/zero | tail -c 200000000 >/dev/null"}, "",
                  {.memory_bytes = 100 << 20});
  CHECK(large.status != 0);
}

TEST_CASE("an interrupt ends the program and what it has started") {
  const TemporaryDirectory folder;
  const std::filesystem::path child = folder / "child";
  const Interruptible interruptible([&] {
    if (std::filesystem::exists(child)) throw Interrupted("interrupted");
  });
  CHECK_THROWS_AS(run_program({"sh", "-c", with_child(child)}, ""), Interrupted);
  CHECK(ends(number_in(child)));
}

TEST_CASE("a program ends with the process that runs it, even a killed one") {
  const TemporaryDirectory folder;
  const pid_t runner = fork();
  if (runner == 0) {
    run_program({"sh", "-c", with_child(folder / "child")}, "");
    _exit(0);
  }
  const pid_t child = number_in(folder / "child");
  kill(runner, SIGKILL);
  waitpid(runner, nullptr, 0);
  CHECK(ends(child));
}

TEST_CASE("what a program leaves behind ends with it") {
  const TemporaryDirectory folder;
  run_program({"sh", "-c", "sleep 1000 & echo $! > " + (folder / "child").string()}, "");
  CHECK(ends(number_in(folder / "child")));
}
