// SPDX-License-Identifier: Apache-2.0
// Datasets in the user's Python, named by `dataset: {torch: "my_project.data:make_dataset"}`, or
// several under `variants`.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/config_node.h"

namespace feedrate {

struct OwnDataset {
  std::string variant;                ///< value of the knob `variant`; empty for a single dataset
  std::string factory;                ///< MODULE:FUNCTION that returns the dataset
  std::string arguments_json = "{}";  ///< its keyword arguments, a JSON object
  std::string collate_fn;             ///< MODULE:FUNCTION; empty: PyTorch's default
  std::string worker_init_fn;         ///< the same; empty: none
  std::string sampler;        ///< MODULE:FUNCTION, called with the dataset; empty: PyTorch's
  std::string batch_sampler;  ///< the same
};

/// Why `text` is not MODULE:FUNCTION; empty if it is.
[[nodiscard]] std::string why_no_reference(std::string_view text);

/// The name of a fact about a variant: "collate_fn hdf5"; "collate_fn" for a single dataset.
[[nodiscard]] std::string of_variant(std::string_view name, std::string_view variant);

/// Datasets in the order of the file; empty if `section`, the value of `dataset:`, has neither
/// `torch` nor `variants`. Throws ConfigError.
[[nodiscard]] std::vector<OwnDataset> parse_own_datasets(const ConfigNode& section);

}  // namespace feedrate
