// SPDX-License-Identifier: Apache-2.0
// Error messages: one line, and an exit code that distinguishes bad usage from failure.
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <regex>

#include "run.h"

namespace {

/// One line on stderr and nothing else: "fathom: " and `says`, or what begins so if this ends in "…".
void check(const std::string& arguments, int code, std::string says) {
  const Outcome outcome = run_fathom(arguments);
  INFO("fathom " << arguments << "\n" << outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.out.empty());
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
  says = "fathom: " + says;
  if (const std::string more = "…"; says.ends_with(more)) {
    says.erase(says.size() - more.size());
    CHECK(outcome.err.substr(0, says.size()) == says);
  } else {
    CHECK(outcome.err == says + "\n");
  }
}
/// Bad usage.
void refuses(const std::string& arguments, const std::string& says) {
  check(arguments, 2, says);
}

}  // namespace

TEST_CASE("bad usage is reported in one line and exits with 2") {
  const std::string predict = "predict sort-pairwise --device m4000 --law published ";
  refuses("", "A subcommand is required …");
  refuses("predikt", "unknown command 'predikt': did you mean 'predict'? …");
  refuses("commands", "unknown command 'commands' (fathom --help lists them)");
  refuses("predict sort-pairwise", "-n is required (see fathom predict --help)");
  refuses("predict sort-pairwise -n 1e6 --lw published", "The following argument…");
  refuses(predict + "-n 0", "n = 0: give at least one element");
  refuses(predict + "-n many", "n = 'many' is not a number of elements: give it as 1000000, 1e6, 1M or 2^20");
  refuses(predict + "-n 1e6 --set F=3", "sort-pairwise has no parameter 'F' (it has E, t)");
  refuses(predict + "-n 1e6 --set E=0", "E of sort-pairwise cannot be '0': E (…");
  refuses(predict + "-n 1e6 --set E=x", "E of sort-pairwise cannot be 'x': E (…");
  refuses(predict + "-n 1e6 --type u16", "unknown element type 'u16': …");
  refuses("predict sort-pairwise -n 1e6 --device m4000 --law best",
          "unknown law 'best': choose counted, fitted or published");
  refuses("predict radix-lsd -n 1e6 --law published --input sorted",
          "the law published knows what radix-lsd costs for random input only, not for sorted: choose --law "
          "counted");
  refuses("predict sort-mms -n 1e6 --law published --option factor=2",
          "sort-mms has no option 'factor': did you mean 'register-factor'? (it has register-factor, "
          "resident-threads)");
  refuses("predict sort-mms -n 1e6 --law published --option register-factor",
          "--option 'register-factor': write NAME=NUMBER, such as register-factor=2");
  refuses(predict + "-n 1e6 --what-if global.bandwith=2x",
          "there is no constant 'global.bandwith': did you mean 'global.bandwidth'?");
  refuses(predict + "-n 1e6 --what-if nonsense=2x",
          "there is no constant 'nonsense': choose from clock, multiprocessors, "
          "link.{bandwidth,latency,hosts}, …");
  refuses(predict + "-n 1e6 --what-if clock", "--what-if 'clock': write NAME=1.5x …");
  refuses("predict sort-pairwise -n 1e6 --compose 2",
          "the law counted has no --ceiling, --compose and --option: choose --law published");
  refuses("predict sort-parwise -n 1e6",
          "unknown algorithm 'sort-parwise': did you mean 'sort-pairwise'? (fathom algorithms lists "
          "them)");
  refuses("predict nope -n 1e6", "unknown algorithm 'nope' (fathom algorithms lists them)");
  refuses("predict cub-merge -n 1e6",
          "cub-merge is a baseline without a formula: measure it with fathom bench");
  refuses("predict sort-pairwise -n 1e6 --device m400",
          "there is no profile 'm400': calibrate its GPU: fathom calibrate --name m400, or choose one "
          "of h100, h200; law published only: 8800gt, …");
  refuses("calibrate -o never.json --name=a/b", "--name 'a/b': use letters, digits, …");
  refuses("bench sort-pairwise --sizes 2^10..3^5 -o never.json", "'2^10..3^5' is not a range of sizes: …");
  refuses("plot pie -o never.svg", "unknown figure 'pie': choose one of speed, limits, …");
}

