// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/hdf5_describe.h"

#include <fmt/format.h>
#include <hdf5.h>

#include "core/error.h"
#include "formats/hdf5/hdf5_call.h"

namespace feedrate {
namespace {

struct Link {
  std::string name;
  H5L_type_t type;
};

// A callback of HDF5, so it must not throw.
herr_t add_link(hid_t /*group*/, const char* name, const H5L_info_t* info, void* links) noexcept {
  try {
    static_cast<std::vector<Link>*>(links)->push_back({name, info->type});
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

std::vector<Link> links_in(hid_t group, const std::string& path) {
  std::vector<Link> links;
  check_hdf5_read(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_link, &links),
                  {.file = path}, "cannot list datasets");
  return links;
}

// Checks a type of a damaged file: HDF5 would read bits beyond the element.
bool has_all_bits(hid_t type) {
  const int offset = H5Tget_offset(type);
  const std::size_t precision = H5Tget_precision(type);
  const std::size_t bits = 8 * H5Tget_size(type);
  return offset >= 0 && precision > 0 && precision <= bits &&
         static_cast<std::size_t>(offset) <= bits - precision;
}

void describe_integer(hid_t type, Hdf5Dataset& dataset) {
  if (!has_all_bits(type)) {
    dataset.type_name = "integers of an odd size";
    return;
  }
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  dataset.type = dataset.element_bytes == 1 && !is_signed ? Hdf5Type::kUint8 : Hdf5Type::kInteger;
  dataset.type_name = fmt::format("{}int{}", is_signed ? "" : "u", 8 * dataset.element_bytes);
}

void describe_vlen(hid_t type, Hdf5Dataset& dataset) {
  const Hdf5Handle base(H5Tget_super(type), H5Tclose);
  const bool bytes = base.get() >= 0 && H5Tget_class(base.get()) == H5T_INTEGER &&
                     H5Tget_size(base.get()) == 1 && H5Tget_sign(base.get()) == H5T_SGN_NONE &&
                     has_all_bits(base.get());
  dataset.type = bytes ? Hdf5Type::kVlenUint8 : Hdf5Type::kOther;
  dataset.type_name = bytes ? "variable-length uint8" : "variable-length";
}

void describe_type(hid_t type, Hdf5Dataset& dataset) {
  dataset.element_bytes = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      describe_integer(type, dataset);
      break;
    case H5T_FLOAT:
      dataset.type = Hdf5Type::kFloat;
      dataset.type_name = fmt::format("float{}", 8 * dataset.element_bytes);
      break;
    case H5T_STRING:
      dataset.type = Hdf5Type::kString;
      dataset.type_name = "string";
      break;
    case H5T_VLEN:
      describe_vlen(type, dataset);
      break;
    default:
      dataset.type_name = "another type";
  }
}

std::string external_text(hid_t id, const DataLocation& location) {
  const Hdf5Handle plan(H5Dget_create_plist(id), H5Pclose);
  check_hdf5_read(plan.get(), location, "cannot read a dataset's layout");
  if (H5Pget_layout(plan.get()) == H5D_VIRTUAL) return "is virtual, with data in other files";
  return H5Pget_external_count(plan.get()) > 0 ? "has its data in other files" : "";
}

Hdf5Dataset describe(hid_t id, std::string name, const std::string& path) {
  Hdf5Dataset dataset{.name = std::move(name)};
  const DataLocation location{.file = path};
  dataset.external = external_text(id, location);
  if (!dataset.external.empty()) return dataset;  // Reading its shape may open the other files.
  const Hdf5Handle type(H5Dget_type(id), H5Tclose);
  check_hdf5_read(type.get(), location, "cannot read a dataset's type");
  describe_type(type.get(), dataset);
  const Hdf5Handle space(H5Dget_space(id), H5Sclose);
  check_hdf5_read(space.get(), location, "cannot read a dataset's shape");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  check_hdf5_read(rank, location, "cannot read a dataset's shape");
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  check_hdf5_read(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), location,
                  "cannot read a dataset's shape");
  dataset.shape.assign(shape.begin(), shape.end());
  return dataset;
}

herr_t refuse_other_file(const char* /*parent*/, const char* /*group*/, const char* /*file*/,
                         const char* /*object*/, unsigned* /*flags*/, hid_t /*access*/,
                         void* /*data*/) noexcept {
  return -1;
}

Hdf5Handle links_within_file(const std::string& path) {
  Hdf5Handle access(H5Pcreate(H5P_LINK_ACCESS), H5Pclose);
  check_hdf5_read(access.get(), {.file = path}, "cannot list datasets");
  check_hdf5_read(H5Pset_elink_cb(access.get(), refuse_other_file, nullptr), {.file = path},
                  "cannot list datasets");
  return access;
}

std::uint64_t address_of(hid_t object, const std::string& path) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info1_t info{};
#else
  H5O_info_t info{};
#endif
  check_hdf5_read(H5Oget_info1(object, &info), {.file = path}, "cannot find a dataset");
  return info.addr;
}

