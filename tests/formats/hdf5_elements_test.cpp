#include "formats/hdf5/hdf5_elements.h"

#include <filesystem>
#include <limits>

#include "tests/formats/sample_records.h"
#include "tests/formats/zlib_stream.h"
#include "tests/support/hdf5_lz4.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::text_of;
using testing::zlib_stream;

class Hdf5ElementsTest : public ::testing::Test {
 protected:
  void write(const std::string& bytes) {
    testing::write_file(path(), bytes);
    file_ = {path().string(), open_regular_file(path().string())};
  }

  std::filesystem::path path() const { return folder_ / "a.h5"; }
  std::string read(const Hdf5Places& places, std::size_t index) const {
    return text_of(Hdf5Elements(file_, places).read(index));
  }
  std::string error(const Hdf5Places& places, std::size_t index = 0) const {
    return message_of<FormatError>([&] { (void)read(places, index); });
  }

  testing::TempFolder folder_;
  PackedFile file_;
};

TEST_F(Hdf5ElementsTest, finds_elements_in_chunks) {
  write("..ccddaabb");
  const Hdf5Places places{.element_bytes = 2, .chunk_elements = 2, .chunks = {{6, 0}, {2, 0}}};
  EXPECT_EQ(read(places, 0), "aa");
  EXPECT_EQ(read(places, 1), "bb");
  EXPECT_EQ(read(places, 2), "cc");
  EXPECT_EQ(read(places, 3), "dd");
}

TEST_F(Hdf5ElementsTest, unpacks_a_chunk_once_for_all_its_elements) {
  const std::string first = zlib_stream("aabb");
  const std::string second = zlib_stream("ccdd");
  write(first + second);
  const Hdf5Places places{.element_bytes = 2,
                          .chunk_elements = 2,
                          .chunks = {{0, first.size()}, {first.size(), second.size()}}};
  Hdf5Elements elements(file_, places);
  EXPECT_EQ(text_of(elements.read(3)), "dd");
  EXPECT_EQ(text_of(elements.read(0)), "aa");
  std::filesystem::resize_file(path(), 0);
  EXPECT_EQ(text_of(elements.read(1)), "bb");
}

TEST_F(Hdf5ElementsTest, unpacks_chunks_as_they_are_packed) {
  const std::string chunk = testing::hdf5_lz4_chunk("aabb", 3);
  write(chunk);
  Hdf5Places places{.element_bytes = 2,
                    .chunk_elements = 2,
                    .packing = Hdf5Packing::kLz4,
                    .chunks = {{0, chunk.size()}}};
  EXPECT_EQ(read(places, 1), "bb");
  places.packing = Hdf5Packing::kZlib;
  EXPECT_THAT(error(places), HasSubstr("record 0 at byte 0: the chunk cannot be unpacked"));
}

TEST_F(Hdf5ElementsTest, refuses_places_outside_the_file) {
  write("0123456789");
  const auto at = [](std::uint64_t address, std::uint64_t packed) {
    return Hdf5Places{.element_bytes = 4, .chunk_elements = 2, .chunks = {{address, packed}}};
  };
  EXPECT_THAT(error(at(7, 0)), AllOf(HasSubstr("a.h5: record 0 at byte 7"),
                                     HasSubstr("4 bytes shall lie here, but the file has 10")));
  EXPECT_THAT(error(at(3, 0), 1), HasSubstr("record 1 at byte 7"));
  EXPECT_EQ(read(at(2, 0), 1), "6789");
  const std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(error(at(last, 0)), HasSubstr("the file has 10"));
  EXPECT_THAT(error(at(last - 1, 0), 1), HasSubstr("the file has 10"));
  EXPECT_THAT(error(at(0, 11)), HasSubstr("11 bytes shall lie here"));
  EXPECT_THAT(error(at(last, last)), HasSubstr("the file has 10"));
}

TEST_F(Hdf5ElementsTest, refuses_a_chunk_that_cannot_be_so_large_before_it_takes_memory) {
  write("0123456789");
  const Hdf5Places places{
      .element_bytes = std::size_t{1} << 40, .chunk_elements = 1, .chunks = {{0, 10}}};
  EXPECT_THAT(error(places), HasSubstr("is said to be packed in 10"));
}

TEST_F(Hdf5ElementsTest, refuses_damaged_chunks_and_reads_the_others) {
  const std::string sound = zlib_stream("aabb");
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(~damaged[at]);
    write(damaged + sound);
    const Hdf5Places places{.element_bytes = 2,
                            .chunk_elements = 2,
                            .chunks = {{0, sound.size()}, {sound.size(), sound.size()}}};
    Hdf5Elements elements(file_, places);
    EXPECT_EQ(text_of(elements.read(2)), "aa");
    EXPECT_THAT(message_of<FormatError>([&] { (void)elements.read(1); }),
                HasSubstr("record 1 at byte 0: the chunk cannot be unpacked; it is damaged"))
        << at;
    EXPECT_EQ(text_of(elements.read(3)), "bb");
  }
}

TEST_F(Hdf5ElementsTest, refuses_a_chunk_of_another_size) {
  const std::string stream = zlib_stream("aabb");
  write(stream);
  for (const std::size_t elements : {1U, 3U}) {
    const Hdf5Places places{
        .element_bytes = 2, .chunk_elements = elements, .chunks = {{0, stream.size()}}};
    EXPECT_THAT(error(places), HasSubstr("cannot be unpacked")) << elements;
  }
}

TEST_F(Hdf5ElementsTest, notices_a_file_that_was_truncated_after_it_was_opened) {
  write("0123456789");
  std::filesystem::resize_file(path(), 5);
  const Hdf5Places places{.element_bytes = 4, .chunk_elements = 2, .chunks = {{0, 0}}};
  EXPECT_EQ(read(places, 0), "0123");
  EXPECT_THAT(error(places, 1), HasSubstr("it was truncated after it was opened"));
}

}  // namespace
}  // namespace feedrate
