// Where a command's answer goes: stdout or -o FILE, as text or as JSON.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <functional>
#include <string>

namespace fathom::cli {

struct Output {
  bool json = false;
  std::filesystem::path file;  ///< empty: stdout
};

void add_json_option(CLI::App& command, Output& output);
/// --json, and -o for commands whose file is the answer itself.
void add_output_options(CLI::App& command, Output& output);

/// Writes the answer in the requested form. Only that form is generated.
void answer(const Output& output, const std::function<std::string()>& text,
            const std::function<std::string()>& json);

/// Throws std::runtime_error if the file could not be written. To be called before long work.
void check_writable(const std::filesystem::path& file);

}  // namespace fathom::cli
