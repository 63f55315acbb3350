// HDF5 files, their records read where they lie against H5Dread.
//
// The input decides what file HDF5 shall write, and what of its raw data is damaged then.
// The metadata stay HDF5's own, and keys and class names are left out: libhdf5 1.10 does not
// survive damage in its metadata and heaps (docs/formats.md), and those findings would be the
// library's. For the same reason it reads damaged data only where that is pixels as they are;
// unpacking and looking into heaps is left to our own code, which hdf5_heap.cpp gives whatever
// bytes there are.
#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <hdf5.h>

#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_contents.h"
#include "formats/hdf5/hdf5_places.h"
#include "formats/hdf5/hdf5_reader.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"
#include "tests/support/hdf5_lz4.h"

namespace feedrate::fuzz {
namespace {

struct Recipe {
  bool is_encoded = false;
  bool is_of_newest_layout = false;
  std::vector<hsize_t> shape = {};
  std::vector<hsize_t> chunk = {};  ///< empty: in one piece
  bool shuffles = false;
  std::optional<Hdf5Packing> packing = {};
  unsigned block_bytes = 0;  ///< of LZ4
  bool sums = false;
};

void take_packing(Recipe& recipe, Decisions& decisions) {
  switch (decisions.below(3)) {
    case 0:
      break;
    case 1:
      recipe.packing = Hdf5Packing::kZlib;
      break;
    default:
      recipe.packing = Hdf5Packing::kLz4;
      recipe.block_bytes = 1 + static_cast<unsigned>(decisions.below(64));
  }
}

Recipe take_recipe(Decisions& decisions) {
  Recipe recipe;
  recipe.is_encoded = decisions.below(3) == 0;
  recipe.is_of_newest_layout = decisions.flag();
  recipe.shape = {1 + decisions.below(6)};
  if (!recipe.is_encoded) {
    recipe.shape.push_back(1 + decisions.below(5));
    recipe.shape.push_back(1 + decisions.below(5));
    if (decisions.flag()) recipe.shape.push_back(decisions.flag() ? hsize_t{3} : hsize_t{1});
  }
  if (!decisions.flag()) return recipe;
  for (const hsize_t size : recipe.shape) recipe.chunk.push_back(1 + decisions.below(size));
  recipe.shuffles = decisions.flag();
  take_packing(recipe, decisions);
  // HDF5 refuses checksums where the chunks hold nothing but references into heaps.
  recipe.sums = !recipe.is_encoded && decisions.flag();
  return recipe;
}

/// HDF5 has no reason to refuse what a recipe asks for.
std::int64_t done(std::int64_t result) {
  if (result < 0) throw std::runtime_error("HDF5 cannot make the file of a recipe");
  return result;
}

void set_storage(hid_t plan, const Recipe& recipe) {
  if (recipe.chunk.empty()) return;
  done(H5Pset_chunk(plan, static_cast<int>(recipe.chunk.size()), recipe.chunk.data()));
  if (recipe.shuffles) done(H5Pset_shuffle(plan));
  if (recipe.packing == Hdf5Packing::kZlib) done(H5Pset_deflate(plan, 6));
  if (recipe.packing == Hdf5Packing::kLz4) done(testing::set_hdf5_lz4(plan, recipe.block_bytes));
  if (recipe.sums) done(H5Pset_fletcher32(plan));
}

Hdf5Handle element_type(const Recipe& recipe) {
  if (recipe.is_encoded) return {H5Tvlen_create(H5T_NATIVE_UINT8), H5Tclose};
  return {H5Tcopy(H5T_NATIVE_UINT8), H5Tclose};
}

std::string some_bytes(Decisions& decisions, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<char>(decisions.below(256)));
  }
  return bytes;
}

