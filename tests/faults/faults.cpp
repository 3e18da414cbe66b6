// SPDX-License-Identifier: Apache-2.0
// Breaks off every command that writes a file, at random moments and in every way that a test can: kills and
// interrupts it, lets two of them write the same file, and takes the space away. Counts what was lost, which
// must be nothing: fathom_faults [--kills K] [--pairs P] runs about K kills and P pairs and prints a table.
// One file of more than 350 lines: every fault uses the same commands, tallies and judgement of what is lost.
#include "../support/temporary_directory.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <sched.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Arguments = std::vector<std::string>;

namespace {

// ---- files ----

using Directory = fathom::tests::TemporaryDirectory;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// ---- processes ----

struct Ended {
  int status;
  double seconds;
  bool succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
  bool failed() const { return WIFEXITED(status) && WEXITSTATUS(status) == 1; }
};

class Process {
 public:
  /// The command's stderr goes to `errors`. `largest_file` in bytes; 0 for no limit.
  Process(const fs::path& folder, const Arguments& arguments, const fs::path& errors = "/dev/null",
          rlim_t largest_file = 0)
      : began_(Clock::now()), id_(::fork()) {
    if (id_ < 0) throw std::runtime_error("cannot start a process");
    if (id_ > 0) return;
    ::setenv("HOME", folder.c_str(), 1);
    ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
    if (largest_file > 0) {
      const rlimit limit{largest_file, largest_file};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    std::vector<char*> values{const_cast<char*>(FATHOM_COMMAND)};
    for (const std::string& argument : arguments) values.push_back(const_cast<char*>(argument.c_str()));
    values.push_back(nullptr);
    ::execv(FATHOM_COMMAND, values.data());
    ::_exit(127);
  }
  void signal(int number) const { ::kill(id_, number); }
  Ended wait() const {
    int status = 0;
    ::waitpid(id_, &status, 0);
    return {status, std::chrono::duration<double>(Clock::now() - began_).count()};
  }

 private:
  Clock::time_point began_;
  pid_t id_;
};

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// ---- what is tried ----

/// A command that writes one file, whose path is its last argument. Its output depends on nothing but its
/// arguments.
struct Writer {
  std::string name, command;
  double share;        ///< of all kills
  std::string before;  ///< content of the file before the command

