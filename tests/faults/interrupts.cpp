// SPDX-License-Identifier: Apache-2.0
#include "interrupts.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

namespace fathom::faults {
namespace {

constexpr double promised_seconds = 1;
/// A signal so soon after the start can come before the program asks for it, and ends it then.
constexpr double start_seconds = 0.1;

struct Work {
  std::string name;
  int weight;  ///< tries of 500
  Arguments arguments;
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool is_python = false;
  double hangs_for = 0;  ///< seconds of its work to be interrupted, if it would not end; else 0
};

struct Tally {
  int tried = 0, ended_before = 0, late = 0, wrong_status = 0, left_behind = 0;
  std::vector<double> seconds = {};  ///< from the signals to the ends, in no order
};

/// The children that the process has left to this one, a moment after its end; they are ended here.
int orphans() {
  constexpr double moment = 0.5;
  for (const auto since = Clock::now(); seconds_since(since) < moment;) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended < 0) return 0;
    if (ended == 0) sleep_for(0.005);
  }
  int left = 0;
  std::istringstream children(content(fmt::format("/proc/self/task/{}/children", ::getpid())));
  for (pid_t child; children >> child; ++left) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  return left;
}

class Interrupts {
 public:
  Interrupts(int times, const std::string& python) : times_(times), python_(python) { prepare(); }

  int run() {
    // Processes that the programs leave behind become children of this one.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (const Work& work : commands()) interrupt(work);
    if (python_.empty())
      fmt::print("python         not tried: no interpreter is given with --python\n");
    else
      for (const Work& work : python_calls()) interrupt(work);
    report("all", all_, 0);
    return all_.late + all_.wrong_status + all_.left_behind;
  }

 private:
  void prepare() {
    put(folder_ / "choices.json", formula_with_choices(16));
    put(folder_ / "large.json", large_formula());
    fs::copy_file(FATHOM_SOURCE "/profiles/h200.json", folder_ / "profile.json");
    for (const char* program : {"nvdisasm", "gnuplot"}) {
      put(folder_ / program, "#!/bin/sh\nsleep 1000 &\nsleep 1000\n");
      fs::permissions(folder_ / program, fs::perms::owner_all);
    }
  }

  /// A formula near the limits of a file, of one algorithm.
  static std::string large_formula() {
    auto formula = nlohmann::ordered_json::parse(formula_with_choices(4));
    std::string sum = "log2(n)";
    for (int i = 1; i < 32; ++i) sum += fmt::format(" + sqrt(n + {})", i);
    for (int i = 0; i < 90; ++i) formula["definitions"][fmt::format("d{}", i)] = sum;
    return formula.dump();
  }

  std::vector<Work> commands() const {
    const std::string data = FATHOM_SOURCE "/data/h200/",
                      device = " --device " + folder_.file("profile.json"),
                      choices = folder_.file("choices.json");
    std::string runs;
    for (const char* file : {"reduce-grid", "reduce-sizes", "scan-grid", "scan-sizes", "sort-grid"})
      runs += " " + data + file + ".json";
    const auto out = [&](const char* name) { return device + " -o " + folder_.file(name); };
    const std::pair<std::string, std::string> hanging_disassembler{"FATHOM_NVDISASM",
                                                                   folder_.file("nvdisasm")},
        hanging_gnuplot{"PATH", folder_.path().string() + ":/usr/bin:/bin"};
    return {
        {"predict-formula", 55,
         fathom_with("predict " + folder_.file("large.json") + " -n 2^10..2^30:2 --set E=3..10" + device)},
        {"tune-formula", 10, fathom_with("tune " + choices + " -n 1e8" + device)},
        {"tune-radix-msd", 20, fathom_with("tune radix-msd -n 1e8" + device)},
        {"validate", 60, fathom_with("validate" + runs + device)},
        {"fit", 50,
         fathom_with("fit" + runs + " --profile " + folder_.file("profile.json") + " -o " +
                     folder_.file("fit.json"))},
        {"fit-refit", 20,
         fathom_with("fit --refit --profile " + folder_.file("profile.json") + " -o " +
                     folder_.file("refit.json"))},
        {"plot", 30, fathom_with("plot throughput" + runs + out("plot.svg"))},
        {"report", 12, fathom_with("report" + runs + out("report.html"))},
        {"report-compare", 30,
         fathom_with("report --compare " + data + "reduce-grid.json " + data + "reduce-sizes.json -o " +
                     folder_.file("compare.html"))},
        {"count", 30, fathom_with("count sort-pairwise -n 2^18" + device)},
        {"count-audit", 20, fathom_with("count --audit -n 2^10,2^12" + device)},
        {"count-kernels", 20, fathom_with("count reduce-tree -n 2^12 --instructions" + device)},
        {"hanging-nvdisasm",
         20,
         fathom_with("count reduce-tree -n 2^12 --instructions" + device),
         {hanging_disassembler},
         false,
         3},
        {"hanging-gnuplot",
         20,
         fathom_with("plot conflicts" + out("hangs.svg")),
         {hanging_gnuplot},
         false,
         1},
    };
  }

