#include "law_options.h"

#include <fathom/algorithms/work.h>
#include <fathom/model/what_if.h>
#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "arguments.h"
#include "problem.h"
#include "terminal.h"

namespace fathom::cli {

void add_law_options(CLI::App& command, LawOptions& options) {
  command.add_option("--law", options.law,
                     "Law: counted, fitted or published [default: counted; published without kernels]");
  command
      .add_option("--ceiling", options.ceiling,
                  "Round L/(X·I) up: as-printed, always, never (published only)")
      ->capture_default_str();
  command.add_option("--compose", options.composition,
                     "Composition of the levels' times: sum, max, or an exponent q (published only) "
                     "[default: sum]");
}

void add_prediction_options(CLI::App& command, PredictionOptions& options) {
  command
      .add_option("--input", options.input,
                  "Input pattern of sorts: " + input_names() + " (counted and fitted only)")
      ->capture_default_str();
  command
      .add_option(
          "--what-if", options.what_if,
          "Change a constant of the machine: --what-if dram.bandwidth=1.5x, --what-if wait.dram=600; may "
          "be repeated")
      ->allow_extra_args(false);
  command.add_flag("--sensitivities", options.sensitivities,
                   "By how many per cent the time changes with 1 % of each constant");
}

Input chosen_input(const PredictionOptions& options, LawName law) {
  const Input input = parse_input(options.input);
  if (input != Input::random && !uses_work(law))
    throw UsageError(fmt::format("--input {}: the law {} knows random input only: choose --law counted",
                                 options.input, name(law)));
  return input;
}

void apply_what_if(const std::vector<std::string>& changes, DeviceProfile& profile) {
  for (const std::string& text : changes)
    for (const std::string& constant : apply(parse_what_if(text), profile.machine))
      profile.estimates.erase(constant);
}

Law chosen_law(const LawOptions& options, const Algorithm& algorithm) {
  const LawName default_law = algorithm.plan ? LawName::counted : LawName::published;
  Law law{.law = options.law.empty() ? default_law : parse_law(options.law),
          .ceiling = parse_ceiling(options.ceiling)};
  check_law(algorithm, law.law);
  if (uses_work(law.law) && (!options.composition.empty() || law.ceiling != Ceiling::as_printed))
    throw UsageError(
        fmt::format("the law {} has no --ceiling and no --compose: choose --law published", name(law.law)));
  if (!options.composition.empty()) law.composition = parse_composition(options.composition);
  return law;
}

WorkLookup work_lookup(const DeviceProfile& profile) {
  return [architecture = profile.architecture, device = profile.name](
             const Descriptor& of, const Instantiation& type, const Parameters& parameters, Input input) {
    if (!architecture)
      throw std::runtime_error(fmt::format(
          "profile '{}' does not tell the architecture of its GPU, whose kernels' work is needed: "
          "run fathom calibrate, or choose --law published",
          device));
    const WorkCase wanted{.algorithm = &algorithm(of.slug),
                          .type = type,
                          .parameters = parameters,
                          .input = input,
                          .architecture = *architecture};
    try {
      return std::make_shared<const AlgorithmWork>(find_work(wanted, {.progress = progress_on_terminal()}));
    } catch (const BlockDoesNotFit& misfit) {
      throw BlockTooLarge(misfit.what());  // as predictions call it
    }
  };
}

}  // namespace fathom::cli
