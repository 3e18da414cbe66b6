// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

#include <fathom/store/dataset.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

using namespace fathom;

namespace {

Dataset small_dataset() {
  Dataset dataset;
  dataset.provenance = {"Some GPU", "580.1", "13.0", "2026-01-02T03:04:05Z", "", "fathom bench"};
  Measurement run;
  run.algorithm = "sort-pairwise";
  run.problem.n = 1 << 20;
  run.problem.parameters = {{"t", 256}, {"E", 17}};
  run.seconds = {1.5e-4, 1.25e-4};
  run.clock_hz = 1.98e9;
  run.checked = true;
  run.kernels = {{"BlockSort", 64, 0, 17408, 4}};
  dataset.runs = {run, run};
  dataset.runs[1].problem.n = 268435456;
  dataset.runs[1].kernels.clear();
  dataset.runs[1].clock_hz = 0;
  return dataset;
}

/// A file as written by `fathom bench` before version 2, which knew neither kind, order nor stability.
std::string version_1(const std::string& algorithm, const std::string& type = "u32",
                      const std::string& input = "random") {
  auto file = nlohmann::ordered_json::parse(to_json(small_dataset()));
  file["version"] = 1;
  for (auto& run : file["runs"]) {
    for (const char* newer : {"kind", "order", "stable"}) run.erase(newer);
    run["algorithm"] = algorithm;
    run["type"] = type;
    run["input"] = input;
  }
  return file.dump();
}

std::string error_of(const std::string& text) {
  return format_error_of([&] { parse_dataset(text, "d.json"); });
}

void check_same(const Measurement& a, const Measurement& b) {
  CHECK(a.problem == b.problem);
  CHECK(std::tie(a.algorithm, a.input, a.seconds, a.clock_hz, a.clock_moved, a.checked) ==
        std::tie(b.algorithm, b.input, b.seconds, b.clock_hz, b.clock_moved, b.checked));
  CHECK(std::ranges::equal(a.kernels, b.kernels, [](const auto& x, const auto& y) {
    return std::tie(x.name, x.registers, x.local_bytes, x.shared_bytes, x.resident_blocks) ==
           std::tie(y.name, y.registers, y.local_bytes, y.shared_bytes, y.resident_blocks);
  }));
}

/// Measurements of any algorithm, problem and input, with unusual ones more frequent than in practice.
class RandomMeasurements {
 public:
  explicit RandomMeasurements(std::uint64_t seed) : random_(seed) {}

  Measurement next() {
    Measurement run;
    run.algorithm = text();
    run.problem = problem();
    run.input = all_inputs[std::size_t(integer(0, int(all_inputs.size()) - 1))];
    for (int i = integer(1, 5); i > 0; --i) run.seconds.push_back(seven_digits());
    run.clock_hz = flip() ? 0 : integer(100, 9999999) * 1e4;
    run.clock_moved = flip();
    run.checked = flip();
    for (int i = integer(0, 3); i > 0; --i)
      run.kernels.push_back({text(), integer(0, 255), integer(0, 4096), integer(0, 1 << 18), integer(0, 32)});
    return run;
  }

