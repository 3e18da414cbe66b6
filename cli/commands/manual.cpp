// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "help.h"
#include "output.h"

namespace fathom::cli {
namespace {

/// Text in roff: backslashes are escapes, '-' would become a hyphen that cannot be searched for or copied,
/// and a '.' or a quote at the beginning of a line a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

std::string option_entry(const OptionHelp& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", roff(name));
  if (option.takes_value && !option.is_positional) names += " \\fIVALUE\\fR";
  return fmt::format(".TP\n{}\n{}\n", names, roff(option.description));
}

std::string command_section(const CLI::App& command) {
  std::string out =
      fmt::format(".SS fathom {}\n{}.\n", roff(command.get_name()), roff(command.get_description()));
  for (const OptionHelp& option : options_of(command)) out += option_entry(option);
  if (const std::string footer = command.get_footer(); !footer.empty())
    out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(footer));
  return out;
}

std::string manual(const CLI::App& fathom) {
  std::string out = fmt::format(
      ".TH FATHOM 1 \"\" \"fathom {0}\" \"User Commands\"\n"
      ".SH NAME\nfathom \\- measure a GPU, model an algorithm and predict its time\n"
      ".SH SYNOPSIS\n.B fathom\n.I COMMAND\n[\\fIARGUMENT\\fR...]\n"
      ".SH DESCRIPTION\n{1}\n"
      ".SH COMMANDS\n",
      roff(FATHOM_VERSION), roff(fathom.get_description()));
  for (const CLI::App* command : commands_of(fathom)) out += command_section(*command);
  return out +
         ".SH FILES\n.TP\n.I $XDG_CONFIG_HOME/fathom/profiles\nProfiles that fathom calibrate writes; "
         "\\-\\-device finds them by name. Without the variable: ~/.config/fathom/profiles.\n"
         ".TP\n.I $XDG_CACHE_HOME/fathom\nCompiled kernels and counted work. Without the variable: "
         "~/.cache/fathom.\n"
         ".SH EXIT STATUS\n0: success; 1: failure; 2: bad usage.\n";
}

}  // namespace

void add_manual(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("manual", "Print the manual page");
  command->footer("Example: fathom manual -o fathom.1 && man ./fathom.1");
  auto file = std::make_shared<std::filesystem::path>();
  command->add_option("-o,--output", *file, "Write it to this file instead of stdout");
  command->callback([file, &fathom] {
    const Answer answer({.file = *file});
    answer([&] { return manual(fathom); }, {});
  });
}

}  // namespace fathom::cli
