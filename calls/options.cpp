#include <fathom/calls/options.h>

#include <fathom/core/problem.h>

namespace fathom::calls {
namespace {

constexpr OptionRange gpus{0, 1023};

}  // namespace

template <>
const std::vector<Declaration<PredictionOptions>>& declarations() {
  using Options = PredictionOptions;
  static const std::vector<Declaration<Options>> all{
      {"law", &Options::law,
       "Law: counted, fitted or published [default: counted; published without kernels]"},
      {"ceiling", &Options::ceiling, "Round L/(X·I) up: as-printed, always, never (published only)"},
      {"compose", &Options::compose,
       "Composition of the levels' times: sum, max, or an exponent q (published only) [default: sum]"},
      {"input", &Options::input, "Input pattern of sorts: " + input_names() + " (counted and fitted only)"},
      {"what_if", &Options::what_if,
       "Change a constant of the machine: `what_if=dram.bandwidth=1.5x`, `what_if=wait.dram=600`; may be "
       "repeated"},
      {"sensitivities", &Options::sensitivities,
       "By how many per cent the time changes with 1 % of each constant"}};
  return all;
}

template <>
const std::vector<Declaration<TuneOptions>>& declarations() {
  static const std::vector<Declaration<TuneOptions>> all{
      {"top", &TuneOptions::top, "How many to list, 0 for all", {0, 1e6}},
      {"gpu", &TuneOptions::gpu, "GPU to verify on, numbered from 0", gpus},
      {"exhaustive", &TuneOptions::exhaustive,
       "Count the work of all choices, however long it takes; without, what is counted in seven seconds"}};
  return all;
}

template <>
const std::vector<Declaration<BenchOptions>>& declarations() {
  static const std::vector<Declaration<BenchOptions>> all{
      {"repeats", &BenchOptions::repeats, "Timed runs of each configuration", {1, 1e6}},
      {"gpu", &BenchOptions::gpu, "Which GPU, numbered from 0", gpus}};
  return all;
}

template <>
const std::vector<Declaration<CalibrateOptions>>& declarations() {
  using Options = CalibrateOptions;
  static const std::vector<Declaration<Options>> all{
      {"gpu", &Options::gpu, "Which GPU, numbered from 0", gpus},
      {"quick", &Options::quick, "Coarser sweeps, about 10 s"},
      {"force", &Options::force,
       "Write the profile even if its measurements are implausible, and mark it so"},
      {"name", &Options::name, "The profile's name [default: derived from the GPU's]"}};
  return all;
}

template <>
const std::vector<Declaration<FitOptions>>& declarations() {
  using Options = FitOptions;
  static const std::vector<Declaration<Options>> all{
      {"profile", &Options::profile, "Profile of the GPU measured"},
      {"refit", &Options::refit, "First refit the machine's constants to the profile's raw samples"},
      {"force", &Options::force, "With `refit`: write the profile even if its measurements are implausible"}};
  return all;
}

}  // namespace fathom::calls
