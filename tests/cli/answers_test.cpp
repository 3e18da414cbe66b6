// Answers of the commands. Texts are compared with tests/cli/golden/, with results masked: their values are
// tested where they are computed. FATHOM_WRITE_GOLDEN=1 rewrites the files, so that changes can be reviewed.
#include <fathom/reports/text/table.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "run.h"

using nlohmann::json;

namespace {

/// Numbers with their sign, point and exponent become #, except in names and powers ("u32", "10^9"), in
/// requested values ("t = 256"), and in the 95 % of an interval.
std::string without_results(const std::string& text) {
  static const std::regex word(R"(([A-Za-z_^]|= )[-.\w^]*|95 %|\d+\^\d+|-?\d+(\.\d+)?(e[-+]?\d+)?)");
  std::string out;
  auto end = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), word), none; at != none; ++at) {
    out.append(end, (*at)[0].first);
    const std::string found = at->str();
    const bool is_result = std::isdigit(static_cast<unsigned char>(found[found[0] == '-'])) &&
                           found.find_first_of("^%") == found.npos;
    out += is_result ? "#" : found;
    end = (*at)[0].second;
  }
  return out.append(end, text.end());
}

/// Also masks units and the spaces and rules that align results.
std::string masked(const std::string& text) {
  const std::string numbers = without_results(text);
  const std::string units = std::regex_replace(numbers, std::regex(R"(# (s|ms|µs|ns)\b)"), "# TIME");
  return std::regex_replace(units, std::regex(R"( +|-{3,}|─+)"), " ");
}

