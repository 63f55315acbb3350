// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/byte_input.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kBuffer = 256U << 10;

// Deflate compresses up to 1,000 times, traces of the profiler 7 to 30 times. A file beyond
// kMaxExpansion is rejected before it exhausts the memory.
constexpr std::uint64_t kMaxExpansion = 100;
constexpr std::uint64_t kMinCheckedSize = std::uint64_t{64} << 20;

struct CloseGzip {
  void operator()(gzFile_s* file) const { gzclose_r(file); }
};

class GzipInput : public ByteInput {
 public:
  GzipInput(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {
    errno = 0;
    file_.reset(gzopen(name_.c_str(), "rb"));
    if (!file_) throw SystemError(name_, "cannot open", errno != 0 ? errno : ENOMEM);
    if (gzbuffer(file_.get(), kBuffer) != 0) throw SystemError(name_, "cannot buffer", ENOMEM);
  }

  std::size_t read(std::span<char> into) override {
    const auto most = static_cast<unsigned>(std::min<std::size_t>(into.size(), INT_MAX));
    errno = 0;
    const int count = gzread(file_.get(), into.data(), most);
    if (count > 0) return counted(static_cast<std::size_t>(count));
    const int system_error = errno;
    int code = Z_OK;
    std::string_view reason = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) throw SystemError(name_, "cannot read", system_error);
    if (code == Z_BUF_ERROR) {
      is_truncated_ = true;
    } else if (count < 0) {
      if (reason.starts_with(name_))
        reason.remove_prefix(std::min(name_.size() + 2, reason.size()));
      throw FormatError(
          {.file = name_, .offset = consumed()},
          fmt::format("is damaged gzip ({}); copy the file again and check it with `gzip -t`",
                      reason));
    }
    return 0;
  }

  [[nodiscard]] std::uint64_t consumed() const override {
    const auto offset = gzoffset(file_.get());
    return offset < 0 ? 0 : std::min(static_cast<std::uint64_t>(offset), size_);
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] bool is_truncated() const override { return is_truncated_; }

 private:
  std::size_t counted(std::size_t count) {
    unpacked_ += count;
    if (unpacked_ > kMinCheckedSize && unpacked_ / kMaxExpansion > consumed()) {
      throw FormatError({.file = name_, .offset = consumed()},
                        fmt::format("unpacks to more than {} times its size, which no trace does; "
                                    "check the program that wrote it",
                                    kMaxExpansion));
    }
    return count;
  }

  std::string name_;
  std::uint64_t size_;
  std::uint64_t unpacked_ = 0;
  std::unique_ptr<gzFile_s, CloseGzip> file_;
  bool is_truncated_ = false;
};

}  // namespace

std::unique_ptr<ByteInput> open_gzip_or_plain(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw ConfigError(fmt::format("{}: does not exist; must be a trace file", path.string()));
  }
  if (!fs::is_regular_file(path, error)) {
    throw ConfigError(
        fmt::format("{}: is not a file; must be a .json or .json.gz trace", path.string()));
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) throw SystemError(path.string(), "cannot stat", error.value());
  return std::make_unique<GzipInput>(path.string(), size);
}

}  // namespace feedrate
