// What the processes of a disturbance do until they are killed; see bench/engines/disturbance.h.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace feedrate {

/// In memory that all processes share.
struct DisturbanceCounts {
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint64_t> opened = 0;
  std::atomic<bool> is_cached = false;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The small files of a disturbance: kTreeFolders folders of kTreeFiles each.
inline constexpr std::size_t kTreeFolders = 16;
inline constexpr std::size_t kTreeFiles = 64;
[[nodiscard]] std::filesystem::path tree_folder(const std::filesystem::path& root, std::size_t i);
[[nodiscard]] std::filesystem::path tree_file(const std::filesystem::path& root, std::size_t i);
[[nodiscard]] std::filesystem::path reader_file(const std::filesystem::path& root, std::size_t i);

/// Reads the file from its beginning to its end again and again, past the page cache (O_DIRECT)
/// where the file system can, else it has the kernel forget what was read. Throws SystemError.
[[noreturn]] void read_for_ever(const std::filesystem::path& file, std::size_t block,
                                DisturbanceCounts& counts);

/// stat, open and close of one small file after another, `per_second` files at most. Throws
/// SystemError. REQUIRES: per_second > 0
[[noreturn]] void open_for_ever(const std::filesystem::path& root, double per_second,
                                std::size_t first, DisturbanceCounts& counts);

}  // namespace feedrate
