// SPDX-License-Identifier: Apache-2.0
// A DLIO workload, which is converted to the text of a sweep. For any input, that text has exactly
// the sections of a sweep.
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

// Odd characters may make invalid YAML, but must not add sections.
void require_sweep(const std::string& text) {
  ConfigNode root;
  if (!accepts([&] { root = parse_yaml(text, "fuzz.yaml"); })) return;
  const bool is_sweep = std::equal(
      root.entries.begin(), root.entries.end(), kSections.begin(), kSections.end(),
      [](const ConfigEntry& entry, std::string_view section) { return entry.key == section; });
  if (!is_sweep) finding("a workload was converted to text that is no sweep: " + text);
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
