// SPDX-License-Identifier: Apache-2.0
// Reads and writes arrays of labels and strings in HDF5 files. Identifiers are HDF5's.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace feedrate {

[[nodiscard]] std::vector<std::int64_t> read_hdf5_integers(std::int64_t dataset, std::size_t count,
                                                           const std::string& path);

/// Reads strings of fixed or variable length.
[[nodiscard]] std::vector<std::string> read_hdf5_strings(std::int64_t dataset, std::size_t count,
                                                         const std::string& path);
/// Reads an attribute of the root group; empty if there is none.
[[nodiscard]] std::vector<std::string> read_hdf5_string_attribute(std::int64_t file,
                                                                  const char* name,
                                                                  const std::string& path);

void write_hdf5_integers(std::int64_t file, const char* name,
                         const std::vector<std::int64_t>& values, const std::string& path);
void write_hdf5_strings(std::int64_t file, const char* name, const std::vector<std::string>& values,
                        const std::string& path);
void write_hdf5_string_attribute(std::int64_t file, const char* name,
                                 const std::vector<std::string>& values, const std::string& path);

}  // namespace feedrate
