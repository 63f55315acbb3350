// SPDX-License-Identifier: Apache-2.0
// The names under which HDF5 files and Zarr groups keep images and labels, in the order in which
// they are looked for. python/feedrate/records.py has the same.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace feedrate {

inline constexpr std::array<std::string_view, 9> kImageArrayNames{
    "images", "image", "data", "x", "X", "x_train", "X_train", "train_images", "train_x"};
inline constexpr std::array<std::string_view, 10> kLabelArrayNames{
    "labels", "label",   "targets", "target",       "y",
    "Y",      "y_train", "Y_train", "train_labels", "train_y"};

/// Whether an array of this name may also be a coordinate, as xarray and netCDF write them: it is
/// passed over where it does not fit.
constexpr bool is_coordinate_name(std::string_view name) noexcept {
  return name == "x" || name == "X" || name == "y" || name == "Y";
}

/// Of a label of an unsigned type that is no std::int64_t.
inline std::string large_label_text(std::uint64_t label) {
  return fmt::format("the label {} is too large; must be below 2^63", label);
}

}  // namespace feedrate
