// SPDX-License-Identifier: Apache-2.0
// The datasets in the root group of an HDF5 file, in plain values.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace feedrate {

enum class Hdf5Type { kUint8, kInteger, kFloat, kString, kVlenUint8, kOther };

struct Hdf5Dataset {
  std::string name;
  Hdf5Type type = Hdf5Type::kOther;
  std::string type_name = {};  ///< for people: "uint8", "float32"
  std::size_t element_bytes = 0;
  std::vector<std::uint64_t> shape = {};
  /// Of its header in the file. Links to one dataset have the same.
  std::uint64_t address = 0;
  /// Where its data lie in other files: "is virtual". They are not looked at, and all else is not
  /// known then.
  std::string elsewhere = {};
};

/// Of the root group; `file` is an open file's identifier. Links within the file are followed, and
/// no other file is opened.
[[nodiscard]] std::vector<Hdf5Dataset> list_hdf5_datasets(std::int64_t file,
                                                          const std::string& path);

/// Of the groups in the root group and in those, for messages: some of them where there are many.
[[nodiscard]] std::vector<Hdf5Dataset> list_nested_hdf5_datasets(std::int64_t file,
                                                                 const std::string& path);

/// "images: uint8 10×32×32×3"
[[nodiscard]] std::string to_string(const Hdf5Dataset& dataset);
[[nodiscard]] std::string shape_text(const std::vector<std::uint64_t>& shape);

}  // namespace feedrate
