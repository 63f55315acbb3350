// SPDX-License-Identifier: Apache-2.0
// Shared memory in which the ranks of a node sum their numbers. One thread per object.
//
// Each rank writes its numbers to its slot (give), sums one part over all ranks (add_own_part), and
// copies the parts of all ranks (take). All ranks meet between these steps. Each rank has two
// slots, used in turn, so that take() of one sum and give() of the next need no meeting between
// them.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "core/unique_fd.h"

namespace feedrate {

class SumMemory {
 public:
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 20;

  /// Creates the memory. Throws SystemError.
  SumMemory(int rank, int size);
  /// Opens the memory of another rank by its path(). Throws SystemError.
  SumMemory(int rank, int size, const std::string& path);
  SumMemory(const SumMemory&) = delete;
  SumMemory& operator=(const SumMemory&) = delete;
  ~SumMemory();

  /// The path by which other processes of this user open the memory while this object lives.
  [[nodiscard]] std::string path() const;

  /// REQUIRES: at most kMostNumbers numbers, the same count in all ranks
  void give(std::span<const float> values);
  void add_own_part(std::size_t count);
  void take(std::span<float> values);

 private:
  SumMemory(int rank, int size, UniqueFd fd);
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::span<float> slot(std::size_t rank, std::size_t count) const;

  std::size_t rank_;
  std::size_t size_;
  UniqueFd fd_;
  float* numbers_ = nullptr;
  std::size_t turn_ = 0;  // 0 or 1
};

}  // namespace feedrate