  std::vector<Work> python_calls() const {
    const std::string device = "device='" + folder_.file("profile.json") + "'";
    const std::string data =
        "'" FATHOM_SOURCE "/data/h200/reduce-grid.json', '" FATHOM_SOURCE "/data/h200/scan-grid.json'";
    const auto call = [&](const std::string& text) { return python_call(python_, text); };
    const auto out = [&](const char* name) { return "output='" + folder_.file(name) + "', "; };
    return {
        {"python-predict",
         20,
         call("import numpy; fathom.predict('sort-pairwise', numpy.arange(1e6, 1.2e6), " + device + ")"),
         {},
         true},
        {"python-tune",
         8,
         call("fathom.tune('" + folder_.file("choices.json") + "', 1e8, c=[3, 4, 5, 6], " + device + ")"),
         {},
         true},
        {"python-validate", 25, call("fathom.validate([" + data + "], " + device + ")"), {}, true},
        {"python-count", 15, call("fathom.count('sort-pairwise', 2**17, " + device + ")"), {}, true},
        {"python-fit",
         15,
         call("fathom.fit([" + data + "], '" + folder_.file("profile.json") + "', " + out("fit.json") + ")"),
         {},
         true},
        {"python-plot",
         12,
         call("fathom.plot('throughput', [" + data + "], " + out("plot.svg") + device + ")"),
         {},
         true},
        {"python-report",
         10,
         call("fathom.report([" + data + "], " + out("report.html") + device + ")"),
         {},
         true},
    };
  }

  Start start(const Work& work) const {
    const Start plain{.home = folder_.path(), .out = folder_ / "out", .errors = folder_ / "errors"};
    Start start = plain;
    start.environment = work.environment;
    // A cache of its own, empty: what is cached would not be work.
    start.environment.emplace_back("FATHOM_CACHE", folder_.file("cache"));
    return start;
  }
  void empty_cache() const { fs::remove_all(folder_ / "cache"); }

  /// Waits until the Python module is imported: what comes before is Python's.
  bool has_begun(const Work& work, const Process& process) const {
    if (!work.is_python) return true;
    for (const auto since = Clock::now(); content(folder_ / "out").empty(); sleep_for(0.001))
      if (process.ended() || seconds_since(since) > 60) return false;
    return true;
  }

  /// Seconds that the work takes if it is left alone; 0 if it fails.
  double undisturbed(const Work& work) const {
    if (work.hangs_for > 0) return work.hangs_for;
    empty_cache();
    put(folder_ / "out", "");
    const Process process(work.arguments, start(work));
    if (!has_begun(work, process)) return 0;
    const auto began = Clock::now();
    const Ended ended = process.wait();
    return ended.succeeded() ? seconds_since(began) : 0;
  }