  fs::path output(const fs::path& folder) const {
    return folder / (name == "plot" ? "answer.svg" : "answer");
  }
  Arguments arguments(const fs::path& folder) const {
    std::istringstream words(command);
    Arguments all(std::istream_iterator<std::string>(words), {});
    all.push_back(output(folder));
    return all;
  }
};

struct Tally {
  int tried = 0, kept = 0, written = 0, refused = 0, lost = 0, left_behind = 0;
  double slowest = 0;  ///< seconds from the signal to the end
};

int losses = 0;

/// Algorithms of which data/h200/reduce-grid.json has enough runs for a fit.
constexpr const char* fitted[] = {"reduce-pipeline", "reduce-vector"};

void report(const std::string& what, const std::string& fault, const Tally& tally) {
  fmt::print("{:<10} {:<22} {:>6} tried {:>6} old {:>6} new {:>6} refused {:>4} lost {:>4} files left", what,
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

class Campaign {
 public:
  Campaign(int kills, int pairs) : kills_(kills), pairs_(pairs) { prepare(); }

  int run() {
    for (const Writer& writer : writers()) {
      if (kills_ * writer.share < 1) continue;  // a report takes long
      const std::string after = undisturbed(writer);
      break_off(writer, after, "kill -9", SIGKILL, std::max(2, int(kills_ * writer.share)));
      break_off(writer, after, "interrupt", SIGINT, std::max(2, int(kills_ * writer.share / 20)));
      break_off(writer, after, "terminate", SIGTERM, std::max(2, int(kills_ * writer.share / 20)));
      without_space(writer, after, "file size limit", folder_ / "out", 512);
      on_a_full_disk(writer, after);
    }
    pairs_of_answers();
    pairs_of_fits();
    fmt::print("{} lost in all\n", losses);
    return losses == 0 ? 0 : 1;
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
  }

  std::vector<Writer> writers() const {
    const std::string old = "the old answer\n", profile = (folder_ / "profile.json").string(),
                      runs = (folder_ / "reduce-pipeline.json").string(),
                      bare = (folder_ / "bare.json").string();
    return {{"predict", "predict sort-pairwise -n 1e8 --device " + profile + " -o", 0.4, old},
            {"tune", "tune scan-matrix -n 1e8 --device " + profile + " --json -o", 0.2, old},
            {"algorithms", "algorithms -o", 0.2, old},
            {"devices", "devices -o", 0.1, old},
            {"count", "count reduce-tree -n 2^14 --device " + profile + " -o", 0.05, old},
            {"validate", "validate " + runs + " --device " + profile + " -o", 0.03, old},
            {"fit", "fit " + runs + " --profile", 0.015, content(folder_ / "bare.json")},  // in place
            {"plot", "plot conflicts --device " + profile + " -o", 0.01, old},
            {"report", "report --device " + bare + " -o", 0.001, old}};
  }

  /// The output of the command if it is left alone.
  std::string undisturbed(const Writer& writer) {
    const Directory folder;
    put(writer.output(folder.path()), writer.before);
    const Ended ended = Process(folder_.path(), writer.arguments(folder.path()), folder_ / "errors").wait();
    if (!ended.succeeded())
      throw std::runtime_error(writer.name + " fails undisturbed: " + content(folder_ / "errors"));
    seconds_ = ended.seconds;
    return content(writer.output(folder.path()));
  }

  void judge(const Writer& writer, const std::string& after, const std::string& found, Tally& tally) const {
    const bool is_new = writer.name == "report"  // whose date changes
                            ? found.ends_with("</html>\n") && found.size() + 64 > after.size()
                            : found == after;
    if (found == writer.before)
      ++tally.kept;
    else if (is_new)
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
      const Process process(folder_.path(), writer.arguments(folder.path()));
      // Half of the moments near the end, where the file is written.
      const double from = i % 2 == 0 ? 0 : 0.7;
      sleep_for(std::uniform_real_distribution<double>(from, 1.1)(random_) * seconds_);
      const auto signalled = Clock::now();
      process.signal(signal);
      const Ended ended = process.wait();
      if (signal != SIGKILL)
        tally.slowest =
            std::max(tally.slowest, std::chrono::duration<double>(Clock::now() - signalled).count());
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
    const Ended ended =
        Process(folder_.path(), writer.arguments(folder), folder_ / "errors", largest_file).wait();
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
      fmt::print("{:<10} {:<22} not tried: a small file system cannot be mounted here ({})\n", writer.name,
                 "full disk", std::strerror(errno));
      return;
    }
    put(writer.output(folder.path()), writer.before);
    put(folder / "filler", std::string(2 << 20, 'x'));  // as much of it as fits
    without_space(writer, after, "full disk", folder.path(), 0);
    ::umount(folder.path().c_str());
  }

  /// Two answers into one file: what the file holds is one of them, whole, and what was refused says so.
  void pairs_of_answers() {
    Tally tally;
    const auto arguments = [&](const char* n, const fs::path& out) {
      return Arguments{
          "predict", "sort-pairwise", "-n", n, "--device", (folder_ / "profile.json").string(), "-o", out};
    };
    std::vector<std::string> answers;
    for (const char* n : {"1e7", "1e8"}) {
      const Directory folder;
      Process(folder_.path(), arguments(n, folder / "a")).wait();
      answers.push_back(content(folder / "a"));
    }
    for (int i = 0; i < pairs_ / 2; ++i) {
      const Directory folder;
      const Process one(folder_.path(), arguments("1e7", folder / "a"));
      sleep_for(std::uniform_real_distribution<double>(0, 0.01)(random_));
      const Process two(folder_.path(), arguments("1e8", folder / "a"));
      const bool first = one.wait().succeeded(), second = two.wait().succeeded();
      const std::string found = content(folder / "a");
      ++tally.tried;
      tally.refused += !first + !second;
      const bool whole = (first && found == answers[0]) || (second && found == answers[1]);
      tally.written += whole;
      tally.lost += !whole;
      tally.left_behind += left_behind(folder.path());
    }
    report("predict", "two writers", tally);
  }

  /// Two fits of different algorithms into one profile: every one that reports success is in it.
  void pairs_of_fits() {
    Tally tally;
    for (int i = 0; i < pairs_ / 2; ++i) {
      const Directory folder;
      fs::copy_file(folder_ / "bare.json", folder / "p.json");
      const auto fit = [&](const char* algorithm) {
        return Process(folder_.path(), {"fit", (folder_ / (std::string(algorithm) + ".json")).string(),
                                        "--profile", (folder / "p.json").string()});
      };
      const Process one = fit(fitted[0]);
      if (i % 4 == 0) sleep_for(std::uniform_real_distribution<double>(0, 0.2)(random_));
      const Process two = fit(fitted[1]);
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
    report("fit", "two writers", tally);
  }

  int kills_, pairs_;
  Directory folder_;
  double seconds_ = 0;  ///< that the writer takes undisturbed
  std::mt19937_64 random_{20260102};
};

}  // namespace

int main(int count, char** values) {
  try {
    int kills = 150, pairs = 30;
    for (int i = 1; i + 1 < count; i += 2) {
      if (std::string(values[i]) == "--kills") kills = std::stoi(values[i + 1]);
      if (std::string(values[i]) == "--pairs") pairs = std::stoi(values[i + 1]);
    }
    // This mount is seen by this process and its children alone.
    if (::unshare(CLONE_NEWNS) == 0) ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    return Campaign(kills, pairs).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "fathom_faults: {}\n", error.what());
    return 2;
  }
}
