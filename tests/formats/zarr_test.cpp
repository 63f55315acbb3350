// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "core/crc32c.h"
#include "core/host/io_counters.h"
#include "core/host/open_count.h"
#include "formats/zarr/zarr_codecs.h"
#include "tests/formats/sample_records.h"
#include "tests/support/put_number.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kAbsent = ~std::uint64_t{0};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

const std::string kGroup3 = R"({"zarr_format": 3, "node_type": "group", "attributes": {}})";
const std::string kBytesCodec = R"({"name": "bytes", "configuration": {"endian": "little"}})";
/// Five images of 1×2×3 in chunks of two.
const std::string kImage3 =
    R"({"zarr_format": 3, "node_type": "array", "shape": [5, 1, 2, 3], "data_type": "uint8",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 1, 2, 3]}},
  "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
  "fill_value": 120, "codecs": [)" +
    kBytesCodec + R"(], "attributes": {}, "storage_transformers": []})";
const std::string kImage2 =
    R"({"zarr_format": 2, "shape": [5, 1, 2, 3], "chunks": [2, 1, 2, 3], "dtype": "|u1",
  "compressor": null, "fill_value": 120, "order": "C", "filters": null})";
const std::string kLabel3 =
    R"({"zarr_format": 3, "node_type": "array", "shape": [5], "data_type": "int64",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
  "chunk_key_encoding": {"name": "default"}, "fill_value": 6, "codecs": [)" +
    kBytesCodec + R"(]})";

/// Shards of four images, in chunks of two.
std::string sharded(const std::string& codecs, const std::string& index_codecs,
                    const std::string& more) {
  const std::string shards = R"({"name": "sharding_indexed", "configuration": {"chunk_shape": )"
                             R"([2, 1, 2, 3], "codecs": [)" +
                             codecs + R"(], "index_codecs": [)" + index_codecs + "]" + more + "}}";
  return replaced(replaced(kImage3, R"("chunk_shape": [2,)", R"("chunk_shape": [4,)"), kBytesCodec,
                  shards);
}

std::string image(std::size_t number) { return std::string(6, static_cast<char>('a' + number)); }
/// A chunk of two consecutive images; the last one is padded.
std::string chunk(std::size_t number) { return image(2 * number) + image(2 * number + 1); }

std::string packed(std::size_t compression, const std::string& bytes) {
  return text_of(
      compress_zarr_chunk(kZarrCompressions[compression], std::as_bytes(std::span(bytes)), 1));
}

template <typename Integer>
std::string numbers(std::initializer_list<Integer> values) {
  std::string bytes;
  for (const Integer value : values) put(bytes, value);
  return bytes;
}

std::string with_crc(std::string bytes) {
  put(bytes, crc32c(std::as_bytes(std::span(bytes))));
  return bytes;
}

class ZarrFormat : public ::testing::Test {
 protected:
  void put_file(const std::string& name, const std::string& bytes) const {
    write_file(root() / name, bytes);
  }
  fs::path root() const { return folder_ / "data.zarr"; }

  /// Writes a group of version 3 with these codecs after "bytes".
  void put_v3(const std::string& codecs, std::size_t compression) const {
    put_file("zarr.json", kGroup3);
    put_file("image/zarr.json",
             codecs.empty() ? kImage3 : replaced(kImage3, kBytesCodec, kBytesCodec + "," + codecs));
    for (std::size_t i = 0; i < 3; ++i) {
      put_file("image/c/" + std::to_string(i) + "/0/0/0", packed(compression, chunk(i)));
    }
  }

  /// Writes an uncompressed group of version 3 with `from` replaced by `to` in its metadata.
  void put_other(const std::string& from, const std::string& to) const {
    put_v3("", 0);
    put_file("image/zarr.json", replaced(kImage3, from, to));
  }

  void put_v2(const std::string& from, const std::string& to, const std::string& separator,
              std::size_t compression) const {
    put_file(".zgroup", R"({"zarr_format": 2})");
    put_file("image/.zarray", replaced(kImage2, from, to));
    for (std::size_t i = 0; i < 3; ++i) {
      put_file("image/" + std::to_string(i) + separator + "0" + separator + "0" + separator + "0",
               packed(compression, chunk(i)));
    }
  }

  std::vector<OwnedRecord> read() const { return read_all(*open_dataset(root())); }

  std::vector<std::string> payloads() const {
    std::vector<std::string> all;
    for (const OwnedRecord& record : read()) all.push_back(record.payload);
    return all;
  }
  std::vector<std::int64_t> labels() const {
    std::vector<std::int64_t> all;
    for (const OwnedRecord& record : read()) all.push_back(record.label);
    return all;
  }
  std::string error() const {
    return message_of<FormatError>([&] { (void)read(); });
  }
  std::string layout() const { return open_dataset(root())->layout(); }

  void expect_all() const {
    EXPECT_THAT(payloads(), ElementsAre(image(0), image(1), image(2), image(3), image(4)));
  }

  TempFolder folder_;
};

TEST_F(ZarrFormat, reads_version_3) {
  put_v3("", 0);
  const OwnedRecord third{"000002", image(2), kNoLabel, Payload::kPixels, {1, 2, 3}};
  EXPECT_EQ(read()[2], third);
  expect_all();
  EXPECT_EQ(layout(), "Zarr 3, pixels of 1×2×3, chunks of 2");
}

