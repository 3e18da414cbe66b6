// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/configurations.h>

#include <fathom/algorithms/lists.h>
#include <fathom/calibration/run_parameters.h>

#include <fmt/format.h>

#include <limits>

namespace fathom::reports {
namespace {

Subject subject_of(const std::string& algorithm, const Problem& problem) {
  Subject subject{algorithm, type_text(problem)};
  if (problem.order != Order::ascending) subject.type.append(" ").append(name(problem.order));
  if (problem.stable) subject.type += " stable";
  return subject;
}

class Collection {
 public:
  Configuration& at(const std::string& algorithm, const Problem& problem) {
    const NamedValues parameters = by_name(problem.parameters);
    auto& of_subject = found_[subject_of(algorithm, problem)];
    const auto [entry, is_new] =
        of_subject.try_emplace({problem.n, parameters}, Configuration{nullptr, problem.n, parameters, {}});
    if (is_new)
      if (const Descriptor* known = find_listed(algorithm))
        entry->second.at_defaults = by_name(known->default_parameters(problem)) == parameters;
    return entry->second;
  }

  /// nullptr for a run that no figure shows.
  Configuration* add(const Measurement& run) {
    if (run.input != Input::random || run.seconds.empty()) return nullptr;
    Configuration& configuration = at(run.algorithm, run.problem);
    if (!configuration.run) configuration.run = &run;
    return &configuration;
  }

  BySubject lists() && {
    BySubject lists;
    for (auto& [subject, by_key] : found_)
      for (auto& [key, configuration] : by_key) lists[subject].push_back(std::move(configuration));
    return lists;
  }

 private:
  std::map<Subject, std::map<std::pair<double, NamedValues>, Configuration>> found_;
};

}  // namespace

std::string Subject::id() const {
  std::string id = algorithm + "-" + type;
  for (char& c : id)
    if (c == ':' || c == ' ') c = '-';
  return id;
}

double seconds_of(const Configuration& configuration) {
  if (configuration.run) return quartiles(configuration.run->seconds).median;
  for (const LawName law : drawn_laws)
    if (const auto found = configuration.predicted.find(law); found != configuration.predicted.end())
      return found->second->time_s;
  return std::numeric_limits<double>::infinity();
}

BySubject configurations(const ReportInput& input) {
  Collection collection;
  for (const PredictionReport& report : input.predictions)  // first: they tell more than those of comparisons
    collection.at(report.algorithm, report.problem).predicted.try_emplace(report.law, &report.prediction);
  for (const Unpredicted& one : input.unpredicted)
    if (one.input == Input::random) collection.at(one.algorithm, one.problem).without_work = true;
  for (const auto& [law, comparison] : input.comparisons)
    for (const ComparedRun& compared : comparison.runs)
      if (Configuration* configuration = collection.add(*compared.run); configuration && compared.predicted)
        configuration->predicted.try_emplace(law, &*compared.predicted);
  for (const Dataset& dataset : input.datasets)
    for (const Measurement& run : dataset.runs) collection.add(run);
  return std::move(collection).lists();
}

std::string left_out_note(std::size_t points) {
  return points == 0 ? ""
                     : fmt::format("{} without a prediction: the work of their kernels is unavailable",
                                   points == 1 ? "1 point" : fmt::format("{} points", points));
}

std::string kind_name(const std::string& slug) {
  const auto found = find_in_all_lists(slug);
  if (!found) return "other";
  const std::string_view kind = name(descriptor(*found).kind);
  if (std::holds_alternative<const Algorithm*>(*found)) return std::string(kind);
  return fmt::format("{} on {}", kind, list_info(*found).runs_on);
}

}  // namespace fathom::reports
