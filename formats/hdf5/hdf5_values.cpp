// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/hdf5_values.h"

#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <hdf5.h>

#include "core/error.h"
#include "formats/array_names.h"
#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_filters.h"

namespace feedrate {
namespace {

/// H5Dread or H5Aread: reads elements of a memory type to an address.
using ReadInto = std::function<herr_t(hid_t, void*)>;

// HDF5 converts strings only within one character set.
Hdf5Handle string_type(std::size_t size, H5T_cset_t character_set) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (type.get() < 0 || H5Tset_size(type.get(), size) < 0 ||
      H5Tset_cset(type.get(), character_set) < 0) {
    return {};
  }
  return type;
}

std::vector<std::string> read_variable(hid_t type, hid_t space, std::size_t count,
                                       const ReadInto& read, const DataLocation& location) {
  const Hdf5Handle memory = string_type(H5T_VARIABLE, H5Tget_cset(type));
  check_hdf5_read(memory.get(), location, "cannot read strings");
  std::vector<char*> texts(count, nullptr);
  check_hdf5_read(read(memory.get(), texts.data()), location, "cannot read strings");
  std::vector<std::string> strings;
  strings.reserve(count);
  for (const char* text : texts) strings.emplace_back(text == nullptr ? "" : text);
  check_hdf5_read(H5Dvlen_reclaim(memory.get(), space, H5P_DEFAULT, texts.data()), location,
                  "cannot free strings");
  return strings;
}

std::vector<std::string> read_fixed(hid_t type, std::size_t count, const ReadInto& read,
                                    const DataLocation& location) {
  const std::size_t length = H5Tget_size(type);
  std::string text(count * length, '\0');
  check_hdf5_read(read(type, text.data()), location, "cannot read strings");
  std::vector<std::string> strings;
  strings.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::string one = text.substr(i * length, length);
    one.resize(std::min(one.find('\0'), one.size()));
    if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) one.resize(one.find_last_not_of(' ') + 1);
    strings.push_back(std::move(one));
  }
  return strings;
}

std::vector<std::string> read_strings(hid_t type, hid_t space, std::size_t count,
                                      const ReadInto& read, const DataLocation& location) {
  return H5Tis_variable_str(type) > 0 ? read_variable(type, space, count, read, location)
                                      : read_fixed(type, count, read, location);
}

std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> texts;
  texts.reserve(strings.size());
  for (const std::string& text : strings) texts.push_back(text.c_str());
  return texts;
}

Hdf5Handle line_space(std::size_t count) {
  const hsize_t size = count;
  return {H5Screate_simple(1, &size, nullptr), H5Sclose};
}

void write_dataset(hid_t file, const char* name, hid_t type, std::size_t count, const void* data,
                   const std::string& path) {
  const std::string action = fmt::format("cannot write \"{}\"", name);
  const Hdf5Handle space = line_space(count);
  check_hdf5_write(space.get(), path, action);
  Hdf5Handle dataset(
      H5Dcreate2(file, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  check_hdf5_write(dataset.get(), path, action);
  const hid_t memory = type == H5T_STD_I64LE ? H5T_NATIVE_INT64 : type;
  check_hdf5_write(H5Dwrite(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path,
                   action);
  check_hdf5_write(dataset.close(), path, action);
}

bool holds_unsigned_64(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  return H5Tget_size(type.get()) == 8 && H5Tget_sign(type.get()) == H5T_SGN_NONE;
}

}  // namespace

std::vector<std::int64_t> read_hdf5_integers(std::int64_t dataset, std::size_t count,
                                             const std::string& path) {
  std::vector<std::int64_t> values(count);
  const bool is_unsigned = holds_unsigned_64(dataset);
  const hid_t type = is_unsigned ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
  check_hdf5_data(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), dataset,
                  {.file = path}, "cannot read labels");
  // HDF5 would clamp all larger labels to one value if they were read as signed.
  const auto large =
      std::find_if(values.begin(), values.end(), [](std::int64_t value) { return value < 0; });
  if (is_unsigned && large != values.end()) {
    throw FormatError({.file = path, .record = static_cast<std::uint64_t>(large - values.begin())},
                      large_label_text(static_cast<std::uint64_t>(*large)));
  }
  return values;
}

std::vector<std::string> read_hdf5_strings(std::int64_t dataset, std::size_t count,
                                           const std::string& path) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  return read_strings(type.get(), space.get(), count,
                      [&](hid_t memory, void* out) {
                        const herr_t result =
                            H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
                        check_hdf5_data(result, dataset, {.file = path}, "cannot read keys");
                        return result;
                      },
                      {.file = path});
}

std::vector<std::string> read_hdf5_string_attribute(std::int64_t file, const char* name,
                                                    const std::string& path) {
  if (H5Aexists(file, name) <= 0) return {};
  const DataLocation location{.file = path};
  const std::string action = fmt::format("cannot read attribute \"{}\"", name);
  const Hdf5Handle attribute(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  check_hdf5_read(attribute.get(), location, action);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (H5Tget_class(type.get()) != H5T_STRING) {
    throw FormatError(location, fmt::format("attribute \"{}\" does not hold strings", name));
  }
  // Attributes are not compressed, so the storage size limits the count.
  check_hdf5_read(count, location, action);
  if (static_cast<hsize_t>(count) > H5Aget_storage_size(attribute.get())) {
    throw FormatError(location, fmt::format("attribute \"{}\" claims {} strings", name, count));
  }
  return read_strings(
      type.get(), space.get(), static_cast<std::size_t>(count),
      [&](hid_t memory, void* out) { return H5Aread(attribute.get(), memory, out); }, location);
}

void write_hdf5_integers(std::int64_t file, const char* name,
                         const std::vector<std::int64_t>& values, const std::string& path) {
  write_dataset(file, name, H5T_STD_I64LE, values.size(), values.data(), path);
}

void write_hdf5_strings(std::int64_t file, const char* name, const std::vector<std::string>& values,
                        const std::string& path) {
  const Hdf5Handle type = string_type(H5T_VARIABLE, H5T_CSET_UTF8);
  check_hdf5_write(type.get(), path, "cannot create a string type");
  write_dataset(file, name, type.get(), values.size(), pointers(values).data(), path);
}

void write_hdf5_string_attribute(std::int64_t file, const char* name,
                                 const std::vector<std::string>& values, const std::string& path) {
  const std::string action = fmt::format("cannot write attribute \"{}\"", name);
  const Hdf5Handle type = string_type(H5T_VARIABLE, H5T_CSET_UTF8);
  const Hdf5Handle space = line_space(values.size());
  check_hdf5_write(type.get(), path, action);
  check_hdf5_write(space.get(), path, action);
  Hdf5Handle attribute(H5Acreate2(file, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                       H5Aclose);
  check_hdf5_write(attribute.get(), path, action);
  check_hdf5_write(H5Awrite(attribute.get(), type.get(), pointers(values).data()), path, action);
  check_hdf5_write(attribute.close(), path, action);
}

}  // namespace feedrate
