// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <fathom/calls/listener.h>
#include <fathom/core/text/spelling.h>
#include <fathom/device/code/disassembly.h>
#include <fathom/device/executor.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/reports/plot/plot.h>
#include <fathom/store/profile.h>
#include <nanobind/nanobind.h>

#include <filesystem>
#include <regex>
#include <string>
#include <system_error>

namespace nb = nanobind;

namespace fathom::python {
namespace {

void raise(const char* type, const std::string& text) {
  const nb::object exception = nb::module_::import_("fathom._errors").attr(type);
  PyErr_SetString(exception.ptr(), as_written(text).c_str());
}

/// Those derived from others come first.
void translate(const std::exception_ptr& thrown, void*) try {
  std::rethrow_exception(thrown);
} catch (const nb::builtin_exception&) {
  throw;  // to its own translator
} catch (const BlockTooLarge& error) {
  PyErr_SetString(PyExc_ValueError, as_written(error.what()).c_str());
} catch (const DeviceUnavailable& error) {
  raise("DeviceUnavailable", error.what());
} catch (const DisassemblerUnavailable& error) {
  raise("DeviceUnavailable", error.what());
} catch (const OutOfDeviceMemory& error) {
  raise("OutOfMemory", error.what());
} catch (const KernelFailure& error) {
  raise("KernelFailure", error.what());
} catch (const FormatError& error) {
  raise("FormatError", error.what());
} catch (const MissingConstant& error) {
  raise("MissingConstant", error.what());
} catch (const ImpossibleTime& error) {
  raise("MissingConstant", error.what());
} catch (const WorkUnavailable& error) {
  raise("WorkUnavailable", error.what());
} catch (const reports::GnuplotError& error) {
  raise("PlotError", error.what());
} catch (const std::bad_alloc&) {
  raise("OutOfMemory", "out of memory on the host: choose a smaller n, or fewer or smaller datasets");
} catch (const std::filesystem::filesystem_error& error) {
  raise("FileError", error.path1().string() + ": " + error.code().message());
} catch (const std::system_error& error) {
  raise("FileError", error.what());
} catch (const std::invalid_argument& error) {
  PyErr_SetString(PyExc_ValueError, as_written(error.what()).c_str());
} catch (const std::runtime_error& error) {
  raise("Error", error.what());
}

}  // namespace

std::string with_arguments(std::string_view text) {
  // A command with an option is the call with an argument; a command alone is readable as it is.
  static const std::regex command("fathom ([a-z]+) (?:with )?(`[a-z_]+=[^`]{1,100}`)");
  const std::string calls = std::regex_replace(std::string(text), command, "fathom.$1($2)");
  return spelled(calls, [](std::string_view option, std::string_view value) {
    std::string written(option);
    if (!value.empty()) written += value == "true" ? "=True" : "='" + std::string(value) + "'";
    return written;
  });
}

std::string as_written(std::string_view message) {
  std::string text = with_arguments(message);
  // A compiler's log has many lines.
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (std::size_t at; (at = text.find('\n')) != text.npos;) text.replace(at, 1, "; ");
  return text;
}

void translate_exceptions() {
  nb::register_exception_translator(translate);
}

}  // namespace fathom::python
