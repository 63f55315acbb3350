// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/credentials.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <boost/property_tree/ini_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/error.h"
#include "core/parse_number.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

using Tree = boost::property_tree::ptree;

// AWS nests the settings of a service below a key, indented: "endpoint_url = …" below "s3 ="
// becomes "s3.endpoint_url = …". Line numbers do not change.
std::string flattened(std::istream& in) {
  std::string text, parent;
  std::optional<std::size_t> key_indent;
  for (std::string line; std::getline(in, line); text += line + '\n') {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#' || line[begin] == ';') continue;
    if (line[begin] == '[') {
      key_indent.reset();
    } else if (key_indent && begin > *key_indent) {
      const bool is_setting = line.find('=') != std::string::npos;  // Else a continued value.
      line = is_setting ? fmt::format("{}.{}", parent, line.substr(begin)) : "";
    } else {
      key_indent = begin;
      parent = line.substr(begin, line.find_first_of(" \t=", begin) - begin);
    }
  }
  return text;
}

// Reading a FIFO may block, and a device may have no end.
bool is_file_to_read(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  if (S_ISREG(status.st_mode)) return true;
  const dev_t nothing = makedev(1, 3);  // /dev/null
  if (S_ISCHR(status.st_mode) && status.st_rdev == nothing) return false;
  throw ConfigError(fmt::format("{}: is no regular file; must be one, or /dev/null", path));
}

// Checks a value for a header or host name. Does not print it: it may be a secret.
void require_one_line(std::string_view name, std::string_view value) {
  const bool is_printable = std::all_of(value.begin(), value.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != 0x7F;
  });
  if (is_printable) return;
  throw ConfigError(
      fmt::format("{}: must have no spaces, line breaks or control characters", name));
}

