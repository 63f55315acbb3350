// SPDX-License-Identifier: Apache-2.0
// The ranks of one start, seen from one of them: they meet, exchange texts and sum numbers.
//
// Every rank calls the same functions in the same order ("collectives"), from one thread at a time.
// Calls block until all ranks have called, and throw
//  - RankLost when a rank is killed, disconnects, or its node fails: within 10 s if rank 0 waits or
//    checks, too, since rank 0 informs the others,
//  - Cancelled when `stop` is requested,
//  - Error when ranks call different functions.
// After any of these, only leave() may be called.
#pragma once
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace feedrate {

/// A rank is gone. The cell fails in all others.
class RankLost : public Error {
 public:
  /// `node` is empty if it is not known yet; `rank` is -1 if the lost rank is not known.
  RankLost(int rank, std::string node, std::string cause);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] const std::string& node() const noexcept { return node_; }
  [[nodiscard]] const std::string& cause() const noexcept { return cause_; }

 private:
  int rank_;
  std::string node_;
  std::string cause_;
};

struct RankLocation {
  int local_rank = 0;
  std::string node;
};

class RankGroup {
 public:
  virtual ~RankGroup() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// Indexed by rank; valid as long as the group.
  [[nodiscard]] virtual const std::vector<RankLocation>& locations() const noexcept = 0;
  /// The path of all_reduce()'s bytes: "shared memory", "Open MPI 4.1.4"; "none" for one rank.
  [[nodiscard]] virtual std::string data_path() const = 0;

  virtual void barrier(const std::stop_token& stop = {}) = 0;
  /// Returns each rank's text, indexed by rank, on all ranks. At most kMostBytes each.
  [[nodiscard]] virtual std::vector<std::string> all_gather(std::string own,
                                                            const std::stop_token& stop = {}) = 0;
  /// Returns the same on rank 0, and nothing on the others: much faster for many ranks and long
  /// texts.
  [[nodiscard]] virtual std::vector<std::string> gather(std::string own,
                                                        const std::stop_token& stop = {}) = 0;
  /// Returns the text of rank `root` on all ranks; the other texts are ignored.
  [[nodiscard]] virtual std::string broadcast(std::string own, int root = 0,
                                              const std::stop_token& stop = {}) = 0;
  /// A barrier that returns whether all ranks were `ok`: ranks end a cell together that one of them
  /// cannot continue, without losing the group.
  [[nodiscard]] virtual bool agree(bool ok, const std::stop_token& stop = {}) = 0;
  /// Replaces each number by the sum over all ranks, as for the gradients of a step. All ranks pass
  /// the same count.
  virtual void all_reduce(std::span<float> values, const std::stop_token& stop = {}) = 0;

  /// Throws RankLost if a rank is known to be lost; does not wait.
  virtual void check() = 0;
  /// Leaves the group. With a reason ("its cell failed: …"), the others get RankLost at once, from
  /// the call in which they wait and from check(); without one, only from calls that need this
  /// rank. The destructor leaves without a reason. Any later collective of this rank throws Error.
  virtual void leave(std::string_view why) noexcept = 0;

  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
};

/// Gathers the texts of the ranks of this rank's node, indexed by local rank. All ranks of the
/// group call it.
[[nodiscard]] std::vector<std::string> gather_on_node(RankGroup& group, std::string own,
                                                      const std::stop_token& stop = {});

[[nodiscard]] std::unique_ptr<RankGroup> make_single_group(std::string node);

}  // namespace feedrate
