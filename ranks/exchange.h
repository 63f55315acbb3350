// What ranks tell each other, all of it by way of rank 0: collectives, signs of life, losses. Each
// rank has one; its thread sends and hears signs of life while its owner does something else. All
// members but the constructor and destructor may be called from any thread, one collective at a
// time.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/unique_fd.h"
#include "ranks/link.h"
#include "ranks/wire.h"

namespace feedrate {

class Exchange {
 public:
  struct Peer {
    int rank = 0;
    UniqueFd fd;
  };

  /// `peers`: of rank 0 all others, of each other one rank 0. Throws SystemError.
  Exchange(int rank, int size, std::vector<Peer> peers);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  /// Leaves. Waits up to seconds for the others to hear it.
  ~Exchange();

  /// The result's texts: all ranks' or one. See group.h.
  [[nodiscard]] std::vector<std::string> call(Collective collective, std::string own, int root,
                                              const std::stop_token& stop);
  void check() const;
  void leave(std::string_view why) noexcept;
  /// By rank, for what is told of a rank that is lost.
  void set_nodes(std::vector<std::string> nodes);

  /// Can be read as soon as check() would throw: to wait for it beside something else.
  [[nodiscard]] int over_event() const noexcept { return over_event_.get(); }
  /// Throws what is known of a loss; if nothing comes to be known in seconds, that `rank` is lost
  /// by `cause`.
  [[noreturn]] void throw_loss(int rank, const std::string& cause);

 private:
  /// Why nothing goes on.
  struct Over {
    int lost_rank = -1;  // -1: nobody is lost, but ranks do not call the same
    std::string cause;
  };
  /// What this rank waits for.
  struct Waiting {
    std::uint32_t sequence = 0;
    std::vector<std::string> parts;
    std::size_t expected = 0;
    std::size_t got = 0;
  };

  void serve(const std::stop_token& stop);
  void serve_link(Link& link);
  [[nodiscard]] bool has_links() const;
  void tick();

  void take(Link& link, Frame frame);
  void take_as_root(Link& link, Frame frame);
  void take_as_member(Frame frame);
  void take_given(int rank, Frame frame);
  void take_result(Frame frame);
  void complete();
  void require_present();

  void send(Link& link, SharedBytes bytes);
  void send_to_all(const Frame& frame);
  void ended(Link& link);
  void lose(int rank, std::string cause);
  void fail(std::string cause);
  void end_with(Over over);
  [[noreturn]] void throw_over() const;
  [[nodiscard]] std::size_t parts_of(Collective collective) const;

  const int rank_;
  const int size_;
  UniqueFd wake_event_;
  UniqueFd over_event_;
  std::atomic<bool> is_over_ = false;

  mutable std::mutex mutex_;  // Of all that follows.
  std::condition_variable_any changed_;
  std::vector<Link> links_;
  std::vector<std::string> nodes_;
  std::optional<Over> over_;
  bool left_ = false;
  std::uint32_t sequence_ = 0;
  Waiting waiting_;
  // Of rank 0: what each has given to the collective under way.
  std::vector<std::optional<Frame>> given_;
  std::size_t given_count_ = 0;
  std::uint32_t under_way_ = 1;

  std::jthread server_;
};

}  // namespace feedrate