void check_golden(const std::string& name, const std::string& arguments) {
  const Outcome outcome = run_fathom(arguments);
  INFO("fathom " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  const std::filesystem::path file = std::filesystem::path(FATHOM_GOLDEN) / (name + ".txt");
  if (std::getenv("FATHOM_WRITE_GOLDEN")) write(file, masked(outcome.out));
  CHECK(masked(outcome.out) == content(file));
}

json answer(const std::string& arguments) {
  const Outcome outcome = run_fathom(arguments + " --json");
  INFO("fathom " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  return json::parse(outcome.out);
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

const std::string on_m4000 = " --device m4000 --law published ";

/// The shipped profile with round rates, so that answers stay when the GPU is calibrated again.
std::string with_round_rates(const ScratchDirectory& scratch) {
  json profile = json::parse(content(std::filesystem::path(FATHOM_PROFILES) / "h200.json"));
  profile["version"] = 3;
  profile["architecture"] = 90;
  const auto set = [&](const std::string& unit, std::initializer_list<std::pair<const char*, double>> rates) {
    for (const auto& [name, value] : rates)
      profile["constants"][name] = {{"value" + unit, value}, {"interval" + unit, nullptr}};
  };
  set("_bytes_per_s", {{"dram.read", 4.6e12}, {"dram.write", 3.9e12}, {"dram.copy", 4.2e12}});
  set("_bytes_per_s", {{"l2.read", 7e12}, {"l2.write", 5e12}, {"l2.copy", 6e12}});
  set("_sectors_per_s", {{"dram.scattered", 5e10}, {"l2.scattered", 1.5e11}, {"dram.resumed", 1.5e10}});
  set("_sectors_per_s", {{"atomics.line", 2e9}, {"atomics.kib", 4e9}, {"atomics.64_kib", 8e10}});
  set("_per_clock",
      {{"pipe.alu", 2}, {"pipe.fma", 4}, {"pipe.issue", 4}, {"pipe.wavefronts", 1}, {"pipe.barriers", 0.5}});
  set("_clocks", {{"wait.dram", 750},
                  {"wait.l2", 280},
                  {"wait.shared", 30},
                  {"wait.barrier", 30},
                  {"wait.loaded", 1500},
                  {"wait.turnover", 350}});
  set("_clocks", {{"fetch", 4}});
  set("", {{"sleep", 1.6}, {"overlap", 5.5}, {"knee", 2.5}, {"phase.share", 0.6}, {"phase.decay", 1.5}});
  write(scratch / "h200.json", profile.dump());
  return " --device " + (scratch / "h200.json").string() + " ";
}

}  // namespace

TEST_CASE("golden texts mask results, and keep names, powers and requested values") {
  CHECK(masked("1e8 u32 on m4000: 1.5 ms, 12 % of 2^20 (95 %), E = 15, t = 256, 4.1·10^9/s, a.h:41, -3") ==
        "# u32 on m4000: # TIME, # % of 2^20 (95 %), E = 15, t = 256, #·10^9/s, a.h:#, #");
}

TEST_CASE("text answers match the golden files") {
  check_golden("predict", "predict sort-pairwise -n 1e8" + on_m4000);
  check_golden("count", "count scan-matrix -n 10000 --machine dmm --latency 100 --device h200 -v");
  check_golden("tune", "tune sort-pairwise -n 1e8 --top 3" + on_m4000);
  const ScratchDirectory scratch;
  check_golden("predict-counted",
               "predict sort-pairwise -n 1e8 -v --what-if dram.bandwidth=1.5x" + with_round_rates(scratch));
}

TEST_CASE("the law of counted work is the default") {
  const ScratchDirectory scratch;
  const std::string profile = with_round_rates(scratch);
  const json prediction = answer("predict sort-pairwise -n 1e8" + profile);
  CHECK(prediction["law"] == "counted");
  CHECK(prediction["fitted_from"].is_null());
  CHECK(prediction["interval_s"].size() == 2);
  double sum = 0;
  for (const auto& [name, seconds] : prediction["terms"].items()) sum += seconds.get<double>();
  CHECK(sum == Approx(prediction["time_s"].get<double>()));
  std::set<std::string> kernels;
  for (const json& kernel : prediction["kernels"]) kernels.insert(kernel["name"]);
  CHECK(kernels == std::set<std::string>{"BlockSort", "MergePathPartition", "MergeTiles"});
  CHECK(answer("tune sort-pairwise -n 1e8" + profile)["law"] == "counted");
}

TEST_CASE("a prediction under the law fitted names the runs that its factors were fitted to") {
  const std::string question = "predict sort-pairwise -n 1e8 --device h200 --sensitivities --law ";
  const json prediction = answer(question + "fitted"), counted = answer(question + "counted");
  CHECK(prediction["law"] == "fitted");
  CHECK(prediction["fitted_from"].get<std::string>().find("sort-grid.json") != std::string::npos);
  CHECK(counted["fitted_from"].is_null());
  CHECK(prediction["time_s"] != counted["time_s"]);
  CHECK(prediction["interval_s"].size() == 2);
  CHECK(prediction["kernels"].size() == 3);
  CHECK_FALSE(prediction["sensitivities"].empty());
  CHECK(run_fathom("predict sort-pairwise -n 1e8 --device h200 --law fitted").out.find("sort-grid.json") !=
        std::string::npos);
  const json tuned =
      answer("tune sort-pairwise -n 1e8 --device h200 --law fitted --what-if dram.bandwidth=1.5x");
  CHECK(tuned["law"] == "fitted");
  CHECK(tuned["tied"].get<int>() >= 1);
}

TEST_CASE("a fit is its factors with intervals, and the runs that were not used") {
  const ScratchDirectory scratch;
  const std::string command = "fit " + std::string(FATHOM_DATA "/h200/reduce-*.json") +
                              " --profile h200 -o " + (scratch / "p.json").string();
  const json fitted = answer(command);
  REQUIRE(fitted["fits"].size() == 5);
  for (const json& fit : fitted["fits"]) {
    for (const char* factor : {"work", "waiting"}) {
      const json& estimate = fit["factors"][factor];
      CHECK(estimate["interval"][0] < estimate["value"]);
      CHECK(estimate["value"] < estimate["interval"][1]);
    }
    CHECK(fit["residual"] > 0);
    CHECK(fit["runs"] > 5);
    CHECK(fit["dataset"] == "reduce-grid.json, reduce-sizes.json");
  }
  CHECK(fitted["not_fitted"]["without_work"] == 0);
  const Outcome text = run_fathom(command);
  CHECK(text.out.find("waiting") != std::string::npos);
  CHECK(text.out.find(" ± ") != std::string::npos);
}

TEST_CASE("validate compares fitted if the profile has fits") {
  const auto laws = [](const std::string& device) {
    const json comparisons =
        answer("validate " + std::string(FATHOM_DATA "/h200-validation/scan.json") + " --device " + device);
    std::set<std::string> laws;
    for (const json& one : comparisons["comparisons"]) laws.insert(one["law"]);
    return laws;
  };
  CHECK(laws("h200") == std::set<std::string>{"counted", "fitted", "published"});
  const ScratchDirectory scratch;
  json profile = json::parse(content(FATHOM_PROFILES "/h200.json"));
  profile["algorithms"] = json::array();
  write(scratch / "p.json", profile.dump());
  CHECK(laws((scratch / "p.json").string()) == std::set<std::string>{"counted", "published"});
}

TEST_CASE("sorted input takes another time, of sorts only") {
  const ScratchDirectory scratch;
  const std::string profile = with_round_rates(scratch);
  const auto time = [&](const std::string& question) {
    return answer("predict " + question + profile)["time_s"].get<double>();
  };
  CHECK(time("sort-pairwise -n 1e8 --input conflict-heavy") > 1.1 * time("sort-pairwise -n 1e8"));
  CHECK(time("scan-lookback -n 1e8 --input sorted") == time("scan-lookback -n 1e8"));
  const json tuned =
      answer("tune sort-pairwise -n 1e8 --set E=17 --set t=256 --input conflict-heavy" + profile);
  CHECK(tuned["input"] == "conflict-heavy");
  CHECK(tuned["best"]["time_s"].get<double>() > time("sort-pairwise -n 1e8"));
}

TEST_CASE("faster constants take less time, and sensitivities say how much") {
  const ScratchDirectory scratch;
  const std::string question = "predict sort-pairwise -n 1e8" + with_round_rates(scratch);
  const double now = answer(question)["time_s"];
  const json faster = answer(question + "--what-if dram.bandwidth=1.5x --what-if clock=2x");
  CHECK(faster["what_if"] == json{"dram.bandwidth=1.5x", "clock=2x"});
  CHECK(faster["time_s"].get<double>() < now / 1.3);
  const json asked = answer(question + "--sensitivities");
  CHECK(asked["time_s"] == now);
  double copying = 0, before = 1e9;
  for (const json& one : asked["sensitivities"]) {
    const double value = one["value"];
    if (one["constant"] == "dram.copy") copying = value;
    CHECK(std::abs(value) <= before);
    before = std::abs(value);
  }
  const double slightly = answer(question + "--what-if dram.copy=1.001x")["time_s"];
  CHECK(std::log(slightly / now) / std::log(1.001) == Approx(copying).epsilon(0.01));
}

TEST_CASE("tune tells how many choices tie with the best") {
  const ScratchDirectory scratch;
  const json tuned = answer("tune sort-pairwise -n 1e8 --top 0" + with_round_rates(scratch));
  const double best = tuned["best"]["time_s"];
  std::size_t tied = 0;
  for (const json& candidate : tuned["candidates"]) {
    CHECK(candidate["tied"] == (candidate["time_s"].get<double>() <= 1.02 * best));
    tied += candidate["tied"].get<bool>();
  }
  CHECK(tuned["tied"] == tied);
  CHECK(tied < tuned["candidates"].size());
  CHECK(answer("tune sort-pairwise -n 1e8" + on_m4000)["tied"].is_null());
}

TEST_CASE("tune leaves out choices whose work cannot be had, and says so") {
  // The shipped table has radix-onesweep with digits of 4 and 8 bits.
  const std::string question = "tune radix-onesweep -n 2^20 --device h200 --set t=256 --set E=8 ";
  const Outcome outcome =
      run_fathom_with("FATHOM_NVDISASM=/nonexistent PATH=/nonexistent", question + "--json");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err, Catch::Contains("3 of 5 choices are left out"));
  const json tuned = json::parse(outcome.out);
  CHECK(tuned["without_work"] == 3);
  CHECK(tuned["candidates"].size() == 2);
  const Outcome none =
      run_fathom_with("FATHOM_NVDISASM=/nonexistent PATH=/nonexistent", question + "--set d=5,6");
  CHECK(none.code == 1);
  CHECK_THAT(none.err, Catch::Contains("is not in the tables"));
}

TEST_CASE("every command's help has an example") {
  for (const char* command : {"devices", "algorithms", "calibrate", "predict", "tune", "bench", "count",
                              "fit", "validate", "plot", "report"}) {
    INFO(command);
    const Outcome outcome = run_fathom(std::string(command) + " --help");
    CHECK(outcome.code == 0);
    CHECK(std::regex_search(outcome.out, std::regex(std::string("Examples?: fathom ") + command)));
    CHECK(outcome.out.find("--json") != std::string::npos);
  }
}

TEST_CASE("no command prints a line of more than 120 columns") {
  const std::string data = FATHOM_DATA "/h200-validation/scan.json ";
  const ScratchDirectory scratch;
  for (const std::string& arguments :
       {std::string("--help"), std::string("devices"), std::string("algorithms"),
        std::string("algorithms -v"), "predict sort-pairwise -n 1e8 -v" + on_m4000,
        std::string("predict sort-kway -n 2^20,1e13 --device h200"),
        "predict sort-kway -n 2^20,1e13 --type u32,u64:u64 --set E=23,47 --device h200,m4000,/nowhere-near/" +
            std::string(90, 'x') + ".json",
        "tune sort-multiway -n 1e8 --top 3" + on_m4000,
        std::string("count scan-matrix -n 10000 --machine agpu --device h200"), "validate " + data,
        "validate " + data + "--by type", "validate " + data + "--by n",
        "validate " + data + "--by parameters",
        "fit " + data + "--profile h200 -o " + (scratch / "p.json").string()}) {
    const Outcome outcome = run_fathom(arguments);
    INFO("fathom " << arguments << "\n" << outcome.err);
    CHECK((outcome.code == 0 || outcome.err.find("nowhere-near") != std::string::npos));
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(fathom::reports::display_width(line) <= 120);
    }
  }
  for (const char* command : {"devices", "algorithms", "calibrate", "predict", "tune", "bench", "count",
                              "fit", "validate", "plot", "report", "completion", "manual"}) {
    std::istringstream lines(run_fathom(std::string(command) + " --help").out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(fathom::reports::display_width(line) <= 120);
    }
  }
}

