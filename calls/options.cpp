// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/options.h>

#include <fathom/core/problem.h>
#include <fathom/model/architectures.h>

namespace fathom::calls {
namespace {

constexpr OptionRange gpus{0, 1023}, sizes{1, 0x1p53}, machine_sizes{1, 0x1p40};
constexpr const char* types = "u32, u64, f32, …, and u32:u64 for keys with values";

Declaration several(std::string_view name, std::vector<std::string>& value, std::string help) {
  return {.name = name, .value = &value, .help = std::move(help), .commas = true};
}

Declaration types_of(std::vector<std::string>& value) {
  return several("type", value, std::string("Types, separated by commas: ") + types);
}

Declaration stable(bool& value) {
  return {"stable", &value, "Keep the order of equal keys"};
}

Declarations operator+(Declarations all, const Declarations& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Declarations only_for(std::string_view what, Declarations options) {
  for (Declaration& option : options) option.only_for = what;
  return options;
}

Declarations of_problem(ProblemOptions& options) {
  return {{"type", &options.type, std::string("Type: ") + types},
          stable(options.stable),
          {"device", &options.device,
           "Profile: a name (see fathom devices) or a path [default: of the GPU present, else h200]"}};
}

Declarations of_prediction(PredictionOptions& options) {
  const std::string inputs =
      "Input pattern of sorts: " + input_names() + " (published: of formulas that know what an input costs)";
  const Declarations law{{"law", &options.law,
                          "Law: counted, fitted or published [default: counted; published without kernels]"}};
  const Declarations of_published{
      {"ceiling", &options.ceiling, "Round L/(X·I) up: as-printed, always, never"},
      {"compose", &options.compose, "Composition of the levels' times: sum, max, or an exponent q"},
      {"option", &options.option,
       "Read a formula otherwise where its paper leaves a choice: `option=register-factor=2` for sort-mms; "
       "fathom algorithms lists them; may be repeated"}};
  const Declarations others{
      {"input", &options.input, inputs},
      {"what_if", &options.what_if,
       "Change a constant of the machine: `what_if=dram.bandwidth=1.5x`, `what_if=wait.dram=600`; may be "
       "repeated"},
      {"sensitivities", &options.sensitivities,
       "By how many per cent the time changes with 1 % of each constant"}};
  return law + only_for("the law published", of_published) + others;
}

Declarations of_runs(RunFiles& options) {
  return {{"read_as", &options.read_as,
           "What a name in another tool's file means: an algorithm, a parameter, n or type, as in "
           "BM_sort=sort-pairwise and block_size_x=t; or what the file does not say, as in n=2^26, type=u64, "
           "E=15; may be repeated"},
          {"vouch", &options.vouch,
           "Count the runs of other tools as checked: you have seen that their outputs are right"}};
}

Declaration omitting_below(double& smallest_n) {
  return {"smallest_n", &smallest_n, "Omit runs with a smaller n: 2^20", sizes};
}

Declarations of_figures(FigureOptions& options, const std::string& default_law) {
  return Declarations{
             {"device", &options.device,
              "Profile: a name or a path [default: of the GPU measured, else of the GPU present, else h200]"},
             {"law", &options.law, "counted, fitted or published [default: " + default_law + "]"},
             omitting_below(options.smallest_n)} +
         of_runs(options);
}

}  // namespace

Declarations declared(PredictOptions& options) {
  return of_problem(options) + of_prediction(options);
}

Declarations declared(SweepOptions& options) {
  return Declarations{types_of(options.type), stable(options.stable),
                      several("device", options.device,
                              "Profiles, separated by commas: built-in names or paths [default: of the GPU "
                              "present, else h200]")} +
         of_prediction(options);
}

Declarations declared(LaunchesOptions& options) {
  return only_for(
             "imported launches",
             {{"from", &options.from,
               "The profile of the GPU that they were profiled on, by whose measured times the prediction "
               "is scaled, or none [default: found by the name of that GPU]"}}) +
         only_for(
             "imported launches and cubins",
             {{"caches", &options.caches,
               "What the caches hold at the start of a launch: nothing (cold), as under the profiler, or "
               "what the one before it left (warm)"}});
}

Declarations declared(MachineCodeOptions& options) {
  return only_for("cubins",
                  {{"kernel", &options.kernel,
                    "The kernel, by its name in the source or in the machine code [default: the only one]"},
                   {"grid", &options.grid, "Blocks of the launch: 1024, or 64,64 for two dimensions"},
                   {"block", &options.block, "Threads of a block: 256, or 16,16"},
                   {"shared",
                    &options.shared,
                    "Dynamic shared memory of a block, in bytes [default: none]",
                    {0, 1 << 20}},
                   {"trips", &options.trips,
                    "How often a loop turns each time that it is entered, by its line: `trips=42=1000`, "
                    "`trips=kernel.cu:42=1000`, or by its address; may be repeated"}});
}

Declarations declared(TuneOptions& options) {
  const char* verify = "Measure so many of the first choices on the GPU; the regret is relative to these";
  return Declarations{{"top", &options.top, "How many to list, 0 for all", {0, 1e6}},
                      {"verify", &options.verify, verify, {1, 1e6}, 5},
                      {"gpu", &options.gpu, "GPU to verify on, numbered from 0", gpus},
                      {"exhaustive", &options.exhaustive,
                       "Count the work of all choices, however long it takes; without, what is counted in "
                       "seven seconds"}} +
         of_problem(options) + of_prediction(options);
}

Declarations declared(BenchOptions& options) {
  return {
      types_of(options.type),
      stable(options.stable),
      several("input", options.input, "Inputs, separated by commas: " + input_names()),
      {"repeats", &options.repeats, "Timed runs of each configuration", {1, 1e6}},
      {"gpu", &options.gpu, "Which GPU, numbered from 0; of several the first", gpus},
      {"gpus",
       &options.gpus,
       "How many GPUs, for algorithms that run on several [default: all from that number on; with data in "
       "host memory, one]",
       {1, gpus.high}}};
}

Declarations declared(CountOptions& options) {
  const char* width = "w banks of a DMM or UMM, b cores of an AGPU's multiprocessor";
  return of_problem(options) +
         Declarations{
             {"input", &options.input, "Input: " + input_names()},
             {"machine", &options.machine,
              "Cost of the accesses on an abstract machine: dmm (shared memory), umm (global memory), agpu"},
             {"width", &options.width, width, {1, 1024}},
             {"latency", &options.latency, "l, time units of a DMM's or UMM's memory", {1, 1e6}},
             {"threads", &options.threads, "p, threads in a DMM or UMM, cores of an AGPU", machine_sizes},
             {"memory", &options.memory,
              "M, shared words of an AGPU's multiprocessor [default: the device's]", machine_sizes},
             {"instructions", &options.instructions,
              "Also the instructions by pipe and what a warp waits for, from the kernels' machine code"},
             {"architecture", &options.architecture, "With `instructions`: " + architecture_choices()},
             {"memory_limit", &options.memory_limit,
              "Limit on host memory, in bytes [default: the free memory]", sizes}};
}

Declarations declared(CalibrateOptions& options) {
  return {
      {"gpu", &options.gpu, "Which GPU, numbered from 0", gpus},
      {"quick", &options.quick, "Coarser sweeps and shorter launches, about 3 s"},
      {"links", &options.links,
       "Measure the links between all GPUs and to the host instead, and add them to the profile of their "
       "kind"},
      several(
          "links_from", options.links_from,
          "Add links that nccl-tests has measured, from files that it wrote with -J, separated by commas"),
      {"force", &options.force, "Write the profile even if its measurements are implausible, and mark it so"},
      {"name", &options.name,
       "The profile's name; with `links` and `links_from` of the one to add to [default: derived from the "
       "GPU's]"}};
}

Declarations declared(FitOptions& options) {
  return Declarations{
             {"profile", &options.profile, "Profile of the GPU measured"},
             {"refit", &options.refit, "First refit the machine's constants to the profile's raw samples"},
             {"force", &options.force,
              "With `refit`: write the profile even if its measurements are implausible"}} +
         of_runs(options);
}

Declarations declared(ValidateOptions& options) {
  return Declarations{
             {"device", &options.device, "Profile: a name or a path [default: of the GPU measured]"},
             {"law", &options.law, "counted, fitted or published [default: all that the profile allows]"},
             omitting_below(options.smallest_n)} +
         of_runs(options);
}

Declarations declared(PlotOptions& options) {
  return of_figures(options, "counted and published") +
         Declarations{
             several("algorithm", options.algorithm,
                     "Only these, or files with formulas, separated by commas; crossover: "
                     "or a kind, sort, segmented-sort, scan or reduce [default: all; tradeoff: those "
                     "measured over their "
                     "first parameter; crossover: sort]"),
             {"parameter", &options.parameter,
              "tradeoff: the parameter to vary [default: the first]; inputs: sortedness or entropy [default: "
              "both]"}};
}

Declarations declared(ReportOptions& options) {
  return of_figures(options, "counted; of a profile without rates published") +
         Declarations{{"compare", &options.compare,
                       "Two datasets, before and after a change, or two profiles, each a name or a path"}};
}

}  // namespace fathom::calls
