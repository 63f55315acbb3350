// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/datasets/stage.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

// Threads share large files in pieces. Between steps of a piece, a thread checks for a stop.
constexpr std::uint64_t kPiece = std::uint64_t{64} << 20;
constexpr std::uint64_t kStep = std::uint64_t{4} << 20;

struct Piece {
  std::size_t file = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool is_whole(const Piece& piece, const StagedFile& file) {
  return piece.begin == 0 && piece.end == file.bytes;
}

std::vector<Piece> split_files(const std::vector<StagedFile>& files) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::uint64_t begin = 0;
    do {
      const std::uint64_t end = std::min(files[i].bytes, begin + kPiece);
      pieces.push_back({i, begin, end});
      begin = end;
    } while (begin < files[i].bytes);
  }
  return pieces;
}

UniqueFd open_source(const StagedFile& file) {
  UniqueFd fd(::open(file.from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (fd.get() < 0) throw SystemError(file.from.string(), "cannot open", errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    throw SystemError(file.from.string(), "cannot stat", errno);
  }
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != file.bytes) {
    throw FormatError(
        fmt::format("{}: changed while the dataset was copied; do not modify it during the copy",
                    file.from.string()));
  }
  return fd;
}

UniqueFd open_target(const fs::path& path, bool create) {
  const int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0);
  UniqueFd fd(::open(path.c_str(), flags, 0600));
  if (fd.get() < 0) throw SystemError(path.string(), "cannot create", errno);
  return fd;
}

// Whether copy_file_range() does not work for these filesystems or this kernel.
bool has_no_copy(int error) {
  return error == EXDEV || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP ||
         error == EPERM || error == EBADF;
}

class Copy {
 public:
  Copy(const StagedFile& file, const fs::path& target, bool create)
      : file_(file), target_(target), from_(open_source(file)), to_(open_target(target, create)) {}

  void run(const Piece& piece, const std::stop_token& stop, ReadBuffer& buffer) {
    for (std::uint64_t at = piece.begin; at < piece.end;) {
      if (stop.stop_requested()) throw Cancelled();
      const std::size_t wanted = std::min(kStep, piece.end - at);
      at += in_kernel_ ? copy_in_kernel(at, wanted) : copy_through(buffer, at, wanted);
    }
  }

 private:
  // Returns 0 if the kernel cannot copy; later calls then use copy_through().
  std::uint64_t copy_in_kernel(std::uint64_t at, std::size_t wanted) {
    auto from = static_cast<off64_t>(at);
    auto to = static_cast<off64_t>(at);
    const ssize_t copied = ::copy_file_range(from_.get(), &from, to_.get(), &to, wanted, 0);
    if (copied > 0) return static_cast<std::uint64_t>(copied);
    if (copied < 0 && errno == EINTR) return 0;
    if (copied < 0 && !has_no_copy(errno)) throw SystemError(target_, "cannot write", errno);
    in_kernel_ = false;
    return 0;
  }

  std::uint64_t copy_through(ReadBuffer& buffer, std::uint64_t at, std::size_t wanted) {
    const MutableBytes bytes = buffer.take(wanted);
    const std::size_t read = read_at(from_.get(), bytes, at, file_.from.string());
    if (read < wanted) {
      throw FormatError(
          fmt::format("{}: was truncated while the dataset was copied", file_.from.string()));
    }
    for (std::size_t done = 0; done < read;) {
      const ssize_t written =
          ::pwrite(to_.get(), bytes.data() + done, read - done, static_cast<off_t>(at + done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw SystemError(target_, "cannot write", errno);
      done += static_cast<std::size_t>(written);
    }
    return read;
  }

  const StagedFile& file_;
  const std::string target_;
  UniqueFd from_;
  UniqueFd to_;
  bool in_kernel_ = true;
};

class CopyThreads {
 public:
  CopyThreads(const std::vector<StagedFile>& files, const fs::path& folder, std::stop_token stop)
      : files_(files), folder_(folder), stop_(std::move(stop)), pieces_(split_files(files)) {}

  void run(const Job& job) {
    create_shared_files();
    const std::size_t count = std::min<std::size_t>(job.worker_count(), pieces_.size());
    running_ = count;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    report_progress(job);

    threads.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void create_shared_files() {
    for (const Piece& piece : pieces_) {
      if (piece.begin != 0 || is_whole(piece, files_[piece.file])) continue;
      static_cast<void>(open_target(folder_ / files_[piece.file].to, true));
    }
  }

  void work() {
    try {
      ReadBuffer buffer;
      for (std::size_t i = next_++; i < pieces_.size() && !has_failed_; i = next_++) {
        const Piece& piece = pieces_[i];
        const StagedFile& file = files_[piece.file];
        Copy copy(file, folder_ / file.to, is_whole(piece, file));
        copy.run(piece, stop_, buffer);
        if (piece.end == file.bytes) update([this] { ++done_; });
      }
    } catch (...) {
      update([this] {
        if (!has_failed_.exchange(true)) failure_ = std::current_exception();
      });
    }
    update([this] { --running_; });
  }

  template <class Change>
  void update(const Change& change) {
    const std::scoped_lock lock(mutex_);
    change();
    changed_.notify_one();
  }

  // Calls job.advance() on the calling thread, as Job requires.
  void report_progress(const Job& job) {
    std::unique_lock lock(mutex_);
    for (std::size_t reported = 0; running_ > 0 || reported < done_;) {
      changed_.wait(lock, [&] { return running_ == 0 || reported < done_; });
      const std::size_t done = done_;
      lock.unlock();
      for (; reported < done; ++reported) job.advance();
      lock.lock();
    }
  }

  const std::vector<StagedFile>& files_;
  const fs::path& folder_;
  const std::stop_token stop_;
  const std::vector<Piece> pieces_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t running_ = 0;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void copy_files(const std::vector<StagedFile>& files, const fs::path& folder, const Job& job) {
  CopyThreads(files, folder, job.stop).run(job);
}

}  // namespace feedrate