  void interrupt(const Work& work) {
    const double duration = undisturbed(work);
    if (duration == 0) {
      fmt::print("{:<16} not tried: {}", work.name, content(folder_ / "errors"));
      return;
    }
    Tally tally;
    for (int i = 0; i < std::max(1, times_ * work.weight / 500); ++i)
      try_once(work, duration, !work.is_python && i % 2 == 1 ? SIGTERM : SIGINT, tally);
    report(work.name, tally, work.hangs_for > 0 ? 0 : duration);
    for (auto member :
         {&Tally::tried, &Tally::ended_before, &Tally::late, &Tally::wrong_status, &Tally::left_behind})
      all_.*member += tally.*member;
    all_.seconds.insert(all_.seconds.end(), tally.seconds.begin(), tally.seconds.end());
  }

  void try_once(const Work& work, double duration, int signal, Tally& tally) {
    empty_cache();
    put(folder_ / "out", "");
    const double moment = std::uniform_real_distribution<double>(0, 1)(random_) * duration;
    const Process process(work.arguments, start(work));
    ++tally.tried;
    if (!has_begun(work, process)) {
      ++tally.wrong_status;
      return;
    }
    sleep_for(moment);
    if (const auto ended = process.ended()) {
      ++tally.ended_before;
      tally.wrong_status += !ended->succeeded();
      return;
    }
    const auto sent = Clock::now();
    process.signal(signal);
    const Ended ended = process.wait();
    tally.seconds.push_back(seconds_since(sent));
    tally.late += tally.seconds.back() > promised_seconds;
    // It succeeds if the answer was being written.
    const bool is_right =
        ended.failed() || ended.succeeded() || (moment < start_seconds && WIFSIGNALED(ended.status));
    tally.wrong_status += !is_right;
    tally.left_behind += orphans();
  }

  void report(const std::string& name, const Tally& tally, double duration) const {
    std::vector<double> sorted = tally.seconds;
    std::ranges::sort(sorted);
    fmt::print("{:<16} {:>4} tried {:>4} ended before", name, tally.tried, tally.ended_before);
    if (!sorted.empty())
      fmt::print("   median {:.3f} s   slowest {:.3f} s", sorted[sorted.size() / 2], sorted.back());
    fmt::print(" {:>4} late {:>4} other status {:>4} left behind", tally.late, tally.wrong_status,
               tally.left_behind);
    if (duration > 0) fmt::print("   undisturbed {:.1f} s", duration);
    fmt::print("\n");
    std::fflush(stdout);
  }

  int times_;
  std::string python_;
  Directory folder_;
  Tally all_;
  std::mt19937_64 random_{20260103};
};

}  // namespace

int time_interrupts(int times, const std::string& python) {
  fmt::print("\ninterrupts, at random moments\n");
  return Interrupts(times, python).run();
}

std::string formula_with_choices(int values) {
  auto formula =
      nlohmann::ordered_json::parse(content(FATHOM_SOURCE "/examples/own-formula/pairwise-mergesort.json"));
  formula["parameters"] = nlohmann::ordered_json::array();
  const auto add = [&](const char* name, int low, int high) {
    formula["parameters"].push_back({{"name", name},
                                     {"meaning", "a value"},
                                     {"values", fmt::format("{}..{}", low, high)},
                                     {"default", low}});
  };
  for (const char* name : {"a", "b", "c"}) add(name, 3, 2 + values);
  add("E", 3, 26);
  nlohmann::ordered_json definitions{{"t", "128 + a + b + c"}};
  definitions.update(formula["definitions"]);
  formula["definitions"] = definitions;
  return formula.dump();
}

Arguments python_call(const std::string& python, const std::string& call) {
  return {python, "-c",
          "import os, signal, fathom\n"
          "os.write(1, b'begun\\n')\n"
          "try:\n"
          "  " +
              call +
              "\n"
              "  signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
              "except KeyboardInterrupt:\n"
              "  os._exit(1)\n"};
}

}  // namespace fathom::faults
