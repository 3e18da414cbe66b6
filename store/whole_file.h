// Reads whole files and writes them atomically.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fathom {

/// Throws std::system_error naming the file.
std::string read_whole(const std::filesystem::path& file);

/// Writes a temporary file next to the target, forces it to disk and moves it over the target, so that an
/// interruption or a full disk leaves the old file unchanged. Throws std::system_error naming the file.
void write_whole(const std::filesystem::path& file, std::string_view text);

}  // namespace fathom
