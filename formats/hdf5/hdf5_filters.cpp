// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/hdf5_filters.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <hdf5.h>

#include "formats/hdf5/hdf5_call.h"

namespace feedrate {
namespace {

// Identifiers in HDF5's registry of filters.
constexpr H5Z_filter_t kLzfFilter = 32000;
constexpr H5Z_filter_t kLz4Filter = 32004;

struct Filter {
  H5Z_filter_t id;
  std::string name;
};

// Names in files are free text of the program that wrote them.
std::string name_of(H5Z_filter_t id, const char* name_in_file) {
  if (id == kLz4Filter) return "lz4";
  return *name_in_file == '\0' ? "unnamed" : name_in_file;
}

std::optional<Filter> missing_filter(hid_t dataset) {
  const Hdf5Handle plan(H5Dget_create_plist(dataset), H5Pclose);
  const int count = plan.get() < 0 ? 0 : H5Pget_nfilters(plan.get());
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t id = H5Pget_filter2(plan.get(), static_cast<unsigned>(i), &flags, &values,
                                           nullptr, name.size(), name.data(), nullptr);
    name.back() = '\0';  // HDF5 truncates a longer name.
    if (id >= 0 && H5Zfilter_avail(id) <= 0) return Filter{id, name_of(id, name.data())};
  }
  return std::nullopt;
}

std::string remedy(H5Z_filter_t id) {
  if (id < H5Z_FILTER_RESERVED) return "this HDF5 library was built without it";
  if (id == kLzfFilter)
    return "only h5py supports it: write the file again with compression=\"gzip\"";
  return fmt::format(
      "install its plugin with {}python3 -m pip install hdf5plugin, and set HDF5_PLUGIN_PATH to "
      "the output of python3 -c \"import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)\"",
      id == kLz4Filter ? "apt-get install hdf5-filter-plugin, or with " : "");
}

}  // namespace

void check_hdf5_data(std::int64_t result, std::int64_t dataset, const DataLocation& location,
                     std::string_view action) {
  try {
    check_hdf5_read(result, location, action);
  } catch (const FormatError&) {
    const std::optional<Filter> filter = missing_filter(dataset);
    if (!filter) throw;
    throw FormatError(location, fmt::format("{}: the HDF5 library lacks the filter {} (id {}); {}",
                                            action, filter->name, filter->id, remedy(filter->id)));
  }
}

}  // namespace feedrate
