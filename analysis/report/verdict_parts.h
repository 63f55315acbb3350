// SPDX-License-Identifier: Apache-2.0
// Splits the final lines of `feedrate run`, which run.json has as text, by kind. Pure; any thread.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace feedrate {

struct VerdictParts {
  std::string answer;                ///< the tuned settings, else the bound of the training
  std::vector<std::string> facts;    ///< all other lines, in their order
  std::vector<std::string> changes;  ///< "train.py:24  - DataLoader(…)" and the lines below it
  std::string code;                  ///< the new text of the changed lines; each ends in '\n'
};

[[nodiscard]] VerdictParts parts_of_verdict(std::span<const std::string> lines);

}  // namespace feedrate
