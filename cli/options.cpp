// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <fathom/store/foreign/format.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <type_traits>

#include "arguments.h"
#include "help.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

/// `name` is as it is typed, and so is the help.
void add(CLI::App& command, const std::string& name, const calls::Declaration& option, bool& value) {
  command.add_flag(name, value, option.help);
}

void add(CLI::App& command, const std::string& name, const calls::Declaration& option, std::string& value) {
  CLI::Option* added = command.add_option(name, value, option.help);
  if (!value.empty()) added->capture_default_str();
}

void add(CLI::App& command, const std::string& name, const calls::Declaration& option,
         std::vector<std::string>& value) {
  if (!option.commas) {
    command.add_option(name, value, option.help)->allow_extra_args(false);
    return;
  }
  const auto parse = [&value, name](const std::vector<std::string>& texts) {
    value = parse_list(name, texts);
  };
  command.add_option_function<std::vector<std::string>>(name, parse, option.help)
      ->allow_extra_args(false)
      ->default_str(fmt::format("{}", fmt::join(value, ",")));
}

/// CLI11 itself would also take 0x10, 010 for eight, and -1 for a large number.
template <class Number>
void add(CLI::App& command, const std::string& name, const calls::Declaration& option, Number& value) {
  constexpr bool is_size = std::is_same_v<Number, double>;
  const WholeRange range{option.range.low, option.range.high, is_size};
  const auto parse = [&value, name, range](const std::string& text) {
    value = Number(parse_whole(name, text, range));
  };
  if (const int number = option.without_value; number != 0)
    command.add_flag(fmt::format("{}{{{}}}", name, number))
        ->description(fmt::format("{} [{} unless {}=N says how many]", option.help, number, name))
        ->each(parse);
  else
    command.add_option_function<std::string>(name, parse, option.help)
        ->default_str(is_size && value == 0 ? "" : fmt::format("{:.0f}", double(value)));
}

}  // namespace

void add_gpus_option(CLI::App& command, std::string& gpus, const std::string& usual) {
  command.add_option("--gpus", gpus,
                     "How many GPUs, for algorithms that run on several: 8, or 2,4,8 " + usual);
}

void add_options(CLI::App& command, const calls::Declarations& declarations) {
  for (calls::Declaration option : declarations) {
    option.help = as_typed(option.help);
    const std::string name = as_typed("`" + std::string(option.name) + "`");
    std::visit([&](auto* value) { add(command, name, option, *value); }, option.value);
    if (!option.only_for.empty()) command.get_option(name)->group(only_for(option.only_for));
  }
}

CLI::Option* add_dataset_arguments(CLI::App& command, std::vector<std::filesystem::path>& files) {
  return command.add_option("datasets", files,
                            "Datasets written by fathom bench, or files of " + foreign_tools());
}

}  // namespace fathom::cli
