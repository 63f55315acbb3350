// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "core/crc32c.h"
#include "formats/npy/npy_header.h"
#include "formats/npz/npz_archive.h"
#include "formats/zip/zip_layout.h"
#include "tests/formats/folder_of_files.h"

namespace feedrate::testing {
namespace {

template <typename T>
std::string npz_number(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

std::string npy(const std::string& bytes) { return format_npy_header("|u1", bytes.size()) + bytes; }

// numpy's local headers always have both sizes in a ZIP64 field of 20 bytes; its directory entries
// do not.
std::string local_header(const std::string& name, const std::string& content) {
  const std::uint64_t size = content.size();
  return npz_number(std::uint32_t{0x04034B50}) + npz_number(std::uint16_t{45}) +
         std::string(8, '\0') + npz_number(crc32(std::as_bytes(std::span(content)))) +
         std::string(8, '\xFF') + npz_number(static_cast<std::uint16_t>(name.size())) +
         npz_number(std::uint16_t{20}) + name + npz_number(std::uint16_t{1}) +
         npz_number(std::uint16_t{16}) + npz_number(size) + npz_number(size);
}

struct Member {
  std::string name;
  std::string content;
  std::uint16_t method = 0;
};

std::string npz(const std::vector<Member>& contents) {
  std::string bytes;
  std::vector<ZipMember> members;
  for (const Member& one : contents) {
    members.push_back({.name = one.name,
                       .header = bytes.size(),
                       .size = one.content.size(),
                       .crc = crc32(std::as_bytes(std::span(one.content))),
                       .method = one.method});
    bytes += local_header(one.name, one.content) + one.content;
  }
  return bytes + format_zip_directory(members, bytes.size());
}

class NpzFormat : public FolderOfFiles {
 protected:
  void put(const std::string& bytes, const std::string& name = "1.npz") const {
    write_file(folder_ / name, bytes);
  }
};

TEST_F(NpzFormat, reads_the_array_x_of_each_file) {
  put(npz({{"y.npy", npy("label")}, {"x.npy", npy("record")}}), "img_1.npz");
  put(npz({{"x.npy", npy("another one")}}), "img_2.npz");
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"img_1", "record", kNoLabel, Payload::kBytes},
                                  OwnedRecord{"img_2", "another one", kNoLabel, Payload::kBytes}));
  EXPECT_EQ(open_dataset(folder_.path())->format(), "npz");
}

TEST_F(NpzFormat, reads_the_first_array_where_none_is_called_x) {
  put(npz({{"readme.txt", "hello"}, {"arr_0.npy", npy("first")}, {"arr_1.npy", npy("second")}}));
  EXPECT_EQ(read().front().payload, "first");
}

TEST_F(NpzFormat, takes_arrays_of_any_type_and_shape) {
  const std::string dictionary =
      "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1, 1, 1, 2), }\n";
  std::string header("\x93NUMPY\1\0", 8);
  header += npz_number(static_cast<std::uint16_t>(dictionary.size()));
  put(npz({{"x.npy", header + dictionary + "0123456789abcdef"}}));
  EXPECT_EQ(read().front().payload, "0123456789abcdef");
}

TEST_F(NpzFormat, takes_labels_from_class_folders) {
  put(npz({{"x.npy", npy("a")}}), "cat/1.npz");
  put(npz({{"x.npy", npy("b")}}), "dog/1.npz");
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"cat/1", "a", 0, Payload::kBytes},
                                  OwnedRecord{"dog/1", "b", 1, Payload::kBytes}));
}

TEST_F(NpzFormat, refuses_a_compressed_array_and_says_how_to_write_it) {
  put(npz({{"x.npy", npy("record"), 8}}));
  EXPECT_THAT(error(), AllOf(HasSubstr("1.npz: record 0"), HasSubstr("numpy.savez")));
}

// numpy.load() also refuses them.
TEST_F(NpzFormat, refuses_python_objects) {
  put(npz({{"x.npy", format_npy_header("|O", 3) + "pickle"}}));
  EXPECT_THAT(error(), HasSubstr("holds Python objects, which are not read because unpickling"));
}

