// SPDX-License-Identifier: Apache-2.0
#include "formats/packed_file.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"
#include "formats/batch_extents.h"
#include "formats/payload.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

/// Read-ahead of a walked object: doubled and halved as the kernel does for a file. A gap below
/// kPassedOver is read too, because that takes no longer than another request.
constexpr std::uint64_t kLeastAhead = 16 * 1024;
constexpr std::uint64_t kMostAhead = 4 * 1024 * 1024;
constexpr std::uint64_t kPassedOver = 1024 * 1024;

std::optional<OpenFile> open_if_file(const std::string& path) {
  try {
    return open_regular_file(path);
  } catch (const SystemError&) {
    std::error_code error;
    if (std::filesystem::exists(path, error) || error) throw;
    return std::nullopt;
  }
}

}  // namespace

void prepare(PackedFile& file, ReadOrder order) {
  file.order = order;
  file.is_walked = false;
  if (file.fd.get() >= 0) advise(file.fd.get(), order);
}

void prepare_and_close(PackedFile& file, ReadOrder order) {
  file.order = order;
  file.is_walked = false;
  file.fd = UniqueFd();
}

void replace_index(const std::string& index_path, std::string_view bytes) {
  const std::string draft = fmt::format("{}.{}.tmp", index_path, ::getpid());
  std::error_code error;
  try {
    write_new_file(draft, bytes);
    std::filesystem::rename(draft, index_path, error);
  } catch (const SystemError&) {
    if (!std::filesystem::exists(draft, error)) return;
  }
  std::filesystem::remove(draft, error);
}

PackedFile PackedReads::open(const std::string& path) {
  PackedFile file;
  if (!open_into(file, path)) throw SystemError(path, "cannot open", ENOENT);
  return file;
}

std::optional<PackedFile> PackedReads::open_if_there(const std::string& path) {
  PackedFile file;
  return open_into(file, path) ? std::optional(std::move(file)) : std::nullopt;
}

bool PackedReads::open_into(PackedFile& file, const std::string& path) {
  file.path = path;
  file.order = ReadOrder::kSequential;
  file.is_walked = true;
  if (is_remote(path)) {
    std::optional<ObjectInfo> info = remote_.info(path);
    if (!info) return false;
    file.size = info->size;
    file.mtime_ns = info->mtime_ns;
    file.etag = std::move(info->etag);
    return true;
  }
  std::optional<OpenFile> opened = open_if_file(path);
  if (!opened) return false;
  file.size = opened->size;
  file.mtime_ns = opened->mtime_ns;
  file.fd = std::move(opened->fd);
  return true;
}

Bytes PackedReads::read(const PackedFile& file, std::uint64_t offset, std::uint64_t size) {
  if (is_remote(file.path)) return read_object(file, offset, size);
  const MutableBytes bytes = buffer_.take(size);
  if (file.fd.get() >= 0) return bytes.first(read_at(file.fd.get(), bytes, offset, file.path));
  const OpenFile opened = open_regular_file(file.path);
  if (file.order == ReadOrder::kRandom) advise(opened.fd.get(), file.order);
  return bytes.first(read_at(opened.fd.get(), bytes, offset, file.path));
}

Bytes PackedReads::read_object(const PackedFile& file, std::uint64_t offset, std::uint64_t size) {
  if (offset >= file.size) return {};
  size = std::min(size, file.size - offset);
  if (size == 0) return {};
  if (file.is_walked) return read_walked(file, offset, size);
  window_ = {};
  const auto bytes = remote_.read(file.path, file.etag, ObjectRange{offset, size});
  if (!bytes) throw FormatError({.file = file.path}, "the object was removed after it was opened");
  return *bytes;
}

Bytes PackedReads::read_walked(const PackedFile& file, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t end = window_.begin + window_.bytes.size();
  const bool is_of_window = window_.path == file.path && offset >= window_.begin;
  if (!is_of_window || offset + size > end) {
    const bool goes_on = is_of_window && offset <= end + kPassedOver;
    const std::uint64_t ahead = std::clamp(goes_on ? 2 * window_.next_size : window_.next_size / 2,
                                           kLeastAhead, kMostAhead);
    window_ = {};
    const std::uint64_t wanted = std::min(std::max(size, ahead), file.size - offset);
    const auto bytes = remote_.read(file.path, file.etag, ObjectRange{offset, wanted});
    if (!bytes) {
      throw FormatError({.file = file.path}, "the object was removed while it was walked");
    }
    window_ = {.path = file.path, .begin = offset, .bytes = *bytes, .next_size = ahead};
  }
  return window_.bytes.subspan(offset - window_.begin, size);
}

std::optional<Bytes> PackedReads::read_whole(const DataLocation& location) {
  const std::string& path = location.file;
  if (is_remote(path)) {
    window_ = {};
    return remote_.read(path, {}, std::nullopt);
  }
  const std::optional<OpenFile> file = open_if_file(path);
  if (!file) return std::nullopt;
  require_plausible_size(file->size, location);
  const MutableBytes bytes = buffer_.take(file->size);
  return bytes.first(read_at(file->fd.get(), bytes, 0, path));
}

void PackedReads::expect(const PackedFile& file, std::uint64_t offset, std::uint64_t size) {
  if (offset >= file.size) return;
  size = std::min(size, file.size - offset);
  if (is_remote(file.path)) {
    if (size > 0) remote_.expect(file.path, file.etag, ObjectRange{offset, size});
  } else if (file.fd.get() >= 0) {
    extents_.add(file.fd.get(), offset, size);
  }
}

void PackedReads::expect_whole(const std::string& path) {
  if (is_remote(path)) {
    remote_.expect(path, {}, std::nullopt);
  } else {
    want_file(path);
  }
}

void PackedReads::ask() {
  extents_.ask();
  remote_.send();
}

}  // namespace feedrate
