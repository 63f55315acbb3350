// SPDX-License-Identifier: Apache-2.0
// Describes the datasets of an HDF5 file in plain values.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace feedrate {

enum class Hdf5Type { kUint8, kInteger, kFloat, kString, kVlenUint8, kOther };

struct Hdf5Dataset {
  std::string name;
  Hdf5Type type = Hdf5Type::kOther;
  std::string type_name = {};  ///< for messages: "uint8", "float32"
  std::size_t element_bytes = 0;
  std::vector<std::uint64_t> shape = {};
  /// Address of the header in the file. All links to one dataset have the same.
  std::uint64_t address = 0;
  /// Why the data are in other files: "is virtual, …"; empty if they are in this one. Other files
  /// are never opened, so only the name is known then.
  std::string external = {};
};

/// The datasets of the root group. `file` is an open file's identifier. Follows links within the
/// file only.
[[nodiscard]] std::vector<Hdf5Dataset> list_hdf5_datasets(std::int64_t file,
                                                          const std::string& path);

/// The datasets of all groups below the root, for messages. Stops after 1000 datasets or groups.
[[nodiscard]] std::vector<Hdf5Dataset> list_nested_hdf5_datasets(std::int64_t file,
                                                                 const std::string& path);

/// "images: uint8 10×32×32×3"
[[nodiscard]] std::string to_string(const Hdf5Dataset& dataset);
[[nodiscard]] std::string shape_text(const std::vector<std::uint64_t>& shape);

}  // namespace feedrate
