// Runs the real command and keeps what it said.
#pragma once

#include <filesystem>
#include <string>

struct Outcome {
  int code;
  std::string out, err;
};

/// `fathom ARGUMENTS` through the shell, with an empty home (no user's profiles) and no GPU to be seen.
Outcome run_fathom(const std::string& arguments);
/// The same with the GPUs that are there.
Outcome run_fathom_on_gpu(const std::string& arguments);

/// A directory of its own for each test, gone afterwards.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string content(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);
