// SPDX-License-Identifier: Apache-2.0
#include "../support/temporary_directory.h"

#include <fathom/core/system/whole_file.h>
#include <fathom/store/measurements_in.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

TEST_CASE("measurements are known wherever their schema stands, and from what is left of them") {
  struct Row {
    std::string text, kind;
  };
  const std::string runs = "\"runs\": [" + std::string(5000, ' ') + "{\"schema\": \"fathom.profile\"}]";
  const Row rows[] = {
      {R"({"schema": "fathom.dataset", "version": 2})", "dataset"},
      {R"({"schema":"fathom.profile"})", "profile"},
      {std::string(300, '\n') + R"({"schema": "fathom.dataset"})", "dataset"},
      {"\xEF\xBB\xBF{\"schema\": \"fathom.dataset\"}", "dataset"},
      {"{" + runs + R"(, "schema": "fathom.dataset"})", "dataset"},
      {"{" + runs + R"(, "version": 2})", ""},  // the schema of a run says nothing about the file
      {R"({"schema": "fathom.predict", "device": "fathom.profile"})", ""},
      {R"(["fathom.dataset"])", ""},
      {"the words \"fathom.dataset\"", ""},
      {"", ""},
      {R"({"schema": 3})", ""},
      // Of other tools, and what only looks so.
      {R"({"meta": {}, "devices": [], "benchmarks": []})", "dataset"},
      {R"({"context": {}, "benchmarks": [{"name": "a"})", "dataset"},
      {R"({"kernel_name": "a", "tune_params_keys": [], "cache": {"1": {"time": 1},)", "dataset"},
      {R"({"benchmarks": [{"context": {}}]})", ""},
      // Broken off after the schema and before it.
      {R"({"schema": "fathom.dataset", "runs": [{"n": )", "dataset"},
      {R"({"provenance": {"made_by": "x"}, "runs": [{"n": 1}], "schema": "fathom.dataset")", "dataset"},
      {R"( {"a": "fathom.profile")", "profile"}};
  const TemporaryDirectory folder;
  for (const Row& row : rows) {
    INFO(row.text);
    write_whole(folder / "file", row.text);
    CHECK(measurements_in(folder / "file") == row.kind);
  }
  CHECK(measurements_in(folder / "missing") == "");
  CHECK(measurements_in(folder.path()) == "");
}
