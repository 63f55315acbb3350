// SPDX-License-Identifier: Apache-2.0
#include "tests/support/s3_server.h"

#include <array>
#include <csignal>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace feedrate::testing {
namespace {

std::pair<UniqueFd, UniqueFd> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2() failed");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::string read_until(int fd, std::string_view end) {
  std::string text;
  std::array<char, 4096> buffer;
  while (end.empty() || text.find(end) == std::string::npos) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

S3Server::S3Server(const std::filesystem::path& root, const std::vector<std::string>& options) {
  auto [child_in, in] = make_pipe();
  auto [out, child_out] = make_pipe();
  std::vector<std::string> words{S3_SERVER_PYTHON, S3_SERVER, root.string()};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, child_in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, child_out.get(), STDOUT_FILENO);
  const int failed =
      ::posix_spawn(&pid_, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("s3_server.py cannot be started");
  child_out = UniqueFd();
  stdin_ = std::move(in);
  url_ = read_until(out.get(), "\n");
  if (!url_.starts_with("http")) throw std::runtime_error("s3_server.py does not start");
  url_.pop_back();
}

S3Server::~S3Server() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void S3Server::set_faults(std::string_view json) const {
  static_cast<void>(ask("PUT", "/-/faults", json));
}

std::string S3Server::get(const std::string& path) const { return ask("GET", path, ""); }

void S3Server::clear_log() const { static_cast<void>(ask("DELETE", "/-/log", "")); }

std::string S3Server::ask(const std::string& method, const std::string& path,
                          std::string_view body) const {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("s3_server.py does not answer");
  }
  const std::string request = fmt::format(
      "{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
      method, path, body.size(), body);
  if (::write(fd.get(), request.data(), request.size()) != std::ssize(request)) {
    throw std::runtime_error("s3_server.py does not listen");
  }
  const std::string answer = read_until(fd.get(), "");
  const std::size_t end = answer.find("\r\n\r\n");
  if (!answer.starts_with("HTTP/1.1 2") || end == std::string::npos) {
    throw std::runtime_error("s3_server.py refuses " + path + ": " + answer);
  }
  return answer.substr(end + 4);
}

S3Environment::S3Environment(const std::string& url, const std::string& access_key,
                             const std::string& secret_key) {
  const auto set = [this](const char* name, const std::string& value) {
    variables_.push_back(std::make_unique<ScopedVariable>(name, value));
  };
  set("AWS_ENDPOINT_URL", url);
  set("AWS_ENDPOINT_URL_S3", "");
  set("AWS_ACCESS_KEY_ID", access_key);
  set("AWS_SECRET_ACCESS_KEY", secret_key);
  for (const char* name : {"AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION",
                           "AWS_CA_BUNDLE", "AWS_MAX_ATTEMPTS"}) {
    set(name, "");
  }
  set("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
  set("AWS_CONFIG_FILE", "/dev/null");
  set("no_proxy", "127.0.0.1");
}

std::vector<std::string> server_keys() {
  return {"--access-key", kServerAccessKey, "--secret-key", kServerSecretKey};
}

}  // namespace feedrate::testing
