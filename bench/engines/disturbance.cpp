#include "bench/engines/disturbance.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/engines/disturbance_load.h"
#include "core/error.h"
#include "core/random.h"
#include "formats/file.h"
#include "host/slurm.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

// A process that waits for a metadata server does nothing meanwhile: more of them reach the rate.
constexpr double kOpensAProcess = 2000.0;
constexpr std::size_t kMostOpeners = 16;

std::shared_ptr<DisturbanceCounts> share_counts() {
  constexpr std::size_t kSize = sizeof(DisturbanceCounts);
  void* const memory =
      ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw SystemError("disturbance", "cannot share memory", errno);
  return {new (memory) DisturbanceCounts,
          [](DisturbanceCounts* counts) { ::munmap(counts, kSize); }};
}

void create_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw SystemError(folder.string(), "cannot create folder", error.value());
}

// Noise: some file systems compress, and store no zeros at all.
void fill(int fd, const std::string& path, std::uint64_t bytes, const std::stop_token& stop) {
  RandomStream random(bytes);
  std::vector<std::uint64_t> block((std::size_t{1} << 20) / sizeof(std::uint64_t));
  for (std::uint64_t& word : block) word = random.next();
  for (std::uint64_t done = 0; done < bytes;) {
    if (stop.stop_requested()) throw Cancelled();
    block.front() = done;
    const Bytes all = std::as_bytes(std::span(block));
    const Bytes part = all.first(std::min<std::uint64_t>(all.size(), bytes - done));
    write_all(fd, part, path);
    done += part.size();
  }
}

// Several nodes may do it at the same time: each writes a file of its own, and the last one stays.
void make_reader_file(const fs::path& path, std::uint64_t bytes, const std::stop_token& stop) {
  std::error_code error;
  if (fs::file_size(path, error) == bytes && !error) return;
  const fs::path draft = fmt::format("{}.{}-{}", path.string(), node_name(), ::getpid());
  fs::remove(draft, error);  // Of a process that was killed and had our number.
  const UniqueFd fd = create_file(draft.string());
  try {
    fill(fd.get(), draft.string(), bytes, stop);
    sync_path(draft);
    fs::rename(draft, path);
  } catch (...) {
    fs::remove(draft, error);
    throw;
  }
}

void make_small_file(const fs::path& file) {
  try {
    if (!fs::exists(file)) write_new_file(file.string(), std::string_view("x"));
  } catch (const SystemError&) {
    if (!fs::exists(file)) throw;  // Another node came first.
  }
}

void make_tree(const fs::path& root) {
  for (std::size_t i = 0; i < kTreeFolders; ++i) create_folders(tree_folder(root, i));
  for (std::size_t i = 0; i < kTreeFolders * kTreeFiles; ++i) {
    make_small_file(tree_file(root, i));
  }
}

// Its memory is not the cell's (process_tree_pss).
void stand_apart() { static_cast<void>(::setpgid(0, 0)); }

}  // namespace

void make_disturbance_files(const DisturbanceSpec& spec, const DisturbancePlace& place,
                            const std::stop_token& stop) {
  create_folders(place.folder);
  for (std::size_t i = 0; i < spec.readers; ++i) {
    make_reader_file(reader_file(place.folder, i), place.file_bytes, stop);
  }
  if (spec.metadata_per_second > 0.0) make_tree(place.folder);
}

std::vector<Metric> disturbance_metrics(const DisturbanceSeen& seen) {
  return {{"disturbance_bytes_per_second", seen.bytes_per_second},
          {"disturbance_opens_per_second", seen.metadata_per_second}};
}

std::string doubt_about(const DisturbanceSeen& seen) {
  if (!seen.is_cached) return {};
  return "disturbance: its file system has no direct reads (O_DIRECT): some of what was read may "
         "have "
         "come from memory.";
}

Disturbance::Disturbance(const DisturbanceSpec& spec, const DisturbancePlace& place)
    : folder_(place.folder), counts_(share_counts()) {
  DisturbanceCounts& counts = *counts_;
  const auto start = [&](const ChildBody& body) {
    processes_.push_back(std::make_unique<ChildProcess>("disturbance", "disturbance", body));
  };
  for (std::size_t i = 0; i < spec.readers; ++i) {
    start([&] {
      stand_apart();
      read_for_ever(reader_file(folder_, i), spec.read_bytes, counts);
    });
  }
  if (!(spec.metadata_per_second > 0.0)) return;
  const auto openers = std::min(
      kMostOpeners, static_cast<std::size_t>(std::ceil(spec.metadata_per_second / kOpensAProcess)));
  for (std::size_t i = 0; i < openers; ++i) {
    const double share = spec.metadata_per_second / static_cast<double>(openers);
    start([&, i, share] {
      stand_apart();
      open_for_ever(folder_, share, i * kTreeFolders * kTreeFiles / openers, counts);
    });
  }
}

Disturbance::~Disturbance() = default;

std::vector<pid_t> Disturbance::processes() const {
  std::vector<pid_t> processes;
  for (const auto& process : processes_) processes.push_back(process->pid());
  return processes;
}

ProtocolEvents Disturbance::around(ProtocolEvents events) {
  events.on_warm_up = [this, other = std::move(events.on_warm_up)] {
    if (other) other();
    begin_window();
  };
  events.on_window_over = [this, other = std::move(events.on_window_over)] {
    end_window();
    if (other) other();
  };
  return events;
}

void Disturbance::begin_window() { begin_ = mark(); }

void Disturbance::end_window() { end_ = mark(); }

Disturbance::Mark Disturbance::mark() const {
  return {counts_->bytes, counts_->opened, std::chrono::steady_clock::now()};
}

DisturbanceSeen Disturbance::seen() {
  for (const auto& process : processes_) {
    if (!process->has_ended()) continue;
    throw Error(
        fmt::format("disturbance: a background process ended by itself; its files in {} must be "
                    "readable, delete "
                    "the folder to have them made again",
                    folder_.string()));
  }
  const double seconds = std::chrono::duration<double>(end_.at - begin_.at).count();
  const auto rate = [&](std::uint64_t from, std::uint64_t to) {
    return seconds > 0.0 ? static_cast<double>(to - from) / seconds : 0.0;
  };
  return {rate(begin_.bytes, end_.bytes), rate(begin_.opened, end_.opened), counts_->is_cached};
}

}  // namespace feedrate
