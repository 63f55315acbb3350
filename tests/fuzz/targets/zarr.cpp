// SPDX-License-Identifier: Apache-2.0
// A Zarr group with an array of images and one of labels: its metadata and the first chunk of each.
//
// The input has the version ('2' or '3'); NUL-terminated metadata of the group, the images and the
// labels; one byte, the size of the label chunk; this chunk; and the image chunk.
#include <algorithm>
#include <filesystem>
#include <string>

#include "core/host/file.h"
#include "formats/formats.h"
#include "formats/zarr/zarr_metadata.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

namespace fs = std::filesystem;

/// Records without a chunk are legal, but many take long.
constexpr std::uint64_t kMaxRows = 4096;

std::string_view take_text(std::string_view& rest) {
  const std::string_view text = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(text.size() + 1, rest.size()));
  return text;
}

void write_array(const fs::path& folder, bool is_v3, std::string_view metadata,
                 std::string_view chunk, const char* v3_name, const char* v2_name) {
  const fs::path file = folder / (is_v3 ? v3_name : v2_name);
  fs::create_directories(file.parent_path());
  write_new_file((folder / (is_v3 ? "zarr.json" : ".zarray")).string(), metadata);
  write_new_file(file.string(), chunk);
}

void write_group(const fs::path& root, std::string_view input) {
  const bool is_v3 = input.starts_with('3');
  std::string_view rest = input.substr(std::min<std::size_t>(1, input.size()));
  const std::string_view group = take_text(rest);
  const std::string_view images = take_text(rest);
  const std::string_view labels = take_text(rest);
  const std::size_t size = rest.empty() ? 0 : static_cast<unsigned char>(rest.front());
  rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
  const std::string_view label_chunk = rest.substr(0, size);
  rest.remove_prefix(label_chunk.size());
  write_new_file((root / (is_v3 ? "zarr.json" : ".zattrs")).string(), group);
  if (!is_v3) write_new_file((root / ".zgroup").string(), R"({"zarr_format": 2})");
  write_array(root / "image", is_v3, images, rest, "c/0/0/0/0", "0.0.0.0");
  write_array(root / "label", is_v3, labels, label_chunk, "c/0", "0");
}

bool is_long(const fs::path& root) {
  bool any = false;
  accepts([&] {
    for (const ZarrNode& node : read_zarr_group(root).arrays) {
      const auto& shape = node.array.shape;
      any = any || (!shape.empty() && shape.front() > kMaxRows);
    }
  });
  return any;
}

}  // namespace

bool zarr(Bytes input) {
  const TemporaryFolder folder(fs::temp_directory_path() / "feedrate-fuzz-");
  write_group(folder.path(), text_of(input));
  if (is_long(folder.path())) return false;
  bool all = true;
  const bool opened = accepts([&] {
    const auto reader = open_zarr_reader(folder.path(), {});
    touch(reader->layout());
    const auto cursor = reader->open_cursor();
    for (std::size_t i = 0; i < reader->size(); ++i) {
      static_cast<void>(reader->locate(i));
      all = accepts([&] {
              const Record record = cursor->read(i);
              touch(record.payload);
              touch(record.key);
              if (record.payload.size() != record.shape.size()) {
                finding("a record's number of pixels differs from its shape");
              }
            }) &&
            all;
    }
  });
  return opened && all;
}

}  // namespace feedrate::fuzz
