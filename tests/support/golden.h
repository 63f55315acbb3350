// SPDX-License-Identifier: Apache-2.0
// Committed texts that outputs are held to.
#pragma once
#include <filesystem>
#include <string>

namespace feedrate {

/// Fails the test where `actual` is not the content of `expected` (a path from the repository
/// root). What was produced then lies in the build folder, and the failure says how to accept it.
void expect_golden(const std::string& actual, const std::filesystem::path& expected);

/// An empty folder of this test alone.
[[nodiscard]] std::filesystem::path fresh_folder();

}  // namespace feedrate
