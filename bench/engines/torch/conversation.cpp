// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/conversation.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/processes.h"
#include "core/host/sockets.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kMostText = std::size_t{8} << 10;  // Kept of each end of the output.
constexpr int kLookAgain = 200;                          // ms, until the child is polled
constexpr auto kTidyUp = std::chrono::seconds(10);       // DataLoader gives a worker 5 s to end.
constexpr auto kGiveUp = std::chrono::milliseconds(1500);
constexpr auto kTraceback = std::chrono::milliseconds(300);
constexpr std::size_t kMostTracebacks = 3;

// The signal would kill a process that does not catch it, such as a spawned worker.
bool catches(pid_t process, int signal) {
  const auto status = read_text(fmt::format("/proc/{}/status", process)).value_or("");
  const std::string caught(find_field(status, "SigCgt"));
  return ((std::strtoull(caught.c_str(), nullptr, 16) >> (signal - 1)) & 1) != 0;
}

}  // namespace

void Conversation::Text::add(std::string_view more) {
  size_ += more.size();
  const std::size_t room = std::min(kMostText - begin_.size(), more.size());
  begin_ += more.substr(0, room);
  end_ += more.substr(room);
  if (end_.size() > kMostText) end_.erase(0, end_.size() - kMostText);
}

std::string Conversation::Text::shown() const {
  if (size_ == begin_.size() + end_.size()) return begin_ + end_;
  return fmt::format("{}\n[…]\n{}", begin_, end_);
}

Conversation::Conversation(PythonChild child, const std::string& job, const std::stop_token& stop)
    : stop_(stop), on_stop_(stop, [this] { wake_up_.signal(); }), child_(std::move(child)) {
  send_all(job + '\n');
}

Conversation::~Conversation() {
  if (child_.process.has_ended()) return;
  child_.process.send_signal(SIGTERM);
  child_.process.wait(kGiveUp);
}

// The job may be larger than the socket's buffer. next() reports an end or a stop that comes
// before all is sent.
void Conversation::send_all(std::string_view text) {
  while (!text.empty() && !stop_.stop_requested()) {
    const ssize_t sent = ::send(child_.socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EPIPE || errno == ECONNRESET || child_.process.has_ended()) return;
    if (errno != EAGAIN && errno != EINTR) {
      throw SystemError("the Python child", "does not accept its job", errno);
    }
    std::array<pollfd, 2> room{pollfd{child_.socket.get(), POLLOUT, 0},
                               pollfd{wake_up_.descriptor(), POLLIN, 0}};
    static_cast<void>(::poll(room.data(), room.size(), kLookAgain));
  }
}

TorchMessage Conversation::next() {
  for (;;) {
    if (stop_.stop_requested()) throw Cancelled();
    if (std::optional<TorchMessage> message = buffered()) {
      const auto* failure = std::get_if<TorchFailure>(&*message);
      if (!failure) return *std::move(message);
      if (failure->mistake) throw ConfigError(to_string(*failure));
      throw Error(to_string(*failure));
    }
    if (over_) fail_with_end();
    wait_for_news();
  }
}

void Conversation::answer(Nanos sleep_until) {
  const std::string line = fmt::format("{}\n", sleep_until.count());
  // next() notices that a child has ended.
  if (::send(child_.socket.get(), line.data(), line.size(), MSG_NOSIGNAL) > 0 || errno == EPIPE)
    return;
  throw SystemError("the Python child", "cannot be sent a reply", errno);
}

// The line fits into the socket's buffer, since the child reads each before it answers.
void Conversation::send(const std::string& line, std::span<const int> descriptors) {
  const std::string text = line + '\n';
  const Bytes message = std::as_bytes(std::span(text));
  if (send_with_descriptors(child_.socket.get(), message, descriptors) !=
      SendOutcome::kTooManyInFlight) {
    return;  // next() notices that a child has ended.
  }
  throw SystemError("the Python child", "cannot be sent descriptors", ETOOMANYREFS);
}

void Conversation::finish() {
  answer();
  child_.process.wait(kTidyUp);
  child_.process.end();
  read_output();
}

std::string Conversation::where_it_hangs() {
  read_output();
  const std::size_t before = output_.size();
  std::vector<pid_t> processes = children_of("/", process());
  processes.insert(processes.begin(), process());
  std::erase_if(processes, [](pid_t process) { return !catches(process, SIGUSR1); });
  if (processes.size() > kMostTracebacks) processes.resize(kMostTracebacks);
  for (const pid_t process : processes) {
    ::kill(process, SIGUSR1);
    child_.process.wait(kTraceback);  // Sequentially, so that their lines do not mix.
  }
  read_output();
  return output_.size() == before ? std::string() : output_.shown();
}

std::string Conversation::output() { return output_.shown(); }

std::optional<TorchMessage> Conversation::buffered() {
  const std::size_t end = buffer_.find('\n');
  if (end == std::string::npos) {
    if (buffer_.size() <= kLongestLine) return std::nullopt;
    throw Error(fmt::format("the Python child sent a message of more than {} bytes", kLongestLine));
  }
  const std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return parse_torch_message(line);
}

void Conversation::wait_for_news() {
  std::array<pollfd, 3> news{pollfd{child_.socket.get(), POLLIN, 0},
                             pollfd{output_over_ ? -1 : child_.output.get(), POLLIN, 0},
                             pollfd{wake_up_.descriptor(), POLLIN, 0}};
  const int ready = ::poll(news.data(), news.size(), kLookAgain);
  if (ready < 0 && errno != EINTR)
    throw SystemError("the Python child", "cannot be read from", errno);
  // Polled before reading, so that everything that the child sent before its end is read.
  const bool ended = ready == 0 && child_.process.has_ended();
  if (ended || news[1].revents != 0) read_output();
  if (ended || news[0].revents != 0) read_socket();
  over_ = over_ || ended;
}

void Conversation::read_socket() {
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got = ::recv(child_.socket.get(), piece.data(), piece.size(), 0);
    if (got > 0) buffer_.append(piece.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno == ECONNRESET)) over_ = true;
    const bool more = got == static_cast<ssize_t>(piece.size());  // poll() finds the rest if not.
    if (!more || buffer_.size() > kLongestLine) return;
  }
}

void Conversation::read_output() {
  std::array<char, 4096> piece{};
  ssize_t got = 0;
  while ((got = ::read(child_.output.get(), piece.data(), piece.size())) > 0) {
    output_.add({piece.data(), static_cast<std::size_t>(got)});
  }
  output_over_ = got == 0;
}

void Conversation::fail_with_end() {
  // The socket may be closed before the process ends.
  child_.process.wait(kTidyUp);
  const std::string how = describe_end(child_.process.end());
  read_output();
  std::string said = output_.shown();
  while (said.ends_with('\n')) said.pop_back();
  throw Error(fmt::format("the Python child {}{}{}", how, said.empty() ? "" : "\n", said));
}

}  // namespace feedrate
