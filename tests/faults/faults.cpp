// SPDX-License-Identifier: Apache-2.0
// Breaks off every command that writes a file, at random moments and in every way that a test can: kills and
// interrupts it, lets two of them write the same file, and takes the space away. Counts what was lost, which
// must be nothing: fathom_faults [--kills K] [--pairs P] [--interrupts I] [--python PATH] runs about K kills,
// P pairs and I timed interrupts and prints a table. Python's calls are tried with an interpreter that has
// the module; what needs NVIDIA's compiler and disassembler, where they are found. One file of more than 350
// lines: every fault uses the same commands, tallies and judgement of what is lost.
#include "interrupts.h"
#include "process.h"

#include <sys/mount.h>

#include <fmt/format.h>

#include <sched.h>
#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

using namespace fathom::faults;

namespace {

// ---- what is tried ----

/// A program that writes one file. Its output depends on nothing but its arguments.
struct Writer {
  std::string name;
  double share;                                       ///< of all kills
  std::string before;                                 ///< content of the file before the command
  std::function<Arguments(const fs::path&)> writing;  ///< the arguments that write this file
  std::string file = "answer";

  fs::path output(const fs::path& folder) const { return folder / file; }
  Arguments arguments(const fs::path& folder) const { return writing(output(folder)); }

  /// Whether `found` is the output whole, of which `after` is one of another time and place.
  bool is_answer(const std::string& found, const std::string& after) const {
    if (file.ends_with(".html")) return found.ends_with("</html>\n") && found.size() + 64 > after.size();
    return file.ends_with(".work") ? without_provenance(found) == without_provenance(after) : found == after;
  }

 private:
  /// null for what is no JSON.
  static nlohmann::json without_provenance(const std::string& text) {
    auto content = nlohmann::json::parse(text, nullptr, false);
    if (!content.is_object()) return nullptr;
    content.erase("provenance");
    return content;
  }
};

/// The command with its output as last argument.
std::function<Arguments(const fs::path&)> command(const std::string& words) {
  return [words](const fs::path& file) {
    Arguments all = fathom_with(words);
    all.push_back(file);
    return all;
  };
}

struct Tally {
  int tried = 0, kept = 0, written = 0, refused = 0, lost = 0, left_behind = 0;
  double slowest = 0;  ///< seconds from the signal to the end
};

int losses = 0;

/// Algorithms of which data/h200/reduce-grid.json has enough runs for a fit.
constexpr const char* fitted[] = {"reduce-pipeline", "reduce-vector"};

void report(const std::string& what, const std::string& fault, const Tally& tally) {
  fmt::print("{:<14} {:<22} {:>6} tried {:>6} old {:>6} new {:>6} refused {:>4} lost {:>4} files left", what,
             fault, tally.tried, tally.kept, tally.written, tally.refused, tally.lost, tally.left_behind);
  if (tally.slowest > 0) fmt::print("   slowest end {:.2f} s", tally.slowest);
  fmt::print("\n");
  std::fflush(stdout);
  losses += tally.lost;
}

/// Files beside the output that are not the empty lock file of a killed process.
int left_behind(const fs::path& folder) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    files += name.starts_with(".fathom-");
  }
  return files;
}

std::vector<fs::path> entries_of(const fs::path& cache) {
  std::vector<fs::path> all;
  if (fs::exists(cache))
    for (const auto& entry : fs::directory_iterator(cache))
      if (!entry.path().filename().string().starts_with('.')) all.push_back(entry.path());
  return all;
}

/// Copies the entries whose names have this ending to a new cache, and returns how many there are.
std::size_t copy_entries(const fs::path& from, const fs::path& to, const std::string& ending) {
  fs::create_directory(to);
  fs::permissions(to, fs::perms::owner_all);  // as Fathom demands it
  for (const fs::path& entry : entries_of(from))
    if (entry.filename().string().ends_with(ending)) fs::copy_file(entry, to / entry.filename());
  return entries_of(to).size();
}

