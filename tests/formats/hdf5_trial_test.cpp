// SPDX-License-Identifier: Apache-2.0
// HDF5 files that are refused: damaged ones that crash the library, and those with external data.
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/hdf5/hdf5_call.h"
#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

std::string refusal_of(const fs::path& path) {
  return message_of<FormatError>([&] { (void)open_dataset(path); });
}

class ExternalHdf5 : public ::testing::Test {
 protected:
  /// A file with one dataset "images" of 2×4×5×3.
  void make(const std::function<void(hid_t file, hid_t plan, hid_t space)>& fill) const {
    constexpr std::array<hsize_t, 4> kShape{2, 4, 5, 3};
    const Hdf5Session session;
    const Hdf5Handle file(H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                          H5Fclose);
    const Hdf5Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const Hdf5Handle space(H5Screate_simple(4, kShape.data(), nullptr), H5Sclose);
    fill(file.get(), plan.get(), space.get());
  }
  static void create_images(hid_t file, hid_t plan, hid_t space) {
    const Hdf5Handle made(
        H5Dcreate2(file, "images", H5T_NATIVE_UINT8, space, H5P_DEFAULT, plan, H5P_DEFAULT),
        H5Dclose);
    EXPECT_GE(made.get(), 0);
  }
  [[nodiscard]] fs::path path() const { return folder_ / "a.h5"; }
  /// Opening the FIFO would block forever.
  [[nodiscard]] fs::path fifo() const {
    fs::path path = folder_ / "fifo";
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }

 private:
  TempFolder folder_;
};

TEST_F(ExternalHdf5, storage_is_refused_by_name) {
  make([&](hid_t file, hid_t plan, hid_t space) {
    EXPECT_GE(H5Pset_external(plan, fifo().c_str(), 0, H5F_UNLIMITED), 0);
    create_images(file, plan, space);
  });
  EXPECT_THAT(refusal_of(path()), AllOf(HasSubstr("images has its data in other files"),
                                        HasSubstr("f2[\"images\"] = f[\"images\"][:]")));
}

TEST_F(ExternalHdf5, virtual_dataset_is_refused_by_name) {
  make([&](hid_t file, hid_t plan, hid_t space) {
    EXPECT_GE(H5Pset_virtual(plan, space, fifo().c_str(), "images", space), 0);
    create_images(file, plan, space);
  });
  EXPECT_THAT(refusal_of(path()), HasSubstr("images is virtual"));
}

TEST_F(ExternalHdf5, link_is_refused_by_name) {
  make([&](hid_t file, hid_t /*plan*/, hid_t /*space*/) {
    EXPECT_GE(
        H5Lcreate_external(fifo().c_str(), "images", file, "images", H5P_DEFAULT, H5P_DEFAULT), 0);
  });
  EXPECT_THAT(refusal_of(path()), HasSubstr("images is a link to another file"));
}

class DamagedHdf5 : public ::testing::TestWithParam<std::string> {
 protected:
  TempFolder folder_;
};

// Each flip is in a new file, because the trial remembers files by inode and time.
TEST_P(DamagedHdf5, is_read_or_refused_after_any_flipped_byte) {
  const std::string_view format = GetParam();
  const std::vector<OwnedRecord> records =
      find_format(format).payload == Payload::kPixels
          ? std::vector{pixel_record("a", 0), pixel_record("b", 1)}
          : std::vector{encoded_record("a", 0), encoded_record("b", 1)};
  const fs::path sound = folder_ / "sound.h5";
  WriterOptions options = options_for(records);
  options.records = records.size();
  write_dataset(find_format(format), sound, records, options);
  const std::string bytes = read_file(sound);
  constexpr std::size_t kStep = 29;
  for (std::size_t at = 0; at < bytes.size(); at += kStep) {
    if (bytes[at] == 0 && at % 3 != 0) continue;  // Most bytes are unused space.
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    expect_survives(folder_ / (std::to_string(at) + ".h5"), damaged);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, DamagedHdf5,
                         ::testing::Values("hdf5", "hdf5-decoded", "hdf5-contiguous"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Looking each name up by number would take minutes.
TEST(Hdf5Listing, reads_many_datasets_once) {
  constexpr int kMany = 5'000;
  const TempFolder folder;
  {
    const Hdf5Session session;
    const Hdf5Handle file(
        H5Fcreate((folder / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    for (int i = 0; i < kMany; ++i) {
      const Hdf5Handle made(H5Dcreate2(file.get(), std::to_string(i).c_str(), H5T_NATIVE_INT32,
                                       space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                            H5Dclose);
    }
  }
  EXPECT_THAT(refusal_of(folder / "a.h5"), HasSubstr("and 4990 more"));
}

}  // namespace
}  // namespace feedrate::testing
