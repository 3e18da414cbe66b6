// Runs the command and keeps its output.
#pragma once

#include "../support/temporary_directory.h"

#include <filesystem>
#include <string>

struct Outcome {
  int code;
  std::string out, err;
};

/// `fathom ARGUMENTS` through the shell, with an empty home (no user profiles) and no visible GPU.
Outcome run_fathom(const std::string& arguments);
/// The same with other variables before the command, or another command that sets them: "XDG_CONFIG_HOME=/x".
Outcome run_fathom_with(const std::string& environment, const std::string& arguments);
/// The same with the GPUs present.
Outcome run_fathom_on_gpu(const std::string& arguments);

using ScratchDirectory = fathom::tests::TemporaryDirectory;

std::string content(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);
