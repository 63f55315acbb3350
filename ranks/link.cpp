#include "ranks/link.h"

#include <utility>

#include <sys/socket.h>

#include "ranks/group.h"
#include "ranks/socket.h"

namespace feedrate {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;

}  // namespace

Link::Link(int rank, UniqueFd fd)
    : rank_(rank), fd_(std::move(fd)), reader_(RankGroup::kMostBytes) {}

bool Link::send(SharedBytes bytes) {
  if (!is_open() || finished_) return true;
  unsent_.push_back(std::move(bytes));
  return flush();
}

bool Link::flush() {
  while (!unsent_.empty()) {
    const std::string_view rest = std::string_view(*unsent_.front()).substr(sent_of_first_);
    const auto sent = send_some(fd(), rest);
    if (!sent) return false;
    sent_of_first_ += *sent;
    if (*sent < rest.size()) return true;
    unsent_.pop_front();
    sent_of_first_ = 0;
  }
  return true;
}

bool Link::receive(const std::function<void(Frame)>& take) {
  std::string bytes;
  const bool is_alive = receive_some(fd(), bytes, kReadAtOnce);
  heard_ = heard_ || !bytes.empty();
  reader_.append(bytes);
  while (auto frame = reader_.next()) take(std::move(*frame));
  return is_alive;
}

void Link::finish() noexcept {
  if (is_open() && !std::exchange(finished_, true)) static_cast<void>(::shutdown(fd(), SHUT_WR));
}

void Link::close() noexcept {
  fd_ = UniqueFd();
  unsent_.clear();
}

// Rank 0 says its first word when all ranks have come, which may take minutes.
int Link::count_silence() noexcept {
  ever_heard_ = ever_heard_ || heard_;
  silent_ = heard_ || !ever_heard_ ? 0 : silent_ + 1;
  heard_ = false;
  return silent_;
}

}  // namespace feedrate
