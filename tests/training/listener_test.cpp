// SPDX-License-Identifier: Apache-2.0
#include "training/listener.h"

#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

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

  // Connections of the messages that have come, until nothing more does.
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

TEST_F(Listener, tells_the_processes_of_a_script_apart) {
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

TEST_F(Listener, cuts_off_what_sends_no_message_and_says_so) {
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
