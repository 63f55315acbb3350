// SPDX-License-Identifier: Apache-2.0
#include "core/host/cgroup.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/mounts.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

struct Group {
  bool is_v2;
  fs::path folder;  // Below the given root.
};

bool has_word(std::string_view list, std::string_view word) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

// The group of this process: "0::/user.slice" in version 2, "4:cpu,cpuacct:/user.slice" in 1.
std::optional<std::string> own_group(const std::string& text, std::string_view controller) {
  for (const std::string_view line : split_lines(text)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool is_wanted =
        controller.empty() ? controllers.empty() : has_word(controllers, controller);
    if (is_wanted) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

// A container may not see its group's name below the mount point; then the mount point is the
// container's own group.
fs::path below_mount(const Mount& mount, const std::string& group) {
  const fs::path relative = fs::path(group).lexically_relative(mount.root);
  const bool is_outside = relative.empty() || *relative.begin() == "..";
  return is_outside ? fs::path() : relative;
}

// Returns the group of this process, then its parent groups.
std::vector<Group> groups_around(const fs::path& root, const Mount& mount,
                                 const std::string& group) {
  const bool is_v2 = mount.type == "cgroup2";
  const fs::path top = root / fs::path(mount.point).relative_path();
  std::vector<Group> groups;
  for (fs::path at = below_mount(mount, group); !at.empty() && at != "."; at = at.parent_path()) {
    groups.push_back({is_v2, top / at});
  }
  groups.push_back({is_v2, top});
  return groups;
}

std::vector<Group> find_groups(const fs::path& root, std::string_view controller) {
  const std::string text = read_text(root / "proc/self/cgroup").value_or("");
  std::vector<Group> groups;
  for (const Mount& mount : read_mounts(root)) {
    const bool is_v2 = mount.type == "cgroup2";
    if (!is_v2 && (mount.type != "cgroup" || !has_word(mount.options, controller))) continue;
    const auto group = own_group(text, is_v2 ? std::string_view() : controller);
    if (!group) continue;
    const std::vector<Group> around = groups_around(root, mount, *group);
    groups.insert(groups.end(), around.begin(), around.end());
  }
  return groups;
}

std::optional<double> quota_of(const Group& group) {
  std::string quota;
  std::string period;
  if (group.is_v2) {
    const std::string text = read_trimmed(group.folder / "cpu.max");
    const std::vector<std::string_view> words = split_words(text);
    if (words.size() != 2) return std::nullopt;
    quota = words[0];
    period = words[1];
  } else {
    quota = read_trimmed(group.folder / "cpu.cfs_quota_us");
    period = read_trimmed(group.folder / "cpu.cfs_period_us");
  }
  // "max" (version 2) and "-1" (version 1) mean that there is no quota.
  const auto allowed = parse_unsigned(quota);
  const auto each = parse_unsigned(period);
  if (!allowed || !each || *allowed == 0 || *each == 0) return std::nullopt;
  return static_cast<double>(*allowed) / static_cast<double>(*each);
}

// "max" (version 2) and numbers close to 2^63 (version 1) mean that there is no limit.
std::optional<std::uint64_t> limit_in(const fs::path& file) {
  constexpr std::uint64_t kUnlimitedInV1 = std::uint64_t{1} << 62;
  const auto limit = parse_unsigned(read_trimmed(file));
  if (!limit || *limit >= kUnlimitedInV1) return std::nullopt;
  return limit;
}

std::optional<std::uint64_t> memory_limit_of(const Group& group) {
  return limit_in(group.folder / (group.is_v2 ? "memory.max" : "memory.limit_in_bytes"));
}

// The page cache of files counts as free: the kernel drops it before it kills a process.
std::uint64_t page_cache_of(const Group& group) {
  const std::string text = read_text(group.folder / "memory.stat").value_or("");
  std::uint64_t sum = 0;
  for (const std::string_view line : split_lines(text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() != 2) continue;
    const std::string_view name = words[0].substr(words[0].starts_with("total_") ? 6 : 0);
    const bool is_whole_tree = group.is_v2 || name.size() < words[0].size();
    if (is_whole_tree && (name == "inactive_file" || name == "active_file")) {
      sum += parse_unsigned(words[1]).value_or(0);
    }
  }
  return sum;
}

template <typename Limit>
std::optional<Limit> smaller(std::optional<Limit> a, std::optional<Limit> b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

// The smallest of what the groups around this process allow.
template <typename Limit>
std::optional<Limit> smallest(const fs::path& root, std::string_view controller,
                              std::optional<Limit> (*limit_of)(const Group&)) {
  std::optional<Limit> least;
  for (const Group& group : find_groups(root, controller)) least = smaller(least, limit_of(group));
  return least;
}

struct Level {
  const char* limit;
  const char* used;
};

std::optional<std::uint64_t> memory_free_of(const Group& group) {
  const std::vector<Level> levels =
      group.is_v2
          ? std::vector<Level>{{"memory.max", "memory.current"}, {"memory.high", "memory.current"}}
          : std::vector<Level>{{"memory.limit_in_bytes", "memory.usage_in_bytes"},
                               {"memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes"}};
  std::optional<std::uint64_t> least;
  for (const Level& level : levels) {
    const auto limit = limit_in(group.folder / level.limit);
    if (!limit) continue;
    const auto used = parse_unsigned(read_trimmed(group.folder / level.used)).value_or(0);
    const std::uint64_t taken = used - std::min(used, page_cache_of(group));
    least = smaller(least, std::optional(*limit - std::min(*limit, taken)));
  }
  return least;
}

}  // namespace

std::optional<std::uint64_t> cgroup_memory_free(const fs::path& root) {
  return smallest(root, "memory", memory_free_of);
}

std::optional<std::uint64_t> cgroup_oom_kills(const fs::path& root) {
  for (const Group& group : find_groups(root, "memory")) {
    const char* const file = group.is_v2 ? "memory.events" : "memory.oom_control";
    const std::string text = read_text(group.folder / file).value_or("");
    for (const std::string_view line : split_lines(text)) {
      const std::vector<std::string_view> words = split_words(line);
      if (words.size() == 2 && words[0] == "oom_kill") return parse_unsigned(words[1]);
    }
  }
  return std::nullopt;
}

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  return smallest(root, "cpu", quota_of);
}

std::optional<std::uint64_t> cgroup_memory_limit(const fs::path& root) {
  return smallest(root, "memory", memory_limit_of);
}

}  // namespace feedrate
