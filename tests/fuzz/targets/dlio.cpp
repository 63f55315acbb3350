// SPDX-License-Identifier: Apache-2.0
// A workload of DLIO, which becomes the text of a sweep: whatever stands in it, that text has the
// sections of a sweep and no others.
#include "bench/plan/dlio.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "bench/plan/config.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

constexpr std::array<std::string_view, 5> kSections{"dataset", "pipeline", "loader", "trainer",
                                                    "measure"};

// Odd characters may make YAML of it that is refused; none may bring in what a sweep does not have.
void require_sweep(const std::string& text) {
  ConfigNode root;
  if (!accepts([&] { root = parse_yaml(text, "fuzz.yaml"); })) return;
  const bool is_sweep = std::equal(
      root.entries.begin(), root.entries.end(), kSections.begin(), kSections.end(),
      [](const ConfigEntry& entry, std::string_view section) { return entry.key == section; });
  if (!is_sweep) finding("a workload became what is no sweep: " + text);
  accepts([&] { static_cast<void>(parse_config(text, "fuzz.yaml")); });
}

}  // namespace

bool dlio(Bytes input) {
  std::string text;
  accepts([&] {
    const ConfigNode root = parse_yaml(std::string(text_of(input)), "fuzz.yaml");
    if (is_dlio_workload(root)) text = sweep_of_dlio(root, "workload").yaml;
  });
  if (text.empty()) return false;
  require_sweep(text);
  return true;
}

}  // namespace feedrate::fuzz
