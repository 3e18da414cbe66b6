// Options that several commands have.
#pragma once

#include <fathom/calls/options.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "arguments.h"
#include "terminal.h"

namespace fathom::cli {

/// Declares an option whose value is in `range`; `name` as CLI11 takes it, with a single name. CLI11 itself
/// would also take 0x10, 010 for eight, and -1 for a large number.
template <class Integer>
CLI::Option* add_whole_option(CLI::App& command, const std::string& name, Integer& value,
                              const WholeRange& range, const std::string& help) {
  return command
      .add_option_function<std::string>(
          name,
          [&value, name, range](const std::string& text) { value = Integer(parse_whole(name, text, range)); },
          help)
      ->default_str(std::to_string(value));
}

/// Declares an option that takes names separated by commas, and may be repeated.
inline CLI::Option* add_list_option(CLI::App& command, const std::string& name,
                                    std::vector<std::string>& list, const std::string& help) {
  std::string defaults;
  for (const std::string& entry : list) defaults += (defaults.empty() ? "" : ",") + entry;
  return command
      .add_option_function<std::vector<std::string>>(
          name, [&list, name](const std::vector<std::string>& texts) { list = parse_list(name, texts); },
          help)
      ->allow_extra_args(false)
      ->default_str(defaults);
}

/// Declares the options of a call (calls/options.h). `options` must outlive the command.
template <class Options>
void add_declared_options(CLI::App& command, Options& options) {
  for (const calls::Declaration<Options>& one : calls::declarations<Options>()) {
    const std::string name = as_typed("`" + std::string(one.name) + "`"), help = as_typed(one.help);
    if (const auto* flag = std::get_if<bool Options::*>(&one.member)) {
      command.add_flag(name, options.*(*flag), help);
    } else if (const auto* number = std::get_if<int Options::*>(&one.member)) {
      add_whole_option(command, name, options.*(*number), {one.range.low, one.range.high}, help);
    } else if (const auto* list = std::get_if<std::vector<std::string> Options::*>(&one.member)) {
      command.add_option(name, options.*(*list), help)->allow_extra_args(false);
    } else {
      std::string& text = options.*std::get<std::string Options::*>(one.member);
      CLI::Option* option = command.add_option(name, text, help);
      if (!text.empty()) option->capture_default_str();
    }
  }
}

inline void add_device_option(CLI::App& command, std::string& device) {
  command.add_option(
      "--device", device,
      "Profile: a name (see fathom devices) or a path [default: of the GPU present, else h200]");
}

inline CLI::Option* add_dataset_arguments(CLI::App& command, std::vector<std::filesystem::path>& files) {
  return command.add_option("datasets", files, "Datasets written by fathom bench");
}

}  // namespace fathom::cli
