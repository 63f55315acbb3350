// SPDX-License-Identifier: Apache-2.0
#include "training/listener.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace feedrate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Listener : public ::testing::Test {
 protected:
  [[nodiscard]] UniqueFd connect() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path_.c_str());
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    return socket;
  }

  static void say(const UniqueFd& socket, std::string_view text) {
    EXPECT_EQ(::send(socket.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }

  // The connections of all messages that have arrived.
  std::vector<std::size_t> received() {
    std::vector<std::size_t> connections;
    while (listener_.receive(-1, Nanos(0), [&](std::size_t connection, const ScriptMessage&) {
      connections.push_back(connection);
    })) {
    }
    return connections;
  }

  TempFolder folder_;
  std::string path_ = folder_ / "socket";
  ScriptListener listener_{path_};
};

TEST_F(Listener, distinguishes_the_processes_of_a_script) {
  const UniqueFd a = connect();
  const UniqueFd b = connect();
  say(a, "{\"event\":\"end\"}\n{\"event\":\"end\"}\n");
  say(b, "{\"event\":\"end\"}\n");
  EXPECT_THAT(received(), ::testing::UnorderedElementsAre(0, 0, 1));
}

TEST_F(Listener, waits_for_the_rest_of_a_line) {
  const UniqueFd a = connect();
  say(a, "{\"event\":");
  EXPECT_THAT(received(), IsEmpty());
  say(a, "\"end\"}\n");
  EXPECT_THAT(received(), ElementsAre(0));
}

TEST_F(Listener, closes_connections_that_send_no_message) {
  const UniqueFd bad = connect();
  const UniqueFd good = connect();
  say(bad, "GET / HTTP/1.1\n");
  say(good, "{\"event\":\"end\"}\n");
  EXPECT_THAT(received(), ElementsAre(1));
  EXPECT_THAT(listener_.problem(), HasSubstr("invalid message"));
}

TEST_F(Listener, reads_what_was_sent_before_the_end) {
  { say(connect(), "{\"event\":\"end\"}\n"); }
  EXPECT_THAT(received(), ElementsAre(0));
}

// Limits the descriptors to the open ones while this object lives.
class NoFurtherDescriptor {
 public:
  NoFurtherDescriptor() {
    ::getrlimit(RLIMIT_NOFILE, &usual_);
    const UniqueFd first(::dup(STDERR_FILENO));
    const rlimit none{static_cast<rlim_t>(first.get()), usual_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  NoFurtherDescriptor(const NoFurtherDescriptor&) = delete;
  NoFurtherDescriptor& operator=(const NoFurtherDescriptor&) = delete;
  ~NoFurtherDescriptor() { ::setrlimit(RLIMIT_NOFILE, &usual_); }

 private:
  rlimit usual_{};
};

TEST_F(Listener, waits_for_a_descriptor_of_a_connection) {
  const auto nothing = [](std::size_t, const ScriptMessage&) {};
  const UniqueFd a = connect();
  {
    const NoFurtherDescriptor limit;
    EXPECT_FALSE(listener_.receive(-1, Nanos(0), nothing));
    EXPECT_FALSE(listener_.receive(-1, Nanos(0), nothing)) << "the queue would wake it at once";
    EXPECT_THAT(listener_.problem(), HasSubstr("Too many open files"));
  }
  say(a, "{\"event\":\"end\"}\n");
  while (!listener_.receive(-1, std::chrono::milliseconds(100), nothing)) {
  }
  EXPECT_THAT(received(), ElementsAre(0));
}

TEST_F(Listener, closes_the_connection_of_an_endless_message) {
  const UniqueFd endless = connect();
  static_cast<void>(received());
  const std::string part(100'000, ' ');
  ssize_t sent = 0;
  for (std::size_t all = 0; all < (std::size_t{16} << 20) && sent >= 0; all += part.size()) {
    sent = ::send(endless.get(), part.data(), part.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    static_cast<void>(received());
  }
  EXPECT_LT(sent, 0);
  EXPECT_EQ(errno, EPIPE);
}

TEST_F(Listener, sends_lines_back) {
  const UniqueFd a = connect();
  static_cast<void>(received());
  listener_.send(0, "hello\n");
  char line[6];
  EXPECT_EQ(::recv(a.get(), line, sizeof line, MSG_WAITALL), 6);
  listener_.send(99, "no process has this number\n");
}

}  // namespace
}  // namespace feedrate::testing
