// SPDX-License-Identifier: Apache-2.0
// The names under which HDF5 files and Zarr groups keep images and labels, in the order in which
// they are looked for. python/feedrate/records.py has the same.
#pragma once
#include <array>
#include <string_view>

namespace feedrate {

inline constexpr std::array<std::string_view, 9> kImageArrayNames{
    "images", "image", "data", "x", "X", "x_train", "X_train", "train_images", "train_x"};
inline constexpr std::array<std::string_view, 10> kLabelArrayNames{
    "labels", "label",   "targets", "target",       "y",
    "Y",      "y_train", "Y_train", "train_labels", "train_y"};

}  // namespace feedrate