TEST_CASE("several sizes, types, parameters and devices are predicted at once, each as if asked alone") {
  const json sweep = answer(
      "predict sort-pairwise -n 2^20,2^24,2^50 --type u32,u64 --set E=15,17 --device m4000,k40m --law "
      "published");
  CHECK(sweep["schema"] == "fathom.predictions");
  REQUIRE(sweep["points"].size() == 3 * 2 * 2 * 2);
  std::set<std::string> asked;
  for (const json& point : sweep["points"]) {
    const std::string n = point["n"].dump(), type = point["type"], device = point["device"];
    asked.insert(n + type + device + point["parameters"].dump());
    if (point["n"] == 1LL << 50) {
      CHECK(point["time_s"].is_null());
      CHECK(point["why_missing"].get<std::string>().find("choose a smaller n") != std::string::npos);
      continue;
    }
    CHECK(point["why_missing"].is_null());
  }
  CHECK(asked.size() == sweep["points"].size());
  const json& point = sweep["points"][4];  // the second size with E = 17
  CHECK(point["time_s"] ==
        answer(fmt::format("predict sort-pairwise -n {} --type {} --set E={} --law published --device {}",
                           point["n"].dump(), point["type"].get<std::string>(),
                           point["parameters"]["E"].dump(), point["device"].get<std::string>()))["time_s"]);
  const Outcome refused = run_fathom("predict sort-pairwise -n 2^20,2^21 --sensitivities --device h200");
  CHECK(refused.code == 2);
  CHECK(refused.err.find("--sensitivities") != std::string::npos);
}

