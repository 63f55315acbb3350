// SPDX-License-Identifier: Apache-2.0
// Filters of a dataset's chunks that HDF5 lacks.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/error.h"

namespace feedrate {

/// check_hdf5_read() for the result of reading from `dataset`. If HDF5 lacks one of its filters,
/// the error says which one and how to get it. REQUIRES: an Hdf5Session
void check_hdf5_data(std::int64_t result, std::int64_t dataset, const DataLocation& location,
                     std::string_view action);

}  // namespace feedrate