void write_images(hid_t dataset, hid_t type, const Recipe& recipe, Decisions& decisions) {
  if (!recipe.is_encoded) {
    const hsize_t count = std::accumulate(recipe.shape.begin(), recipe.shape.end(), hsize_t{1},
                                          [](hsize_t a, hsize_t b) { return a * b; });
    const std::string pixels = some_bytes(decisions, count);
    done(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels.data()));
    return;
  }
  std::vector<std::string> images;
  for (hsize_t i = 0; i < recipe.shape.front(); ++i) {
    images.push_back(some_bytes(decisions, decisions.below(24)));
  }
  std::vector<hvl_t> values;
  for (std::string& image : images) values.push_back(hvl_t{image.size(), image.data()});
  done(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

void write_file(const std::string& path, const Recipe& recipe, Decisions& decisions) {
  const Hdf5Session session;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (recipe.is_of_newest_layout) {
    done(H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
  }
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  done(file.get());
  const Hdf5Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  set_storage(plan.get(), recipe);
  const Hdf5Handle space(
      H5Screate_simple(static_cast<int>(recipe.shape.size()), recipe.shape.data(), nullptr),
      H5Sclose);
  const Hdf5Handle type = element_type(recipe);
  Hdf5Handle dataset(H5Dcreate2(file.get(), "images", type.get(), space.get(), H5P_DEFAULT,
                                plan.get(), H5P_DEFAULT),
                     H5Dclose);
  done(dataset.get());
  write_images(dataset.get(), type.get(), recipe, decisions);
  done(dataset.close());
  done(file.close());
}

std::string make_file(const Recipe& recipe, Decisions& decisions) {
  constexpr std::uint64_t kMostBytes = 1U << 20;
  const NamedFile file(Bytes{});
  write_file(file.path(), recipe, decisions);
  return read_text_file(file.path(), kMostBytes);
}

/// Of each record its bytes, or nothing where it is refused; nothing at all where the file is.
using Contents = std::optional<std::vector<std::optional<std::string>>>;

Contents contents_of(const std::string& path, Hdf5Reads reads) {
  Contents contents;
  accepts([&] {
    const auto reader = open_hdf5_reader(path, {.hdf5 = reads});
    const auto cursor = reader->open_cursor();
    contents.emplace();
    for (std::size_t i = 0; i < reader->size(); ++i) {
      std::optional<std::string> bytes;
      accepts([&] { bytes.emplace(text_of(cursor->read(i).payload)); });
      contents->push_back(std::move(bytes));
    }
  });
  return contents;
}

std::uint64_t stored_bytes(const Hdf5Places& places, const Hdf5Places::Chunk& chunk) {
  return chunk.packed != 0 ? chunk.packed : places.element_bytes * places.chunk_elements;
}

void damage(std::string& file, const Hdf5Places& places, Decisions& decisions) {
  for (std::size_t left = 1 + decisions.below(4); left > 0; --left) {
    const std::size_t most = std::min<std::size_t>(places.chunks.size(), 256);
    const Hdf5Places::Chunk& chunk = places.chunks[decisions.below(most)];
    const std::uint64_t at =
        chunk.address +
        decisions.number(2) % std::max<std::uint64_t>(stored_bytes(places, chunk), 1);
    if (at >= file.size()) finding("a chunk is said to lie outside its file");
    const auto flipped = static_cast<unsigned char>(1 + decisions.below(255));
    file[at] = static_cast<char>(static_cast<unsigned char>(file[at]) ^ flipped);
  }
}

bool is_plain(const Recipe& recipe) { return !recipe.is_encoded && !recipe.packing; }

void read_damaged(std::string bytes, const Hdf5Places& places, const Recipe& recipe,
                  Decisions& decisions) {
  damage(bytes, places, decisions);
  const NamedFile file(bytes_of(bytes));
  const Contents direct = contents_of(file.path(), Hdf5Reads::kDirect);
  if (is_plain(recipe) && direct != contents_of(file.path(), Hdf5Reads::kLibrary)) {
    finding("of damaged pixels others than H5Dread's");
  }
}

void refuse_truncated(const std::string& bytes, Decisions& decisions) {
  const NamedFile file(bytes_of(bytes).first(decisions.number(2) % bytes.size()));
  if (contents_of(file.path(), Hdf5Reads::kDirect)) finding("a truncated file is taken");
}

}  // namespace

bool hdf5(Bytes input) {
  Decisions decisions(input);
  const Recipe recipe = take_recipe(decisions);
  const std::string bytes = make_file(recipe, decisions);
  const NamedFile file(bytes_of(bytes));
  const Contents expected = contents_of(file.path(), Hdf5Reads::kLibrary);
  if (!expected) finding("a file that HDF5 has just written is refused");
  if (contents_of(file.path(), Hdf5Reads::kDirect) != expected) {
    finding("other records than H5Dread's");
  }
  if (const auto places = find_hdf5_places(file.path(), read_hdf5_contents(file.path()))) {
    read_damaged(bytes, *places, recipe, decisions);
  }
  refuse_truncated(bytes, decisions);
  return true;
}

}  // namespace feedrate::fuzz