TEST_CASE("validate answers with a line per law and per algorithm, which pool the runs of all types") {
  const std::string command = "validate " FATHOM_DATA "/h200-validation/scan.json ";
  const json compared = answer(command)["comparisons"][0];
  double runs = 0, sum = 0;
  for (const json& errors : compared["errors"]) {
    if (errors["group"] != "all") continue;
    runs += errors["runs"].get<double>();
    sum += errors["runs"].get<double>() * errors["mean_absolute_relative_error"].get<double>();
  }
  const std::string text = run_fathom(command).out;
  std::smatch row;
  REQUIRE(std::regex_search(text, row, std::regex(R"(counted +(\d+) +([\d.]+) %)")));
  CHECK(std::stod(row[1]) == runs);
  CHECK(std::stod(row[2]) == Approx(100 * sum / runs).epsilon(0.005));
}

TEST_CASE("completion of bash offers commands, options, algorithms and values") {
  const ScratchDirectory scratch;
  const std::filesystem::path script = scratch / "completion", answer = scratch / "answer";
  REQUIRE(run_fathom("completion bash -o " + script.string()).code == 0);
  const auto offered = [&](const std::string& words, int current) {
    const std::string command = fmt::format(
        "bash -c '. {}; COMP_WORDS=({}); COMP_CWORD={}; _fathom; echo \"${{COMPREPLY[*]}}\"' > {}",
        script.string(), words, current, answer.string());
    CHECK(std::system(command.c_str()) == 0);
    return content(answer);
  };
  CHECK(offered("fathom pre", 1) == "predict\n");
  CHECK(offered("fathom predict radix-o", 2) == "radix-onesweep\n");
  CHECK(offered("fathom predict radix-lsd --sens", 3) == "--sensitivities\n");
  CHECK(offered("fathom predict radix-lsd --law pu", 4) == "published\n");
  CHECK(offered("fathom tune radix-lsd --device m", 4) == "m4000\n");
  CHECK(run_fathom("completion zsh").out.starts_with("#compdef fathom\n"));
  CHECK(run_fathom("completion fish").out.find("-l sensitivities") != std::string::npos);
  CHECK(run_fathom("completion tcsh").code == 2);
}

