// SPDX-License-Identifier: Apache-2.0
// Datasets in the user's own Python, as `dataset: {torch: "my_project.data:make_dataset"}` names
// them: one, or several under `variants`.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/config_node.h"

namespace feedrate {

struct OwnDataset {
  std::string variant;                ///< the value of the knob; empty where there is but one
  std::string factory;                ///< MODULE:FUNCTION that returns the dataset
  std::string arguments_json = "{}";  ///< its keyword arguments, a JSON object
  std::string collate_fn;             ///< MODULE:FUNCTION; empty: PyTorch's default
  std::string worker_init_fn;         ///< the same; empty: none
  std::string sampler;                ///< MODULE:FUNCTION of the dataset; empty: PyTorch's
  std::string batch_sampler;          ///< the same
};

/// What is wrong with MODULE:FUNCTION; empty: nothing.
[[nodiscard]] std::string why_no_reference(std::string_view text);

/// The name of what a run says of a variant: "collate_fn hdf5", or "collate_fn" where there is
/// none.
[[nodiscard]] std::string of_variant(std::string_view name, std::string_view variant);

/// In the order of the file; none if `section`, the value of `dataset:`, has neither `torch` nor
/// `variants`. Throws ConfigError.
[[nodiscard]] std::vector<OwnDataset> parse_own_datasets(const ConfigNode& section);

}  // namespace feedrate