TEST_F(ZarrFormat, reads_version_2) {
  put_v2("null}", "[]}", ".", 0);
  expect_all();
  EXPECT_EQ(layout(), "Zarr 2, pixels of 1×2×3, chunks of 2");
  EXPECT_TRUE(open_dataset(root())->class_names().empty());
  put_file(".zattrs", R"({"class_names": ["cat", "dog"], "other": 1})");
  EXPECT_THAT(open_dataset(root())->class_names(), ElementsAre("cat", "dog"));
}

TEST_F(ZarrFormat, finds_chunks_however_their_keys_are_written) {
  put_v2("\"order\"", R"("dimension_separator": "/", "order")", "/", 0);
  expect_all();
  fs::remove_all(root());
  for (const auto& [encoding, prefix] : std::vector<std::pair<std::string, std::string>>{
           {R"({"name": "default", "configuration": {"separator": "."}})", "c."},
           {R"({"name": "v2", "configuration": {"separator": "."}})", ""},
           {R"({"name": "v2"})", ""},
           {R"("v2")", ""}}) {
    put_other(R"({"name": "default", "configuration": {"separator": "/"}})", encoding);
    fs::remove_all(root() / "image/c");
    for (std::size_t i = 0; i < 3; ++i) {
      put_file("image/" + prefix + std::to_string(i) + ".0.0.0", chunk(i));
    }
    expect_all();
    fs::remove_all(root());
  }
  put_other(R"({"name": "default", "configuration": {"separator": "/"}})",
            R"({"name": "default"})");
  expect_all();
}

TEST_F(ZarrFormat, reads_each_codec_of_version_3) {
  put_v3(R"({"name": "gzip", "configuration": {"level": 5}})", 1);
  expect_all();
  EXPECT_EQ(layout(), "Zarr 3, pixels of 1×2×3, chunks of 2, gzip");
  put_v3(R"({"name": "zstd", "configuration": {"level": 0, "checksum": false}})", 2);
  expect_all();
  put_v3(R"({"name": "blosc", "configuration": {"cname": "lz4"}})", 3);
  expect_all();
  put_v3(R"("crc32c")", 0);
  for (std::size_t i = 0; i < 3; ++i) {
    put_file("image/c/" + std::to_string(i) + "/0/0/0", with_crc(chunk(i)));
  }
  expect_all();
}

TEST_F(ZarrFormat, reads_each_codec_of_version_2) {
  put_v2("\"compressor\": null", R"("compressor": {"id": "gzip", "level": 1})", ".", 1);
  expect_all();
  put_v2("\"compressor\": null", R"("compressor": {"id": "zstd", "level": 1})", ".", 2);
  expect_all();
  put_v2("\"compressor\": null", R"("compressor": {"id": "blosc"})", ".", 4);
  expect_all();
  // zlib is deflate in another container; zarr_codecs_test decodes it.
  put_v2("\"compressor\": null", R"("compressor": {"id": "zlib", "level": 1})", ".", 1);
  EXPECT_THAT(error(), HasSubstr("image/0.0.0.0: record 0: zlib: the chunk is damaged"));
}

TEST_F(ZarrFormat, reads_images_of_one_channel_with_and_without_a_dimension_for_it) {
  put_v3("", 0);
  put_file("image/zarr.json", replaced(replaced(kImage3, "[5, 1, 2, 3]", "[5, 2, 3, 1]"),
                                       "[2, 1, 2, 3]", "[2, 2, 3, 1]"));
  EXPECT_EQ(read()[1].shape, (ImageShape{2, 3, 1}));
  put_file("image/zarr.json",
           replaced(replaced(kImage3, "[5, 1, 2, 3]", "[5, 2, 3]"), "[2, 1, 2, 3]", "[2, 2, 3]"));
  fs::rename(root() / "image/c/0/0/0", root() / "whole");
  fs::remove_all(root() / "image/c");
  for (std::size_t i = 0; i < 3; ++i) {
    put_file("image/c/" + std::to_string(i) + "/0/0", chunk(i));
  }
  EXPECT_EQ(read()[1].shape, (ImageShape{2, 3, 1}));
  expect_all();
}

TEST_F(ZarrFormat, takes_chunks_longer_than_the_array) {
  put_other("\"chunk_shape\": [2,", "\"chunk_shape\": [8,");
  put_file("image/c/0/0/0/0", chunk(0) + chunk(1) + chunk(2) + chunk(3));
  expect_all();
}

TEST_F(ZarrFormat, fills_absent_chunks) {
  put_v3("", 0);
  fs::remove(root() / "image/c/1/0/0/0");
  EXPECT_THAT(payloads(), ElementsAre(image(0), image(1), "xxxxxx", "xxxxxx", image(4)));
  put_file("image/zarr.json", replaced(kImage3, "\"fill_value\": 120", "\"fill_value\": null"));
  EXPECT_EQ(payloads()[2], std::string(6, '\0'));
}