/// The datasets of a group; the names of its groups go to `groups`.
std::vector<Hdf5Dataset> datasets_in(hid_t group, const std::string& prefix,
                                     const std::string& path, std::vector<std::string>& groups) {
  const Hdf5Handle access = links_within_file(path);
  std::vector<Hdf5Dataset> datasets;
  for (const auto& [name, type] : links_in(group, path)) {
    if (type != H5L_TYPE_HARD && type != H5L_TYPE_SOFT) {
      datasets.push_back({.name = prefix + name, .external = "is a link to another file"});
      continue;
    }
    const Hdf5Handle object(H5Oopen(group, name.c_str(), access.get()), H5Oclose);
    if (object.get() < 0 && type == H5L_TYPE_SOFT) {
      datasets.push_back(
          {.name = prefix + name, .external = "is a link to nothing, or to another file"});
      continue;
    }
    check_hdf5_read(object.get(), {.file = path}, fmt::format("cannot open \"{}\"", name));
    const H5I_type_t kind = H5Iget_type(object.get());
    if (kind == H5I_GROUP) groups.push_back(prefix + name);
    if (kind != H5I_DATASET) continue;
    datasets.push_back(describe(object.get(), prefix + name, path));
    datasets.back().address = address_of(object.get(), path);
  }
  return datasets;
}

}  // namespace

std::vector<Hdf5Dataset> list_hdf5_datasets(std::int64_t file, const std::string& path) {
  std::vector<std::string> groups;
  return datasets_in(file, "", path, groups);
}

std::vector<Hdf5Dataset> list_nested_hdf5_datasets(std::int64_t file, const std::string& path) {
  constexpr std::size_t kMostDatasets = 1'000;
  constexpr std::size_t kMostGroups = 1'000;  // Links may form cycles.
  std::vector<Hdf5Dataset> found;
  std::vector<std::string> groups;
  static_cast<void>(datasets_in(file, "", path, groups));
  for (std::size_t i = 0; i < groups.size() && i < kMostGroups; ++i) {
    const std::string name = groups[i];
    const Hdf5Handle group(H5Gopen2(file, name.c_str(), H5P_DEFAULT), H5Gclose);
    check_hdf5_read(group.get(), {.file = path}, fmt::format("cannot open \"{}\"", name));
    const std::vector<Hdf5Dataset> some = datasets_in(group.get(), name + '/', path, groups);
    found.insert(found.end(), some.begin(), some.end());
    if (found.size() >= kMostDatasets) break;
  }
  return found;
}

std::string to_string(const Hdf5Dataset& dataset) {
  if (!dataset.external.empty()) return fmt::format("{} {}", dataset.name, dataset.external);
  return fmt::format("{}: {} {}", dataset.name, dataset.type_name, shape_text(dataset.shape));
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "×"));
}

}  // namespace feedrate
