// SPDX-License-Identifier: Apache-2.0
#include "core/host/storage.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>
#include <sys/statfs.h>

#include "core/error.h"
#include "core/host/mounts.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 14> kNetworkFileSystems{
    "nfs",  "nfs4",  "lustre", "gpfs", "beegfs", "ceph",  "cifs",
    "smb3", "smbfs", "9p",     "afs",  "fuse",   "pvfs2", "wekafs"};

fs::path nearest_existing(const fs::path& path) {
  std::error_code error;
  fs::path at = fs::weakly_canonical(fs::absolute(path), error);
  if (error) throw SystemError(path.string(), "cannot be found", error.value());
  while (!fs::exists(at, error) && at.has_relative_path()) at = at.parent_path();
  return at;
}

}  // namespace

bool is_network_file_system(std::string_view type) {
  // "fuse.sshfs" is a network file system; "fuseblk" is a local disk.
  if (type.starts_with("fuse.")) return true;
  return std::find(kNetworkFileSystems.begin(), kNetworkFileSystems.end(), type) !=
         kNetworkFileSystems.end();
}

StorageInfo read_storage_info(const fs::path& path, const fs::path& root) {
  if (is_remote(path.native())) {
    const RemotePath remote = parse_remote_path(path.native());
    return {
        .file_system = remote.scheme, .device = remote.host, .mount_point = {}, .is_network = true};
  }
  const fs::path existing = nearest_existing(path);
  struct statfs status {};
  if (::statfs(existing.c_str(), &status) != 0) {
    throw SystemError(existing.string(), "cannot determine its file system", errno);
  }
  StorageInfo info;
  info.free_bytes =
      static_cast<std::uint64_t>(status.f_bavail) * static_cast<std::uint64_t>(status.f_bsize);
  const std::vector<Mount> mounts = read_mounts(root);
  if (const Mount* const mount = find_mount(mounts, existing)) {
    info.file_system = mount->type;
    info.device = mount->source;
    info.mount_point = mount->point;
  } else {
    info.file_system = fmt::format("{:#x}", static_cast<std::uint64_t>(status.f_type));
  }
  info.is_network = is_network_file_system(info.file_system);
  return info;
}

}  // namespace feedrate
