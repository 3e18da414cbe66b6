#include "run.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fs = std::filesystem;

namespace {

Outcome run(const std::string& environment, const std::string& arguments) {
  const ScratchDirectory scratch;
  const std::string home = (scratch / "home").string();
  const std::string command = "HOME=" + home + " XDG_CONFIG_HOME=" + home + " " + environment + " " +
                              FATHOM_COMMAND + " " + arguments + " >" + (scratch / "out").string() + " 2>" +
                              (scratch / "err").string();
  const int status = std::system(command.c_str());
  if (status == -1 || !WIFEXITED(status)) throw std::runtime_error("did not exit normally: " + command);
  return {WEXITSTATUS(status), content(scratch / "out"), content(scratch / "err")};
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

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}
