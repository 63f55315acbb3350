// SPDX-License-Identifier: Apache-2.0
// HDF5 files of contiguous pixels: compares direct reads with H5Dread.
//
// The input decides which file HDF5 writes, and which pixel is damaged. The metadata stays intact:
// libhdf5 1.10 does not survive damaged metadata and heaps (docs/formats.md), and such findings
// would be the library's.
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <hdf5.h>

#include "formats/formats.h"
#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_contents.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

struct Recipe {
  bool is_of_newest_layout = false;
  std::vector<hsize_t> shape = {};
};

Recipe take_recipe(Decisions& decisions) {
  Recipe recipe;
  recipe.is_of_newest_layout = decisions.flag();
  recipe.shape = {1 + decisions.below(6), 1 + decisions.below(5), 1 + decisions.below(5)};
  if (decisions.flag()) recipe.shape.push_back(decisions.flag() ? hsize_t{3} : hsize_t{1});
  return recipe;
}

/// HDF5 must accept every recipe.
std::int64_t done(std::int64_t result) {
  if (result < 0) throw std::runtime_error("HDF5 cannot make the file of a recipe");
  return result;
}

std::size_t pixels_in(const Recipe& recipe) {
  return std::accumulate(recipe.shape.begin(), recipe.shape.end(), std::size_t{1},
                         [](std::size_t a, hsize_t b) { return a * b; });
}

void write_file(const std::string& path, const Recipe& recipe, Decisions& decisions) {
  const Hdf5Session session;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (recipe.is_of_newest_layout) {
    done(H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
  }
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  done(file.get());
  const Hdf5Handle space(
      H5Screate_simple(static_cast<int>(recipe.shape.size()), recipe.shape.data(), nullptr),
      H5Sclose);
  Hdf5Handle dataset(H5Dcreate2(file.get(), "images", H5T_NATIVE_UINT8, space.get(), H5P_DEFAULT,
                                H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
  done(dataset.get());
  std::string pixels(pixels_in(recipe), '\0');
  for (char& pixel : pixels) pixel = static_cast<char>(decisions.below(256));
  done(H5Dwrite(dataset.get(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels.data()));
  done(dataset.close());
  done(file.close());
}

std::string make_file(const Recipe& recipe, Decisions& decisions) {
  constexpr std::uint64_t kMaxBytes = 1U << 20;
  const NamedFile file(Bytes{});
  write_file(file.path(), recipe, decisions);
  return read_text_file(file.path(), kMaxBytes);
}

/// The bytes of each record; empty if the file is rejected.
using Contents = std::optional<std::vector<std::string>>;

Contents contents_of(const std::string& path, Hdf5Reads reads) {
  Contents contents;
  accepts([&] {
    const auto reader = open_hdf5_reader(path, {.hdf5 = reads});
    const auto cursor = reader->open_cursor();
    std::vector<std::string> records;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      records.emplace_back(text_of(cursor->read(i).payload));
    }
    contents = std::move(records);
  });
  return contents;
}

void expect_same_either_way(const std::string& bytes) {
  const NamedFile file(bytes_of(bytes));
  const Contents expected = contents_of(file.path(), Hdf5Reads::kLibrary);
  if (!expected) finding("a file that HDF5 has just written is rejected");
  if (contents_of(file.path(), Hdf5Reads::kDirect) != expected) {
    finding("the records differ from those of H5Dread");
  }
}

std::uint64_t first_pixel(const std::string& bytes) {
  const NamedFile file(bytes_of(bytes));
  const auto first = read_hdf5_contents(file.path()).first_byte;
  if (!first) finding("contiguous pixels have no offset");
  return *first;
}

void expect_truncated_is_rejected(const std::string& bytes, Decisions& decisions) {
  const NamedFile file(bytes_of(bytes).first(decisions.number(2) % bytes.size()));
  if (contents_of(file.path(), Hdf5Reads::kDirect)) finding("a truncated file is accepted");
}

}  // namespace

bool hdf5(Bytes input) {
  Decisions decisions(input);
  const Recipe recipe = take_recipe(decisions);
  std::string bytes = make_file(recipe, decisions);
  expect_truncated_is_rejected(bytes, decisions);
  const std::uint64_t at = first_pixel(bytes) + decisions.number(2) % pixels_in(recipe);
  if (at >= bytes.size()) finding("the offset of a pixel is outside the file");
  bytes[at] = static_cast<char>(~bytes[at]);
  expect_same_either_way(bytes);
  return true;
}

}  // namespace feedrate::fuzz