TEST_F(NpzFormat, refuses_a_file_without_an_array) {
  put(npz({{"readme.txt", "hello"}}));
  EXPECT_THAT(error(), HasSubstr("has no array"));
}

TEST_F(NpzFormat, detects_damage_by_the_checksum) {
  std::string bytes = npz({{"x.npy", npy("record")}});
  bytes[bytes.find("record")] = 'R';
  put(bytes);
  EXPECT_THAT(error(), HasSubstr("checksum"));
}

TEST_F(NpzFormat, refuses_other_files) {
  put("hello, this is text and no archive");
  EXPECT_THAT(error(), HasSubstr("no ZIP directory at its end"));
  put(npz({{"x.npy", "hello, this is no array"}}));
  EXPECT_THAT(error(), HasSubstr("is not a .npy file"));
}

TEST_F(NpzFormat, refuses_members_outside_the_file) {
  const std::string content = npy("record");
  const std::uint32_t crc = crc32(std::as_bytes(std::span(content)));
  for (const ZipMember& member :
       {ZipMember{"x.npy", 1 << 20, content.size(), crc}, ZipMember{"x.npy", 0, 1 << 20, crc},
        ZipMember{"x.npy", ~std::uint64_t{0} - 10, 20, crc}}) {
    const std::string bytes = local_header("x.npy", content) + content;
    put(bytes + format_zip_directory({member}, bytes.size()));
    EXPECT_FALSE(error().empty());
  }
}

TEST_F(NpzFormat, survives_damage) {
  const std::string bytes = npz({{"x.npy", npy("record")}, {"y.npy", npy("label")}});
  const auto survives = [&](const std::string& damaged) {
    try {
      (void)npz_array(std::as_bytes(std::span(damaged)), {.file = "x.npz"});
    } catch (const FormatError&) {
    }
  };
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    survives(bytes.substr(0, at));
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    survives(damaged);
  }
  RandomStream random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = bytes;
    for (auto changes = 1 + random.below(8); changes > 0; --changes) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    }
    survives(damaged);
  }
}

TEST_F(NpzFormat, leaves_folders_with_images_or_npy_files_to_their_formats) {
  write_file(folder_ / "images/1.jpg", fake_image(0, 30));
  EXPECT_EQ(open_dataset(folder_ / "images")->format(), "folder");
  write_file(folder_ / "arrays/1.npy", "");
  EXPECT_EQ(open_dataset(folder_ / "arrays")->format(), "npy");
}

TEST(NpzArchive, holds_the_record_and_its_label) {
  const std::string record(1000, 'r');
  const std::string bytes = format_npz(std::as_bytes(std::span(record)), 7);
  EXPECT_EQ(text_of(npz_array(std::as_bytes(std::span(bytes)), {.file = "x"})), record);
  EXPECT_NE(bytes.find("y.npy"), std::string::npos);
  EXPECT_NE(bytes.find("'<i8', 'fortran_order': False, 'shape': (1,), }"), std::string::npos);
}

TEST(PayloadIn, is_bytes_where_the_format_takes_them_and_the_formats_own_for_images) {
  EXPECT_EQ(payload_in(find_format("npz"), Payload::kBytes), Payload::kBytes);
  EXPECT_EQ(payload_in(find_format("tfrecord"), Payload::kBytes), Payload::kBytes);
  EXPECT_EQ(payload_in(find_format("tfrecord"), Payload::kEncoded), Payload::kEncoded);
  EXPECT_EQ(payload_in(find_format("hdf5-decoded"), Payload::kEncoded), Payload::kPixels);
  EXPECT_EQ(payload_in(find_format("folder"), Payload::kBytes), std::nullopt);
  EXPECT_EQ(payload_in(find_format("npz"), Payload::kEncoded), std::nullopt);
}

}  // namespace
}  // namespace feedrate::testing