TEST_CASE("a problem that an algorithm cannot solve is reported in one line, with an alternative") {
  const char* no_kernel = "sort-pairwise has no kernel for pair: choose from u32, u64…";
  const char* no_pair = "sort-pairwise has no kernel for f32:u32: choose from u32, u64…";
  const char* no_values = "equal u32 keys without values cannot be told apart: omit --stable";
  for (const auto& [begin, end] : {std::pair("predict sort-pairwise -n 1e6 --device h200 ", ""),
                                   std::pair("tune sort-pairwise -n 1e6 --device h200 ", ""),
                                   std::pair("count sort-pairwise -n 5000 --device h200 ", ""),
                                   std::pair("bench sort-pairwise --sizes 2^10 ", " -o never.json")}) {
    refuses(std::string(begin) + "--type pair" + end, no_kernel);
    refuses(std::string(begin) + "--type f32:u32" + end, no_pair);
    refuses(std::string(begin) + "--stable" + end, no_values);
    refuses(std::string(begin) + "--type u32:u16" + end, "unknown element type 'u16': choose one of …");
    refuses(std::string(begin) + "--type u32:" + end, "unknown element type '': choose one of …");
  }
  refuses("predict scan-matrix -n 1e6 --type u32:u64",
          "scan-matrix does not support values: give the type as u32");
  refuses("predict reduce-tree -n 1e6 --stable", "reduce-tree has no equal keys to keep in order: …");
  refuses("bench sort-pairwise --sizes 2^10 --type u32,pair -o never.json", no_kernel);
}

TEST_CASE("predictions for several GPUs say what they lack") {
  const std::string on_h200 = " -n 2^10 --device h200";
  for (const char* command : {"predict", "tune"})
    check(
        std::string(command) + " sort-gpus --set scheme=1 --gpus 2" + on_h200, 1,
        "machine 'h200' has no links to other GPUs or the host: measure them with fathom calibrate --links");
  for (const char* command : {"predict", "tune"})
    refuses(
        std::string(command) + " radix-msd --gpus 2" + on_h200,
        "--gpus: radix-msd runs on one GPU: omit it, or choose an algorithm for several (fathom algorithms "
        "lists them)");
  refuses("predict sort --gpus 2" + on_h200, "--gpus: choose one algorithm");
  refuses("predict sort-gpus --gpus 0" + on_h200,
          "gpus of sort-gpus cannot be '0': gpus (GPUs) takes 1 to 256");
  refuses("predict sort-gpus --gpus two" + on_h200, "gpus of sort-gpus cannot be 'two': …");
  refuses("predict sort-gpus --gpus 2 --set gpus=4" + on_h200, "--set gpus is given twice: …");
  refuses("predict sort-gpus --input zipf" + on_h200,
          "sort-gpus is predicted for random input only, not for zipf: measure it with fathom bench");
  for (const char* law : {"fitted", "published"})
    refuses("predict sort-gpus --law " + std::string(law) + on_h200,
            "sort-gpus runs on several GPUs, which the law counted alone predicts: omit --law");
  refuses("tune sort-gpus --verify" + on_h200,
          "sort-gpus runs on several GPUs, where choices are not verified: omit --verify, …");
  refuses("count sort-gpus -n 2^10", "sort-gpus runs on several GPUs: predict, tune or bench it by itself");
  refuses("predict sort-gpus,radix-msd" + on_h200,
          "sort-gpus runs on several GPUs: predict, tune or bench it by itself");
}

TEST_CASE("bench says which algorithms run on several GPUs, and what it lacks for them") {
  const std::string output = " -n 2^10 -o never.json";
  refuses("bench sort-gpu" + output, "unknown algorithm 'sort-gpu': did you mean 'sort-gpus'? …");
  refuses("bench sort-gpus radix-msd" + output,
          "sort-gpus runs on several GPUs, radix-msd runs on one GPU: bench them one after the other, which "
          "may add to the same file");
  refuses("bench radix-msd --gpus 2" + output,
          "radix-msd runs on one GPU: omit --gpus, or choose an algorithm for several (fathom algorithms "
          "lists them)");
  refuses("bench sort-gpus --gpus 0" + output, "--gpus '0': give a whole number from 1 to 1023, …");
  refuses("bench sort-gpus --set schema=1" + output,
          "sort-gpus has no parameter 'schema': did you mean 'scheme'? …");
  refuses("bench sort-gpus --set scheme=3" + output, "scheme of sort-gpus cannot be '3': …");
  refuses("bench sort-gpus --type pair" + output, "sort-gpus has no kernel for pair: choose from u32, u64…");
  refuses("bench sort-gpus sort-gpus" + output, "'sort-gpus' is listed twice: list it once");
  refuses("bench sort-gpus --set gpus=2" + output, "--set gpus=2: choose the number of GPUs with --gpus");
  const std::string reason = run_fathom("bench radix-msd" + output).err;
  CHECK(reason.find("GPU") != reason.npos);
  CHECK(run_fathom("bench sort-gpus" + output).err == reason);  // no GPU, or no build for one
  CHECK(run_fathom("bench sort-gpus" + output).code == 1);
}

