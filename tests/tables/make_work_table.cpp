// SPDX-License-Identifier: Apache-2.0
// make_work_table FILE ARCHITECTURE COMMIT SET… [--only ALGORITHM]... [--type TYPE]...
// [--with NAME=VALUE[,VALUE]...]... [--listed FILE] [--new] [--most ROWS]
//
// Counts the work of the registry's algorithms on an architecture (90 for sm_90) and writes a work table.
// Rows that FILE has already are kept, so that it can be interrupted. The sets:
//   defaults    default parameters, all types, with values also stably, all inputs
//   parameters  all parameters, u32 and u64, random input
//   pairs       all parameters, u32:u32, random input
//   types       default parameters, all types, random input
//   inputs      default parameters, u32, all inputs
//   conflicts   all parameters of sort-pairwise, u32 and u64, sorted and conflict-heavy input
//   listed      those of --listed, as scripts/tune-candidates writes them, random input
//   gpus        what algorithms for several GPUs launch on each, default parameters, u32, u64 and u32:u32
//   host        what algorithms for data in host memory launch, default parameters, all types, also stably
// --with leaves out rows with other values of a parameter, --new those that are built in.
#include <fathom/algorithms/gpus/rank_parts.h>
#include <fathom/algorithms/gpus/registry.h>
#include <fathom/algorithms/host/registry.h>
#include <fathom/counting/work.h>
#include <fathom/device/cuda/compiler/nvrtc.h>
#include <fathom/store/work_table.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

using namespace fathom;

namespace {

struct Arguments {
  std::filesystem::path file;
  int architecture = 0;
  std::string commit;
  std::vector<std::string> sets;
  std::set<std::string> only{}, types{};
  std::map<std::string, std::set<int>> values{};  ///< of --with, by name
  std::filesystem::path listed{};
  bool only_new = false;
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();
};

/// "d=4,8"
void add_values(const std::string& text, Arguments& arguments) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) throw std::invalid_argument("--with " + text + ": give NAME=VALUE[,VALUE]...");
  std::istringstream list(text.substr(equals + 1));
  for (std::string value; std::getline(list, value, ',');)
    arguments.values[text.substr(0, equals)].insert(std::stoi(value));
}

Arguments parse(int count, char** values) {
  if (count < 5)
    throw std::invalid_argument(
        "usage: make_work_table FILE ARCHITECTURE COMMIT SET... [--only ALGORITHM]... [--type TYPE]... "
        "[--with NAME=VALUE[,VALUE]...]... [--listed FILE] [--new] [--most ROWS]");
  Arguments arguments{values[1], std::stoi(values[2]), values[3], {}};
  for (int i = 4; i < count; ++i) {
    const std::string argument = values[i];
    if (argument == "--only" && i + 1 < count)
      arguments.only.insert(values[++i]);
    else if (argument == "--type" && i + 1 < count)
      arguments.types.insert(values[++i]);
    else if (argument == "--with" && i + 1 < count)
      add_values(values[++i], arguments);
    else if (argument == "--listed" && i + 1 < count)
      arguments.listed = values[++i];
    else if (argument == "--new")
      arguments.only_new = true;
    else if (argument == "--most" && i + 1 < count)
      arguments.most_rows = std::stoul(values[++i]);
    else
      arguments.sets.push_back(argument);
  }
  return arguments;
}

std::vector<Parameters> all_parameters(const Descriptor& algorithm) {
  std::vector<Parameters> sets{{}};
  for (const ParameterInfo& info : algorithm.parameters) {
    std::vector<Parameters> longer;
    for (const Parameters& set : sets)
      for (const int value : info.values) {
        longer.push_back(set);
        longer.back().set(info.name, value);
      }
    sets = std::move(longer);
  }
  return sets;
}