class Campaign {
 public:
  Campaign(int kills, int pairs, std::string python)
      : kills_(kills), pairs_(pairs), python_(std::move(python)) {
    prepare();
  }

  int run() {
    for (const Writer& writer : writers()) {
      if (kills_ * writer.share < 1) continue;  // a report takes long
      const std::string after = undisturbed(writer);
      break_off(writer, after, "kill -9", SIGKILL, std::max(2, int(kills_ * writer.share)));
      break_off(writer, after, "interrupt", SIGINT, std::max(2, int(kills_ * writer.share / 20)));
      if (!writer.name.starts_with("python"))  // which ends at once by SIGTERM, as Python does
        break_off(writer, after, "terminate", SIGTERM, std::max(2, int(kills_ * writer.share / 20)));
      without_space(writer, after, "file size limit", folder_ / "out", 512);
      on_a_full_disk(writer, after);
    }
    if (python_.empty()) fmt::print("python         not tried: no interpreter is given with --python\n");
    break_off_caches();
    pairs_of_answers("predict", 0.3, [&](const std::string& n, const fs::path& out) {
      return command("predict sort-pairwise --device " + profile_ + " -n " + n + " -o")(out);
    });
    pairs_of_answers("tune", 0.2, [&](const std::string& n, const fs::path& out) {
      return command("tune scan-matrix --device " + profile_ + " --json -n " + n + " -o")(out);
    });
    pairs_of_answers("count", 0.1, [&](const std::string& n, const fs::path& out) {
      return command("count reduce-tree --device " + profile_ + " -n " + n + " -o")(out);
    });
    pairs_of_fits("fit", 0.3, [&](const std::string& runs, const std::string& profile) {
      return fathom_with("fit " + runs + " --profile " + profile);
    });
    if (!python_.empty())
      pairs_of_fits("python-fit", 0.1, [&](const std::string& runs, const std::string& profile) {
        return python(fmt::format("fathom.fit('{}', '{}')", runs, profile));
      });
    return losses;
  }

 private:
  void prepare() {
    fs::copy_file(FATHOM_SOURCE "/profiles/h200.json", folder_ / "profile.json");
    const auto all = nlohmann::ordered_json::parse(content(FATHOM_SOURCE "/data/h200/reduce-grid.json"));
    for (const char* algorithm : fitted) {
      nlohmann::ordered_json some = all;
      some["runs"].clear();
      for (const auto& run : all["runs"])
        if (run["algorithm"] == algorithm && run["type"] == "u32") some["runs"].push_back(run);
      put(folder_ / (std::string(algorithm) + ".json"), some.dump());
    }
    auto without_fits = nlohmann::ordered_json::parse(content(folder_ / "profile.json"));
    without_fits["algorithms"].clear();
    put(folder_ / "bare.json", without_fits.dump(1));
    put(folder_ / "choices.json", formula_with_choices(5));
  }

  Arguments python(const std::string& call) const { return python_call(python_, call); }

