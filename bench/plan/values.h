// SPDX-License-Identifier: Apache-2.0
// Reads plain values from configuration nodes. All throw ConfigError naming file, line and key.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/config_node.h"

namespace feedrate {

/// Upper limit of counts: samples, batches, steps. A larger number is a mistake.
inline constexpr std::int64_t kMany = 1'000'000'000;
/// Longest side of an image.
inline constexpr std::int64_t kLargestSide = 1 << 15;

[[nodiscard]] const std::string& text_value(const ConfigNode& node, std::string_view key);
[[nodiscard]] double number_value(const ConfigNode& node, std::string_view key, double least,
                                  double most);
[[nodiscard]] std::int64_t integer_value(const ConfigNode& node, std::string_view key,
                                         std::int64_t least, std::int64_t most);
[[nodiscard]] bool bool_value(const ConfigNode& node, std::string_view key);
/// Quotes any text without line breaks for YAML.
[[nodiscard]] std::string quoted_yaml(std::string_view text);
/// A list of `count` numbers.
[[nodiscard]] std::vector<double> number_list(const ConfigNode& node, std::string_view key,
                                              std::size_t count, double least, double most);

}  // namespace feedrate
