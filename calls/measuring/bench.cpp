// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/bench.h>

#include <fathom/algorithms/host/host_plan.h>
#include <fathom/calls/measuring/gpu.h>
#include <fathom/calls/measuring/provenance.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/core/interruption.h>
#include <fathom/device/cuda/host_gpus.h>
#include <fathom/device/cuda/nccl_group.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>

namespace fathom::calls {
namespace {

using Choices = std::function<std::vector<Parameters>(const Descriptor&)>;

Case case_of(const Algorithm* algorithm) {
  return {.algorithm = algorithm, .problem = {}};
}
GroupCase case_of(const GroupAlgorithm* algorithm) {
  return {.algorithm = algorithm, .problem = {}};
}
HostCase case_of(const HostAlgorithm* algorithm) {
  return {.algorithm = algorithm, .problem = {}};
}

template <class AnAlgorithm>
auto cases_of(const std::vector<const AnAlgorithm*>& algorithms, const std::vector<double>& sizes,
              const BenchOptions& options, const Choices& choices) {
  std::vector<decltype(case_of(algorithms.front()))> cases;
  for (const double n : sizes)
    for (const AnAlgorithm* algorithm : algorithms)
      for (const std::string& type : options.type)
        for (const Parameters& parameters : choices(*algorithm))
          for (const std::string& input : options.input) {
            auto& one = cases.emplace_back(case_of(algorithm));
            one.problem = checked_problem(*algorithm, n, type, options.stable, parameters);
            one.input = parse_input(input);
          }
  return cases;
}

void bench_one(CudaExecutor& executor, const std::vector<Case>& cases, int repeats, GrowingDataset& runs,
               OtherWork& other_work, const Listener& listener) {
  std::vector<Case> missing = runs.missing<Case>(cases, [](const Case& one) {
    return Measurement{.algorithm = one.algorithm->slug, .problem = one.problem, .input = one.input};
  });
  if (missing.empty()) return;

  // Before the kernels are compiled, what the sizes do not allow; then, with their registers, what the GPU
  // does not.
  missing =
      runnable(missing, any_device(executor.shared_bytes_per_block()), executor.free_bytes(), listener.note);
  warm_cache(executor, missing, listener.progress);
  missing = runnable(missing, executor.plan_device(), executor.free_bytes(), listener.note);

  for (std::size_t i = 0; i < missing.size(); ++i) {
    try {
      const Progress within = [&](auto&&...) { listener.progress(in_words(missing[i]), i, missing.size()); };
      runs.add(fathom::bench(executor, missing[i], repeats, within));
    } catch (const KernelFailure& failure) {
      runs.failed(failure.what());
      executor.synchronize();  // throws if the failure made the device unusable
    }
    if (runs.write_at_times()) other_work.look();
  }
  other_work.look();
}

Dataset bench_all(const std::vector<Case>& cases, const BenchOptions& options, const Listener& listener) {
  GrowingDataset runs(options.file);
  OtherWork other_work(options.gpu, listener);
  CudaExecutor executor = open_gpu(options.gpu, listener);
  runs.continue_with(provenance(executor.gpu(), options.command));
  runs.keeping([&] { bench_one(executor, cases, options.repeats, runs, other_work, listener); });
  return runs.finished(cases.size());
}

/// The GPUs from number `gpu` on: as many as are asked for, or as `unless_asked` says of those that are left.
/// Empty without a GPU.
std::vector<int> gpus_of(const BenchOptions& options, const std::function<int(int left)>& unless_asked) {
  const int present = int(present_gpus().size()), left = present - options.gpu;
  if (present == 0) return {};
  if (left < 1)
    throw DeviceUnavailable(
        fmt::format("there is no GPU {}: the driver sees {}, numbered from 0", options.gpu, present));
  const int asked = options.gpus == 0 ? unless_asked(left) : int(options.gpus);
  if (asked > left)
    throw DeviceUnavailable(
        fmt::format("`gpus={}`{}: the driver sees {}: choose fewer", asked,
                    options.gpu == 0 ? "" : fmt::format(" from number {} on", options.gpu), present));
  std::vector<int> gpus{};
  for (int i = 0; i < asked; ++i) gpus.push_back(options.gpu + i);
  return gpus;
}

RankClock clock_of(NcclGroup& group) {
  return [&group](int rank) { return group.executor(rank).clock_hz(); };
}

/// On a group, whose first ranks, those of this process, have these GPUs.
void bench_ranks(NcclGroup& group, const std::vector<int>& gpus, const std::vector<GroupCase>& cases,
                 const BenchOptions& options, GrowingDataset& runs, const BeforeCase& before_each,
                 const Listener& listener) {
  std::deque<OtherWork> other_work;
  for (const int gpu : gpus) other_work.emplace_back(gpu, listener);
  const auto look = [&] {
    for (OtherWork& one : other_work) one.look();
  };
  runs.continue_with(provenance(group.executor(0).gpu(), options.command));
  const auto after_each = [&](bool failed) {
    for (int rank = 0; failed && rank < int(gpus.size()); ++rank)
      group.executor(rank).synchronize();  // throws if the failure made the device unusable
    if (runs.write_at_times()) look();
  };
  runs.keeping([&] {
    bench_group(group, clock_of(group), cases, options.repeats, runs, before_each, after_each, listener);
  });
  look();
}

Dataset bench_all(const std::vector<GroupCase>& cases, const BenchOptions& options,
                  const Listener& listener) {
  GrowingDataset runs(options.file);
  const std::vector<int> gpus = gpus_of(options, [](int left) { return left; });
  note_uncached(listener);
  NcclGroup group(gpus);
  bench_ranks(
      group, gpus, cases, options, runs, [](const std::string&) {}, listener);
  return runs.finished(cases.size());
}

Dataset in_several_processes(const std::vector<GroupCase>& cases, const BenchOptions& options,
                             const Listener& listener, Processes& processes) {
  NcclGroup group(processes);
  if (processes.rank() != 0) {
    bench_as_told(group, processes, clock_of(group), cases, options.repeats);
    return {};
  }
  CasesToOthers others(processes);
  GrowingDataset runs(options.file);
  note_uncached(listener);
  bench_ranks(
      group, {processes.rank_on_host()}, cases, options, runs,
      [&](const std::string& run) { others.tell(run); }, listener);
  return runs.finished(cases.size());
}

Dataset bench_all(std::vector<HostCase> cases, const BenchOptions& options, const Listener& listener) {
  GrowingDataset runs(options.file);
  const std::vector<int> numbers = gpus_of(options, [](int) { return 1; });
  std::deque<OtherWork> other_work;
  for (const int number : numbers) other_work.emplace_back(number, listener);
  note_uncached(listener);
  HostGpus gpus(numbers);
  for (HostCase& one : cases) one.problem.parameters.set("gpus", int(numbers.size()));
  runs.continue_with(provenance(gpus.first().gpu(), options.command));
  const auto look = [&] {
    for (OtherWork& one : other_work) one.look();
  };
  const auto after_each = [&](bool failed) {
    if (failed) gpus.synchronize();  // throws if the failure made a device unusable
    if (runs.write_at_times()) look();
  };
  const auto memory_bytes = [&] { return std::size_t(usable_memory * double(gpus.free_bytes())); };
  const auto clock = [&] { return gpus.first().clock_hz(); };
  runs.keeping([&] {
    bench_host(gpus.streams(), memory_bytes, clock, cases, options.repeats, runs, after_each, listener);
  });
  look();
  return runs.finished(cases.size());
}

/// Adds the runs of these cases that the dataset lacks, each once. `run_of` is a case's run without its
/// times, `measured` the run itself.
template <class OneCase, class Measured>
void bench_missing(const std::vector<OneCase>& cases,
                   const std::function<Measurement(const OneCase&)>& run_of, Measured measured,
                   GrowingDataset& runs, const std::function<void(bool failed)>& after_each,
                   const Listener& listener) {
  const std::vector<OneCase> missing = runs.missing(cases, run_of);
  std::size_t left_out = 0;
  std::exception_ptr first;
  std::string why;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const std::string words = in_words(run_of(missing[i]));
    const auto leave_out = [&](const std::exception& reason) {
      if (left_out++ == 0) why = reason.what(), first = std::current_exception();
    };
    bool failed = false;
    const auto tell = [&](auto&&...) { listener.progress(words, i, missing.size()); };
    tell();  // before the kernels are compiled
    try {
      runs.add(measured(missing[i], tell));
    } catch (const OutOfDeviceMemory& reason) {
      leave_out(reason);
    } catch (const OutOfHostMemory& reason) {
      leave_out(reason);
    } catch (const std::invalid_argument& reason) {
      leave_out(reason);
    } catch (const KernelFailure& failure) {
      runs.failed(failure.what());
      failed = true;
    } catch (const ExchangeFailure& failure) {
      runs.failed(failure.what());
      failed = true;
    }
    after_each(failed);
  }
  if (left_out > 0 && left_out == missing.size()) std::rethrow_exception(first);
  if (left_out > 0)
    listener.note(fmt::format("{} of {} configurations cannot run and are left out; the first: {}", left_out,
                              missing.size(), why));
}

/// Returns the run of a case without its times.
Measurement run_of(const Group& group, const GroupCase& one) {
  return {.algorithm = one.algorithm->slug, .problem = with_gpus(one, group.size()), .input = one.input};
}

std::string what_it_runs_on(AnyAlgorithm one) {
  return fmt::format("{} runs on {}", descriptor(one).slug, list_info(one).runs_on);
}

}  // namespace