void add_cases(const Algorithm& algorithm, const std::string& set, std::vector<Case>& cases) {
  const bool sorts = algorithm.kind == Kind::sort;
  const std::vector<Instantiation> all = algorithm.instantiations(),
                                   words{ElementType::u32, ElementType::u64},
                                   pairs{Instantiation({ElementType::u32, ElementType::u32}, false)};
  const std::vector<Parameters> usual, any = all_parameters(algorithm);  // usual: those of each type
  const std::vector<Input> random{Input::random},
      every = sorts ? std::vector<Input>(all_inputs.begin(), all_inputs.end()) : random,
      conflicts{Input::sorted, Input::conflict_heavy};
  if (set == "conflicts" && algorithm.slug != "sort-pairwise") return;
  struct Choice {
    std::vector<Instantiation> types;
    std::vector<Parameters> parameters;
    std::vector<Input> inputs;
  };
  const std::map<std::string, Choice> sets{{"defaults", {all, usual, every}},
                                           {"types", {all, usual, random}},
                                           {"inputs", {{ElementType::u32}, usual, every}},
                                           {"pairs", {pairs, any, random}},
                                           {"conflicts", {words, any, conflicts}},
                                           {"parameters", {words, any, random}}};
  const auto found = sets.find(set);
  if (found == sets.end())
    throw std::invalid_argument(
        "unknown set '" + set +
        "': there are defaults, parameters, pairs, types, inputs, conflicts, listed, gpus, host");
  const auto& [chosen, parameters, inputs] = found->second;
  for (const Instantiation& of : chosen)
    for (const Parameters& each : parameters.empty() ? algorithm.all_default_parameters(of.type) : parameters)
      for (const Input input : inputs)
        if (std::ranges::count(all, of) > 0) {
          cases.push_back({&algorithm, algorithm.problem(1, of), input});
          cases.back().problem.parameters = each;
        }
}

void add_listed_cases(const std::filesystem::path& file, std::vector<Case>& cases) {
  for (const nlohmann::json& listed : nlohmann::json::parse(std::ifstream(file))) {
    const Algorithm& of = algorithm(listed.at("algorithm").get<std::string>());
    const Instantiation type(parse_type_text(listed.at("type").get<std::string>()), false);
    cases.push_back({&of, of.problem(1, type), Input::random});
    for (const auto& [name, value] : listed.at("parameters").items())
      cases.back().problem.parameters.set(name, value.get<int>());
  }
}

/// What the steps of an algorithm launch.
void add_steps(const Descriptor& of, const Problem& problem, std::vector<Case>& cases) {
  for (RankStep& step : of.steps(problem, any_device())) {
    if (!step.local) continue;
    cases.push_back({&algorithm_or_part(step.local->slug), std::move(step.problem), Input::random});
    cases.back().problem.n = 1;
  }
}

void add_cases_of_host(std::vector<Case>& cases) {
  for (const HostAlgorithm& of : host_algorithms())
    for (const Instantiation& type : of.instantiations()) add_steps(of, of.problem(1 << 20, type), cases);
}

/// What the steps of all algorithms for several GPUs launch on one of them. Default parameters depend on n.
void add_cases_of_ranks(std::vector<Case>& cases) {
  const std::vector<Instantiation> types{ElementType::u32, ElementType::u64,
                                         Instantiation({ElementType::u32, ElementType::u32}, false)};
  for (const GroupAlgorithm& of : group_algorithms()) {
    if (of.baseline) continue;
    const std::vector<Instantiation> all = of.instantiations();
    // Besides the defaults other divisions, which the campaigns measure.
    std::vector<Parameters> choices{{}};
    if (of.find_parameter("scheme")) {
      choices = {{{"scheme", 1}},
                 {{"scheme", 1}, {"pieces", 8}},
                 {{"scheme", 1}, {"slices", 1}},
                 {{"scheme", 1}, {"slices", 2}}};
      choices.push_back({{"scheme", 2}});
    }
    for (const Instantiation& type : types) {
      if (std::ranges::count(all, type) == 0) continue;
      for (const int gpus : {2, 3, 4, 8})
        // Powers of two and a number between them, which have blocks of other shapes.
        for (double of_gpu = 1 << 16; of_gpu <= 1 << 30; of_gpu *= std::sqrt(2))
          for (const Parameters& chosen : choices) {
            Problem problem = of.problem(of_gpu * gpus, type);
            problem.parameters.set("gpus", gpus);
            for (const auto& [name, value] : chosen) problem.parameters.set(name, value);
            add_steps(of, problem, cases);
          }
    }
  }
}

