// SPDX-License-Identifier: Apache-2.0
// A dataset in the user's own Python, as `dataset: {torch: "my_project.data:make_dataset"}` names
// it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan/config_node.h"

namespace feedrate {

struct OwnDataset {
  std::string factory;                         ///< MODULE:FUNCTION that returns the dataset
  std::string arguments_json = "{}";           ///< its keyword arguments, a JSON object
  std::string collate_fn;                      ///< MODULE:FUNCTION; empty: PyTorch's default
  std::string worker_init_fn;                  ///< the same; empty: none
  std::vector<std::filesystem::path> folders;  ///< where modules are looked for first, in order
};

/// Nothing if `section`, the value of `dataset:`, has no key `torch`. Throws ConfigError.
[[nodiscard]] std::optional<OwnDataset> parse_own_dataset(const ConfigNode& section);

}  // namespace feedrate