TEST_F(ZarrFormat, reads_labels_of_every_width) {
  put_v3("", 0);
  const auto expect_labels = [&](const std::string& type, const std::string& whole) {
    put_file("label/zarr.json",
             replaced(replaced(kLabel3, "int64", type), "\"fill_value\": 6", "\"fill_value\": 3"));
    put_file("label/c/0", whole);
    EXPECT_THAT(labels(), ElementsAre(-1, 2, 100, 4, 3)) << type;  // The second chunk is absent.
  };
  expect_labels("int8", numbers<std::int8_t>({-1, 2, 100, 4}));
  expect_labels("int16", numbers<std::int16_t>({-1, 2, 100, 4}));
  expect_labels("int32", numbers<std::int32_t>({-1, 2, 100, 4}));
  expect_labels("int64", numbers<std::int64_t>({-1, 2, 100, 4}));
  put_file("label/zarr.json", replaced(kLabel3, "int64", "uint64"));
  put_file("label/c/0", numbers<std::uint64_t>({INT64_MAX, 0, 1, 2}));
  EXPECT_EQ(labels()[0], INT64_MAX);
  put_file("label/zarr.json", replaced(kLabel3, "int64", "uint16"));
  put_file("label/c/0", numbers<std::uint16_t>({65535, 0, 1, 2}));
  EXPECT_THAT(labels(), ElementsAre(65535, 0, 1, 2, 6));
  put_file("label/zarr.json", replaced(kLabel3, "int64", "uint8"));
  put_file("label/c/0", numbers<std::uint8_t>({255, 0, 1, 2}));
  EXPECT_EQ(labels()[0], 255);
  put_file("label/zarr.json", replaced(kLabel3, "int64", "uint32"));
  put_file("label/c/0", numbers<std::uint32_t>({0xFFFFFFFF, 0, 1, 2}));
  EXPECT_EQ(labels()[0], 0xFFFFFFFF);
}

TEST_F(ZarrFormat, refuses_labels_that_are_no_signed_integers_of_64_bits) {
  put_v3("", 0);
  put_file("label/zarr.json", replaced(kLabel3, "int64", "uint64"));
  put_file("label/c/0", numbers<std::uint64_t>({1, (std::uint64_t{1} << 63) + 5, 1, 2}));
  EXPECT_THAT(error(), HasSubstr("label/zarr.json: record 1: the label 9223372036854775813 is too "
                                 "large; must be below 2^63"));
}

// xarray writes such coordinates.
TEST_F(ZarrFormat, skips_coordinates) {
  put_v3("", 0);
  fs::rename(root() / "image", root() / "pixels");
  const std::string floats = replaced(kLabel3, "int64", "float64");
  put_file("x/zarr.json", replaced(floats, "[5]", "[3]"));
  put_file("y/zarr.json", replaced(floats, "[5]", "[2]"));
  expect_all();
  EXPECT_EQ(labels()[0], kNoLabel);
  EXPECT_EQ(layout(), "Zarr 3, pixels of 1×2×3, chunks of 2, not read: x, y");
  put_file("x/zarr.json", replaced(replaced(floats, "[5]", "[3]"), "\"bytes\"", "\"pcodec\""));
  expect_all();
  put_file("y_train/zarr.json", kLabel3);
  EXPECT_EQ(labels()[0], 6);
  put_file("y/zarr.json", floats);
  EXPECT_THAT(error(), HasSubstr("y/zarr.json: is float64 5; labels must be 5 little-endian"));
}

TEST_F(ZarrFormat, lists_arrays_in_groups) {
  put_v3("", 0);
  put_file("a/zarr.json", kGroup3);
  put_file("a/b/zarr.json", kGroup3);
  fs::rename(root() / "image", root() / "a/b/image");
  put_file("a/label/zarr.json", kLabel3);
  put_file("other/readme.txt", "no group");
  EXPECT_THAT(error(), HasSubstr("no array holds images; found a/label: int64 5, a/b/image: uint8 "
                                 "5×1×2×3; images must be uint8"));
}

TEST_F(ZarrFormat, takes_the_only_array_of_images_whatever_its_name) {
  put_v3("", 0);
  fs::rename(root() / "image", root() / "pictures");
  put_file("y_train/zarr.json", kLabel3);
  EXPECT_THAT(labels(), ElementsAre(6, 6, 6, 6, 6));
  EXPECT_EQ(payloads()[4], image(4));
  fs::copy(root() / "pictures", root() / "others", fs::copy_options::recursive);
  EXPECT_THAT(error(), AllOf(HasSubstr("no array holds images; found others: uint8 5×1×2×3, "
                                       "pictures: uint8 5×1×2×3, y_train: int64 5"),
                             HasSubstr("named \"image\" or the only one of its kind")));
  fs::rename(root() / "others", root() / "x_train");
  EXPECT_EQ(payloads()[4], image(4));
}

TEST_F(ZarrFormat, leaves_arrays_alone_that_it_does_not_need) {
  put_v3("", 0);
  put_file("embedding/zarr.json", "{}");
  put_file("meta/zarr.json", kGroup3);
  put_file("notes/readme.txt", "no array");
  put_file("bbox/zarr.json", R"({"node_type": "array", "shape": [1]})");
  put_file("key/zarr.json", replaced(kLabel3, "int64", "string"));
  expect_all();
}

class ZarrSharding : public ZarrFormat {
 protected:
  /// Writes two shards: one of two chunks, and one whose second chunk is absent.
  void put_shards(const std::string& metadata, bool index_first, bool checksum,
                  std::size_t compression) const {
    put_file("zarr.json", kGroup3);
    put_file("image/zarr.json", metadata);
    put_shard(0, {packed(compression, chunk(0)), packed(compression, chunk(1))}, index_first,
              checksum);
    put_shard(1, {packed(compression, chunk(2)), ""}, index_first, checksum);
  }

  void put_shard(std::size_t number, const std::vector<std::string>& chunks, bool index_first,
                 bool checksum) const {
    std::string index, data;
    const std::size_t before = index_first ? 16 * chunks.size() + (checksum ? 4 : 0) : 0;
    for (const std::string& bytes : chunks) {
      put(index, bytes.empty() ? kAbsent : std::uint64_t{before + data.size()});
      put(index, bytes.empty() ? kAbsent : std::uint64_t{bytes.size()});
      data += bytes;
    }
    if (checksum) index = with_crc(index);
    put_file("image/c/" + std::to_string(number) + "/0/0/0",
             index_first ? index + data : data + index);
  }
};

