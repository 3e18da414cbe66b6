// SPDX-License-Identifier: Apache-2.0
// Counts by source location, as results.
#include <fathom/device/counting/warp_counter.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace fathom::counting {
namespace {

/// "void fathom::MergeTiles<T>::read_lists(…) const [with …]" → "read_lists"; "operator()" for the body of a
/// kernel, and the enclosing function for a lambda.
std::string bare_name(std::string_view signature) {
  int depth = 0;  // of template arguments
  std::size_t start = 0;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth > 0) continue;
    if (c == ' ' || c == ':' || c == '*' || c == '&') start = i + 1;
    if (c != '(') continue;
    const std::string_view name = signature.substr(start, i - start);
    return name == "operator" ? "operator()" : std::string(name.substr(0, name.find('<')));
  }
  return std::string(signature);
}

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

MemoryOperation operation_of(Access access) {
  switch (access) {
    case Access::global_load:
    case Access::shared_load:
      return MemoryOperation::load;
    case Access::global_store:
    case Access::shared_store:
      return MemoryOperation::store;
    case Access::global_atomic:
    case Access::shared_atomic:
      return MemoryOperation::atomic;
  }
  return MemoryOperation::load;
}

AccessSite described(const SiteCounter& counter) {
  const Where where = counter.site.where();
  return {.function = bare_name(where.function_name()),
          .file = file_name(where.file_name()),
          .path = where.file_name(),
          .line = where.line(),
          .column = where.column(),
          .operation = operation_of(counter.site.access()),
          .warps = counter.warps,
          .visits = counter.visits,
          .launches = 1,
          .warps_beyond = counter.warps_beyond,
          .global = counter.global,
          .shared = counter.shared};
}

InstructionSite described(const InstructionCounter& counter) {
  return {.function = bare_name(counter.where.function_name()),
          .file = file_name(counter.where.file_name()),
          .path = counter.where.file_name(),
          .line = counter.where.line(),
          .column = counter.where.column(),
          .instruction = counter.instruction,
          .executions = counter.executions,
          .words = counter.words};
}

// A place may have several counters in a launch: one for each type that its function is instantiated for.

void add_access(const AccessSite& site, std::vector<AccessSite>& sites, bool of_same_launch) {
  const auto known = std::find_if(sites.begin(), sites.end(), [&](const AccessSite& other) {
    return site.line == other.line && site.column == other.column && site.operation == other.operation &&
           site.file == other.file && (site.global.accesses > 0) == (other.global.accesses > 0);
  });
  if (known == sites.end()) {
    sites.push_back(site);
    return;
  }
  known->global += site.global;
  known->shared += site.shared;
  known->warps += site.warps;
  known->visits += site.visits;
  if (!of_same_launch) known->launches += site.launches;
  if (of_same_launch || site.warps_beyond.empty() || known->warps_beyond.empty())
    known->warps_beyond.clear();  // which warps came here with both types is not known
  else
    add_up(site.warps_beyond, known->warps_beyond);
}

void add_instruction(const InstructionSite& site, std::vector<InstructionSite>& sites) {
  const auto known = std::find_if(sites.begin(), sites.end(), [&](const InstructionSite& other) {
    return site.line == other.line && site.column == other.column && site.instruction == other.instruction &&
           site.file == other.file;
  });
  if (known == sites.end()) {
    sites.push_back(site);
    return;
  }
  known->executions += site.executions;
  known->words += site.words;
}

}  // namespace

void WarpCounter::add_to(KernelCounts& kernel) const {
  std::vector<AccessSite> sites;
  for (const SiteCounter& counter : sites_) add_access(described(counter), sites, true);
  for (const AccessSite& site : sites) add_access(site, kernel.sites, false);
  for (const InstructionCounter& counter : instruction_sites_)
    add_instruction(described(counter), kernel.instruction_sites);
  std::sort(kernel.sites.begin(), kernel.sites.end(), [](const AccessSite& a, const AccessSite& b) {
    return std::tie(a.file, a.line, a.column, a.operation) < std::tie(b.file, b.line, b.column, b.operation);
  });
  std::sort(kernel.instruction_sites.begin(), kernel.instruction_sites.end(),
            [](const InstructionSite& a, const InstructionSite& b) {
              return std::tie(a.file, a.line, a.column, a.instruction) <
                     std::tie(b.file, b.line, b.column, b.instruction);
            });
  for (std::size_t i = 0; i < instructions_.size(); ++i) kernel.instructions[i] += instructions_[i];
  kernel.exchanged_words += exchanged_words_;
  kernel.footprint_bytes += read_.bytes_with(written_);
  kernel.read_bytes += read_.bytes();
  kernel.written_bytes += written_.bytes();
}

}  // namespace fathom::counting
