// SPDX-License-Identifier: Apache-2.0
// Names of the arrays of images and labels in HDF5 files and Zarr groups, in search order.
// python/feedrate/records.py has the same lists.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace feedrate {

inline constexpr std::array<std::string_view, 11> kImageArrayNames{
    "images",  "image",        "data",    "x",           "X",         "x_train",
    "X_train", "train_images", "train_x", "train_set_x", "test_set_x"};
inline constexpr std::array<std::string_view, 12> kLabelArrayNames{
    "labels",  "label",   "targets",      "target",  "y",           "Y",
    "y_train", "Y_train", "train_labels", "train_y", "train_set_y", "test_set_y"};

/// Whether xarray and netCDF may give this name to a coordinate. Such an array is skipped if its
/// shape does not fit.
constexpr bool is_coordinate_name(std::string_view name) noexcept {
  return name == "x" || name == "X" || name == "y" || name == "Y";
}

/// ", not read: weights, ids": the arrays that are neither images, labels nor keys; empty if none.
[[nodiscard]] inline std::string unread_text(std::span<const std::string> names) {
  constexpr std::size_t kMostListed = 5;
  if (names.empty()) return {};
  const std::string listed = fmt::format(
      ", not read: {}", fmt::join(names.first(std::min(kMostListed, names.size())), ", "));
  if (names.size() <= kMostListed) return listed;
  return listed + fmt::format(" and {} more", names.size() - kMostListed);
}

/// The message for an unsigned label that std::int64_t cannot hold.
inline std::string large_label_text(std::uint64_t label) {
  return fmt::format("the label {} is too large; must be below 2^63", label);
}

}  // namespace feedrate
