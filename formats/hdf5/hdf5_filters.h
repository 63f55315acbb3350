// SPDX-License-Identifier: Apache-2.0
// The filters that chunks of a dataset went through, as far as HDF5 itself does not have them.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/error.h"

namespace feedrate {

/// check_hdf5_read() of the result of reading from `dataset`. If HDF5 lacks a filter of it, that is
/// what the error says, with the filter's identifier and where to get it. In an Hdf5Session.
void check_hdf5_data(std::int64_t result, std::int64_t dataset, const DataLocation& location,
                     std::string_view action);

}  // namespace feedrate