std::vector<const Descriptor*> Benched::all() const {
  return std::visit(
      [](const auto& list) {
        return std::vector<const Descriptor*>{list.begin(), list.end()};
      },
      algorithms);
}

Benched benched(const std::vector<std::string>& names, const BenchOptions& options) {
  std::vector<AnyAlgorithm> found;
  for (const std::string& name : names) {
    found.push_back(any_algorithm(name));
    check_has_kernel(found.back());
  }
  Benched chosen;
  for (const AnyAlgorithm& one : found) {
    if (one.index() != found.front().index())
      throw std::invalid_argument(
          fmt::format("{}, {}: bench them one after the other, which may add to the same file",
                      what_it_runs_on(found.front()), what_it_runs_on(one)));
    if (options.gpus != 0 && !descriptor(one).for_several_gpus())
      throw std::invalid_argument(
          fmt::format("{}: omit `gpus`, or choose an algorithm for several (fathom algorithms lists them)",
                      what_it_runs_on(one)));
    std::visit(
        [&]<class AnAlgorithm>(const AnAlgorithm* algorithm) {
          using List = std::vector<const AnAlgorithm*>;
          if (!std::holds_alternative<List>(chosen.algorithms)) chosen.algorithms = List();
          std::get<List>(chosen.algorithms).push_back(algorithm);
        },
        one);
  }
  return chosen;
}

