#include "bench/engines/disturbance_load.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "formats/file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAlignment = 4096;

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

class Reader {
 public:
  Reader(const fs::path& file, std::size_t block, DisturbanceCounts& counts)
      : path_(file.string()),
        block_(block),
        counts_(counts),
        buffer_(
            std::aligned_alloc(kAlignment, (block + kAlignment - 1) / kAlignment * kAlignment)) {
    if (!buffer_) throw SystemError(path_, "cannot allocate memory to read", ENOMEM);
    fd_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
    if (fd_.get() < 0) open_cached();
  }

  void read_next() {
    const ssize_t got = ::pread(fd_.get(), buffer_.get(), block_, at_);
    if (got < 0 && errno == EINTR) return;
    if (got < 0 && errno == EINVAL && !is_cached_) return open_cached();
    if (got < 0) throw SystemError(path_, "cannot read", errno);
    if (is_cached_) static_cast<void>(::posix_fadvise(fd_.get(), at_, got, POSIX_FADV_DONTNEED));
    at_ = got == 0 ? 0 : at_ + got;
    // The end may be no multiple of what direct reads begin at.
    if (got > 0 && static_cast<std::size_t>(got) < block_) at_ = 0;
    counts_.bytes += static_cast<std::uint64_t>(got);
  }

 private:
  void open_cached() {
    is_cached_ = true;
    counts_.is_cached = true;
    fd_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd_.get() < 0) throw SystemError(path_, "cannot open", errno);
  }

  const std::string path_;
  const std::size_t block_;
  DisturbanceCounts& counts_;
  std::unique_ptr<void, Free> buffer_;
  UniqueFd fd_;
  bool is_cached_ = false;
  off_t at_ = 0;
};

void look_up(const std::string& path, DisturbanceCounts& counts) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw SystemError(path, "cannot look at", errno);
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) throw SystemError(path, "cannot open", errno);
  ++counts.opened;
}

}  // namespace

fs::path tree_folder(const fs::path& root, std::size_t i) {
  return root / fmt::format("tree/{:02}", i);
}

fs::path tree_file(const fs::path& root, std::size_t i) {
  return tree_folder(root, i % kTreeFolders) / fmt::format("{:03}", i / kTreeFolders % kTreeFiles);
}

fs::path reader_file(const fs::path& root, std::size_t i) {
  return root / fmt::format("read-{:03}", i);
}

void read_for_ever(const fs::path& file, std::size_t block, DisturbanceCounts& counts) {
  Reader reader(file, block, counts);
  for (;;) reader.read_next();
}

void open_for_ever(const fs::path& root, double per_second, std::size_t first,
                   DisturbanceCounts& counts) {
  using Steady = std::chrono::steady_clock;
  constexpr auto kBehind = std::chrono::seconds(1);  // What is lost is not made up for by a burst.
  const auto period =
      std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(1.0 / per_second));
  auto next = Steady::now();
  for (std::size_t i = first;; ++i) {
    look_up(tree_file(root, i).string(), counts);
    next += period;
    const auto now = Steady::now();
    if (next < now - kBehind) next = now;
    if (next > now) std::this_thread::sleep_until(next);
  }
}

}  // namespace feedrate