void require_name_of_region(const std::string& region) {
  const bool is_name = std::all_of(region.begin(), region.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  if (is_name) return;
  throw ConfigError(
      "AWS_REGION or region: must have only letters, digits and hyphens, such as us-east-1");
}

/// A profile file of AWS; has no values if there is no such file.
class ProfileFile {
 public:
  explicit ProfileFile(std::string path) : path_(std::move(path)) {
    if (!is_file_to_read(path_)) return;
    std::ifstream file(path_);
    if (!file) throw ConfigError(fmt::format("{}: cannot be read; check its permissions", path_));
    std::istringstream text(flattened(file));
    try {
      boost::property_tree::read_ini(text, tree_);
    } catch (const boost::property_tree::ini_parser_error& problem) {
      throw ConfigError(fmt::format("{}:{}: {}; must be lines of KEY = VALUE below [PROFILE]",
                                    path_, problem.line(), problem.message()));
    }
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::string value(const std::string& section, const std::string& key) const {
    const auto found = tree_.find(section);
    if (found == tree_.not_found()) return {};
    return found->second.get<std::string>(Tree::path_type(key, '\0'), "");
  }

 private:
  std::string path_;
  Tree tree_;
};

std::string first_of(std::initializer_list<std::string> values) {
  for (const std::string& value : values) {
    if (!value.empty()) return value;
  }
  return {};
}

// 0x10 lacks the bits of private memory: see core(5).
void keep_memory_out_of_core_dumps() { std::ofstream("/proc/self/coredump_filter") << "0x10"; }

struct ProfileSection {
  const ProfileFile& file;
  std::string section;
};

void take_credentials(const ReadVariable& variable, std::initializer_list<ProfileSection> sections,
                      S3Settings& settings) {
  S3Credentials found{variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
                      variable("AWS_SESSION_TOKEN")};
  settings.credentials_from = "AWS_ACCESS_KEY_ID";
  for (const auto& [file, section] : sections) {
    if (!found.access_key.empty()) break;
    found = {file.value(section, "aws_access_key_id"), file.value(section, "aws_secret_access_key"),
             file.value(section, "aws_session_token")};
    settings.credentials_from = fmt::format("{}: [{}]", file.path(), section);
  }
  if (found.access_key.empty()) {
    settings.credentials_from = "AWS_ACCESS_KEY_ID is not set";
    for (const auto& [file, section] : sections) {
      settings.credentials_from +=
          fmt::format(", {} has no aws_access_key_id in [{}]", file.path(), section);
    }
    return;
  }
  if (found.secret_key.empty()) {
    throw ConfigError(
        fmt::format("{}: an access key without its secret; set "
                    "AWS_SECRET_ACCESS_KEY or aws_secret_access_key, too",
                    settings.credentials_from));
  }
  for (const std::string& value : {found.access_key, found.secret_key, found.session_token}) {
    require_one_line(settings.credentials_from, value);
  }
  settings.credentials = std::move(found);
  keep_memory_out_of_core_dumps();
}

// Messages do not print the value: it may have a password.
void require_endpoint(const std::string& endpoint) {
  if (endpoint.empty()) return;
  require_one_line("AWS_ENDPOINT_URL or endpoint_url", endpoint);
  if (!endpoint.starts_with("http://") && !endpoint.starts_with("https://")) {
    throw ConfigError(
        "AWS_ENDPOINT_URL or endpoint_url: must begin with http:// or https://, as "
        "http://127.0.0.1:9000");
  }
  static_cast<void>(parse_remote_path(endpoint));
}

}  // namespace

std::string environment_value(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string without_secrets(std::string text, const S3Credentials& credentials) {
  constexpr std::size_t kShortest = 4;  // A shorter one occurs in ordinary words.
  for (const std::string& secret : {credentials.secret_key, credentials.session_token}) {
    for (const std::string& written : {secret, percent_encode(secret, false)}) {
      if (written.size() < kShortest) continue;
      for (std::size_t at = 0; (at = text.find(written, at)) != std::string::npos;) {
        text.replace(at, written.size(), "***");
      }
    }
  }
  return text;
}

S3Settings read_s3_settings(const ReadVariable& variable) {
  const std::string folder = variable("HOME") + "/.aws/";
  const ProfileFile credentials(
      first_of({variable("AWS_SHARED_CREDENTIALS_FILE"), folder + "credentials"}));
  const ProfileFile config(first_of({variable("AWS_CONFIG_FILE"), folder + "config"}));
  const std::string profile = first_of({variable("AWS_PROFILE"), "default"});
  const std::string config_section = profile == "default" ? profile : "profile " + profile;
  S3Settings settings;
  take_credentials(variable, {{credentials, profile}, {config, config_section}}, settings);
  settings.region = first_of({variable("AWS_REGION"), variable("AWS_DEFAULT_REGION"),
                              config.value(config_section, "region"), settings.region});
  require_name_of_region(settings.region);
  const std::string services = "services " + config.value(config_section, "services");
  settings.endpoint = first_of({variable("AWS_ENDPOINT_URL_S3"), variable("AWS_ENDPOINT_URL"),
                                config.value(services, "s3.endpoint_url"),
                                config.value(config_section, "endpoint_url")});
  while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
  require_endpoint(settings.endpoint);
  settings.ca_bundle =
      first_of({variable("AWS_CA_BUNDLE"), config.value(config_section, "ca_bundle")});
  if (!settings.ca_bundle.empty()) static_cast<void>(is_file_to_read(settings.ca_bundle));
  const std::string attempts =
      first_of({variable("AWS_MAX_ATTEMPTS"), config.value(config_section, "max_attempts")});
  if (!attempts.empty()) {
    const auto number = parse_number<int>(attempts);
    if (!number || *number < 1) {
      throw ConfigError(
          fmt::format("AWS_MAX_ATTEMPTS: '{}': must be a number of at least 1", attempts));
    }
    settings.max_attempts = *number;
  }
  return settings;
}

}  // namespace feedrate
