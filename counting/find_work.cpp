// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/digest.h>
#include <fathom/core/system/whole_file.h>
#include <fathom/counting/work.h>
#include <fathom/counting/work_by_code.h>
#include <fathom/device/code/disassembly.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/device/cuda/compiler/nvrtc.h>
#include <fathom/model/architectures.h>
#include <fathom/store/work_entry.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fathom {
namespace {

/// To be raised whenever the same kernels get other work, so that cached work of before is not found: by a
/// change of what is counted, of the sizes counted, of the fit, or of how machine code is read.
constexpr int revision = 12;

Problem with_n(Problem problem, double n) {
  problem.n = n;
  return problem;
}

/// Everything that determines the work: the case, the kernels' machine code, and who reads it. A small size
/// has all kernels.
std::string identity(const Case& of, const WorkKey& key, const std::string& disassembler) {
  std::string text = std::to_string(revision) + " " + in_words(key);
  const Problem some = with_n(of.problem, 1 << 20);
  const Architecture* on = find_architecture(key.architecture);
  const PlanDevice device = on ? any_device(on->limits().shared_bytes_per_block) : any_device();
  for (const Launch& launch : of.algorithm->plan(some, device))
    text += ' ', text += kernel_cache_key(launch.source(), launch.shape.threads, key.architecture);
  return text + ' ' + disassembler;
}

/// The user's cache of counted work. If it cannot be used, work is counted again, which only costs time.
class WorkCache {
 public:
  WorkCache(const Case& of, const WorkKey& key) : of_(of), key_(key) {
    const auto directory = kernel_cache_directory();
    if (directory && !kernel_cache_problem())
      directory_ = *directory / fmt::format("{:016x}.work", digest(in_words(key)));
  }

  /// A search for the best parameters asks for thousands: what was never counted has no directory, and is
  /// told without the text of its kernels. Throws DisassemblerUnavailable, and DeviceUnavailable without
  /// NVRTC.
  std::optional<AlgorithmWork> read() const {
    std::error_code missing;
    if (!directory_ || !std::filesystem::is_directory(*directory_, missing)) return std::nullopt;
    const std::filesystem::path entry = file();
    try {
      const auto table = decode_work_entry(read_whole(entry));
      if (!table || table->rows.size() != 1 || static_cast<const WorkKey&>(table->rows[0]) != key_)
        return std::nullopt;
      return table->rows[0];
    } catch (const std::runtime_error&) {  // not there, or damaged
      return std::nullopt;
    }
  }

  void write(const std::string& table) const {
    if (!directory_) return;
    const std::filesystem::path entry = file();
    try {
      make_private_directory(*directory_);
      write_whole(entry, encode_work_entry(table));
    } catch (const std::runtime_error&) {
    }
  }

 private:
  std::filesystem::path file() const {
    const std::string text = identity(of_, key_, disassembler_identity());
    return *directory_ / fmt::format("{:016x}{:016x}", digest(text), digest(text, second_digest));
  }

  const Case& of_;
  const WorkKey& key_;
  std::optional<std::filesystem::path> directory_{};  ///< of the key; absent without a cache
};

WorkUnavailable unavailable(const WorkKey& key, const std::exception& missing) {
  return WorkUnavailable(fmt::format("the work of {} is not in the tables and cannot be counted: {}",
                                     in_words(key), missing.what()));
}

}  // namespace

std::optional<std::string> why_not_counted() try {
  nvrtc::version();
  disassembler_identity();
  return std::nullopt;
} catch (const DeviceUnavailable& missing) {
  return missing.what();
} catch (const DisassemblerUnavailable& missing) {
  return missing.what();
}

std::optional<AlgorithmWork> known_work(const Case& asked, int architecture) {
  if (!asked.algorithm->is_countable()) return std::nullopt;
  const WorkKey key = work_key(asked, architecture);
  if (auto known = built_in_work(key)) return known;
  const Case of{asked.algorithm, asked.problem, key.input};
  try {
    return WorkCache(of, key).read();
  } catch (const DeviceUnavailable&) {
    return std::nullopt;
  } catch (const DisassemblerUnavailable&) {
    return std::nullopt;
  }
}

AlgorithmWork find_work(const Case& asked, int architecture, CountWorkOptions options) {
  options.checked = false;
  const WorkKey key = work_key(asked, architecture);
  const Case of{asked.algorithm, asked.problem, key.input};
  if (auto known = built_in_work(key)) return *std::move(known);
  try {
    disassembler_identity();  // first: without one nothing is compiled
    if (of.algorithm->cuda_kernel) return work_by_code(of, architecture);
    const WorkCache cache(of, key);
    if (auto known = cache.read()) return *std::move(known);
    const AlgorithmWork counted = count_work(of, architecture, code_reader(architecture), options);
    const std::string table = to_json({{}, architecture, {counted}});
    cache.write(table);
    return parse_work_table(table, "counted work").rows.at(0);  // rounded, as next time from the cache
  } catch (const DeviceUnavailable& missing) {
    throw unavailable(key, missing);
  } catch (const DisassemblerUnavailable& missing) {
    throw unavailable(key, missing);
  }
}

}  // namespace fathom