const std::string kCrcCodec = R"({"name": "crc32c"})";
const std::string kZstdCodec = R"({"name": "zstd", "configuration": {"level": 0}})";

TEST_F(ZarrSharding, chunks_are_found_by_the_index_at_either_end) {
  put_shards(sharded(kBytesCodec, kBytesCodec + "," + kCrcCodec, ""), false, true, 0);
  expect_all();
  EXPECT_EQ(layout(), "Zarr 3, pixels of 1×2×3, chunks of 2 in shards of 4");
  put_shards(sharded(kBytesCodec, kBytesCodec, R"(, "index_location": "end")"), false, false, 0);
  expect_all();
  put_shards(sharded(kBytesCodec, kBytesCodec + "," + kCrcCodec, R"(, "index_location": "start")"),
             true, true, 0);
  expect_all();
}

TEST_F(ZarrSharding, chunks_may_be_compressed) {
  put_shards(sharded(kBytesCodec + "," + kZstdCodec, kBytesCodec + "," + kCrcCodec, ""), false,
             true, 2);
  expect_all();
  EXPECT_EQ(layout(), "Zarr 3, pixels of 1×2×3, chunks of 2 in shards of 4, zstd");
}

TEST_F(ZarrSharding, chunks_that_are_absent_are_filled) {
  put_shards(sharded(kBytesCodec, kBytesCodec, ""), false, false, 0);
  put_shard(0, {"", chunk(1)}, false, false);
  EXPECT_THAT(payloads(), ElementsAre("xxxxxx", "xxxxxx", image(2), image(3), image(4)));
  fs::remove(root() / "image/c/1/0/0/0");
  EXPECT_EQ(payloads()[4], "xxxxxx");
}

TEST_F(ZarrSharding, a_damaged_index_is_refused) {
  const std::string file = "image/c/0/0/0/0";
  put_shards(sharded(kBytesCodec, kBytesCodec + "," + kCrcCodec, ""), false, true, 0);
  std::string bytes = read_file(root() / file);
  bytes[24] ^= 1;
  put_file(file, bytes);
  EXPECT_THAT(error(), HasSubstr(file + ": record 0: the shard's index is damaged: its checksum"));
  put_file(file, "short");
  EXPECT_THAT(error(), HasSubstr("the shard has 5 bytes; its index of 2 chunks has 36"));
  put_shards(sharded(kBytesCodec, kBytesCodec, ""), false, false, 0);
  for (const auto& [offset, size] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {57, 1}, {45, 12}, {kAbsent, 12}, {0, kAbsent}, {kAbsent - 5, 12}, {1, kAbsent - 1}}) {
    std::string shard = chunk(0) + chunk(1);
    put(shard, offset);
    put(shard, size);
    put(shard, std::uint64_t{12});
    put(shard, std::uint64_t{12});
    put_file(file, shard);
    EXPECT_THAT(error(), HasSubstr("the shard's index is damaged: chunk 0 of")) << offset;
  }
  std::string shard = chunk(0) + chunk(1);
  shard += numbers<std::uint64_t>({0, 11, 12, 12});
  put_file(file, shard);
  EXPECT_THAT(error(), HasSubstr("record 0: the chunk has 11 bytes; must have 12"));
}

TEST_F(ZarrSharding, one_damaged_chunk_leaves_the_others_of_its_shard) {
  put_shards(sharded(kBytesCodec + "," + kZstdCodec, kBytesCodec, ""), false, false, 2);
  put_shard(0, {packed(2, chunk(0)), packed(2, chunk(1).substr(1))}, false, false);
  const auto reader = open_dataset(root());
  const auto cursor = reader->open_cursor();
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(text_of(cursor->read(1).payload), image(1));
    EXPECT_THROW((void)cursor->read(2), FormatError);
  }
}

TEST_F(ZarrSharding, unsupported_kinds_are_refused) {
  const auto refused = [&](const std::string& metadata) {
    put_shards(metadata, false, false, 0);
    return error();
  };
  const std::string plain = sharded(kBytesCodec, kBytesCodec, "");
  EXPECT_THAT(refused(replaced(plain, "[2, 1, 2, 3]", "[3, 1, 2, 3]")),
              HasSubstr("configuration.chunk_shape: 3 samples do not divide a shard of 4"));
  EXPECT_THAT(refused(replaced(plain, "[2, 1, 2, 3]", "[2, 1, 1, 3]")),
              HasSubstr("chunk_shape: [2, 1, 1, 3] splits samples"));
  EXPECT_THAT(refused(sharded(kBytesCodec, kBytesCodec + "," + kZstdCodec, "")),
              HasSubstr("index_codecs: must be little-endian bytes, with or without crc32c"));
  EXPECT_THAT(refused(sharded(kBytesCodec, replaced(kBytesCodec, "little", "big"), "")),
              HasSubstr("index_codecs: must be little-endian bytes"));
  EXPECT_THAT(refused(sharded(kBytesCodec, kBytesCodec, R"(, "index_location": "middle")")),
              HasSubstr("index_location: must be \"start\" or \"end\""));
  EXPECT_THAT(refused(sharded(R"({"name": "sharding_indexed"})", kBytesCodec, "")),
              HasSubstr("codecs: \"sharding_indexed\" is not supported as the first"));
  EXPECT_THAT(
      refused(replaced(plain, "]}}]", "]}}, \"crc32c\"]")),
      HasSubstr("codecs: codecs that follow sharding_indexed are not supported; put them inside"));
}

