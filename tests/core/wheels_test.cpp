// SPDX-License-Identifier: Apache-2.0
#include "../support/environment.h"
#include "../support/temporary_directory.h"

#include <fathom/core/system/wheels.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace fathom;
using tests::Environment;
namespace fs = std::filesystem;

namespace {

std::string put(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "x";
  return file.string();
}

}  // namespace

TEST_CASE("Files of wheels are found in each environment, the newest Python first") {
  const tests::TemporaryDirectory directory;
  const fs::path root = fs::absolute(directory.path());
  const std::string tool = "nvidia/cu13/bin/nvdisasm";
  const std::string active = put(root / "venv/lib/python3.9/site-packages" / tool);
  const std::string newer = put(root / "venv/lib/python3.12/site-packages" / tool);
  const std::string in_path = put(root / "tools/lib/python3.11/dist-packages" / tool);
  const std::string users = put(root / "home/.local/lib/python3.11/site-packages" / tool);
  put(root / "tools/bin/python3");
  put(root / "conda/lib/python3.12/site-packages/nvidia/cu13/bin/other");

  const Environment venv("VIRTUAL_ENV", (root / "venv").string());
  const Environment conda("CONDA_PREFIX", (root / "conda").string());
  const Environment path("PATH", (root / "nowhere").string() + ":" + (root / "tools/bin").string());
  const Environment home("HOME", (root / "home").string());
  auto found = files_of_wheels("cu13/bin/nvdisasm");
  REQUIRE(found.size() >= 4);  // the system may have another
  found.resize(4);
  CHECK(found == std::vector{newer, active, in_path, users});
}

TEST_CASE("Without environments, and with relative ones, no wheel is found twice or at all") {
  const Environment venv("VIRTUAL_ENV", nullptr);
  const Environment conda("CONDA_PREFIX", "relative");
  const Environment path("PATH", "/nowhere");
  const Environment home("HOME", nullptr);
  CHECK(files_of_wheels("no/such/file").empty());
}
