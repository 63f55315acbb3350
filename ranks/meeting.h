// Where the ranks of a job meet, and by which secret: see tcp_group.h. One thread an object.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "ranks/launch.h"
#include "ranks/socket.h"

namespace feedrate {

struct Meeting {
  Endpoint endpoint;
  std::string secret;
};

/// As it stands in the file that rank 0 leaves for the others.
[[nodiscard]] std::string format_meeting(const Meeting& meeting);
/// Throws ConfigError, naming `file`, where the text is none.
[[nodiscard]] Meeting parse_meeting(std::string_view text, const std::string& file);

/// The file of a job in a folder.
[[nodiscard]] std::filesystem::path meeting_file(const std::filesystem::path& folder,
                                                 const std::string& job);

/// A file that only this user may read; goes with the object. It replaces one that an earlier start
/// has left. Throws SystemError.
class MeetingFile {
 public:
  MeetingFile(std::filesystem::path path, const Meeting& meeting);
  MeetingFile(const MeetingFile&) = delete;
  MeetingFile& operator=(const MeetingFile&) = delete;
  ~MeetingFile();

 private:
  std::filesystem::path path_;
};

/// Reads one. Throws SystemError where there is none (yet), ConfigError where it is another user's
/// or others may read it.
[[nodiscard]] Meeting read_meeting_file(const std::filesystem::path& path);

/// What the environment alone says; nothing where it takes a file. Throws ConfigError.
[[nodiscard]] std::optional<Meeting> meeting_of(const Launch& launch);

/// Rank 0's: what it listens at, and the secret that it takes or makes. `file` is empty where the
/// environment says all. Throws ConfigError, SystemError.
struct OpenMeeting {
  Listener listener;
  std::string secret;
  std::unique_ptr<MeetingFile> file;
};
[[nodiscard]] OpenMeeting open_meeting(const Launch& launch, const std::filesystem::path& folder);

}  // namespace feedrate