class TableMaker {
 public:
  explicit TableMaker(const Arguments& arguments) : arguments_(arguments) {
    if (std::filesystem::exists(arguments.file)) table_ = read_work_table(arguments.file);
    if (!table_.rows.empty() && table_.provenance.commit != arguments.commit)
      throw std::runtime_error(fmt::format("{} was made by commit {}, this is {}: remove it first",
                                           arguments.file.string(), table_.provenance.commit,
                                           arguments.commit));
    table_.architecture = arguments.architecture;
    Provenance& provenance = table_.provenance;
    provenance.toolkit = to_string(nvrtc::version());
    provenance.date = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
    provenance.commit = arguments.commit;
    provenance.command = "scripts/make-work-tables";
  }

  void make(std::vector<Case> cases) {
    std::vector<WorkKey> known;
    for (const AlgorithmWork& row : table_.rows) known.push_back(row);
    std::erase_if(cases, [&](const Case& of) {
      const WorkKey key = work_key(of, arguments_.architecture);
      if (std::ranges::count(known, key) > 0) return true;
      known.push_back(key);
      return false;
    });
    cases.resize(std::min(cases.size(), arguments_.most_rows));
    std::atomic<std::size_t> next = 0;
    {
      std::vector<std::jthread> workers;
      for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
        workers.emplace_back([&] {
          const CodeReader code = code_reader(arguments_.architecture);
          for (std::size_t at; (at = next++) < cases.size();) count(cases[at], code, at + 1, cases.size());
        });
    }
    save();
  }

 private:
  void count(const Case& of, const CodeReader& code, std::size_t number, std::size_t of_all) {
    const std::string label =
        fmt::format("{}/{} {}", number, of_all, in_words(work_key(of, arguments_.architecture)));
    const auto begin = std::chrono::steady_clock::now();
    try {
      AlgorithmWork work = count_work(of, arguments_.architecture, code, {.workers = 1});
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      std::string checks;
      for (const KernelWork& kernel : work.kernels)
        checks += fmt::format(" {} {:.4f} {:.3f}", kernel.kernel, kernel.check_error.value_or(NAN),
                              kernel.uncertain);
      const std::lock_guard lock(mutex_);
      fmt::print("{}: {:.2f} s{}\n", label, took.count(), checks);
      table_.rows.push_back(std::move(work));
      if (std::chrono::steady_clock::now() - saved_ > std::chrono::seconds(20)) save();
    } catch (const BlockDoesNotFit&) {
      fmt::print("{}: does not fit\n", label);
    } catch (const std::invalid_argument& refused) {  // parameters that go with other types only
      fmt::print("{}: {}\n", label, refused.what());
    }
    std::fflush(stdout);
  }

  /// In an order that does not depend on the threads.
  void save() {
    std::ranges::sort(table_.rows, {}, [](const AlgorithmWork& row) {
      return std::make_tuple(row.algorithm, row.type, row.parameters, row.input);
    });
    write_work_table(table_, arguments_.file);
    saved_ = std::chrono::steady_clock::now();
  }

  const Arguments& arguments_;
  WorkTable table_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace

int main(int count, char** values) try {
  const Arguments arguments = parse(count, values);
  std::vector<Case> cases;
  for (const std::string& set : arguments.sets)
    if (set == "gpus")
      add_cases_of_ranks(cases);
    else if (set == "host")
      add_cases_of_host(cases);
    else if (set == "listed")
      add_listed_cases(arguments.listed, cases);
    else
      for (const Algorithm& algorithm : algorithms())
        if (algorithm.plan) add_cases(algorithm, set, cases);
  std::erase_if(cases, [&](const Case& of) {
    if (!arguments.only.empty() && !arguments.only.contains(of.algorithm->slug)) return true;
    if (arguments.only_new && built_in_work(work_key(of, arguments.architecture))) return true;
    if (!arguments.types.empty() && !arguments.types.contains(type_text(of.problem))) return true;
    return std::ranges::any_of(arguments.values, [&](const auto& allowed) {
      return !allowed.second.contains(of.problem.parameters.at(allowed.first));
    });
  });
  TableMaker(arguments).make(cases);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "make_work_table: {}\n", error.what());
  return 1;
}