TEST_CASE("the manual page has every command and option") {
  const std::string page = run_fathom("manual").out;
  CHECK(page.starts_with(".TH FATHOM 1 "));
  std::istringstream script(run_fathom("completion fish").out);
  std::size_t options = 0;
  for (std::string line; std::getline(script, line);) {
    std::smatch name;
    if (!std::regex_search(line, name, std::regex(" -l ([a-z-]+)"))) continue;
    INFO(line);
    CHECK(page.find(std::regex_replace("--" + name[1].str(), std::regex("-"), "\\-")) != std::string::npos);
    ++options;
  }
  CHECK(options > 60);
}

TEST_CASE("a prediction in JSON has every field") {
  const json prediction = answer("predict -n 2^20 --set E=15 --set t=128 sort-pairwise" + on_m4000);
  for (const char* key :
       {"schema",      "version",    "algorithm",  "device",       "law",   "n",      "type",  "parameters",
        "time_s",      "interval_s", "throughput", "terms",        "bound", "phases", "input", "what_if",
        "fitted_from", "saving",     "kernels",    "sensitivities"})
    CHECK(prediction.contains(key));
  CHECK(prediction["algorithm"] == "sort-pairwise");
  CHECK(prediction["device"] == "m4000");
  CHECK(prediction["law"] == "published");
  CHECK(prediction["n"] == 1048576);
  CHECK(prediction["parameters"] == json{{"E", 15}, {"t", 128}});
  CHECK(prediction["time_s"].get<double>() > 0);
  CHECK(keys(prediction["terms"]) == std::set<std::string>{"global_s", "shared_s", "register_s"});
  for (const json& phase : prediction["phases"])
    for (const char* key : {"name", "launches", "level", "accesses", "time_s", "limited_by"})
      CHECK(phase.contains(key));
}

TEST_CASE("n is accepted in every notation") {
  const auto time = [](const std::string& n) {
    return answer("predict scan-matrix -n " + n + on_m4000)["time_s"].get<double>();
  };
  CHECK(time("1048576") == time("2^20"));
  CHECK(time("1000000") == time("1e6"));
}

TEST_CASE("the composition rule and the ceiling can be chosen") {
  const auto time = [](const std::string& rule) {
    return answer("predict sort-pairwise -n 1e8" + on_m4000 + rule)["time_s"].get<double>();
  };
  CHECK(time("--compose max") < time("--compose 2"));
  CHECK(time("--compose 2") < time("--compose sum"));
  CHECK(time("--ceiling never") <= time("--ceiling always"));
}

TEST_CASE("tune ranks every choice, fastest first, within the restriction of --set") {
  const json tuned = answer("tune sort-pairwise -n 1e8 --top 0 --set t=128" + on_m4000);
  REQUIRE(tuned["candidates"].size() > 10);
  double before = 0;
  for (const json& candidate : tuned["candidates"]) {
    CHECK(candidate["parameters"]["t"] == 128);
    CHECK(candidate["time_s"].get<double>() >= before);
    before = candidate["time_s"];
  }
  CHECK(tuned["best"]["parameters"] == tuned["candidates"][0]["parameters"]);
  CHECK(tuned["regret"].is_null());
}

