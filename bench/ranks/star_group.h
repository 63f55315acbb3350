// SPDX-License-Identifier: Apache-2.0
// A group whose ranks talk by way of rank 0. Only how sums are made is left to its subclasses.
#pragma once
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"
#include "bench/ranks/links.h"

namespace feedrate {

class StarGroup : public RankGroup {
 public:
  StarGroup(const StarGroup&) = delete;
  StarGroup& operator=(const StarGroup&) = delete;
  ~StarGroup() override;

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] const std::vector<RankPlace>& places() const noexcept override { return places_; }

  void barrier(const std::stop_token& stop) override;
  std::vector<std::string> all_gather(std::string own, const std::stop_token& stop) override;
  std::vector<std::string> gather(std::string own, const std::stop_token& stop) override;
  std::string broadcast(std::string own, int root, const std::stop_token& stop) override;
  bool agree(bool ok, const std::stop_token& stop) override;
  void check() override;
  void leave(std::string_view why) noexcept override;

 protected:
  /// Collective: the ranks tell each other where they are.
  StarGroup(const Launch& launch, std::unique_ptr<Links> links, const std::stop_token& stop);

  /// A barrier before or after a part of a sum of `count` numbers.
  void meet_for_sum(std::size_t count, const std::stop_token& stop);

 private:
  /// The result's texts: those of all ranks, or one.
  std::vector<std::string> call(Collective collective, std::uint64_t about, std::string own,
                                const std::stop_token& stop);
  std::vector<std::string> lead(Frame own, const std::stop_token& stop);
  std::vector<std::string> follow(const Frame& own, const std::stop_token& stop);

  void take_next(const std::stop_token& stop);
  void take(Links::Incoming&& incoming);
  void take_leave(int from, std::string why);
  [[nodiscard]] bool has_all_given() const;
  void require_present();
  void require_same_calls();

  void lose(int rank, std::string cause, FrameKind how);
  void fail(const std::string& cause);
  void tell_all(const Frame& frame) noexcept;
  void throw_if_over() const;

  const int rank_;
  const int size_;
  std::unique_ptr<Links> links_;
  std::vector<RankPlace> places_;
  std::vector<std::optional<Frame>> given_;       // Of rank 0, by rank.
  std::vector<std::string> results_;              // Of the other ranks.
  std::vector<std::optional<std::string>> left_;  // Why, by rank.
  std::exception_ptr over_;                       // Why nothing goes on.
  bool has_left_ = false;
};

}  // namespace feedrate