TEST_CASE("what is not done with data in host memory is refused, with what is") {
  const std::string on_h200 = " -n 2^10 --device h200", output = " -n 2^10 -o never.json";
  for (const char* command : {"predict", "tune"})
    check(
        std::string(command) + " sort-host" + on_h200, 1,
        "machine 'h200' has no links to other GPUs or the host: measure them with fathom calibrate --links");
  for (const char* law : {"fitted", "published"})
    refuses("predict sort-host --law " + std::string(law) + on_h200,
            "sort-host runs on data in host memory, which the law counted alone predicts: omit --law");
  refuses("predict sort-host --gpus 0" + on_h200, "gpus of sort-host cannot be '0': …");
  refuses("predict sort-host --input zipf" + on_h200,
          "sort-host is predicted for random input only, not for zipf: measure it with fathom bench");
  refuses("tune sort-host --verify" + on_h200,
          "sort-host runs on data in host memory, where choices are not verified: omit --verify, …");
  refuses("predict sort-host,radix-msd" + on_h200,
          "sort-host runs on data in host memory: predict, tune or bench it by itself");
  refuses("count sort-host -n 2^10",
          "sort-host runs on data in host memory: predict, tune or bench it by itself");
  refuses("bench sort-hots" + output, "unknown algorithm 'sort-hots': did you mean 'sort-host'? …");
  refuses(
      "bench radix-msd sort-host" + output,
      "radix-msd runs on one GPU, sort-host runs on data in host memory: bench them one after the other, …");
  refuses("bench sort-host --set gpus=2" + output, "--set gpus=2: choose the number of GPUs with --gpus");
  refuses("bench sort-host --set memory=3" + output, "memory of sort-host cannot be '3': …");
  refuses("bench sort-host --set part=3" + output,
          "sort-host has no parameter 'part': did you mean 'parts'? …");
  refuses("bench sort-host --type pair" + output, "sort-host has no kernel for pair: choose from u32, u64…");
  CHECK(run_fathom("bench sort-host" + output).err == run_fathom("bench radix-msd" + output).err);  // no GPU
  CHECK(run_fathom("bench sort-host --gpus 2" + output).err == run_fathom("bench radix-msd" + output).err);
}

TEST_CASE("every command refuses sizes that are not numbers") {
  const char* says = "n = 'nan' is not a number of elements: give it as 1000000, 1e6, 1M or 2^20";
  for (const char* arguments : {"predict sort-pairwise -n nan", "tune sort-pairwise -n nan",
                                "count sort-pairwise -n nan", "bench sort-pairwise --sizes nan -o never.json",
                                "bench sort-pairwise --sizes 2^10,nan -o never.json"})
    refuses(arguments, says);
  refuses("validate " FATHOM_DATA "/h200/sort-sizes.json --smallest-n nan",
          "--smallest-n 'nan': give a whole number from 1 to 9007199254740992, as …");
  refuses("predict sort-pairwise -n inf", "n = 'inf' is not a number of elements: …");
  refuses("bench sort-pairwise --sizes nan..2^10 -o never.json", "'nan..2^10' is not a range of sizes: …");
  refuses("bench sort-pairwise --sizes nan^2 -o never.json", "n = 'nan^2' is not a number of …");
}

TEST_CASE("an assignment is refused if no algorithm has the parameter, and accepted if some do") {
  refuses("bench sort-pairwise scan-matrix --sizes 2^10 --set F=3 -o never.json",
          "sort-pairwise has no parameter 'F' (it has E, t)");
  refuses("bench cub-scan --sizes 2^10 --set E=3 -o never.json", "cub-scan has no …");
  refuses("bench sort-pairwise scan-matrix --sizes 2^10 --set alpha=99 -o never.json",
          "alpha of scan-matrix cannot be '99': …");
  refuses("tune sort-pairwise -n 1e6 --set E",
          "--set 'E' is not an assignment: give a parameter and its value, as in E=15");
}

