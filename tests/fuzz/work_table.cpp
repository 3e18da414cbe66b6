// SPDX-License-Identifier: Apache-2.0
// Work tables and entries of the cache of counted work: what parse_work_table() accepts is written and read
// back unchanged, in finite numbers, and an entry is one only with its digest.
#include <fathom/store/work_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fuzz.h"
#include "stored.h"

using namespace fathom;

namespace {

void check_kernel(const KernelWork& kernel) {
  fuzz::expect(kernel.registers >= 0 && kernel.local_bytes >= 0, "a kernel's resources are not negative");
  for (const Work& work : {kernel.constant, kernel.per_element, kernel.per_doubling, kernel.per_partial})
    for (const Demand& demand : all_demands)
      fuzz::expect(std::isfinite(work.*demand.value), "a demand is finite");
  fuzz::expect(!kernel.check_error || (std::isfinite(*kernel.check_error) && *kernel.check_error >= 0),
               "an error is finite");
  fuzz::expect(std::isfinite(kernel.uncertain) && kernel.uncertain >= 0, "a share is finite");
}

/// Numbers are rounded once: what was written is written the same again. Both as a file and as an entry of
/// the cache, which is nothing but with its digest.
void check_round_trip(const WorkTable& table) {
  const std::string text = to_json(table);
  std::string entry = encode_work_entry(text);
  const auto again = decode_work_entry(entry);
  fuzz::expect(again && to_json(*again) == text, "a table that was written reads back the same");
  fuzz::expect(again->rows.size() == table.rows.size(), "no row is lost");
  for (const AlgorithmWork& row : again->rows)
    for (const KernelWork& kernel : row.kernels) check_kernel(kernel);
  fuzz::expect(!decode_work_entry(entry.substr(0, entry.size() - 1)), "an entry cut short is refused");
  entry[text.size() * 31 % entry.size()] ^= 1;
  fuzz::expect(!decode_work_entry(entry), "an entry with a changed bit is refused");
}

void check(const WorkTable& table) {
  std::size_t kernels = 0;
  for (const AlgorithmWork& row : table.rows) {
    std::ranges::for_each(row.kernels, check_kernel);
    kernels += row.kernels.size();
  }
  constexpr std::size_t most_written = 10'000;  // more take seconds under the sanitizers
  if (kernels <= most_written) check_round_trip(table);
}

constexpr std::string_view kernel_start = R"({"kernel":"A","registers":1,"local_bytes":0,"check_error":0)";

std::string table_of(std::string_view kernels, std::string_view rows) {
  return fmt::format(
      R"({{"schema":"fathom.work","version":1,"provenance":{{"gpu":null,"driver":null,"toolkit":null,)"
      R"("date":null,"commit":null,"command":null}},"architecture":90,"demands":["instructions","alu"],)"
      R"("kernels":[{}],"rows":[{}]}})",
      kernels, rows);
}

std::string row_of(std::size_t number, std::string_view inputs, std::string_view kernels) {
  return fmt::format(
      R"({{"algorithm":"a","type":"u32","parameters":{{"E":{}}},"inputs":[{}],"kernels":[{}]}})", number,
      inputs, kernels);
}

}  // namespace

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  const std::string kernel = fmt::format("{}}}", kernel_start);
  for (const std::string& json : large_json(bytes)) {
    inputs.push_back(table_of(fmt::format(R"({},"constant":{}}})", kernel_start, json), ""));
    inputs.push_back(table_of(kernel, json));
    inputs.push_back("fathom work 0123456789abcdef\n" + json);
  }
  inputs.push_back(table_of(listed([&](std::size_t) { return kernel; }, bytes), ""));
  const auto number = [](std::size_t i) { return std::to_string(i); };
  inputs.push_back(table_of(fmt::format(R"({},"constant":[{}]}})", kernel_start, listed(number, bytes)), ""));
  const auto row = [](std::size_t i) { return row_of(i, R"("random")", "0"); };
  inputs.push_back(table_of(kernel, listed(row, bytes)));
  // A small file may name its kernels often: as many as a row may have, for every input, and of a long name.
  std::string inputs_of_all, kernels_of_all = "0";
  for (const Input input : all_inputs)
    inputs_of_all += fmt::format("{}\"{}\"", inputs_of_all.empty() ? "" : ",", name(input));
  for (int i = 1; i < 100; ++i) kernels_of_all += ",0";
  const auto large_row = [&](std::size_t i) { return row_of(i, inputs_of_all, kernels_of_all); };
  inputs.push_back(table_of(kernel, listed(large_row, bytes)));
  const auto smaller_row = [&](std::size_t i) { return row_of(i, inputs_of_all, "0,0,0,0,0,0,0,0"); };
  inputs.push_back(table_of(kernel, listed(smaller_row, bytes)));
  const std::string name = repeated("x", bytes / 2);
  inputs.push_back(table_of(replaced(kernel, "\"A\"", '"' + name + '"'), listed(large_row, bytes / 2)));
  const std::string opcodes = listed([](std::size_t i) { return fmt::format("\"O{}\"", i); }, bytes / 2);
  inputs.push_back(table_of(fmt::format(R"({},"unknown_opcodes":[{}]}})", kernel_start, opcodes),
                            listed(large_row, bytes / 2)));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  if (const auto entry = fuzz::accepted([&] { return decode_work_entry(text); }); entry && *entry)
    check(**entry);
  if (const auto table = fuzz::accepted([&] { return parse_work_table(text, "table"); })) check(*table);
  return 0;
}
