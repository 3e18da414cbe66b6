// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <fathom/reports/text/table.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <sstream>

namespace fathom::cli {
namespace {

using reports::display_width, reports::line_width, reports::wrapped;

class Formatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::istringstream lines(CLI::Formatter::make_help(app, name, mode));
    std::string out;
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() || !out.ends_with("\n\n")) out += fitted(line) + '\n';
    return out;
  }

 private:
  /// What is too wide continues in the column of the descriptions.
  std::string fitted(const std::string& line) const {
    if (display_width(line) <= line_width) return line;
    const bool has_description = line.starts_with("  ") && line.size() > column_width_;
    const std::size_t indent = has_description ? column_width_ : 2, head = has_description ? indent : 0;
    std::string out = line.substr(0, head);
    for (const std::string& part : wrapped(line.substr(head), line_width - indent)) {
      if (out.size() > head) out += '\n' + std::string(indent, ' ');
      out += part;
    }
    return out;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  return std::make_shared<Formatter>();
}

std::string only_for(std::string_view what) {
  return "Only for " + std::string(what);
}

std::vector<const CLI::App*> commands_of(const CLI::App& fathom) {
  return fathom.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<OptionHelp> options_of(const CLI::App& command) {
  std::vector<OptionHelp> options;
  for (const CLI::Option* option : command.get_options()) {
    OptionHelp help{.names = {},
                    .is_positional = option->get_positional(),
                    .takes_value = option->get_items_expected_max() > 0,
                    .description = option->get_description()};
    for (const std::string& name : option->get_snames()) help.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) help.names.push_back("--" + name);
    if (help.names.empty()) help.names.push_back(option->get_name());
    if (const std::string value = option->get_default_str(); !value.empty() && help.takes_value)
      help.description += " [default: " + value + "]";
    if (option->get_group().starts_with(only_for(""))) help.description += " [" + option->get_group() + "]";
    options.push_back(std::move(help));
  }
  return options;
}

}  // namespace fathom::cli
