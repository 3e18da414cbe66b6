// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/digest.h>
#include <fathom/core/system/run_program.h>
#include <fathom/core/system/wheels.h>
#include <fathom/core/system/whole_file.h>
#include <fathom/device/code/disassembly.h>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <system_error>

namespace fathom {
namespace {

[[noreturn]] void refuse_listing(const std::string& why) {
  throw std::invalid_argument("not a listing of nvdisasm: " + why);
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> number(std::string_view digits, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  return value;
}

/// Removes `open`…`close` from the front of the text and returns what is between.
std::optional<std::string_view> take_between(std::string_view& text, std::string_view open,
                                             std::string_view close) {
  if (!text.starts_with(open)) return std::nullopt;
  const std::size_t end = text.find(close, open.size());
  if (end == text.npos) return std::nullopt;
  const std::string_view between = text.substr(open.size(), end - open.size());
  text = trimmed(text.substr(end + close.size()));
  return between;
}

/// Bits [first, first + count) of the instruction's upper word, whose lowest bit is number 64.
unsigned bits(std::uint64_t upper, int first, int count) {
  return unsigned(upper >> (first - 64) & ((1u << count) - 1));
}

void decode_control(std::uint64_t upper, MachineInstruction& instruction) {
  constexpr unsigned no_barrier = 7;
  instruction.stall = int(bits(upper, 105, 4));
  if (const unsigned barrier = bits(upper, 110, 3); barrier != no_barrier)
    instruction.write_barrier = int(barrier);
  if (const unsigned barrier = bits(upper, 113, 3); barrier != no_barrier)
    instruction.read_barrier = int(barrier);
  instruction.wait_mask = bits(upper, 116, 6);
}

class Parser {
 public:
  Disassembly parse(std::string_view listing) && {
    while (!listing.empty() && !ended_) {
      const std::size_t end = std::min(listing.find('\n'), listing.size());
      line(trimmed(listing.substr(0, end)));
      listing.remove_prefix(std::min(end + 1, listing.size()));
    }
    if (upper_missing_) refuse_listing("an instruction is cut short");
    if (result_.instructions.empty()) refuse_listing("it has no instructions");
    resolve_targets();
    return std::move(result_);
  }

 private:
  /// Every instruction keeps its own stack: without a limit a short listing would take a lot of memory.
  static constexpr std::size_t most_inlined = 200;

  void line(std::string_view text) {
    if (text.starts_with("//##"))
      source_line(text);
    else if (text.starts_with("/*"))
      code(text);
    else if (text.starts_with(".target"))
      architecture(trimmed(text.substr(std::min(text.find_first_of(" \t"), text.size()))));
    else if (text.starts_with(".section"))
      ended_ = !result_.instructions.empty();  // the kernel's; another section follows
    else if (text.ends_with(':')) {
      labels_[std::string(text.substr(0, text.size() - 1))] = result_.instructions.size();
      inherits_lines_ =
          inherits_lines_ || (!result_.instructions.empty() && jumps(result_.instructions.back()));
    }
  }

  /// True if the instruction never goes on to the next one.
  static bool jumps(const MachineInstruction& one) {
    static const std::set<std::string_view> names{"BRA", "BRX", "BRXU", "EXIT", "JMP", "JMX", "KILL", "RET"};
    return !one.has_condition() && names.contains(one.name());
  }

  /// "sm_90", "sm_90a".
  void architecture(std::string_view name) {
    if (name.starts_with("sm_")) name.remove_prefix(3);
    name = name.substr(0, name.find_first_not_of("0123456789"));
    result_.compute_capability = number<int>(name, 10).value_or(0);
  }

  /// //## File "…", line 15 inlined at "…", line 30: consecutive ones are a stack, innermost first.
  void source_line(std::string_view text) {
    if (!in_stack_) lines_.clear();
    in_stack_ = true;
    inherits_lines_ = false;
    constexpr std::string_view file = "File \"", line = "\", line ";
    const std::size_t begin = text.find(file), end = text.find(line, begin);
    if (begin == text.npos || end == text.npos) return;
    std::string_view digits = text.substr(end + line.size());
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    if (lines_.size() == most_inlined)
      refuse_listing(fmt::format("more than {} functions are inlined into each other", most_inlined));
    if (const auto parsed = number<int>(digits, 10))
      lines_.push_back({source_name(text.substr(begin + file.size(), end - begin - file.size())), *parsed});
  }

  /// /*0010*/  @!P0 LDG.E R4, [R2] ;  /* 0x… */ or the second half of the encoding, /* 0x… */.
  void code(std::string_view text) {
    const auto comment = take_between(text, "/*", "*/");
    if (!comment) refuse_listing("a comment has no end");
    const std::string_view first = trimmed(*comment);
    if (first.starts_with("0x")) {
      if (!upper_missing_) refuse_listing("an encoding without an instruction");
      decode_control(encoding(first), result_.instructions.back());
      upper_missing_ = false;
      return;
    }
    if (upper_missing_) refuse_listing("an instruction has half an encoding");
    const std::size_t end = text.rfind("/*");
    const auto address = number<std::uint32_t>(first, 16);
    if (!address || end == text.npos) refuse_listing(fmt::format("'{}'", first));
    MachineInstruction instruction;
    instruction.address = *address;
    instruction.lines = lines_;
    instruction.inherits_lines = inherits_lines_;
    in_stack_ = false;
    std::string_view words = trimmed(text.substr(0, end));
    while (words.ends_with(';') || words.ends_with('}')) words = trimmed(words.substr(0, words.size() - 1));
    if (words.starts_with('{')) words = trimmed(words.substr(1));
    if (words.starts_with('@')) {
      const std::size_t space = std::min(words.find(' '), words.size());
      instruction.guard = words.substr(1, space - 1);
      words = trimmed(words.substr(space));
    }
    const std::size_t space = std::min(words.find(' '), words.size());
    instruction.opcode = words.substr(0, space);
    instruction.operands = trimmed(words.substr(space));
    if (instruction.opcode.empty()) refuse_listing(fmt::format("no opcode at {:#x}", *address));
    if (instruction.guard == "PT" || instruction.guard == "UPT") instruction.guard.clear();
    result_.instructions.push_back(std::move(instruction));
    upper_missing_ = true;
  }

  static std::uint64_t encoding(std::string_view text) {
    const auto value = number<std::uint64_t>(text.substr(2), 16);
    if (!value) refuse_listing(fmt::format("the encoding '{}'", text));
    return *value;
  }

  /// Labels stand as `(.L_x_1), or as a list of a jump through a table.
  void resolve_targets() {
    for (MachineInstruction& instruction : result_.instructions) {
      const std::string& operands = instruction.operands;
      constexpr std::string_view in_label = "._$";
      const auto is_label = [&](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || in_label.find(c) != in_label.npos;
      };
      for (std::size_t at = 0; at < operands.size();) {
        const std::size_t end =
            std::size_t(std::find_if_not(operands.begin() + std::ptrdiff_t(at), operands.end(), is_label) -
                        operands.begin());
        if (end > at)
          if (const auto label = labels_.find(operands.substr(at, end - at)); label != labels_.end())
            if (label->second < result_.instructions.size()) instruction.targets.push_back(label->second);
        at = end + 1;
      }
    }
  }

  Disassembly result_;
  std::map<std::string, std::size_t> labels_;
  std::vector<SourceLine> lines_;
  bool in_stack_ = false, upper_missing_ = false, ended_ = false, inherits_lines_ = false;
};

std::vector<std::string> disassemblers() {
  const char* own = std::getenv("FATHOM_NVDISASM");
  if (own && *own) return {own};
  std::vector<std::string> names{"nvdisasm"};
#ifdef FATHOM_TOOLKIT_PROGRAMS
  names.push_back(FATHOM_TOOLKIT_PROGRAMS "/nvdisasm");
#endif
  names.push_back("/usr/local/cuda/bin/nvdisasm");
  // Asked for with every choice of parameters, and looking into the system's folders takes long.
  static const std::vector<std::string> wheels = files_of_wheels("cu13/bin/nvdisasm");
  names.insert(names.end(), wheels.begin(), wheels.end());
  return names;
}

/// Where the program is: in PATH, unless its name has a slash. Empty if it is nowhere.
std::filesystem::path file_of(const std::string& program) {
  if (program.find('/') != program.npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = std::filesystem::path(folder) / program;
        std::filesystem::is_regular_file(file) && access(file.c_str(), X_OK) == 0)
      return file;
  return {};
}

/// Changes if the file does.
std::string state_of(const std::filesystem::path& file) {
  std::error_code missing;
  return fmt::format("{} {} {}\n", file.string(), std::filesystem::file_size(file, missing),
                     std::filesystem::last_write_time(file, missing).time_since_epoch().count());
}

/// The first disassembler that can be started, with these arguments.
std::pair<std::string, ProgramResult> run_disassembler(const std::vector<std::string>& arguments,
                                                       std::string_view input) {
  for (const std::string& program : disassemblers()) try {
      std::vector<std::string> command{program};
      command.insert(command.end(), arguments.begin(), arguments.end());
      return {program, run_program(std::move(command), input)};
    } catch (const ProgramLimitExceeded& error) {
      throw std::runtime_error(error.what());
    } catch (const std::system_error& error) {
      if (error.code() != std::errc::no_such_file_or_directory &&
          error.code() != std::errc::permission_denied)
        throw;
    }
  throw DisassemblerUnavailable(
      "NVIDIA's disassembler was not found: install the CUDA toolkit, or run pip install "
      "nvidia-cuda-nvdisasm, or set FATHOM_NVDISASM to an nvdisasm");
}

}  // namespace

std::string source_name(std::string_view path) {
  constexpr std::string_view project = "/fathom/";
  if (const std::size_t at = path.rfind(project); at != path.npos) return std::string(path.substr(at + 1));
  if (path.starts_with(project.substr(1))) return std::string(path);
  return std::string(path.substr(path.rfind('/') + 1));
}

bool MachineInstruction::has_condition() const {
  if (!guard.empty()) return true;
  const std::string_view all = operands;
  return all.starts_with('P') || all.starts_with("!P") || all.starts_with("UP") || all.starts_with("!UP");
}

bool MachineInstruction::has_modifier(std::string_view modifier) const {
  const std::string_view all = opcode;
  for (std::size_t at = all.find('.'); at != all.npos; at = all.find('.', at + 1)) {
    const std::string_view rest = all.substr(at + 1);
    if (rest.substr(0, rest.find('.')) == modifier) return true;
  }
  return false;
}

bool Disassembly::has_lines() const {
  return std::any_of(instructions.begin(), instructions.end(),
                     [](const MachineInstruction& one) { return !one.lines.empty(); });
}

Disassembly parse_disassembly(std::string_view listing) {
  return Parser().parse(listing);
}

std::string disassembler_identity() {
  // It is asked for with every choice of parameters, and the program takes longer to start than to answer.
  static std::mutex mutex;
  static std::map<std::string, std::string> known;  // by the state of all files that could be it
  std::string state;
  for (const std::string& program : disassemblers()) state += state_of(file_of(program));
  const std::scoped_lock lock(mutex);
  if (const auto found = known.find(state); found != known.end()) return found->second;
  const auto [program, result] = run_disassembler({"--version"}, "");
  if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0)
    throw DisassemblerUnavailable(
        fmt::format("{} --version fails: it is no disassembler of NVIDIA's", program));
  const std::string identity =
      fmt::format("{}\n{:016x}\n{}", program, digest(read_whole(file_of(program))), result.output);
  return known.emplace(state, identity).first->second;
}

Disassembly disassemble(std::span<const char> cubin, std::optional<std::size_t> symbol) {
  // Not -ndf, although it starts faster: without the data's flow nothing says where a jump through a table
  // goes.
  std::vector<std::string> arguments{"-c", "-hex", "-gi"};
  if (symbol) arguments.insert(arguments.end(), {"-fun", std::to_string(*symbol)});
  arguments.emplace_back("/dev/stdin");
  const auto [program, result] = run_disassembler(arguments, std::string_view(cubin.data(), cubin.size()));
  if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0)
    throw std::runtime_error(fmt::format(
        "{} cannot read the kernel's machine code: set FATHOM_NVDISASM to that of another CUDA toolkit, 12 "
        "for sm_70, a newer one for an architecture that came after it",
        program));
  try {
    return parse_disassembly(result.output);
  } catch (const std::invalid_argument& error) {  // of the program, not of what the user asked for
    throw std::runtime_error(fmt::format("{}: {}", program, error.what()));
  }
}

}  // namespace fathom
