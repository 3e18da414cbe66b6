// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/lists.h>
#include <fathom/calls/tuning/contenders.h>
#include <fathom/core/problem.h>
#include <fathom/model/architectures.h>
#include <fathom/reports/figures.h>
#include <fathom/store/profile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "output.h"

namespace fathom::cli {
namespace {

using Words = std::vector<std::string>;

/// The words of a list in prose: "random, sorted".
Words words_of(const std::string& list) {
  Words words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 2;
  }
  return words;
}

Words algorithm_names() {
  Words names;
  for (const Algorithm& algorithm : algorithms()) names.push_back(algorithm.slug);
  return names;
}

Words names_of_all_lists() {
  Words names;
  for (const AnyAlgorithm& algorithm : all_algorithms()) names.push_back(descriptor(algorithm).slug);
  return names;
}

Words architecture_names() {
  Words names;
  for (const Architecture& one : architectures()) names.push_back(one.name());
  return names;
}

Words with_kinds(Words names) {
  for (std::string& kind : calls::kinds_of_algorithms()) names.push_back(std::move(kind));
  return names;
}

/// What an option or argument takes, by its name. Others take files.
std::map<std::string, Words> values_by_name() {
  return {{"algorithm", algorithm_names()},
          {"algorithms", names_of_all_lists()},
          {"algorithm-or-kind", with_kinds(algorithm_names())},
          {"--algorithm", with_kinds(algorithm_names())},
          {"kind", words_of(reports::figure_kind_names())},
          {"shell", {"bash", "zsh", "fish"}},
          {"--type", {"u32", "u64", "i32", "i64", "f32", "f64", "u32:u32", "u64:u32", "u64:u64"}},
          {"--input", words_of(input_names())},
          {"--architecture", architecture_names()},
          {"--law", {"counted", "fitted", "published"}},
          {"--device", built_in_profiles()},
          {"--from", built_in_profiles()},
          {"--caches", {"cold", "warm"}},
          {"--by", {"algorithm", "type", "n", "parameters"}},
          {"--ceiling", {"as-printed", "always", "never"}},
          {"--compose", {"sum", "max"}}};
}

/// What is offered after the command's name, and after each of its options.
struct CommandWords {
  std::string name, description;
  std::vector<OptionHelp> options;

  Words option_names() const {
    Words names;
    for (const OptionHelp& option : options)
      if (!option.is_positional) names.push_back(option.names.back());
    return names;
  }
  /// Words for its first positional argument: the others take files.
  Words first_argument(const std::map<std::string, Words>& values) const {
    for (const OptionHelp& option : options)
      if (option.is_positional) {
        const auto found = values.find(option.names.front());
        return found == values.end() ? Words{} : found->second;
      }
    return {};
  }
};

std::vector<CommandWords> command_words(const CLI::App& fathom) {
  std::vector<CommandWords> all;
  for (const CLI::App* command : commands_of(fathom))
    all.push_back({command->get_name(), command->get_description(), options_of(*command)});
  return all;
}

/// A function that bash calls with COMP_WORDS set, and zsh through its emulation.
std::string bash_function(const std::vector<CommandWords>& commands) {
  const auto values = values_by_name();
  std::string names, options, arguments, after_options;
  for (const CommandWords& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    options += fmt::format("    {}) words='{}' ;;\n", command.name, fmt::join(command.option_names(), " "));
    if (const Words words = command.first_argument(values); !words.empty())
      arguments += fmt::format("    {}) words='{}' ;;\n", command.name, fmt::join(words, " "));
  }
  for (const auto& [name, words] : values)
    if (name.starts_with('-'))
      after_options += fmt::format("    {}) words='{}' ;;\n", name, fmt::join(words, " "));
  return fmt::format(
      R"(_fathom() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
  case $previous in
{}  esac
  if [ -z "$words" ] && [ "${{current#-}}" != "$current" ]; then
    case ${{COMP_WORDS[1]}} in
{}    esac
  elif [ -z "$words" ]; then
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
)",
      names, after_options, options, arguments);
}

std::string bash(const std::vector<CommandWords>& commands) {
  return "# Completion of fathom for bash.\n" + bash_function(commands) +
         "complete -o filenames -F _fathom fathom\n";
}

std::string zsh(const std::vector<CommandWords>& commands) {
  return "#compdef fathom\n# Completion of fathom for zsh.\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_function(commands) + "complete -o filenames -F _fathom fathom\n";
}

std::string fish_string(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("\\'", at)) != text.npos; at += 2) text.insert(at, "\\");
  return "'" + text + "'";
}

std::string fish(const std::vector<CommandWords>& commands) {
  const auto values = values_by_name();
  std::string out = "# Completion of fathom for fish.\n";
  for (const CommandWords& command : commands) {
    out += fmt::format("complete -c fathom -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                       fish_string(command.description));
    const std::string here =
        fmt::format("complete -c fathom -n '__fish_seen_subcommand_from {}'", command.name);
    if (const Words words = command.first_argument(values); !words.empty())
      out += fmt::format("{} -a {}\n", here, fish_string(fmt::format("{}", fmt::join(words, " "))));
    for (const OptionHelp& option : command.options) {
      if (option.is_positional) continue;
      const auto found = values.find(option.names.back());
      out += here;
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (found != values.end())
        out += " -x -a " + fish_string(fmt::format("{}", fmt::join(found->second, " ")));
      else if (option.takes_value)
        out += " -r";
      out += " -d " + fish_string(option.description) + '\n';
    }
  }
  return out;
}

std::string completion(const std::string& shell, const CLI::App& fathom) {
  const std::vector<CommandWords> commands = command_words(fathom);
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  throw UsageError(fmt::format("shell '{}': choose bash, zsh or fish", shell));
}

}  // namespace

void add_completion(CLI::App& fathom) {
  struct Options {
    std::string shell;
    Output output;
  };
  CLI::App* command = fathom.add_subcommand("completion", "Print the completion for a shell");
  command->footer("Example: source <(fathom completion bash)");
  auto options = std::make_shared<Options>();
  command->add_option("shell", options->shell, "bash, zsh or fish")->required();
  command->add_option("-o,--output", options->output.file, "Write it to this file instead of stdout");
  command->callback([options, &fathom] {
    const std::string script = completion(options->shell, fathom);
    const Answer answer(options->output);
    answer([&] { return script; }, {});
  });
}

}  // namespace fathom::cli