  std::vector<Writer> writers() const {
    const std::string old = "the old answer\n", bare = (folder_ / "bare.json").string(),
                      runs = (folder_ / "reduce-pipeline.json").string(),
                      profiled = FATHOM_SOURCE "/tests/fuzz/seeds/profiler_csv/a-row-per-launch",
                      choices = (folder_ / "choices.json").string(), device = " --device " + profile_ + " -o";
    std::vector<Writer> all{
        {"predict", 0.455, old, command("predict sort-pairwise -n 1e8" + device)},
        {"tune", 0.17, old, command("tune scan-matrix -n 1e8 --json" + device)},
        {"tune-formula", 0.01, old, command("tune " + choices + " -n 1e8 --json" + device)},
        {"algorithms", 0.2, old, command("algorithms -o")},
        {"devices", 0.1, old, command("devices -o")},
        {"count", 0.02, old, command("count reduce-tree -n 2^14" + device)},
        {"validate", 0.01, old, command("validate " + runs + device)},
        {"fit", 0.01, content(folder_ / "bare.json"), command("fit " + runs + " --profile")},  // in place
        {"import", 0.01, old, command("import " + profiled + " -o"), "answer.work"},
        {"plot", 0.01, old, command("plot conflicts" + device), "answer.svg"},
        {"report", 0.0003, old, command("report --device " + bare + " -o"), "answer.html"}};
    if (python_.empty()) return all;
    const auto call = [&](const std::string& format) {
      return [this, format](const fs::path& file) {
        return python(fmt::format(fmt::runtime(format), file.string()));
      };
    };
    all.push_back({"python-fit", 0.01, content(folder_ / "bare.json"),
                   call("fathom.fit('" + runs + "', '" + bare + "', output='{}')")});
    all.push_back(
        {"python-import", 0.003, old, call("fathom.import_report('" + profiled + "', '{}')"), "answer.work"});
    all.push_back({"python-plot", 0.003, old,
                   call("fathom.plot('conflicts', device='" + profile_ + "', output='{}')"), "answer.svg"});
    all.push_back({"python-report", 0.0002, old, call("fathom.report(device='" + bare + "', output='{}')"),
                   "answer.html"});
    return all;
  }

  Start start(rlim_t largest_file = 0) const {
    return {.home = folder_.path(), .errors = folder_ / "errors", .largest_file = largest_file};
  }

  /// The output of the command if it is left alone.
  std::string undisturbed(const Writer& writer) {
    const Directory folder;
    put(writer.output(folder.path()), writer.before);
    const Ended ended = Process(writer.arguments(folder.path()), start()).wait();
    if (!ended.succeeded())
      throw std::runtime_error(writer.name + " fails undisturbed: " + content(folder_ / "errors"));
    seconds_ = ended.seconds;
    return content(writer.output(folder.path()));
  }

  void judge(const Writer& writer, const std::string& after, const std::string& found, Tally& tally) const {
    if (found == writer.before)
      ++tally.kept;
    else if (writer.is_answer(found, after))
      ++tally.written;
    else
      ++tally.lost;
  }

  void break_off(const Writer& writer, const std::string& after, const std::string& fault, int signal,
                 int times) {
    Tally tally;
    for (int i = 0; i < times; ++i) {
      const Directory folder;
      put(writer.output(folder.path()), writer.before);
      const Process process(writer.arguments(folder.path()), {.home = folder_.path()});
      // Half of the moments near the end, where the file is written.
      const double from = i % 2 == 0 ? 0 : 0.7;
      sleep_for(std::uniform_real_distribution<double>(from, 1.1)(random_) * seconds_);
      const auto signalled = Clock::now();
      process.signal(signal);
      const Ended ended = process.wait();
      if (signal != SIGKILL) tally.slowest = std::max(tally.slowest, seconds_since(signalled));
      const std::string found = content(writer.output(folder.path()));
      ++tally.tried;
      judge(writer, after, found, tally);
      if (ended.succeeded() && found == writer.before) ++tally.lost;  // said to be saved, and is not
      tally.left_behind += left_behind(folder.path());
    }
    report(writer.name, fault, tally);
  }

  void without_space(const Writer& writer, const std::string& after, const std::string& fault,
                     const fs::path& folder, rlim_t largest_file) {
    fs::create_directories(folder);
    put(writer.output(folder), writer.before);
    const Ended ended = Process(writer.arguments(folder), start(largest_file)).wait();
    Tally tally{.tried = 1};
    judge(writer, after, content(writer.output(folder)), tally);
    const std::string said = content(folder_ / "errors");
    tally.refused = ended.failed();
    // With no room, an error in one line and the old content; anything else is a loss.
    if (after.size() > 512 && (!ended.failed() || tally.kept != 1)) ++tally.lost;
    tally.left_behind = left_behind(folder);
    report(writer.name, fault, tally);
  }

