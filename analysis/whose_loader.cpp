// SPDX-License-Identifier: Apache-2.0
#include "analysis/whose_loader.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/cell_text.h"

namespace feedrate {
namespace {

// "2.15.0" of the fact "torch.utils.data.DataLoader; torch 2.15.0, Python 3.11.2".
std::string_view torch_version(const RunResult& run) {
  constexpr std::string_view kBefore = "; torch ";
  for (const Fact& fact : run.environment.facts) {
    const std::size_t found = fact.value.find(kBefore);
    if (fact.name != "engine torch" || found == std::string::npos) continue;
    const std::string_view rest = std::string_view(fact.value).substr(found + kBefore.size());
    return rest.substr(0, rest.find(','));
  }
  return {};
}

std::string owner(const RunResult& run, const CellResult& cell) {
  const std::string engine = setting_text(cell, "engine");
  if (engine.empty()) return {};
  const std::string factory = setting_text(cell, "loader_factory");
  if (!factory.empty() && factory != "default") return factory;
  if (is_pytorch(cell)) {
    const std::string_view version = torch_version(run);
    return fmt::format("PyTorch{}{}'s DataLoader", version.empty() ? "" : " ", version);
  }
  return setting_text(cell, "emulate").empty()
             ? "feedrate's native loader"
             : "feedrate's native loader, emulating the cost of PyTorch's (emulate)";
}

}  // namespace

bool is_pytorch(const CellResult& cell) { return setting_text(cell, "engine") == "torch"; }

std::string whose_loader(const RunResult& run, const CellResult& cell) {
  const std::string name = owner(run, cell);
  return name.empty() ? name : "rates of " + name;
}

std::string whose_loader(const RunResult& run) {
  std::vector<std::string> owners;
  for (const CellResult& cell : run.cells) {
    if (cell.outcome == Outcome::kSkipped) continue;
    std::string name = owner(run, cell);
    const bool is_known = std::find(owners.begin(), owners.end(), name) != owners.end();
    if (!name.empty() && !is_known) owners.push_back(std::move(name));
  }
  return owners.empty() ? std::string()
                        : fmt::format("rates of {}", fmt::join(owners, ", and of "));
}

std::string whose_sentence(const RunResult& run) {
  const std::string whose = whose_loader(run);
  if (whose.empty()) return whose;
  const std::string* const reason = find_fact(run.environment.facts, "engine auto");
  return reason == nullptr ? fmt::format("These are {}.", whose)
                           : fmt::format("These are {} (engine: auto; {}).", whose, *reason);
}

}  // namespace feedrate
