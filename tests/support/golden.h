// SPDX-License-Identifier: Apache-2.0
// Compares outputs with committed texts.
#pragma once
#include <filesystem>
#include <string>

namespace feedrate {

/// Fails the test if `actual` differs from the content of `expected` (a path from the repository
/// root). Writes `actual` to the build folder, and the failure says how to accept it.
void expect_golden(const std::string& actual, const std::filesystem::path& expected);

/// An empty folder for this test alone.
[[nodiscard]] std::filesystem::path fresh_folder();

}  // namespace feedrate
