#include "formats/hdf5/hdf5_heap.h"

#include <filesystem>
#include <limits>

#include "tests/formats/heap_bytes.h"
#include "tests/formats/sample_records.h"
#include "tests/support/put_number.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::put;
using testing::text_of;

// Short, for rows of them.
constexpr auto object = testing::heap_object;
constexpr auto reference = testing::heap_reference;

/// A collection of these objects and free space behind them.
std::string collection(const std::string& objects) { return testing::heap_collection(objects, 32); }

class Heap : public ::testing::Test {
 protected:
  /// A file that begins with `references`.
  void write(const std::string& references, const std::string& rest) {
    testing::write_file(path(), references + rest);
    file_ = {path().string(), open_regular_file(path().string())};
    places_ = {.element_bytes = kHeapReferenceBytes,
               .chunk_elements = references.size() / kHeapReferenceBytes,
               .chunks = {{0, 0}}};
  }

  std::vector<HeapReference> references() const {
    Hdf5Elements dataset(file_, places_);
    return read_heap_references(dataset, places_.chunk_elements);
  }

  std::vector<std::string> read() const {
    const std::vector<HeapReference> all = references();
    HeapValues values(file_, all);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < all.size(); ++i) texts.push_back(text_of(values.read(i)));
    return texts;
  }

  std::string error() const {
    return message_of<FormatError>([&] { (void)read(); });
  }

  std::filesystem::path path() const { return folder_ / "a.h5"; }

  testing::TempFolder folder_;
  PackedFile file_;
  Hdf5Places places_;
};

TEST_F(Heap, knows_where_values_begin_that_were_written_in_order) {
  const std::string first = collection(object(1, "one") + object(2, "the second"));
  const std::string second = collection(object(1, "3"));
  constexpr std::uint64_t kFirst = 48;
  const std::uint64_t other = kFirst + first.size();
  write(reference(3, kFirst, 1) + reference(10, kFirst, 2) + reference(1, other, 1),
        first + second);
  EXPECT_THAT(read(), ElementsAre("one", "the second", "3"));
  EXPECT_EQ(references()[0].expected, kFirst + 16);
  EXPECT_EQ(references()[1].expected, kFirst + 16 + 16 + 8);
  EXPECT_EQ(references()[2].expected, other + 16);
}

TEST_F(Heap, looks_for_values_that_were_written_in_another_order) {
  const std::string heap =
      collection(object(1, "a key") + object(2, "second") + object(7, "first") + object(3, "x"));
  write(reference(5, 48, 7) + reference(6, 48, 2) + reference(1, 48, 3), heap);
  EXPECT_EQ(references()[0].expected, 0U);
  EXPECT_THAT(read(), ElementsAre("first", "second", "x"));
}

TEST_F(Heap, looks_for_a_value_where_another_one_lies_at_its_expected_place) {
  // Object 1 was replaced by a longer one after it.
  write(reference(6, 16, 1), collection(object(9, "grown") + object(1, "second")));
  EXPECT_EQ(references()[0].expected, 32U);
  EXPECT_THAT(read(), ElementsAre("second"));
}

TEST_F(Heap, refuses_empty_values) {
  write(reference(0, 0, 0), "");
  EXPECT_THAT(error(), HasSubstr("record 0: is empty; an image would be right"));
}

TEST_F(Heap, refuses_values_of_another_size_than_their_references_say) {
  for (const std::uint32_t size : {4U, 6U, 60'000U}) {
    write(reference(size, 16, 1), collection(object(1, "five5")));
    EXPECT_THAT(error(), AllOf(HasSubstr("a.h5: record 0 at byte 16"),
                               HasSubstr("the record has 5 bytes in its heap")));
  }
}

TEST_F(Heap, refuses_sizes_that_no_image_has) {
  write(reference(0xFFFFFFFF, 16, 1), collection(object(1, "x")));
  EXPECT_THAT(error(), HasSubstr("a record of 4294967295 bytes"));
}

TEST_F(Heap, refuses_objects_that_are_not_there) {
  write(reference(1, 16, 2), collection(object(1, "x")));
  EXPECT_THAT(error(), HasSubstr("has no object 2"));
  write(reference(1, 16, 0x10001), collection(object(1, "x")));
  EXPECT_THAT(error(), HasSubstr("has no object 65537"));
}

TEST_F(Heap, refuses_references_that_lead_to_no_heap) {
  const std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t address :
       {std::uint64_t{0}, std::uint64_t{24}, std::uint64_t{1000}, last, last - 15, last - 31}) {
    write(reference(1, address, 1), collection(object(1, "x")));
    EXPECT_THAT(error(), HasSubstr("there is no heap of HDF5")) << address;
  }
}

TEST_F(Heap, refuses_a_heap_that_leaves_the_file) {
  std::string heap = collection(object(1, "x"));
  const std::uint64_t absurd = std::numeric_limits<std::uint64_t>::max() - 8;
  std::memcpy(heap.data() + 8, &absurd, sizeof(absurd));
  write(reference(1, 16, 2), heap);
  EXPECT_THAT(error(), HasSubstr("does not fit in the file"));
}

TEST_F(Heap, comes_to_an_end_in_a_heap_of_absurd_objects) {
  std::string objects;
  for (int i = 0; i < 70'000; ++i) objects += object(3, "");
  write(reference(1, 16, 2), collection(objects));
  EXPECT_THAT(error(), HasSubstr("has no object 2"));
  std::string huge = object(3, "");
  const std::uint64_t absurd = std::numeric_limits<std::uint64_t>::max() - 20;
  std::memcpy(huge.data() + 8, &absurd, sizeof(absurd));
  write(reference(1, 16, 2), collection(huge));
  EXPECT_THAT(error(), HasSubstr("has no object 2"));
}

TEST_F(Heap, survives_random_damage) {
  constexpr int kRounds = 1000;
  const std::string heap = collection(object(1, "one") + object(3, "the third") + object(2, "2"));
  const std::string sound = reference(3, 48, 1) + reference(1, 48, 2) + reference(9, 48, 3) + heap;
  RandomStream random(11);
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = sound;
    for (auto changes = 1 + random.below(4); changes > 0; --changes) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    }
    write(damaged.substr(0, 48), damaged.substr(48));
    try {
      (void)read();
    } catch (const FormatError&) {
    }
  }
}

}  // namespace
}  // namespace feedrate