TEST_CASE("a count in JSON has every field") {
  const json counted = answer("count sort-pairwise -n 10000 --set E=17 --set t=128 --device h200");
  CHECK(keys(counted) == std::set<std::string>{"schema", "version", "algorithm", "device", "n", "type",
                                               "input", "parameters", "kernels", "audit", "machines"});
  CHECK(counted["schema"] == "fathom.count");
  CHECK(counted["input"] == "random");
  CHECK(counted["parameters"] == json{{"E", 17}, {"t", 128}});
  std::set<std::string> phases;
  for (const json& kernel : counted["kernels"]) {
    phases.insert(kernel["phase"]);
    CHECK(keys(kernel) == std::set<std::string>{"kernel", "phase", "launches", "blocks", "threads_per_block",
                                                "shared_bytes_per_block", "footprint_bytes", "read_bytes",
                                                "written_bytes", "fresh_read_bytes", "fresh_written_bytes",
                                                "global", "shared", "instructions", "sites"});
    for (const char* operation : {"load", "store", "atomic"})
      CHECK(keys(kernel["global"][operation]) == std::set<std::string>{"accesses", "words", "warp_words",
                                                                       "sectors", "lines", "l2_sectors",
                                                                       "useful_bytes"});
    for (const char* operation : {"load", "store", "atomic"})
      CHECK(keys(kernel["shared"][operation]) ==
            std::set<std::string>{"accesses", "words", "warp_words", "wavefronts", "conflict"});
    CHECK(keys(kernel["instructions"]) == std::set<std::string>{"shuffle", "ballot", "match", "reduce",
                                                                "barrier", "copy-wait", "warp-barrier",
                                                                "compare", "compare-exchange"});
    for (const json& site : kernel["sites"])
      CHECK(keys(site) == std::set<std::string>{"function", "file", "line", "memory", "operation", "counts"});
  }
  CHECK(phases == std::set<std::string>{"BlockSort", "MergePathPartition", "MergeTiles"});
  CHECK(counted["kernels"][0]["global"]["store"]["words"] == 10000);  // every key once
  // The partition uses no shared memory: unknown, not 0.
  CHECK(counted["kernels"][1]["shared"]["load"]["conflict"].is_null());
  for (const json& entry : counted["audit"])
    CHECK(keys(entry) == std::set<std::string>{"level", "formula_words", "counted_words", "ratio"});
  CHECK(counted["machines"].empty());
}

TEST_CASE("each abstract machine gives the cost of a count") {
  const auto machine = [](const std::string& options) {
    const json counted = answer("count scan-matrix -n 2^14 --device h200 --machine " + options);
    REQUIRE(counted["machines"].size() == 1);
    return counted["machines"][0];
  };
  for (const std::string name : {"dmm", "umm"}) {
    const json cost = machine(name + " --width 16 --latency 100 --threads 2^12");
    CHECK(cost["machine"] == name);
    CHECK(cost["width"] == 16);
    CHECK(cost["latency"] == 100);
    CHECK(cost["threads"] == 4096);
    CHECK(cost["time_units"].get<double>() >
          2 * 16384 / 16);  // at least two words per element, 16 per time unit
    CHECK(machine(name + " --width 16 --latency 200 --threads 2^12")["time_units"] > cost["time_units"]);
  }
  const json cost = machine("agpu --width 32 --threads 2^12 --memory 2^14");
  CHECK(keys(cost) == std::set<std::string>{"machine", "width", "threads", "memory_words", "time", "io",
                                            "global_words", "shared_words", "multiplicity"});
  CHECK(cost["io"].get<double>() >= 3 * 16384 / 32);  // agpu2015: 3n/b
  CHECK(cost["multiplicity"].get<double>() == Approx(16384 / cost["shared_words"].get<double>()));
}

TEST_CASE("an audit covers sizes and parameters, and all algorithms if none is named") {
  const json one = answer("count scan-matrix -n 2^10..2^12:2 --set alpha=4,8 --audit --device h200");
  CHECK(one["schema"] == "fathom.audit");
  REQUIRE(one["counts"].size() == 4);
  for (const json& count : one["counts"]) CHECK(count["audit"].size() == 2);
  std::set<std::string> slugs;
  const json all = answer("count -n 2^10 --audit --device h200");
  for (const json& count : all["counts"]) slugs.insert(count["algorithm"]);
  for (const char* slug : {"sort-pairwise", "scan-matrix", "reduce-tree"}) CHECK(slugs.contains(slug));
  CHECK_FALSE(slugs.contains("cub-merge"));
}

