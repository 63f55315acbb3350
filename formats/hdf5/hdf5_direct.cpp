#include "formats/hdf5/hdf5_direct.h"

#include <optional>
#include <utility>
#include <vector>

#include "formats/batch_extents.h"
#include "formats/hdf5/hdf5_elements.h"
#include "formats/hdf5/hdf5_heap.h"
#include "formats/hdf5/hdf5_places.h"

namespace feedrate {
namespace {

class PixelCursor final : public RecordCursor {
 public:
  PixelCursor(const PackedFile& file, const Hdf5Contents& contents, const Hdf5Places& places)
      : contents_(contents), pixels_(file, places) {}

  Record read(std::size_t index) override {
    return {.payload = pixels_.read(index),
            .label = contents_.labels[index],
            .key = contents_.keys[index],
            .kind = Payload::kPixels,
            .shape = contents_.shape};
  }

  void expect(std::span<const std::uint64_t> indices) override {
    for (const std::uint64_t index : indices) pixels_.expect(index, extents_);
    extents_.ask();
  }

 private:
  const Hdf5Contents& contents_;
  Hdf5Elements pixels_;
  BatchExtents extents_;
};

class DirectPixels final : public Hdf5Direct {
 public:
  DirectPixels(PackedFile file, const Hdf5Contents& contents, Hdf5Places places,
               const ReadOptions& options)
      : file_(std::move(file)), contents_(contents), places_(std::move(places)) {
    prepare(file_, options);
  }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<PixelCursor>(file_, contents_, places_);
  }

 private:
  PackedFile file_;
  const Hdf5Contents& contents_;
  Hdf5Places places_;
};

class EncodedCursor final : public RecordCursor {
 public:
  EncodedCursor(const PackedFile& file, const Hdf5Contents& contents,
                const std::vector<HeapReference>& references)
      : contents_(contents), images_(file, references) {}

  Record read(std::size_t index) override {
    return {.payload = images_.read(index),
            .label = contents_.labels[index],
            .key = contents_.keys[index]};
  }

  void expect(std::span<const std::uint64_t> indices) override {
    for (const std::uint64_t index : indices) images_.expect(index, extents_);
    extents_.ask();
  }

 private:
  const Hdf5Contents& contents_;
  HeapValues images_;
  BatchExtents extents_;
};

class DirectEncoded final : public Hdf5Direct {
 public:
  DirectEncoded(PackedFile file, const Hdf5Contents& contents, const Hdf5Places& places,
                const ReadOptions& options)
      : file_(std::move(file)), contents_(contents) {
    Hdf5Elements elements(file_, places);
    references_ = read_heap_references(elements, contents.records);
    prepare(file_, options);  // Only now: references are read in order.
  }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<EncodedCursor>(file_, contents_, references_);
  }

 private:
  PackedFile file_;
  const Hdf5Contents& contents_;
  std::vector<HeapReference> references_;
};

}  // namespace

std::unique_ptr<Hdf5Direct> open_hdf5_direct(const std::string& path, const Hdf5Contents& contents,
                                             const ReadOptions& options) {
  std::optional<Hdf5Places> places = find_hdf5_places(path, contents);
  if (!places) return nullptr;
  PackedFile file = open_packed_file(path);
  if (contents.kind == Hdf5Kind::kEncoded) {
    return std::make_unique<DirectEncoded>(std::move(file), contents, *places, options);
  }
  return std::make_unique<DirectPixels>(std::move(file), contents, *std::move(places), options);
}

}  // namespace feedrate
