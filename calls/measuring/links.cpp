// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/links.h>
#include <fathom/core/benchmarks.h>

#include <fathom/calibration/fit.h>
#include <fathom/calls/measuring/provenance.h>
#include <fathom/calls/output_files.h>
#include <fathom/calls/profiles.h>
#include <fathom/device/cuda/host_gpus.h>
#include <fathom/device/cuda/linked_pairs.h>
#include <fathom/device/group/present_group.h>
#include <fathom/microbench/links/links.h>
#include <fathom/store/nccl_tests.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace fathom::calls {
namespace {

/// The kind of GPU, before anything is measured, and how its links are.
struct LinkSource {
  Provenance provenance;
  bool between_gpus, with_host;   ///< those of one host in the profile that it replaces
  bool between_hosts = false;     ///< those of several that it replaces
  std::vector<LinkedPair> pairs;  ///< between GPUs
  std::function<std::vector<Series>()> series;
};

std::vector<Series> with_host(const microbench::Effort& effort, const Listener& listener) {
  HostGpus all;
  return microbench::measure_host_links(all.streams(), effort, listener.progress);
}

LinkSource from_gpus(const CalibrateOptions& options, const Listener& listener) {
  const std::vector<GpuInfo> gpus = present_gpus();
  if (gpus.empty())
    throw DeviceUnavailable(
        "links need a GPU, and no NVIDIA GPU is present here: take the times of those between GPUs from "
        "files of nccl-tests, `links_from`");
  if (gpus.size() == 1) listener.note("one GPU is present: only its link to the host is measured");
  std::vector<std::string> bus_ids;
  for (const GpuInfo& gpu : gpus) bus_ids.push_back(gpu.bus_id);
  const microbench::Effort effort{.repeats = options.quick ? 5 : 11, .quick = options.quick};
  return {.provenance = provenance(gpus.front(), options.command),
          .between_gpus = gpus.size() > 1,
          .with_host = true,
          .pairs = linked_pairs(bus_ids),
          .series = [=, count = int(gpus.size())] {
            std::vector<Series> all = with_host(effort, listener);
            std::ranges::move(microbench::measure_links(present_group, count, effort, listener.progress),
                              std::back_inserter(all));
            return all;
          }};
}

LinkSource from_files(const CalibrateOptions& options) {
  LinkSource source{.provenance = {}, .between_gpus = false, .with_host = false, .pairs = {}, .series = {}};
  std::vector<Series> all;
  for (const std::string& file : options.links_from) {
    NcclTests tests = read_nccl_tests(file);
    if (all.empty()) source.provenance = tests.provenance;
    if (tests.provenance.gpu != source.provenance.gpu)
      throw std::invalid_argument(fmt::format("`links_from` {}: its GPUs are {}, those of other files are {}",
                                              file, tests.provenance.gpu, source.provenance.gpu));
    (tests.hosts > 1 ? source.between_hosts : source.between_gpus) = true;
    std::ranges::move(tests.series, std::back_inserter(all));
  }
  source.provenance.commit = built_from();
  source.provenance.command = options.command;
  source.series = [all] { return all; };
  return source;
}

DeviceProfile profile_to_extend(const CalibrateOptions& options, const std::string& gpu,
                                const Listener& listener) {
  if (options.name.empty()) {
    if (const auto profile = profile_of_gpu(gpu, listener)) return *profile;
    throw std::runtime_error(
        fmt::format("there is no profile of {} to add links to: measure one with fathom calibrate", gpu));
  }
  DeviceProfile profile = find_profile(options.name, listener);
  if (const std::string& own = profile.provenance.gpu; !own.empty() && own != gpu)
    throw std::invalid_argument(fmt::format(
        "the links are of {}, the profile {} is of {}: name one of that GPU", gpu, profile.name, own));
  return profile;
}

std::filesystem::path file_to_write(const CalibrateOptions& options, const DeviceProfile& profile) {
  if (!options.file.empty()) return options.file;
  if (!options.name.empty())
    if (const auto file = profile_file(options.name)) return *file;
  return user_profile_file(profile.name);
}

void replace_links(DeviceProfile& profile, const LinkSource& source) {
  std::vector<Series> series = source.series();
  std::erase_if(profile.series, [&](const Series& one) {
    const bool is_of_one_host = std::ranges::any_of(all_exchange_kinds, [&](ExchangeKind kind) {
      return (is_with_host(kind) ? source.with_host : source.between_gpus) &&
             benchmarks::of(kind).name == one.benchmark;
    });
    const bool is_of_several = std::ranges::any_of(benchmarks::between_hosts, [&](const auto& kind) {
      return source.between_hosts && kind.second->name == one.benchmark;
    });
    return is_of_one_host || is_of_several;
  });
  std::ranges::move(series, std::back_inserter(profile.series));
  fit_links(profile);
  if (!profile.machine.links)
    throw std::runtime_error("no line of a link could be fitted: " +
                             (profile.warnings.empty() ? "there are no times" : profile.warnings.back()));
  profile.machine.links->provenance = source.provenance;
  if (source.between_gpus) profile.machine.links->pairs = source.pairs;
}

}  // namespace

Calibrated calibrate_links(const CalibrateOptions& options, const Listener& listener) {
  if (options.links && !options.links_from.empty())
    throw std::invalid_argument("`links` measures and `links_from` reads: give one of them");
  const LinkSource source = options.links ? from_gpus(options, listener) : from_files(options);
  Calibrated result;
  result.profile = profile_to_extend(options, source.provenance.gpu, listener);
  OutputFile file = claim_profile(file_to_write(options, result.profile));
  result.file = file.path();
  replace_links(result.profile, source);
  file.write(to_json(result.profile));
  return result;
}

}  // namespace fathom::calls