TEST_CASE("an audit leaves out kernels that do not fit on the GPU, with a note, and keeps the rest") {
  for (const std::string device : {"h200", "m4000", "gtx770", "k40m"}) {
    INFO(device);
    const Outcome outcome = run_fathom("count -n 2^10 --audit --json --device " + device);
    REQUIRE(outcome.code == 0);
    std::set<std::string> slugs;
    const json answered = json::parse(outcome.out);
    for (const json& count : answered["counts"]) slugs.insert(count["algorithm"]);
    for (const char* slug : {"sort-pairwise", "scan-matrix", "reduce-tree"}) CHECK(slugs.contains(slug));
    CHECK(slugs.contains("scan-lookback") == (device == "h200"));
    if (device == "h200")
      CHECK(outcome.err.empty());
    else
      CHECK(outcome.err.find("fathom: note: scan-lookback n = 1024") != std::string::npos);
  }
  const Outcome alone = run_fathom("count scan-lookback -n 2^10 --device m4000");
  CHECK(alone.code == 1);
  CHECK(alone.err.find("does not fit on a multiprocessor") != std::string::npos);
  CHECK(run_fathom("count scan-lookback -n 2^10 --audit --device m4000").code == 1);
}

TEST_CASE("a count takes any input, by the name that bench knows") {
  const auto merging_wavefronts = [](const std::string& input) {
    const json counted = answer("count sort-pairwise -n 17408 --set t=128 --device h200 --input " + input);
    return counted["kernels"][2]["shared"]["load"]["wavefronts"].get<double>();
  };
  CHECK(merging_wavefronts("conflict-heavy") > 2 * merging_wavefronts("random"));
}

TEST_CASE("-o writes the answer to a file and nothing to stdout") {
  const ScratchDirectory scratch;
  const auto file = scratch / "prediction.json";
  const Outcome outcome = run_fathom("predict sort-pairwise -n 1e6 --json -o " + file.string() + on_m4000);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
  CHECK(json::parse(content(file))["schema"] == "fathom.predict");
}

TEST_CASE("plot draws only the algorithms in the datasets") {
  const ScratchDirectory scratch;
  json dataset{{"schema", "fathom.dataset"},
               {"version", 1},
               {"provenance",
                {{"gpu", "NVIDIA H200"},
                 {"driver", nullptr},
                 {"toolkit", nullptr},
                 {"date", nullptr},
                 {"commit", nullptr},
                 {"command", nullptr}}},
               {"runs", json::array()}};
  for (const double n : {1e6, 2e6})
    dataset["runs"].push_back({{"algorithm", "scan-matrix"},
                               {"type", "u32"},
                               {"input", "random"},
                               {"n", n},
                               {"parameters", {{"alpha", 16}, {"t", 256}}},
                               {"clock_hz", 1.98e9},
                               {"clock_moved", false},
                               {"checked", true},
                               {"kernels", json::array()},
                               {"seconds", {n * 1e-11, n * 1.1e-11}}});
  write(scratch / "runs.json", dataset.dump());
  const auto file = scratch / "scan.svg";
  const json drawn =
      answer("plot throughput " + (scratch / "runs.json").string() + " --device h200 -o " + file.string());
  CHECK(drawn["files"] == json{file.string()});
  CHECK(content(file).find("scan-matrix") != std::string::npos);
}

TEST_CASE("validate and plot read the shipped datasets, which are of versions 1 and 2") {
  const auto version = [](const char* file) {
    return json::parse(content(std::filesystem::path(FATHOM_DATA) / "h200" / file))["version"];
  };
  REQUIRE(version("scan-sizes.json") == 1);
  REQUIRE(version("sort-sizes.json") == 2);
  const json compared = answer(std::string("validate ") + FATHOM_DATA + "/h200/*.json")["comparisons"];
  REQUIRE(compared.size() == 3);
  CHECK(compared[0]["law"] == "counted");
  CHECK(compared[0]["left_out"]["not_predicted"].empty());  // the tables have the work of every run
  for (const json& of_law : compared) {
    CHECK(of_law["device"] == "h200");
    CHECK(of_law["runs"].size() > 8000);
    std::set<std::string> algorithms;
    for (const json& error : of_law["errors"]) algorithms.insert(error["algorithm"]);
    for (const char* slug : {"sort-pairwise", "scan-matrix", "reduce-vector"})
      CHECK(algorithms.contains(slug));
    CHECK_FALSE(of_law["regrets"].empty());
  }
  const ScratchDirectory scratch;
  const json drawn = answer(std::string("plot parity ") + FATHOM_DATA +
                            "/h200/sort-*.json --law counted -o " + (scratch / "parity.svg").string());
  CHECK(drawn["files"].size() == 1);
}

