// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/bench.h>
#include <fathom/mpi/mpi_processes.h>
#include <fathom/reports/text/text.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> algorithms, set;
  std::string sizes;
  calls::BenchOptions bench;
  bool mpi = false;
  Output output;
};

/// Assignments to parameters that this algorithm does not have are meant for other algorithms.
std::vector<Parameters> choices_of(const Descriptor& algorithm, std::vector<std::string> set) {
  std::erase_if(set,
                [&](const std::string& text) { return !algorithm.find_parameter(assigned_parameter(text)); });
  return parse_grid(algorithm.slug, algorithm.parameters, set);
}

/// Throws for an assignment to a parameter that none of the algorithms has.
void check_assignments(const std::vector<const Descriptor*>& chosen, const std::vector<std::string>& set) {
  for (const std::string& text : set) {
    const std::string parameter = assigned_parameter(text);
    if (parameter == "gpus" && chosen.front()->for_several_gpus())
      throw UsageError("--set " + text + ": choose the number of GPUs with --gpus");
    if (std::ranges::none_of(chosen, [&](const Descriptor* one) { return one->find_parameter(parameter); }))
      throw unknown_parameter(chosen.front()->slug, chosen.front()->parameters, parameter);
  }
}

Dataset dataset_of(const BenchOptions& options, const calls::Listener& listener,
                   Processes* processes = nullptr) {
  const calls::Benched algorithms = calls::benched(options.algorithms, options.bench);
  check_assignments(algorithms.all(), options.set);
  check_distinct(options.algorithms);
  return calls::bench(
      algorithms, parse_sizes(options.sizes), options.bench,
      [&](const Descriptor& one) { return choices_of(one, options.set); }, listener, processes);
}

void print(const BenchOptions& options, Processes* processes = nullptr) {
  const Answer answer(options.output);
  const Dataset dataset = dataset_of(options, on_terminal(), processes);
  answer([&] { return reports::text(dataset); }, [&] { return to_json(dataset); });
}

/// The first process alone prints.
void bench_in_processes(const BenchOptions& options) {
  static MpiProcesses processes;  // until this process has said why it ends
  const bool is_first = processes.rank() == 0;
  try {
    if (options.bench.gpus != 0 || options.bench.gpu != 0)
      throw UsageError("--mpi: omit --gpu and --gpus: each process has the GPU of its number on its host");
    if (is_first) return print(options, &processes);
    dataset_of(options, {[](auto&&...) { check_interrupted(); }, [](auto&&) {}}, &processes);
  } catch (...) {
    if (is_first || processes.has_given_up()) throw;  // the first may be the one that does not answer
    throw SaidByFirstProcess();
  }
}

}  // namespace

void add_bench(CLI::App& fathom, const std::string& command_line) {
  CLI::App* command =
      fathom.add_subcommand("bench", "Run the kernels on the GPU, check their output, and write a dataset");
  command->footer(
      "Examples: fathom bench sort-pairwise cub-merge --sizes 2^16..2^28 --set E=11..19 -o sort.json\n"
      "          fathom bench sort-gpus -n 2^28 --type u64 --gpus 2 -o runs.json\n"
      "          fathom bench sort-host -n 2^28 --type u64 -o runs.json");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("algorithms", options->algorithms, "As listed by fathom algorithms")->required();
  command->add_option("-n,--sizes", options->sizes, "Elements: 2^16..2^28, 2^16..2^28:4, 1e6,1e7")
      ->required();
  command
      ->add_option("--set", options->set,
                   "Values of a parameter: --set E=11,15 or --set E=3..47 [default: its default]")
      ->allow_extra_args(false);
  add_options(*command, declared(options->bench));
  command->add_flag(
      "--mpi", options->mpi,
      "Several GPUs, each with a process of its own: mpirun -n 2 fathom bench sort-gpus … --mpi");
  command
      ->add_option(
          "-o,--output", options->bench.file,
          "The dataset. Runs already in it are not repeated, so an interrupted bench can be continued")
      ->required();
  add_json_option(*command, options->output);
  options->bench.command = command_line;
  command->callback([options] { options->mpi ? bench_in_processes(*options) : print(*options); });
}

}  // namespace fathom::cli
