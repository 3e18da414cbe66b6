#include <fathom/counting/work.h>
#include <fathom/core/system/whole_file.h>
#include <fathom/device/code/disassembly.h>
#include <fathom/device/cuda/kernel_cache.h>
#include <fathom/store/json_fields.h>
#include <fathom/store/work_table.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fathom {
namespace {

/// Changes when counting or fitting changes, so that cached work of before is not found.
constexpr int revision = 5;

/// FNV-1a.
std::uint64_t digest(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325ull) {
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

/// What decides the work: the case, and the kernels' machine code. Small sizes tell which kernels there are.
std::string identity(const WorkCase& of) {
  std::string text = fmt::format("{} {} {} {} {}", revision, of.algorithm->slug, name(of.type),
                                 name(of.input), of.architecture);
  for (const auto& [name, value] : of.parameters) text += fmt::format(" {}={}", name, value);
  Problem problem = of.algorithm->problem(1 << 20, of.type);
  problem.parameters = of.parameters;
  const PlanDevice device{1, 0, 0, [](const Launch&) { return 1; }};
  for (const Launch& launch : of.algorithm->plan(problem, device))
    text += ' ', text += kernel_cache_key(launch.source(), launch.shape.threads, of.architecture);
  return text;
}

/// An entry is one line with the digest of what follows: a work table of one row.
constexpr std::string_view heading = "fathom work ";

std::string encode(const std::string& table) {
  return fmt::format("{}{:016x}\n{}", heading, digest(table), table);
}

std::optional<WorkTable> decode(const std::string& entry) {
  const std::size_t end = entry.find('\n');
  if (end == entry.npos) return std::nullopt;
  const std::string table = entry.substr(end + 1);
  if (entry != encode(table)) return std::nullopt;
  return parse_work_table(table, "cached work");
}

/// The user's cache of counted work. If it cannot be used, work is counted again, which only costs time.
class WorkCache {
 public:
  explicit WorkCache(const WorkCase& of) {
    const auto directory = kernel_cache_directory();
    if (!directory || kernel_cache_problem()) return;
    const std::string text = identity(of);
    file_ =
        *directory / fmt::format("{:016x}{:016x}.work", digest(text), digest(text, 0x9e3779b97f4a7c15ull));
  }

  std::optional<AlgorithmWork> read(const WorkKey& key) const try {
    if (!file_) return std::nullopt;
    const auto table = decode(read_whole(*file_));
    if (!table || table->rows.size() != 1 || key_of(table->rows[0]) != key) return std::nullopt;
    return table->rows[0];
  } catch (const std::runtime_error&) {  // not there, or damaged
    return std::nullopt;
  }

  void write(const std::string& table) const try {
    if (file_) write_whole(*file_, encode(table));
  } catch (const std::runtime_error&) {
  }

 private:
  std::optional<std::filesystem::path> file_;
};

std::string described(const WorkCase& of) {
  std::string parameters;
  for (const auto& [name, value] : of.parameters) parameters += fmt::format(" {}={}", name, value);
  return fmt::format("{} {}{} {} on sm_{}", of.algorithm->slug, name(of.type), parameters, name(of.input),
                     of.architecture);
}

WorkUnavailable unavailable(const WorkCase& of, const std::exception& missing) {
  return WorkUnavailable(fmt::format("the work of {} is not in the tables and cannot be counted: {}",
                                     described(of), missing.what()));
}

}  // namespace

AlgorithmWork find_work(const WorkCase& asked, const CountWorkOptions& options) {
  WorkCase of = asked;
  const Kind kind = of.algorithm->kind;
  if (kind == Kind::scan || kind == Kind::reduce) of.input = Input::random;

  const WorkKey key{of.algorithm->slug, of.type, of.parameters, of.input, of.architecture};
  if (auto known = built_in_work(key)) return *std::move(known);
  try {
    const WorkCache cache(of);
    if (auto known = cache.read(key)) return *std::move(known);
    check_disassembler();
    const WorkTable counted{{}, of.architecture, {count_work(of, code_reader(of.architecture), options)}};
    const std::string table = to_json(counted);
    cache.write(table);
    return parse_work_table(table, "counted work").rows.at(0);  // the same as next time, from the cache
  } catch (const DeviceUnavailable& missing) {
    throw unavailable(of, missing);
  } catch (const DisassemblerUnavailable& missing) {
    throw unavailable(of, missing);
  }
}

}  // namespace fathom