 private:
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool flip() { return integer(0, 1) == 1; }
  /// Includes characters that JSON escapes and some non-ASCII ones.
  std::string text() {
    static const std::vector<std::string> pieces{"a",  "-",  "<",  ">", ",", " ",
                                                 "\"", "\\", "\n", "é", "α", "0"};
    std::string text = "x";
    for (int i = integer(0, 12); i > 0; --i) text += pieces[std::size_t(integer(0, int(pieces.size()) - 1))];
    return text;
  }
  double seven_digits() {  // the precision of samples in files
    return std::stod(std::to_string(integer(1000000, 9999999)) + "e-" + std::to_string(integer(6, 13)));
  }
  ElementType type() {
    const auto types = element_types(ElementTypes{});
    return types[std::size_t(integer(0, int(types.size()) - 1))];
  }
  Problem problem() {
    Problem problem;
    problem.kind = all_kinds[std::size_t(integer(0, int(all_kinds.size()) - 1))];
    problem.n = std::floor(std::ldexp(1 + integer(0, 1 << 20) * 0x1p-20, integer(0, 52)));
    if (integer(0, 9) == 0) problem.n = flip() ? 0x1p53 : 0x1p53 - 1;
    problem.type = type();
    if (flip()) problem.value_type = type();
    problem.order = flip() ? Order::ascending : Order::descending;
    problem.stable = flip();
    for (int i = integer(0, 4); i > 0; --i)
      problem.parameters.set(text(),
                             integer(0, 3) == 0 ? std::numeric_limits<int>::min() : integer(-5, 1 << 20));
    return problem;
  }

  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("a dataset survives the round trip through JSON") {
  const Dataset before = small_dataset();
  const std::string text = to_json(before);
  const Dataset after = parse_dataset(text, "d.json");
  CHECK(to_json(after) == text);
  CHECK(text.find("\"version\": 2") != std::string::npos);
  CHECK(after.provenance.gpu == "Some GPU");
  CHECK(after.provenance.commit.empty());
  CHECK(parse_dataset(to_json(Dataset{}), "d.json").runs.empty());
}

TEST_CASE("a run is one line with its whole problem") {
  Dataset dataset = small_dataset();
  Problem& problem = dataset.runs[0].problem;
  problem.value_type = ElementType::u64;
  problem.order = Order::descending;
  problem.stable = true;
  CHECK(
      to_json(dataset).find(
          "\n    "
          "{\"algorithm\":\"sort-pairwise\",\"kind\":\"sort\",\"type\":\"u32:u64\",\"order\":\"descending\","
          "\"stable\":true,\"input\":\"random\",\"n\":1048576,\"parameters\":{\"t\":256,\"E\":17},") !=
      std::string::npos);
}

TEST_CASE("any measurement survives the round trip, of known algorithms or not") {
  RandomMeasurements random(20260102);
  Dataset before;
  for (int i = 0; i < 500; ++i) before.runs.push_back(random.next());
  const std::string text = to_json(before);
  const Dataset after = parse_dataset(text, "d.json");
  REQUIRE(after.runs.size() == before.runs.size());
  for (std::size_t i = 0; i < after.runs.size(); ++i) {
    CAPTURE(i);
    check_same(after.runs[i], before.runs[i]);
  }
  CHECK(to_json(after) == text);
}

TEST_CASE("files of version 1 are read and rewritten as version 2") {
  const auto kind_of = [](const std::string& algorithm) {
    return parse_dataset(version_1(algorithm), "d.json").runs.at(0).problem.kind;
  };
  for (const char* slug : {"sort-pairwise", "sort-of-my-own", "cub-merge"})
    CHECK(kind_of(slug) == Kind::sort);
  for (const char* slug : {"scan-matrix", "cub-scan"}) CHECK(kind_of(slug) == Kind::scan);
  for (const char* slug : {"reduce-tree", "cub-reduce"}) CHECK(kind_of(slug) == Kind::reduce);

  const Dataset old = parse_dataset(version_1("sort-pairwise", "f64", "conflict-heavy"), "d.json");
  const Measurement& run = old.runs.at(0);
  CHECK(run.problem == Problem{.kind = Kind::sort,
                               .n = 1 << 20,
                               .type = ElementType::f64,
                               .parameters = {{"t", 256}, {"E", 17}}});
  CHECK(run.input == Input::conflict_heavy);
  CHECK(run.kernels.at(0).name == "BlockSort");
  const Dataset again = parse_dataset(to_json(old), "d.json");
  check_same(again.runs.at(0), run);
}

TEST_CASE("a run whose kind version 1 does not determine is rejected with the way out") {
  CHECK(error_of(version_1("my-merge")) ==
        "d.json: field 'runs[0].algorithm' is 'my-merge': in version 1 it must begin with sort-, scan-, "
        "reduce-, "
        "cub-merge, cub-scan or cub-reduce; measure it again, which gives version 2");
  CHECK(
      error_of(version_1("sort-x", "u16")) ==
      "d.json: field 'runs[0].type': unknown element type 'u16': choose one of u32, u64, i32, i64, f32, f64, "
      "pair, point, rational");
  CHECK(error_of(version_1("sort-x", "u32", "shuffled"))
            .find("d.json: field 'runs[0].input': unknown input "
                  "'shuffled' (random, ") == 0);
}

TEST_CASE("an invalid dataset is rejected with one line that names the location") {
  const std::string good = to_json(small_dataset());
  CHECK(error_of(good) == "no error");
  CHECK(error_of(replaced(good, "fathom.dataset", "fathom.profile")) ==
        "d.json: field 'schema' is 'fathom.profile', must be 'fathom.dataset'");
  for (const char* n : {"0", "-1", "1.5", "1e16", "9007199254740993", "null"}) {
    CAPTURE(n);
    const std::string error = error_of(replaced(good, "\"n\":268435456", std::string("\"n\":") + n));
    CHECK(error == (std::string(n) == "null"
                        ? "d.json: field 'runs[1].n' must be a number"
                        : "d.json: field 'runs[1].n' must be a whole number from 1 to 2^53"));
  }
  CHECK(error_of(replaced(good, "\"n\":268435456", "\"n\":9007199254740992")) == "no error");
  CHECK(error_of(replaced(good, "\"n\":268435456", "\"n\":1e8")) == "no error");
  struct Spoilt {
    const char *from, *to, *says;  // of runs[0]
  };
  for (const Spoilt& one :
       {Spoilt{R"("E":17)", R"("E":1.5)", ".parameters.E' must be an integer"},
        {R"("seconds":[0.00015,0.000125])", R"("seconds":[])", ".seconds' must hold at least one time"},
        {"[0.00015,", "[-1,", ".seconds' holds -1 at [0], must be between 1e-10 and 1000000"},
        {"[0.00015,", "[1e306,", ".seconds' holds 1e+306 at [0], must be between 1e-10 and 1000000"},
        {R"("clock_hz":1980000000.0)", R"("clock_hz":-1)",
         ".clock_hz' must be between 1000000 and 100000000000"},
        {R"("registers_per_thread":64)", R"("registers_per_thread":-64)",
         ".kernels[0].registers_per_thread' must be between 0 and 65536"},
        {R"("input":"random",)", "", ".input' is missing"},
        {R"("kind":"sort",)", "", ".kind' is missing"},
        {R"("stable":false)", R"("stable":0)", ".stable' must be true or false"},
        {R"("order":"ascending")", R"("order":"up")", ".order': unknown order 'up' (ascending, descending)"},
        {R"("kind":"sort")", R"("kind":"sorts")",
         ".kind': unknown kind of problem 'sorts': did you mean 'sort'? (sort, segmented-sort, scan, reduce, "
         "other)"},
        {R"("type":"u32")", R"("type":"u32:u128")",
         ".type': unknown element type 'u128': choose one of u32, u64, i32, i64, f32, f64, pair, point, "
         "rational"}})
    CHECK(error_of(replaced(good, one.from, one.to)) == std::string("d.json: field 'runs[0]") + one.says);
  CHECK(error_of(replaced(good, "\"version\": 2", "\"version\": 9")) ==
        "d.json: field 'version' is 9, newer than the 2 that this program reads: update fathom");
  CHECK(error_of(replaced(good, "\"version\": 2", "\"version\": 0")) ==
        "d.json: field 'version' must be at least 1");
}

TEST_CASE("the parts of a dataset may come in any order") {
  const std::string head = R"("schema":"fathom.dataset","version":2)",
                    origin =
                        R"("provenance":{"gpu":"G","driver":null,"toolkit":null,"date":null,"commit":null,)"
                        R"("command":null})";
  CHECK(error_of("{" + origin + "," + head + ",\"runs\":[]}") == "no error");
  CHECK(error_of("{" + head + ",\"runs\":[]," + origin + "}") == "no error");
  CHECK(error_of("{\"runs\":[]," + head + "," + origin + "}") == "no error");
  const auto sorted_by_name = nlohmann::json::parse(to_json(small_dataset())).dump();
  CHECK(to_json(parse_dataset(sorted_by_name, "d.json")).size() == to_json(small_dataset()).size());
  CHECK(error_of("{" + head + "," + origin + "}") == "d.json: field 'runs' is missing");
  CHECK(error_of("{" + head + "," + origin + ",\"runs\":{}}") == "d.json: field 'runs' must be an array");
  CHECK(error_of("{" + head + "," + origin + ",\"runs\":[1]}") ==
        "d.json: field 'runs[0]' must be an object");
  CHECK(error_of("{" + head + "," + origin + ",\"runs\":[[{}]]}") ==
        "d.json: field 'runs[0]' must be an object");
  CHECK(error_of("[{\"runs\":[{}]}]") == "d.json: must be an object");
}

TEST_CASE("a dataset that could not be read back is not written") {
  const auto refused = [](auto spoil) {
    Dataset dataset = small_dataset();
    spoil(dataset.runs[0]);
    CHECK_THROWS_AS(to_json(dataset), std::invalid_argument);
  };
  for (double n : {0.0, -1.0, 0.5, 1.5, 0x1p53 + 2, std::nan(""), std::numeric_limits<double>::infinity()})
    refused([n](Measurement& run) { run.problem.n = n; });
  refused([](Measurement& run) { run.seconds.clear(); });
  refused([](Measurement& run) { run.seconds[1] = 0; });
  refused([](Measurement& run) { run.seconds[1] = std::numeric_limits<double>::infinity(); });
  refused([](Measurement& run) { run.seconds[1] = 1e7; });
  refused([](Measurement& run) { run.clock_hz = 1; });
}

TEST_CASE("every shipped dataset is read and unchanged when rewritten") {
  std::size_t files = 0, runs = 0;
  for (const auto& file : std::filesystem::directory_iterator(FATHOM_DATA_DIRECTORY)) {
    if (file.path().extension() != ".json") continue;
    CAPTURE(file.path().string());
    const Dataset dataset = read_dataset(file.path());
    CHECK(dataset.provenance.gpu == "NVIDIA H200");
    ++files;
    runs += dataset.runs.size();
    const Dataset again = parse_dataset(to_json(dataset), "again");
    CHECK(std::ranges::equal(again.runs, dataset.runs, [](const Measurement& a, const Measurement& b) {
      return a.problem == b.problem && a.seconds == b.seconds && a.algorithm == b.algorithm;
    }));
  }
  CHECK(files == 6);
  CHECK(runs > 8000);
}