Dataset bench(const Benched& benched, std::vector<double> sizes, const BenchOptions& options,
              const Choices& choices, const Listener& listener, Processes* processes) {
  std::ranges::sort(sizes);
  if (processes) {
    const auto* const on_several = std::get_if<std::vector<const GroupAlgorithm*>>(&benched.algorithms);
    if (!on_several)
      throw std::invalid_argument(fmt::format(
          "{}: omit `mpi`, or choose an algorithm for several GPUs (fathom algorithms lists them)",
          std::visit([](const auto& list) { return what_it_runs_on(list.front()); }, benched.algorithms)));
    return in_several_processes(cases_of(*on_several, sizes, options, choices), options, listener,
                                *processes);
  }
  return std::visit(
      [&](const auto& list) { return bench_all(cases_of(list, sizes, options, choices), options, listener); },
      benched.algorithms);
}

void CasesToOthers::tell(const std::string& run) {
  if (processes_.has_given_up()) return;  // others are not where they would listen
  const auto bytes = std::as_bytes(std::span<const char>(run));
  for (int other = 1; other < processes_.size(); ++other)
    processes_.send(other, {bytes.begin(), bytes.end()});
}

void bench_as_told(Group& group, Processes& processes, const RankClock& clock,
                   const std::vector<GroupCase>& cases, int repeats) {
  while (true) {
    const Message told =
        awaited(processes, 0, usual_limit_of_processes, "named the next run", check_interruption);
    if (told.empty()) return;
    const std::string_view run(reinterpret_cast<const char*>(told.data()), told.size());
    const auto one = std::ranges::find_if(
        cases, [&](const GroupCase& each) { return in_words(run_of(group, each)) == run; });
    if (one == cases.end())
      throw ExchangeFailure(
          fmt::format("the first process runs {}: give all processes the same arguments", run));
    try {
      fathom::bench(group, *one, repeats, clock);
    } catch (const std::exception&) {
      if (processes.has_given_up()) throw;
    }
  }
}

void bench_group(Group& group, const RankClock& clock, const std::vector<GroupCase>& cases, int repeats,
                 GrowingDataset& runs, const BeforeCase& before_each,
                 const std::function<void(bool failed)>& after_each, const Listener& listener) {
  bench_missing<GroupCase>(
      cases, [&](const GroupCase& one) { return run_of(group, one); },
      [&](const GroupCase& one, const Progress& progress) {
        before_each(in_words(run_of(group, one)));
        return fathom::bench(group, one, repeats, clock, progress);
      },
      runs, after_each, listener);
}

void bench_host(const std::vector<HostStreams>& gpus, const std::function<std::size_t()>& memory_bytes,
                const std::function<double()>& clock, const std::vector<HostCase>& cases, int repeats,
                GrowingDataset& runs, const std::function<void(bool failed)>& after_each,
                const Listener& listener) {
  bench_missing<HostCase>(
      cases,
      [](const HostCase& one) {
        return Measurement{.algorithm = one.algorithm->slug, .problem = one.problem, .input = one.input};
      },
      [&](const HostCase& one, const Progress& progress) {
        return fathom::bench(gpus, memory_bytes(), one, repeats, clock, progress);
      },
      runs, after_each, listener);
}

}  // namespace fathom::calls