TEST_CASE("a note says that a profile is of another GPU than the runs") {
  const ScratchDirectory scratch;
  const std::string runs = std::string(FATHOM_DATA) + "/h200/scan-grid.json";
  const auto validate = [&](const std::string& device) {
    return run_fathom("plot tradeoff --law published --algorithm scan-matrix " + runs + " -o " +
                      (scratch / "x.svg").string() + device);
  };
  const std::string says =
      "fathom: note: the runs were measured on 'NVIDIA H200', the profile m4000 is of another GPU, 'Quadro "
      "M4000'\n";
  CHECK(validate(" --device m4000").err == says);
  CHECK(validate(" --device h200").err.empty());
  CHECK(validate("").err.empty());
}

TEST_CASE("a refit that loses a constant says which, its value, and why") {
  const ScratchDirectory scratch;
  json profile = json::parse(content(std::filesystem::path(FATHOM_PROFILES) / "h200.json"));
  const auto refit = [&] {
    write(scratch / "p.json", profile.dump());
    return run_fathom("fit --refit --force --profile " + (scratch / "p.json").string() + " -o " +
                      (scratch / "new.json").string());
  };
  CHECK(refit().err.empty());
  json kept = json::array();
  for (const json& series : profile["series"])
    if (series["question"] != "launch-empty") kept.push_back(series);
  profile["series"] = kept;
  const Outcome outcome = refit();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.find("fathom: note: the new fit has no value for launch_overhead, which was ") == 0);
  CHECK(outcome.err.find(": launches: not fitted, launch-empty or launch-gap at two lengths is missing\n") !=
        std::string::npos);
  CHECK(outcome.err.find("no value for kernel_gap, which was ") != std::string::npos);
}

TEST_CASE("a trade-off can be drawn for any parameter") {
  const ScratchDirectory scratch;
  const json drawn = answer("plot tradeoff --device h200 --algorithm reduce-tree --parameter t -o " +
                            (scratch / "t.svg").string());
  REQUIRE(drawn["files"].size() == 4);  // bandwidth and multiplicity, for the H200 and for the published GPUs
  const std::string svg = content(drawn["files"][0].get<std::string>());
  CHECK(svg.find("reduce-tree over t: bandwidth") != std::string::npos);
  CHECK(svg.find("t, threads per block") != std::string::npos);
}

TEST_CASE("devices lists the published GPUs") {
  std::set<std::string> names;
  const json devices = answer("devices");
  CHECK(devices.contains("schema"));
  for (const json& device : devices["devices"]) names.insert(device["name"]);
  for (const char* name : {"m4000", "gtx770", "k40m"}) CHECK(names.contains(name));
}

TEST_CASE("devices with a name lists every constant with its unit, interval and resource") {
  const json device = answer("devices h200");
  CHECK(device["schema"] == "fathom.device");
  std::map<std::string, json> constants;
  for (const json& constant : device["constants"]) constants[constant["name"]] = constant;
  CHECK(constants.at("dram.copy")["unit"] == "bytes_per_s");
  CHECK(constants.at("dram.copy")["resource"] == "dram");
  CHECK(constants.at("dram.copy")["interval"].size() == 2);
  CHECK(constants.at("fetch")["resource"] == "launches");
  CHECK(constants.at("overlap")["unit"] == nullptr);
  const std::string text = run_fathom("devices h200").out;
  for (const auto& [name, constant] : constants)
    if (name.find('.') == name.npos || name.starts_with("pipe.") || name.starts_with("wait.")) {
      INFO(name);
      CHECK((constant["value"] == nullptr || text.find(name) != text.npos));
    }
  CHECK(answer("devices m4000")["constants"].size() == device["constants"].size());
}

TEST_CASE("algorithms lists the registry, baselines included") {
  std::set<std::string> slugs;
  const json listed = answer("algorithms");
  for (const json& algorithm : listed["algorithms"]) slugs.insert(algorithm["slug"]);
  for (const char* slug :
       {"sort-pairwise", "sort-multiway", "sort-mms", "scan-matrix", "cub-merge", "cub-scan"})
    CHECK(slugs.contains(slug));
  for (const json& algorithm : listed["algorithms"])
    CHECK(keys(algorithm) == std::set<std::string>{"slug", "kind", "group", "source", "baseline", "formula",
                                                   "kernel", "stable", "types", "parameters"});
}