TEST_CASE("an option without its value, or given twice, is reported with its name") {
  const std::string predict = "predict scan-matrix -n 1e6 ", help = " (see fathom predict --help)";
  refuses(predict + "-o", "--output needs a value" + help);
  refuses(predict + "--law published --law counted", "--law is given more than once" + help);
  refuses(predict + "-n 1e7", "-n is given more than once" + help);
  refuses(predict + "--json=maybe", "--json = maybe: this option takes no value" + help);
  refuses(predict + "-o=", "-o= is empty: give a value");
}

TEST_CASE("a name or value listed twice is refused") {
  const auto twice = [](const std::string& arguments, const std::string& what) {
    refuses(arguments, "'" + what + "' is listed twice: list it once");
  };
  const std::string bench = "bench scan-matrix -n 100 -o never.json ";
  twice(bench + "--type u32,u32", "u32");
  twice(bench + "--type u32 --type u32", "u32");
  twice(bench + "--input random,sorted,random", "random");
  twice(bench + "--set alpha=4,4", "4");
  twice("bench scan-matrix scan-matrix -n 100 -o never.json", "scan-matrix");
  twice("bench scan-matrix -n 100,1e2 -o never.json", "1e2");
  twice("plot tradeoff --device h200 --algorithm scan-matrix,scan-matrix -o never.svg", "scan-matrix");
  const std::string data = FATHOM_DATA "/h200/scan-grid.json";
  twice("validate " + data + " " + data, data);
}

TEST_CASE("a dataset given twice is refused, also by another path") {
  const ScratchDirectory scratch;
  const std::string data = FATHOM_DATA "/h200/scan-grid.json",
                    other = FATHOM_DATA "/h200/../h200/scan-grid.json", link = scratch.file("link.json");
  std::filesystem::create_symlink(data, link);
  for (const std::string& second : {other, link})
    for (const char* command : {"validate ", "fit --profile h200 -o never.json ", "report -o never.html ",
                                "plot parity -o never.svg "})
      refuses(command + data + " " + second,
              "'" + second + "' is listed twice, also as '" + data + "': list it once");
}

TEST_CASE("an empty value is refused by every option") {
  for (const char* arguments :
       {"predict sort-pairwise -n 1e6 -o ''", "predict sort-pairwise -n 1e6 --device ''",
        "predict sort-pairwise -n 1e6 --type ''", "predict sort-pairwise -n 1e6 --compose ''",
        "predict sort-pairwise -n ''", "predict sort-pairwise -n 1e6 --set ''", "validate '' --law ''",
        "bench scan-matrix -n 100 --input '' -o never.json", "calibrate --name '' -o never.json",
        "plot tradeoff --algorithm '' -o never.svg", "plot tradeoff --parameter '' -o never.svg",
        "count scan-matrix -n 100 --machine ''", "count '' -n 100", "fit --profile ''", "''",
        "predict sort-pairwise -n 1e6 --device="}) {
    const Outcome outcome = run_fathom(arguments);
    INFO("fathom " << arguments << "\n" << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find("is empty: ") != std::string::npos);
  }
  refuses("predict sort-pairwise -n 1e6 --device ''", "--device '' is empty: give a value");
  refuses("count '' -n 100", "argument 2 is empty: omit it, or give a value");
  for (const char* types : {"u32,", ",u32", "u32,,u64"}) {
    INFO(types);
    refuses("bench scan-matrix -n 100 -o never.json --type " + std::string(types),
            "--type '" + std::string(types) + "' has an empty entry: omit it");
  }
}

TEST_CASE("the name of a profile is one that --device finds") {
  for (const char* name : {"a/b", "../h200", "$'a\nb'", "' x'", "--", ".x", "'a b'", "caf\xc3\xa9"}) {
    const Outcome outcome = run_fathom("calibrate -o never.json --name=" + std::string(name));
    INFO(name << ": " << outcome.err);
    CHECK(outcome.code == 2);
  }
  for (const char* name : {"h200", "my-gpu_2.quick", "9"})  // the GPU is missing
    CHECK(run_fathom("calibrate -o never.json --name=" + std::string(name)).code == 1);
}

TEST_CASE("errors of the file system are worded by the command") {
  const std::string longer(300, 'x');
  for (const std::string& arguments :
       {"predict sort-pairwise -n 1e6 --device " + longer, "predict sort-pairwise -n 1e6 -o " + longer,
        "fit --refit --profile " + longer, "report -o " + longer + "/x.html"}) {
    const Outcome outcome = run_fathom(arguments);
    INFO(outcome.err);
    CHECK(outcome.code > 0);
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    CHECK(outcome.err.find("filesystem error") == std::string::npos);
    CHECK(outcome.err.find("internal error") == std::string::npos);
  }
}