  void on_a_full_disk(const Writer& writer, const std::string& after) {
    const Directory folder;
    if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
      fmt::print("{:<14} {:<22} not tried: a small file system cannot be mounted here ({})\n", writer.name,
                 "full disk", std::strerror(errno));
      return;
    }
    put(writer.output(folder.path()), writer.before);
    put(folder / "filler", std::string(2 << 20, 'x'));  // as much of it as fits
    without_space(writer, after, "full disk", folder.path(), 0);
    ::umount(folder.path().c_str());
  }

  /// Commands that fill the cache of kernels, or that of work: killed, and started again with what they left.
  void break_off_caches() {
    const std::string device = " --device " + profile_;
    const bool counts = break_off_cache("count-cache", "count reduce-tree -n 2^12 --instructions" + device,
                                        "none", std::max(2, int(kills_ * 0.003)));
    if (!counts) {
      fmt::print("{:<14} not tried: where nothing can be counted, work is estimated and not kept\n",
                 "predict-cache");
      return;
    }
    // The choice is one that the work tables lack. Its kernels are there, so that the moments are those of
    // its work.
    break_off_cache("predict-cache", "predict sort-pairwise -n 2^20 --type f64 --set E=4 --set t=64" + device,
                    ".cubin", std::max(2, int(kills_ * 0.001)));
  }

  /// `there`: how the names of the entries end that are in the cache before. `old`: no others are after the
  /// kill. `new`: others are, whole ones. `lost`: an entry is not what an undisturbed command writes, or the
  /// next command does not answer as that one. False: not tried, since the undisturbed command failed.
  bool break_off_cache(const std::string& name, const std::string& words, const std::string& there,
                       int times) {
    const auto start_in = [&](const fs::path& cache, const char* out) {
      return Start{.home = folder_.path(),
                   .out = folder_ / out,
                   .errors = folder_ / "errors",
                   .environment = {{"FATHOM_CACHE", cache}}};
    };
    const Directory undisturbed;
    const Ended whole = Process(fathom_with(words), start_in(undisturbed / "c", "answer")).wait();
    const std::string answer = content(folder_ / "answer");
    if (!whole.succeeded()) {
      fmt::print("{:<14} not tried: {}", name, content(folder_ / "errors"));
      return false;
    }
    const std::size_t before = copy_entries(undisturbed / "c", undisturbed / "d", there);
    if (entries_of(undisturbed / "c").size() == before)
      throw std::runtime_error(words + " leaves nothing in the cache");
    Tally tally;
    const double seconds = Process(fathom_with(words), start_in(undisturbed / "d", "answer")).wait().seconds;
    for (int i = 0; i < times; ++i) {
      const Directory folder;
      const fs::path cache = folder / "c";
      copy_entries(undisturbed / "c", cache, there);
      const Process process(fathom_with(words), start_in(cache, "broken-off"));
      sleep_for(std::uniform_real_distribution<double>(0, 1.1)(random_) * seconds);
      process.signal(SIGKILL);
      process.wait();
      const auto left = entries_of(cache);
      tally.left_behind += fs::exists(cache) ? left_behind(cache) : 0;
      const bool next = Process(fathom_with(words), start_in(cache, "next")).wait().succeeded();
      const bool is_right = next && content(folder_ / "next") == answer &&
                            std::ranges::all_of(left, [&](const fs::path& entry) {
                              return content(entry) == content(undisturbed / "c" / entry.filename());
                            });
      ++tally.tried;
      ++(!is_right ? tally.lost : left.size() <= before ? tally.kept : tally.written);
    }
    report(name, "kill -9", tally);
    return true;
  }

  /// Two answers into one file: what the file holds is one of them, whole, and what was refused says so.
  void pairs_of_answers(const std::string& name, double share,
                        const std::function<Arguments(const std::string& n, const fs::path&)>& arguments) {
    constexpr const char* sizes[] = {"2^13", "2^14"};
    Tally tally;
    std::vector<std::string> answers;
    for (const char* n : sizes) {
      const Directory folder;
      Process(arguments(n, folder / "a"), start()).wait();
      answers.push_back(content(folder / "a"));
    }
    for (int i = 0; i < std::max(1, int(pairs_ * share)); ++i) {
      const Directory folder;
      const Process one(arguments(sizes[0], folder / "a"), start());
      sleep_for(std::uniform_real_distribution<double>(0, 0.01)(random_));
      const Process two(arguments(sizes[1], folder / "a"), start());
      const bool first = one.wait().succeeded(), second = two.wait().succeeded();
      const std::string found = content(folder / "a");
      ++tally.tried;
      tally.refused += !first + !second;
      const bool whole = (first && found == answers[0]) || (second && found == answers[1]);
      tally.written += whole;
      tally.lost += !whole;
      tally.left_behind += left_behind(folder.path());
    }
    report(name, "two writers", tally);
  }

  /// Two fits of different algorithms into one profile: every one that reports success is in it.
  void pairs_of_fits(
      const std::string& name, double share,
      const std::function<Arguments(const std::string& runs, const std::string& profile)>& fit) {
    Tally tally;
    for (int i = 0; i < std::max(1, int(pairs_ * share)); ++i) {
      const Directory folder;
      fs::copy_file(folder_ / "bare.json", folder / "p.json");
      const auto start_fit = [&](const char* algorithm) {
        return Process(fit(folder_.file(std::string(algorithm) + ".json"), folder.file("p.json")), start());
      };
      const Process one = start_fit(fitted[0]);
      if (i % 4 == 0) sleep_for(std::uniform_real_distribution<double>(0, 0.2)(random_));
      const Process two = start_fit(fitted[1]);
      const bool succeeded[] = {one.wait().succeeded(), two.wait().succeeded()};
      const auto profile = nlohmann::json::parse(content(folder / "p.json"), nullptr, false);
      ++tally.tried;
      for (int k : {0, 1}) {
        const bool there =
            profile.is_object() && std::ranges::any_of(profile["algorithms"], [k](const auto& one) {
              return one["algorithm"] == fitted[k];
            });
        tally.refused += !succeeded[k];
        tally.written += succeeded[k] && there;
        tally.lost += succeeded[k] && !there;
      }
      tally.lost += !profile.is_object();
      tally.left_behind += left_behind(folder.path());
    }
    report(name, "two writers", tally);
  }

  int kills_, pairs_;
  std::string python_;  ///< an interpreter that has the module; empty: none
  Directory folder_;
  std::string profile_ = folder_.file("profile.json");
  double seconds_ = 0;  ///< that the writer takes undisturbed
  std::mt19937_64 random_{20260102};
};

}  // namespace

int main(int count, char** values) {
  try {
    int kills = 150, pairs = 30, interrupts = 0;
    std::string python;
    for (int i = 1; i + 1 < count; i += 2) {
      const std::string option = values[i];
      if (option == "--kills") kills = std::stoi(values[i + 1]);
      if (option == "--pairs") pairs = std::stoi(values[i + 1]);
      if (option == "--interrupts") interrupts = std::stoi(values[i + 1]);
      if (option == "--python") python = values[i + 1];
    }
    // This mount is seen by this process and its children alone.
    if (::unshare(CLONE_NEWNS) == 0) ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    int lost = 0;
    if (kills + pairs > 0) {
      lost = Campaign(kills, pairs, python).run();
      fmt::print("{} lost in all\n", lost);
    }
    const int broken = interrupts > 0 ? time_interrupts(interrupts, python) : 0;
    return lost + broken == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fathom_faults: {}\n", error.what());
    return 2;
  }
}
