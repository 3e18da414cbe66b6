// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/tuning/contenders.h>

#include <fathom/calls/predicting/problem.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>

namespace fathom::calls {
namespace {

constexpr Kind compared_kinds[] = {Kind::sort, Kind::segmented_sort, Kind::scan, Kind::reduce};

std::optional<Kind> kind_of(const std::string& text) {
  for (const Kind kind : compared_kinds)
    if (name(kind) == text) return kind;
  return std::nullopt;
}

/// Why the algorithm is not among those of its kind; nothing if it is.
std::optional<std::string> why_left_out(const Algorithm& algorithm, const Instantiation& type,
                                        const PredictionOptions& options) {
  if (algorithm.baseline) return "a baseline, to be measured";
  const LawName law = options.law.empty() ? LawName::counted : parse_law(options.law);
  if (!definition(law).applies_to(algorithm))
    return definition(law).needs_work ? "a formula alone: `law=published`" : "without a formula";
  const auto solves = [&](const Instantiation& one) {
    try {
      algorithm.check(algorithm.problem(1, one));
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  };
  if (!solves({type.type, false})) return fmt::format("not for {}", type_text(type.type));
  if (!solves(type)) return "not stable";
  try {
    input_of(options, law, algorithm);
  } catch (const std::invalid_argument&) {
    return fmt::format("without a cost of {} input", options.input);
  }
  return std::nullopt;
}

/// A name that is compared: what it stands for, in words, and its kind.
struct Named {
  std::string words;
  Kind kind;
};
Named named(const std::string& text) {
  if (const auto kind = kind_of(text)) return {text, *kind};
  const Algorithm& one = algorithm_or_formula(text);
  return {fmt::format("{} ({})", one.slug, name(one.kind)), one.kind};
}

/// Throws std::invalid_argument for names of algorithms or kinds that do different work.
void check_one_kind(const std::vector<std::string>& names) {
  const Named first = named(names.front());
  for (const std::string& text : names)
    if (const Named other = named(text); other.kind != first.kind)
      throw std::invalid_argument(
          fmt::format("{} and {} do different work, whose times are not ranked: compare algorithms of one "
                      "kind",
                      first.words, other.words));
}

}  // namespace

std::vector<std::string> kinds_of_algorithms() {
  std::vector<std::string> names;
  for (const Kind kind : compared_kinds) names.emplace_back(name(kind));
  return names;
}

bool are_compared(const std::vector<std::string>& names) {
  return names.size() > 1 ||
         std::ranges::any_of(names, [](const auto& name) { return kind_of(name).has_value(); });
}

Contenders contenders(const std::vector<std::string>& names, const std::string& type, bool stable,
                      const PredictionOptions& options) {
  const Instantiation of(parse_type_text(type), stable);
  parse_input(options.input);
  check_one_kind(names);
  Contenders found;
  const auto add = [&](const Algorithm& one) {
    if (std::ranges::find(found.algorithms, &one) == found.algorithms.end()) found.algorithms.push_back(&one);
  };
  for (const std::string& name : names) {
    const auto kind = kind_of(name);
    if (!kind) {
      const Algorithm& one = algorithm_or_formula(name);
      add(one);
      found.named.push_back(&one);
      continue;
    }
    const std::size_t before = found.algorithms.size();
    for (const Algorithm& one : algorithms()) {
      if (one.kind != *kind) continue;
      if (auto why = why_left_out(one, of, options))
        found.left_out.push_back({one.slug, *std::move(why)});
      else
        add(one);
    }
    if (found.algorithms.size() > before) continue;
    for (const Algorithm& one : algorithms())  // what is wrong with the problem, as for a single algorithm
      if (one.kind == *kind && !one.baseline && (one.stable || !is_sort(*kind) || !stable))
        one.check(one.problem(1, of));
    throw std::invalid_argument(fmt::format("there is no {} of {} that can be predicted", name, type));
  }
  return found;
}

std::vector<Entrant> entrants(Contenders& of, const std::function<Entrant(const Algorithm&)>& entrant) {
  std::vector<Entrant> all;
  std::vector<const Algorithm*> left;
  std::exception_ptr first;
  for (const Algorithm* one : of.algorithms) try {
      all.push_back(entrant(*one));
      left.push_back(one);
    } catch (const std::exception& why) {
      if (std::ranges::count(of.named, one) > 0) throw;
      if (!first) first = std::current_exception();
      of.left_out.push_back({one->slug, why.what()});
    }
  if (all.empty()) std::rethrow_exception(first);
  of.algorithms = std::move(left);
  return all;
}

}  // namespace fathom::calls