TEST_CASE("figures of an unknown parameter, or of algorithms without runs, are refused") {
  const std::string plot = "plot algorithms " FATHOM_DATA "/h200/reduce-sizes.json -o never.svg --algorithm ";
  check(plot + "scan-matrix", 1, "the datasets have no runs of scan-matrix");
  check(plot + "reduce-tree --smallest-n 2^40", 1, "the datasets have no runs with n from 2^40 on");
  refuses(plot + "reduce-tre", "unknown algorithm 'reduce-tre': …");
  refuses("plot tradeoff --parameter t -o never.svg", "--parameter t: name its algorithm with --algorithm");
  refuses("plot tradeoff --algorithm scan-matrix --parameter q -o never.svg",
          "scan-matrix has no parameter 'q' (it has …");
  refuses("plot inputs --parameter zipf -o never.svg", "--parameter zipf: choose sortedness or entropy");
  refuses("plot inputs --algorithm scan-matrix -o never.svg",
          "scan-matrix is no sort with kernels of its own: choose sort-bitonic, sort-warp, …");
  refuses("plot papers --algorithm sort-mms -o never.svg",
          "papers: --algorithm and --parameter are those of the papers' figures: omit them");
}

TEST_CASE("algorithms of different kinds are not ranked together") {
  const auto refuses_to_rank = [](const std::string& question, const std::string& kinds) {
    for (const char* command : {"predict ", "tune "})
      refuses(command + question + " -n 1e6 --device h200",
              kinds + " do different work, whose times are not ranked: compare algorithms of one kind");
  };
  refuses_to_rank("scan,sort", "scan and sort");
  refuses_to_rank("sort,scan", "sort and scan");
  refuses_to_rank("reduce-tree,reduce,sort-kway", "reduce-tree (reduce) and sort-kway (sort)");
  refuses_to_rank("scan,radix-msd", "scan and radix-msd (sort)");
}

TEST_CASE("an invalid count is reported in one line and exits with 2") {
  const auto count = [](const std::string& options, const char* says) {
    refuses("count scan-matrix -n 5000 --device h200 " + options, says);
  };
  count("--machine pram", "--machine 'pram': choose dmm, umm or agpu");
  count("--machine dmm --width 5", "width is 5, which does not divide a kernel's warp: …");
  count("--machine dmm --threads 128",
        "the machine has 128 threads, too few for one block: choose at least …");
  count("--machine agpu --threads 100", "the machine has 100 cores: choose a multiple of its width, 32");
  count("--machine agpu --memory 10", "a block uses …");
  count("--memory-limit lots", "--memory-limit 'lots': give a whole number from 1 to 9007199254740992, as …");
  count("--input sortd", "unknown input 'sortd': did you mean 'sorted'? (random, …");
  count("--set alpha=4,8", "give one n and one value per parameter, or --audit for a table over several");
  refuses("count scan-matrix -n 2^10..2^12",
          "give one n and one value per parameter, or --audit for a table over several");
  refuses("count -n 2^10", "no algorithm given: fathom algorithms lists them, and --audit counts all");
  refuses("count cub-merge -n 1e4",
          "cub-merge is a baseline, whose code cannot be counted on the CPU: fathom …");
}

TEST_CASE("a count that needs too much memory is refused before it starts") {
  const Outcome outcome = run_fathom("count sort-pairwise -n 1e9 --memory-limit 1e6 --device h200");
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
  // Three arrays of 4·10^9 bytes at least; 10^6 bytes are 976.6 KiB.
  CHECK(std::regex_search(
      outcome.err, std::regex(R"(needs up to 1\d(\.\d+)? GiB of host memory, 976\.6 KiB are available:)")));
}

