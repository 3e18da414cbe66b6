#include <fathom/calibration/dataset.h>
#include <fathom/calibration/json_fields.h>
#include <fathom/calibration/whole_file.h>

#include <cmath>
#include <cstdint>

namespace fathom {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view schema = "fathom.dataset";

Json kernel_to_json(const Run::Kernel& kernel) {
  return {{"name", kernel.name},
          {"registers_per_thread", kernel.registers},
          {"local_bytes_per_thread", kernel.local_bytes},
          {"shared_bytes_per_block", kernel.shared_bytes},
          {"resident_blocks_per_multiprocessor", kernel.resident_blocks}};
}

Run::Kernel parse_kernel(const Field& field) {
  return {field.at("name").text(), field.at("registers_per_thread").integer(),
          field.at("local_bytes_per_thread").integer(), field.at("shared_bytes_per_block").integer(),
          field.at("resident_blocks_per_multiprocessor").integer()};
}

Json run_to_json(const Run& run) {
  if (!(run.n > 0) || run.n != std::floor(run.n) || run.n > 0x1p53)
    throw std::invalid_argument("a run's n must be a positive whole number");
  Json parameters = Json::object();
  for (const auto& [name, value] : run.parameters) parameters[name] = value;
  Json kernels = Json::array();
  for (const Run::Kernel& kernel : run.kernels) kernels.push_back(kernel_to_json(kernel));
  Json seconds = Json::array();
  for (double sample : run.seconds) seconds.push_back(rounded(sample));
  return {{"algorithm", run.algorithm},
          {"type", run.type},
          {"input", run.input},
          {"n", std::uint64_t(run.n)},
          {"parameters", parameters},
          {"clock_hz", rounded_or_null(run.clock_hz)},
          {"clock_moved", run.clock_moved},
          {"checked", run.checked},
          {"kernels", kernels},
          {"seconds", seconds}};
}

Run parse_run(const Field& field) {
  Run run;
  run.algorithm = field.at("algorithm").text();
  run.type = field.at("type").text();
  run.input = field.at("input").text();
  run.n = field.at("n").number();
  if (!(run.n > 0)) field.at("n").fail("must be positive");
  for (const auto& [name, value] : field.at("parameters").members()) run.parameters[name] = value.integer();
  run.clock_hz = field.at("clock_hz").optional_number().value_or(0);
  run.clock_moved = field.at("clock_moved").boolean();
  run.checked = field.at("checked").boolean();
  for (const Field& kernel : field.at("kernels").elements()) run.kernels.push_back(parse_kernel(kernel));
  run.seconds = field.at("seconds").numbers();
  if (run.seconds.empty()) field.at("seconds").fail("must hold at least one time");
  for (double sample : run.seconds)
    if (!(sample > 0)) field.at("seconds").fail("must hold positive times");
  return run;
}

}  // namespace

std::string to_json(const Dataset& dataset) {
  const Json head = {
      {"schema", schema}, {"version", Dataset::version}, {"provenance", to_json(dataset.provenance)}};
  std::vector<Json> runs;
  runs.reserve(dataset.runs.size());
  for (const Run& run : dataset.runs) runs.push_back(run_to_json(run));
  return document_with_records(head, "runs", runs);
}

Dataset parse_dataset(const std::string& text, const std::string& where) {
  const nlohmann::json json = parse_json(text, where);
  const Field document(json, where);
  check_schema(document, schema, Dataset::version);

  Dataset dataset;
  dataset.provenance = parse_provenance(document.at("provenance"));
  for (const Field& run : document.at("runs").elements()) dataset.runs.push_back(parse_run(run));
  return dataset;
}

Dataset read_dataset(const std::filesystem::path& file) {
  return parse_dataset(read_whole(file), file.string());
}

void write_dataset(const Dataset& dataset, const std::filesystem::path& file) {
  write_whole(file, to_json(dataset));
}

}  // namespace fathom
