// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace fs = std::filesystem;

namespace {

/// How many lines of progress there are depends on how fast the machine is.
std::string without_progress(const std::string& err) {
  static const std::regex progress("fathom: [0-9]+/[0-9]+ · [^\n]*\n");
  return std::regex_replace(err, progress, "");
}

Outcome run(const std::string& environment, const std::string& arguments) {
  const ScratchDirectory scratch;
  const std::string home = scratch.file("home");
  const std::string command = "HOME=" + home + " XDG_CONFIG_HOME=" + home + " " + environment + " " +
                              FATHOM_COMMAND + " " + arguments + " >" + scratch.file("out") + " 2>" +
                              scratch.file("err");
  const int status = std::system(command.c_str());
  if (status == -1 || !WIFEXITED(status)) throw std::runtime_error("did not exit normally: " + command);
  return {WEXITSTATUS(status), content(scratch / "out"), without_progress(content(scratch / "err"))};
}

}  // namespace

Outcome run_fathom(const std::string& arguments) {
  return run("CUDA_VISIBLE_DEVICES=", arguments);
}
Outcome run_fathom_with(const std::string& environment, const std::string& arguments) {
  return run("CUDA_VISIBLE_DEVICES= " + environment, arguments);
}
Outcome run_fathom_on_gpu(const std::string& arguments) {
  return run("", arguments);
}

void check_refused(const std::string& arguments, int code, const std::string& says) {
  const Outcome outcome = run_fathom(arguments);
  INFO("fathom " << arguments << "\n" << outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Catch::Contains(says));
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
}

json answer(const std::string& arguments) {
  const Outcome outcome = run_fathom(arguments + " --json");
  INFO("fathom " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  return json::parse(outcome.out);
}

std::set<std::string> all_of(const json& list, const char* key) {
  std::set<std::string> found;
  for (const json& one : list) found.insert(one.at(key).get<std::string>());
  return found;
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}
