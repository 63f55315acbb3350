#include "formats/hdf5/hdf5_places.h"

#include <hdf5.h>

#include "core/error.h"
#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_chunks.h"
#include "formats/hdf5/hdf5_filters.h"
#include "formats/hdf5/hdf5_heap.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

/// HDF5 keeps the size of a chunk in 32 bits.
constexpr std::uint64_t kMaxPlacedChunkBytes = 0xFFFFFFFF;

// Addresses are counted from the beginning of the file, in 8 bytes.
bool has_plain_addresses(hid_t file) {
  const Hdf5Handle plan(H5Fget_create_plist(file), H5Pclose);
  hsize_t user_block = 0;
  std::size_t address_bytes = 0;
  std::size_t length_bytes = 0;
  return plan.get() >= 0 && H5Pget_userblock(plan.get(), &user_block) >= 0 && user_block == 0 &&
         H5Pget_sizes(plan.get(), &address_bytes, &length_bytes) >= 0 && address_bytes == 8 &&
         length_bytes == 8;
}

// Bytes that need no conversion: all 8 bits count.
bool holds_plain_bytes(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  if (type.get() < 0) return false;
  const bool is_vlen = H5Tget_class(type.get()) == H5T_VLEN;
  const Hdf5Handle base(is_vlen ? H5Tget_super(type.get()) : H5Tcopy(type.get()), H5Tclose);
  return base.get() >= 0 &&
         (H5Tequal(base.get(), H5T_STD_U8LE) > 0 || H5Tequal(base.get(), H5T_STD_U8BE) > 0);
}

struct Packer {
  Hdf5Packing packing = Hdf5Packing::kZlib;
  unsigned place = 0;  ///< among the filters
};

/// What was done to the chunks of a dataset when they were written.
struct Filters {
  bool known = true;  ///< whether all can be undone here
  std::optional<Packer> packer;
};

std::optional<Hdf5Packing> packing_by(H5Z_filter_t filter) {
  if (filter == H5Z_FILTER_DEFLATE) return Hdf5Packing::kZlib;
  if (filter == kHdf5Lz4Filter) return Hdf5Packing::kLz4;
  return std::nullopt;
}

Filters filters_of(hid_t plan) {
  Filters filters;
  const int count = H5Pget_nfilters(plan);
  filters.known = count >= 0;
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    unsigned config = 0;
    unsigned first_value = 0;
    std::size_t values = 1;
    const auto place = static_cast<unsigned>(i);
    const H5Z_filter_t filter =
        H5Pget_filter2(plan, place, &flags, &values, &first_value, 0, nullptr, &config);
    const std::optional<Hdf5Packing> packing = packing_by(filter);
    if (packing && !filters.packer) {
      filters.packer = {*packing, place};
    } else if (filter != H5Z_FILTER_SHUFFLE || first_value != 1) {
      // To shuffle elements of one byte changes nothing.
      filters.known = false;
    }
  }
  return filters;
}

std::size_t element_bytes(const Hdf5Contents& contents) {
  return contents.kind == Hdf5Kind::kEncoded ? kHeapReferenceBytes : contents.shape.size();
}

bool divides_no_image(const Hdf5Contents& contents) {
  const std::vector<std::uint64_t>& chunk = contents.chunk;
  if (contents.rank == 1) return true;
  const auto is = [&](std::size_t axis, int size) {
    return chunk[axis] == static_cast<std::uint64_t>(size);
  };
  return is(1, contents.shape.height) && is(2, contents.shape.width) &&
         (contents.rank == 3 || is(3, contents.shape.channels));
}

std::optional<Hdf5Places> contiguous_places(hid_t dataset, hid_t plan,
                                            const Hdf5Contents& contents) {
  const haddr_t address = H5Dget_offset(dataset);
  if (H5Pget_layout(plan) != H5D_CONTIGUOUS || H5Pget_external_count(plan) != 0 ||
      address == HADDR_UNDEF ||
      H5Dget_storage_size(dataset) / element_bytes(contents) < contents.records) {
    return std::nullopt;
  }
  return Hdf5Places{.element_bytes = element_bytes(contents),
                    .chunk_elements = contents.records,
                    .chunks = {Hdf5Places::Chunk{address, 0}}};
}

std::optional<Hdf5Places> chunked_places(hid_t plan, const Hdf5Contents& contents,
                                         const std::string& path) {
  unsigned edge_options = 0;
  const Filters filters = filters_of(plan);
  const std::uint64_t length = contents.chunk.front();
  if (!filters.known || !divides_no_image(contents) || length == 0 ||
      length > kMaxPlacedChunkBytes / element_bytes(contents) ||
      H5Pget_chunk_opts(plan, &edge_options) < 0 || edge_options != 0) {
    return std::nullopt;
  }
  Hdf5Places places{.element_bytes = element_bytes(contents), .chunk_elements = length};
  if (filters.packer) places.packing = filters.packer->packing;
  const std::uint64_t whole = length * places.element_bytes;
  if (filters.packer && whole > kMaxRecordBytes) return std::nullopt;
  const auto chunks = list_hdf5_chunks({.path = path,
                                        .name = contents.images,
                                        .rank = contents.rank,
                                        .chunk_length = length,
                                        .chunks = (contents.records - 1) / length + 1});
  if (!chunks) return std::nullopt;
  places.chunks.reserve(chunks->size());
  for (const Hdf5Chunk& chunk : *chunks) {
    // A chunk that would not get smaller is stored as it is.
    const bool is_packed =
        filters.packer && (chunk.left_out_filters >> filters.packer->place & 1U) == 0;
    if (!is_packed && chunk.size != whole) return std::nullopt;
    places.chunks.push_back({chunk.address, is_packed ? chunk.size : 0});
  }
  return places;
}

}  // namespace

std::optional<Hdf5Places> find_hdf5_places(const std::string& path, const Hdf5Contents& contents) {
  const Hdf5Session session;
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle dataset(H5Dopen2(file.get(), contents.images.c_str(), H5P_DEFAULT), H5Dclose);
  check_hdf5_read(dataset.get(), {.file = path}, "cannot open the images");
  const Hdf5Handle plan(H5Dget_create_plist(dataset.get()), H5Pclose);
  check_hdf5_read(plan.get(), {.file = path}, "cannot read the layout of images");
  if (!has_plain_addresses(file.get()) || !holds_plain_bytes(dataset.get())) return std::nullopt;
  return contents.chunk.empty() ? contiguous_places(dataset.get(), plan.get(), contents)
                                : chunked_places(plan.get(), contents, path);
}

}  // namespace feedrate