TEST_F(ZarrFormat, ignores_extensions_that_need_not_be_understood) {
  put_other("\"attributes\": {}",
            R"("own": {"must_understand": false}, "consolidated_metadata": null)");
  expect_all();
}

TEST_F(ZarrFormat, names_unsupported_metadata) {
  const auto of_v3 = [&](const std::string& from, const std::string& to) {
    put_other(from, to);
    return error();
  };
  EXPECT_THAT(of_v3("\"chunk_shape\": [2, 1, 2, 3]", "\"chunk_shape\": [2, 1, 1, 3]"),
              AllOf(HasSubstr("data.zarr/image/zarr.json: $.chunk_grid.configuration.chunk_shape: "
                              "[2, 1, 1, 3] splits samples"),
                    HasSubstr("In Python: create_array(…, chunks=(2, 1, 2, 3))")));
  EXPECT_THAT(of_v3("\"chunk_shape\": [2, 1, 2, 3]", "\"chunk_shape\": [2, 1]"),
              HasSubstr("chunk_shape: [2, 1] does not fit shape [5, 1, 2, 3]"));
  EXPECT_THAT(of_v3("\"chunk_shape\": [2,", "\"chunk_shape\": [0,"),
              HasSubstr("chunk_shape: [0, 1, 2, 3] does not fit"));
  EXPECT_THAT(of_v3("\"regular\"", "\"rectilinear\""),
              HasSubstr("chunk_grid: \"rectilinear\" is not supported; must be regular"));
  EXPECT_THAT(of_v3("\"default\"", "\"hashed\""),
              HasSubstr("chunk_key_encoding: \"hashed\" is not supported; must be default or v2"));
  EXPECT_THAT(of_v3("\"separator\": \"/\"", "\"separator\": \"../\""),
              HasSubstr("separator: must be \".\" or \"/\""));
  EXPECT_THAT(of_v3("\"bytes\"", "\"transpose\""),
              HasSubstr("codecs: \"transpose\" is not supported as the first; must be bytes"));
  EXPECT_THAT(
      of_v3(kBytesCodec, kBytesCodec + R"(, {"name": "numcodecs.lz4"})"),
      HasSubstr("codecs[1]: \"numcodecs.lz4\" is not supported; must be gzip, zstd, blosc"));
  EXPECT_THAT(of_v3(kBytesCodec, kBytesCodec + "," + kZstdCodec + "," + kZstdCodec),
              HasSubstr("codecs: compress twice, which is not supported; must be one compressor"));
  EXPECT_THAT(of_v3("\"codecs\": [" + kBytesCodec + "]", "\"codecs\": []"),
              HasSubstr("codecs: \"\" is not supported as the first"));
  for (const char* const extension : {"1", "{}", "{\"must_understand\": true}"}) {
    EXPECT_THAT(of_v3("\"attributes\": {}", fmt::format("\"own\": {}", extension)),
                HasSubstr("own: is an extension that is not supported"));
  }
  EXPECT_THAT(of_v3("\"storage_transformers\": []", "\"storage_transformers\": [\"x\"]"),
              HasSubstr("storage_transformers: are not supported; must be empty"));
  EXPECT_THAT(of_v3("\"fill_value\": 120", "\"fill_value\": \"0x00\""),
              HasSubstr("fill_value: is \"0x00\"; must be an integer"));
  EXPECT_THAT(of_v3("\"shape\": [5,", "\"shape\": [-5,"),
              HasSubstr("shape[0]: is -5; must be a whole number"));
  EXPECT_THAT(of_v3("\"shape\": [5,", "\"shape\": [5.5,"), HasSubstr("must be a whole number"));
  EXPECT_THAT(of_v3("\"shape\"", "\"form\""), HasSubstr("image/zarr.json: $.shape: is missing"));
  EXPECT_THAT(of_v3("\"attributes\": {}", "\"attributes\": {"),
              HasSubstr("data.zarr/image/zarr.json: byte "));
  EXPECT_THAT(of_v3("\"shape\": [5,",
                    "\"shape\": [" + std::string(100'000, '[') + std::string(100'000, ']') + ","),
              HasSubstr("data.zarr/image/zarr.json: JSON is nested more than 64 deep"));
  EXPECT_THAT(of_v3("\"data_type\": \"uint8\"", "\"data_type\": 7"),
              HasSubstr("data_type: is 7; must be an object"));

  fs::remove_all(root());
  const auto of_v2 = [&](const std::string& from, const std::string& to) {
    put_v2(from, to, ".", 0);
    return error();
  };
  EXPECT_THAT(of_v2("\"chunks\": [2, 1,", "\"chunks\": [2, 2,"),
              HasSubstr("data.zarr/image/.zarray: $.chunks: [2, 2, 2, 3] splits samples"));
  EXPECT_THAT(of_v2("\"order\": \"C\"", "\"order\": \"F\""),
              HasSubstr("order: is \"F\"; must be \"C\""));
  EXPECT_THAT(of_v2("\"filters\": null", R"("filters": [{"id": "delta"}])"),
              HasSubstr("filters: must be null; filters are not supported"));
  EXPECT_THAT(of_v2("\"compressor\": null", R"("compressor": {"id": "lz4"})"),
              HasSubstr("compressor: \"lz4\" is not supported; must be null, gzip, zlib, zstd or"));
  EXPECT_THAT(of_v2("\"compressor\": null", R"("compressor": {"level": 4})"),
              HasSubstr("compressor.id: is missing"));
  EXPECT_THAT(of_v2("\"compressor\"", "\"pressor\""), HasSubstr("compressor: is missing"));
}

TEST_F(ZarrFormat, describes_arrays_that_are_no_images_or_labels) {
  const auto of_image = [&](const std::string& from, const std::string& to) {
    put_other(from, to);
    return error();
  };
  EXPECT_THAT(of_image("\"uint8\"", "\"float32\""),
              HasSubstr("no array holds images; found image: float32 5×1×2×3; images must be uint8 "
                        "N×H×W×3 or N×H×W×1"));
  EXPECT_THAT(of_image("\"uint8\"", "{\"name\": \"fixed_length_utf32\"}"),
              HasSubstr("found image: fixed_length_utf32 5×1×2×3"));
  EXPECT_THAT(of_image("\"shape\": [5,", "\"shape\": [0,"), HasSubstr("no records: shape: [0, 1"));
  put_v3("", 0);
  put_file("image/zarr.json", replaced(replaced(kImage3, "[5, 1, 2, 3]", "[5, 1, 0, 3]"),
                                       "[2, 1, 2, 3]", "[2, 1, 0, 3]"));
  EXPECT_THAT(error(), HasSubstr("shape: [5, 1, 0, 3]: not a valid image shape"));
  put_v3("", 0);
  for (const auto& [from, to, found] :
       std::vector<std::array<std::string, 3>>{{"\"shape\": [5]", "\"shape\": [4]", "int64 4"},
                                               {"int64", "float64", "float64 5"},
                                               {"\"little\"", "\"big\"", "big-endian int64 5"},
                                               {"int64", "bool", "bool 5"}}) {
    put_file("label/zarr.json", replaced(kLabel3, from, to));
    EXPECT_THAT(error(), HasSubstr("label/zarr.json: is " + found +
                                   "; labels must be 5 little-endian integers, one per record"));
  }
  put_file("label/zarr.json", replaced(kLabel3, "\"regular\"", "\"other\""));
  EXPECT_THAT(error(), HasSubstr("label/zarr.json: $.chunk_grid: \"other\" is not supported"));
}

TEST_F(ZarrFormat, refuses_a_folder_that_is_no_group_of_arrays) {
  fs::create_directories(root());
  EXPECT_THAT(error(), HasSubstr("data.zarr: is not a Zarr group: must have zarr.json (version 3) "
                                 "or .zgroup (version 2)"));
  put_file("zarr.json", kImage3);
  EXPECT_THAT(error(), HasSubstr("data.zarr/zarr.json: $.node_type: must be \"group\""));
  put_file("zarr.json", kGroup3);
  EXPECT_THAT(error(), HasSubstr("no array holds images; it has no array"));
  put_v3("", 0);
  put_file("zarr.json", replaced(kGroup3, "{}", R"({"class_names": ["a", 1]})"));
  EXPECT_THAT(error(), HasSubstr("class_names[1]: is 1; must be a text"));
  put_file("zarr.json", replaced(kGroup3, "{}", R"({"class_names": ["a", "b"]})"));
  EXPECT_THAT(open_dataset(root())->class_names(), ElementsAre("a", "b"));
}

TEST_F(ZarrFormat, is_detected_by_its_metadata_under_any_name) {
  put_v3("", 0);
  fs::rename(root(), folder_ / "plain");
  EXPECT_EQ(open_dataset(folder_ / "plain")->format(), "zarr");
  EXPECT_EQ(open_dataset((folder_ / "plain").string() + "/")->size(), 5U);
  put_v2("null}", "[]}", ".", 0);
  fs::rename(root(), folder_ / "older");
  EXPECT_EQ(open_dataset(folder_ / "older")->format(), "zarr");
}

TEST_F(ZarrFormat, allocates_nothing_for_impossible_sizes) {
  const std::string huge = "18446744073709551615";
  for (const std::string& shape :
       {"[5, " + huge + ", " + huge + ", 3]", std::string("[5, 40000, 40000, 3]"),
        std::string("[5, 2147483648, 1, 1]")}) {
    put_v3("", 0);
    const std::string behind = shape.substr(2);
    put_file("image/zarr.json",
             replaced(replaced(kImage3, "[5, 1, 2, 3]", shape), "[2, 1, 2, 3]", "[2" + behind));
    EXPECT_THAT(error(), HasSubstr("is impossibly large")) << shape;
  }
  put_other("\"shape\": [5,", "\"shape\": [" + huge + ",");
  EXPECT_THAT(error(), HasSubstr("must have 1 to 67108864 images"));
  put_other("\"chunk_shape\": [2,", "\"chunk_shape\": [" + huge + ",");
  EXPECT_THAT(error(), HasSubstr("has chunks that are impossibly large"));
  put_v3(kZstdCodec, 2);
  put_file("image/zarr.json",
           replaced(replaced(kImage3, "\"chunk_shape\": [2,", "\"chunk_shape\": [178956971,"),
                    kBytesCodec, kBytesCodec + "," + kZstdCodec));
  EXPECT_THAT(error(), HasSubstr("has chunks of 178956971 samples of 6 bytes; must have "
                                 "at most 1073741824 bytes"));
}

TEST_F(ZarrFormat, refuses_chunks_that_are_not_of_their_size) {
  const std::string file = "image/c/0/0/0/0";
  for (const std::string& bytes : {std::string(), chunk(0).substr(1), chunk(0) + "x"}) {
    put_v3("", 0);
    put_file(file, bytes);
    EXPECT_THAT(error(), HasSubstr(file + ": record 0: the chunk has " +
                                   std::to_string(bytes.size()) + " bytes; must have 12"));
  }
  put_v3(kZstdCodec, 2);
  put_file("image/c/1/0/0/0", packed(2, chunk(0) + "x"));
  EXPECT_THAT(error(), HasSubstr("image/c/1/0/0/0: record 2: zstd: the chunk is damaged"));
  fs::remove(root() / file);
  fs::create_directories(root() / file);
  EXPECT_THAT(error(), HasSubstr("is not a regular file"));
}

TEST_F(ZarrFormat, reads_on_after_a_chunk_that_is_damaged) {
  put_v3(kZstdCodec, 2);
  put_file("image/c/1/0/0/0", "junk");
  const auto reader = open_dataset(root());
  const auto cursor = reader->open_cursor();
  EXPECT_EQ(text_of(cursor->read(1).payload), image(1));
  EXPECT_THROW((void)cursor->read(2), FormatError);
  EXPECT_THROW((void)cursor->read(3), FormatError);
  EXPECT_EQ(text_of(cursor->read(1).payload), image(1));
}

TEST_F(ZarrFormat, survives_random_damage_in_any_file) {
  put_v3(kZstdCodec, 2);
  put_file("label/zarr.json", kLabel3);
  put_file("label/c/0", numbers<std::int64_t>({1, 2, 3, 4}));
  for (const char* name : {"zarr.json", "image/zarr.json", "label/zarr.json", "image/c/0/0/0/0"}) {
    const std::string whole = read_file(root() / name);
    RandomStream random(7);
    for (int round = 0; round < 200; ++round) {
      std::string damaged = whole;
      for (auto changes = 1 + random.below(4); changes > 0; --changes) {
        damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
      }
      put_file(name, damaged);
      try {
        (void)read();
      } catch (const Error&) {
      }
    }
    put_file(name, whole);
  }
  expect_all();
}

TEST_F(ZarrFormat, decodes_a_chunk_once_for_records_in_a_row) {
  put_v3(kZstdCodec, 2);
  const auto reader = open_dataset(root());
  const auto cursor = reader->open_cursor();
  const auto before = opened_files();
  for (std::size_t i = 0; i < 5; ++i) (void)cursor->read(i);
  EXPECT_EQ(opened_files() - before, 3U);
  for (const std::size_t i : {0U, 2U, 0U, 2U}) (void)cursor->read(i);
  EXPECT_EQ(opened_files() - before, 7U);
  fs::resize_file(root() / "image/c/1/0/0/0", 0);  // Truncates the open file.
  EXPECT_EQ(text_of(cursor->read(3).payload), image(3));
}

TEST_F(ZarrFormat, reports_a_chunk_that_cannot_be_opened) {
  put_v3("", 0);
  fs::remove(root() / "image/c/1/0/0/0");
  fs::create_symlink("0", root() / "image/c/1/0/0/0");
  EXPECT_THAT(message_of<SystemError>([&] { (void)read(); }),
              HasSubstr("image/c/1/0/0/0: cannot open"));
}

TEST_F(ZarrFormat, reads_no_more_of_an_uncompressed_chunk_than_the_record) {
  const auto write = [&](const std::string& codec) {
    fs::remove_all(root());
    const ImageShape shape{.height = 4, .width = 8, .channels = 3};
    const auto writer =
        find_format("zarr").create(root(), {.shape = shape, .chunk = 10'000, .codec = codec});
    for (int i = 0; i < 20'000; ++i) {
      const std::string pixels(shape.size(), static_cast<char>(i * i));
      const std::string key = std::to_string(i);
      writer->append({.payload = std::as_bytes(std::span(pixels)),
                      .key = key,
                      .kind = Payload::kPixels,
                      .shape = shape});
    }
    writer->finish();
  };
  const auto bytes_of_two = [&] {
    const auto reader = open_dataset(root());
    const auto cursor = reader->open_cursor();
    const auto before = called_read_bytes_of(::getpid());
    (void)cursor->read(0);
    (void)cursor->read(15'000);
    return *called_read_bytes_of(::getpid()) - *before;
  };
  if (!called_read_bytes_of(::getpid())) GTEST_SKIP() << "the kernel does not count what is read";
  write("none");
  EXPECT_LT(bytes_of_two(), 20'000U);
  write("blosc-lz4");
  EXPECT_GT(bytes_of_two(), 20'000U);
}

TEST_F(ZarrFormat, prefetches_records_without_errors_for_missing_chunks) {
  put_v3("", 0);
  fs::remove(root() / "image/c/1/0/0/0");
  const std::vector<std::uint64_t> all{0, 1, 2, 3, 4};
  for (int round = 0; round < 2; ++round) {
    const auto reader = open_dataset(root());
    const auto cursor = reader->open_cursor();
    const auto before = opened_files();
    cursor->expect(all);
    EXPECT_EQ(opened_files() - before, 3U);
    EXPECT_EQ(text_of(cursor->read(4).payload), image(4));
    put_v3(kZstdCodec, 2);
  }
}

TEST_F(ZarrFormat, locates_the_file_of_a_record) {
  put_v3("", 0);
  const DataLocation third = open_dataset(root())->locate(3);
  EXPECT_EQ(third.file, (root() / "image/c/1/0/0/0").string());
  EXPECT_EQ(third.offset, 6U);
  put_v3(kZstdCodec, 2);
  EXPECT_EQ(open_dataset(root())->locate(3).offset, std::nullopt);
}

class ZarrWriterTest : public ZarrFormat {
 protected:
  static std::vector<OwnedRecord> records() {
    std::vector<OwnedRecord> all;
    for (std::size_t i = 0; i < 5; ++i) {
      all.push_back(pixel_record("k" + std::to_string(i), static_cast<int>(i) - 1, i));
    }
    return all;
  }
  void write(const WriterOptions& options) const {
    write_dataset(find_format("zarr"), root(), records(), options);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const fs::path& file : open_dataset(root())->files()) {
      all.push_back(file.lexically_relative(root()).string());
    }
    return all;
  }
  std::string refused(const WriterOptions& options) const {
    return message_of<ConfigError>([&] { write(options); });
  }
};

TEST_F(ZarrWriterTest, round_trips_every_codec_in_both_versions) {
  for (const int version : {2, 3}) {
    for (const ZarrCompression& compression : kZarrCompressions) {
      for (const std::size_t length : {1U, 2U, 5U, 8U}) {
        fs::remove_all(root());
        write({.class_names = {"cat", "dög"},
               .shape = kSampleShape,
               .chunk = length,
               .codec = std::string(compression.name),
               .zarr_format = version});
        EXPECT_EQ(read(), records()) << version << compression.name << length;
        EXPECT_THAT(open_dataset(root())->class_names(), ElementsAre("cat", "dög"));
        EXPECT_THAT(layout(), StartsWith("Zarr " + std::to_string(version) +
                                         ", pixels of 4×5×3, chunks of " + std::to_string(length)));
      }
    }
  }
}

TEST_F(ZarrWriterTest, lays_out_files_as_zarr_python_does) {
  write({.shape = kSampleShape, .chunk = 2});
  EXPECT_THAT(names(), ElementsAre("image/c/0/0/0/0", "image/c/1/0/0/0", "image/c/2/0/0/0",
                                   "image/zarr.json", "key/c/0/0", "key/zarr.json", "label/c/0",
                                   "label/zarr.json", "zarr.json"));
  EXPECT_EQ(fs::file_size(root() / "image/c/2/0/0/0"), 2 * kSampleShape.size());
  fs::remove_all(root());
  write({.class_names = {"dög"}, .shape = kSampleShape, .chunk = 4, .zarr_format = 2});
  EXPECT_THAT(read_file(root() / ".zattrs"), HasSubstr("\"d\\u00f6g\""));
  EXPECT_THAT(names(),
              ElementsAre(".zattrs", ".zgroup", "image/.zarray", "image/0.0.0.0", "image/1.0.0.0",
                          "key/.zarray", "key/0.0", "label/.zarray", "label/0"));
}

TEST_F(ZarrWriterTest, refuses_invalid_options) {
  const ImageShape shape = kSampleShape;
  EXPECT_THAT(refused({.shape = shape, .chunk = 0}),
              HasSubstr("data.zarr: a chunk of 0 samples of 60 bytes; must have at least 1 sample "
                        "and at most 1 GiB"));
  EXPECT_THAT(refused({.shape = shape, .chunk = (1U << 30) / 60 + 1}), HasSubstr("at most 1 GiB"));
  EXPECT_THAT(refused({.shape = shape, .codec = "blosc-zst"}),
              HasSubstr("codec \"blosc-zst\": unknown codec; must be one of none, gzip, zstd, "
                        "blosc-lz4, blosc-zstd; did you mean blosc-zstd?"));
  EXPECT_THAT(refused({.shape = shape, .zarr_format = 1}),
              HasSubstr("Zarr format 1: must be 2 or 3"));
  EXPECT_THAT(refused({}), HasSubstr("pixels in Zarr need one shape"));
  EXPECT_FALSE(fs::exists(root()));
}

TEST_F(ZarrWriterTest, refuses_keys_that_would_change) {
  const auto refusal = [&](const std::string& key) {
    const auto writer = find_format("zarr").create(root(), {.shape = kSampleShape});
    const OwnedRecord record = pixel_record(key);
    return message_of<FormatError>([&] { writer->append(record.view()); });
  };
  EXPECT_THAT(refusal(std::string("a\0", 2)), HasSubstr("a key ends in NUL"));
  EXPECT_THAT(refusal(std::string(4097, 'k')), HasSubstr("a key of 4097 bytes; must have at most"));
}

TEST_F(ZarrWriterTest, refuses_keys_that_damage_made_equal_or_empty) {
  write({.shape = kSampleShape});
  put_file("key/c/0/0", "k0k0k0k1k1");
  EXPECT_THAT(keys_of(*open_dataset(root())), ElementsAre("k0#0", "k0#1", "k0#2", "k1#3", "k1#4"));
  put_file("key/c/0/0", std::string("k0\0\0k2k3k4", 10));
  EXPECT_THAT(error(), HasSubstr("key/zarr.json: record 1: has no key"));
  put_file("key/c/0/0", "k0");
  EXPECT_THAT(error(), HasSubstr("key/c/0/0: record 0: the chunk has 2 bytes; must have 10"));
  put_file("key/zarr.json",
           replaced(replaced(read_file(root() / "key/zarr.json"), "5,", "4,"), "5,", "4,"));
  EXPECT_THAT(error(), HasSubstr("key/zarr.json: is uint8 4×2; keys must be 5 of 1 to 4096 bytes"));
}

}  // namespace
}  // namespace feedrate::testing
