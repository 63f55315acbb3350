#include "ranks/meeting.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/unique_fd.h"
#include "host/text_file.h"
#include "ranks/secret.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "feedrate ranks 1";
constexpr std::size_t kLargestFile = 4096;
constexpr const char* kCure =
    "; or set FEEDRATE_RANK_SECRET, the same in all ranks, and no file is needed";

bool is_on_one_node(const Launch& launch) { return launch.local_size == launch.size; }

// Below the ports that the kernel gives to who asks for any.
int port_of_job(const std::string& job) {
  std::uint32_t hash = 2'166'136'261U;  // FNV-1a
  for (const char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return static_cast<int>(20'000 + hash % 10'000);
}

std::string checked_secret(const Launch& launch) {
  if (launch.secret->size() >= kLeastSecret) return *launch.secret;
  throw ConfigError(fmt::format(
      "FEEDRATE_RANK_SECRET: has {} characters; at least {} are needed, as openssl rand -hex 16 "
      "makes them",
      launch.secret->size(), kLeastSecret));
}

// Where others may reach this machine, best first.
std::vector<std::string> own_hosts(const Launch& launch) {
  if (const auto chosen = environment_variable("FEEDRATE_RANK_ADDRESS")) return {*chosen};
  if (is_on_one_node(launch)) return {"127.0.0.1"};
  std::vector<std::string> hosts;
  for (const std::string& name :
       {launch.master_addr.value_or(""), launch.first_node, launch.node}) {
    // Debian's own name is the loopback's.
    if (!name.empty() && !is_loopback(name)) hosts.push_back(name);
  }
  for (std::string& address : addresses_of_interfaces()) hosts.push_back(std::move(address));
  return hosts;
}

Listener listen_at_own(const Launch& launch, int port) {
  std::string problem = "this machine has no address but the loopback's";
  for (const std::string& host : own_hosts(launch)) {
    try {
      return Listener({.host = host, .port = port});
    } catch (const Error& error) {
      problem = error.what();
    }
  }
  throw ConfigError(fmt::format(
      "rank 0 cannot listen for the others: {}; FEEDRATE_RANK_ADDRESS names an address of its own, "
      "MASTER_PORT another port",
      problem));
}

int port_in_environment(const Launch& launch) {
  return launch.master_port.value_or(port_of_job(launch.job));
}

void write_all(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw SystemError(path, "cannot write", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void require_private(const struct stat& status, const std::string& path) {
  if (!S_ISREG(status.st_mode)) throw ConfigError(path + ": is not a regular file" + kCure);
  if (status.st_uid != ::geteuid()) {
    throw ConfigError(path + ": belongs to another user; choose another folder" + kCure);
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw ConfigError(path +
                      ": others may read it, so it is no secret; its file system may not "
                      "keep modes: choose another folder" +
                      kCure);
  }
}

std::string_view value_of(std::string_view line, std::string_view key) {
  return line.starts_with(key) ? line.substr(key.size()) : "";
}

}  // namespace

std::string format_meeting(const Meeting& meeting) {
  return fmt::format("{}\naddress {}\nsecret {}\n", kFirstLine, to_string(meeting.endpoint),
                     meeting.secret);
}

Meeting parse_meeting(std::string_view text, const std::string& file) {
  const auto lines = split_lines(text);
  if (lines.size() >= 3 && lines[0] == kFirstLine) {
    const auto endpoint = parse_endpoint(value_of(lines[1], "address "));
    const std::string_view secret = value_of(lines[2], "secret ");
    if (endpoint && secret.size() >= kLeastSecret) return {*endpoint, std::string(secret)};
  }
  throw ConfigError(
      fmt::format("{}: does not say where ranks meet; remove it, if no start is under way", file));
}

fs::path meeting_file(const fs::path& folder, const std::string& job) {
  return folder / fmt::format(".feedrate-ranks-{}", job.empty() ? "unnamed" : job);
}

MeetingFile::MeetingFile(fs::path path, const Meeting& meeting) : path_(std::move(path)) {
  // Written aside and renamed, so that nobody reads half of it.
  const std::string aside = fmt::format("{}.{}", path_.string(), ::getpid());
  ::unlink(aside.c_str());
  const UniqueFd fd(::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                           S_IRUSR | S_IWUSR));
  if (fd.get() < 0) throw SystemError(aside, "cannot create", errno);
  try {
    write_all(fd.get(), format_meeting(meeting), aside);
    static_cast<void>(::fsync(fd.get()));
    if (::rename(aside.c_str(), path_.c_str()) != 0) {
      throw SystemError(path_.string(), "cannot rename a file to it", errno);
    }
  } catch (...) {
    ::unlink(aside.c_str());
    throw;
  }
}

MeetingFile::~MeetingFile() { ::unlink(path_.c_str()); }

Meeting read_meeting_file(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (fd.get() < 0) throw SystemError(path.string(), "cannot open", errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw SystemError(path.string(), "cannot stat", errno);
  require_private(status, path.string());
  std::string text(kLargestFile, '\0');
  const ssize_t size = ::read(fd.get(), text.data(), text.size());
  if (size < 0) throw SystemError(path.string(), "cannot read", errno);
  text.resize(static_cast<std::size_t>(size));
  return parse_meeting(text, path.string());
}

std::optional<Meeting> meeting_of(const Launch& launch) {
  if (!launch.secret) return std::nullopt;
  const std::string secret = checked_secret(launch);
  if (launch.launcher == Launcher::own && launch.socket) {
    return Meeting{.endpoint = {.path = *launch.socket}, .secret = secret};
  }
  std::string host = launch.master_addr.value_or(launch.first_node);
  if (is_on_one_node(launch)) host = "127.0.0.1";
  if (host.empty()) {
    throw ConfigError(
        "MASTER_ADDR: is not set, and nothing else tells where rank 0 is; set it to the address of "
        "rank 0's node, or unset FEEDRATE_RANK_SECRET, so that a file tells");
  }
  return Meeting{.endpoint = {.host = host, .port = port_in_environment(launch)}, .secret = secret};
}

OpenMeeting open_meeting(const Launch& launch, const fs::path& folder) {
  if (const auto meeting = meeting_of(launch)) {
    Listener listener = meeting->endpoint.path.empty()
                            ? listen_at_own(launch, meeting->endpoint.port)
                            : Listener(meeting->endpoint);
    return {std::move(listener), meeting->secret, nullptr};
  }
  Listener listener = listen_at_own(launch, launch.master_port.value_or(0));
  const Meeting meeting{.endpoint = listener.endpoint(), .secret = make_secret()};
  auto file = std::make_unique<MeetingFile>(meeting_file(folder, launch.job), meeting);
  return {std::move(listener), meeting.secret, std::move(file)};
}

}  // namespace feedrate
