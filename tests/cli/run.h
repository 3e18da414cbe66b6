// SPDX-License-Identifier: Apache-2.0
// Runs the command and keeps its output.
#pragma once

#include "../support/temporary_directory.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

using nlohmann::json;

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

/// It ends with this code, and says so in one line of stderr and nothing else.
void check_refused(const std::string& arguments, int code, const std::string& says);
/// Its answer in JSON, which it must give.
json answer(const std::string& arguments);
/// The texts that a list of objects has under a key.
std::set<std::string> all_of(const json& list, const char* key);

using ScratchDirectory = fathom::tests::TemporaryDirectory;

std::string content(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);