TEST_CASE("failures are reported in one line and exit with 1") {
  // 2 · 4 bytes · 2^40 at least, against the 8 GiB of the card.
  const Outcome too_large = run_fathom("predict sort-pairwise --device m4000 --law published -n 2^40");
  CHECK(too_large.code == 1);
  CHECK(too_large.err.find("iB of GPU memory, m4000 has 8 GiB: choose a smaller n") != std::string::npos);
  check("predict sort-pairwise --device m4000 -n 1e6", 1,
        "profile 'm4000' has published constants, not the rates that the law counted needs: choose "
        "--law published");
  check("predict sort-pairwise --device m4000 -n 1e6 --law fitted", 1,
        "profile 'm4000' has published constants, not the rates that the law fitted needs: choose "
        "--law published");
  check("predict sort-pairwise --device /nowhere/p.json -n 1e6", 1,
        "cannot read '/nowhere/p.json': No such file or directory");
  check("predict sort-pairwise --device m4000 --law published -n 1e6 -o /nowhere/p.txt", 1,
        "/nowhere/p.txt: the directory /nowhere does not exist: create it first");
#ifdef FATHOM_BUILT_FOR_GPUS
  check("calibrate -o never.json", 1, "no NVIDIA GPU is present …");
#else
  check("calibrate -o never.json", 1, "this build of Fathom runs nothing on a GPU: install …");
#endif
}

TEST_CASE("the error for a malformed profile says where it is malformed, and the file is left unchanged") {
  const ScratchDirectory scratch;
  const auto file = scratch / "p.json";
  const auto complaint = [&](const std::string& text) {
    write(file, text);
    const Outcome outcome = run_fathom("predict sort-pairwise -n 1e6 --device " + file.string());
    CHECK(outcome.code == 1);
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    CHECK(content(file) == text);
    return outcome.err;
  };
  CHECK(complaint("{\n  \"schema\": oops\n}").find("line 2, column") != std::string::npos);
  CHECK(complaint("{}").find("field 'schema' is missing") != std::string::npos);
  CHECK(complaint(R"({"schema": "fathom.profile", "version": 99})").find("newer") != std::string::npos);
}

TEST_CASE("a command that fails leaves an existing file unchanged") {
  const ScratchDirectory scratch;
  const auto file = scratch / "answer.txt";
  write(file, "old");
  CHECK(run_fathom("predict sort-pairwise -n 0 -o " + file.string()).code == 2);
  CHECK(run_fathom("calibrate -o " + file.string()).code == 1);
  CHECK(content(file) == "old");
}

TEST_CASE("an error that cannot be printed still gives its exit code") {
  const auto code_of = [](const std::string& arguments) {
    return WEXITSTATUS(std::system((FATHOM_COMMAND " " + arguments).c_str()));
  };
  CHECK(code_of("predikt 2>&-") == 2);
  CHECK(code_of("predict sort-pairwise -n 1e6 --device h200 >&- 2>/dev/full") == 1);
}

TEST_CASE("control characters from arguments and files reach no terminal") {
  const auto is_harmless = [](const std::string& text) {
    return std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f'; });
  };
  const ScratchDirectory scratch;
  const std::string name = "a\x1b[31m\n\"><svg onload='x'>";
  const auto dataset = [](const std::string& algorithm) {
    json some = json::parse(content(FATHOM_DATA "/h200/sort-sizes.json"));
    some["provenance"]["command"] = "\x1b[2J";
    some["runs"].get_ref<json::array_t&>().resize(4);
    for (std::size_t i = 0; i < 4; ++i) {
      json& run = some["runs"][i];
      run["algorithm"] = (i % 2 == 0 ? "" : "other") + algorithm;
      run["n"] = 1024 << i / 2;
      run["type"] = "u32";
      run["input"] = "random";
      run["parameters"] = {{algorithm, 1}};
    }
    return some.dump();
  };
  write(scratch / "data.json", dataset(name));
  const std::string data = scratch.file("data.json") + " --device h200 ";
  const Outcome validated = run_fathom("validate " + data);
  INFO(validated.out << validated.err);
  CHECK(validated.code == 0);
  CHECK((is_harmless(validated.out) && is_harmless(validated.err)));

  const Outcome drawn = run_fathom("plot algorithms " + data + "-o " + scratch.file("f.svg"));
  INFO(drawn.out << drawn.err);
  CHECK(drawn.code == 0);
  CHECK(content(scratch / "f.svg").find("<svg onload") == std::string::npos);

  write(scratch / "broken.json",
        std::regex_replace(dataset("a"), std::regex("\"u32\""), "\"\\u001b[31m\\u202e\""));
  const Outcome refused = run_fathom("validate " + scratch.file("broken.json"));
  INFO(refused.err);
  CHECK(refused.code == 1);
  CHECK((is_harmless(refused.err) && refused.err.find("\\x1b[31m\\u202e") != std::string::npos));
  refuses("predict '\x1b[31m' -n 10", "unknown algorithm '\\x1b[31m' (…");
}
