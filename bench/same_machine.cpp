// SPDX-License-Identifier: Apache-2.0
#include "bench/same_machine.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace feedrate {
namespace {

std::string without_figures(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  return text;
}

}  // namespace

bool must_match(const std::string& name) {
  constexpr std::array<std::string_view, 5> kNames{"cpu_model", "cpus_usable", "memory_total",
                                                   "storage", "build_type"};
  constexpr std::array<std::string_view, 4> kKinds{"device ", "dataset ", "engine ", "emulate "};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kKinds.begin(), kKinds.end(),
                     [&](std::string_view kind) { return name.starts_with(kind); });
}

bool is_worth_a_warning(const std::string& name) {
  constexpr std::array<std::string_view, 6> kNames{"feedrate", "host_name", "kernel",
                                                   "os",       "compiler",  "host_all_reduce"};
  return must_match(name) || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// The fact's name has no format if the sweep names none.
std::string fact_in_words(const std::string& name) {
  return name == "dataset " ? "the dataset" : name;
}

bool holds_warning(const std::vector<std::string>& warnings, const std::string& warning) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& one) {
    return without_figures(one) == without_figures(warning);
  });
}

}  // namespace feedrate
