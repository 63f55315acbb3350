// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/credentials.h"

#include <map>

#include <sys/stat.h>

#include "core/error.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {
namespace {

class Credentials : public ::testing::Test {
 protected:
  Credentials() { variables_["HOME"] = folder_.path().string(); }

  [[nodiscard]] S3Settings read() const {
    return read_s3_settings([this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string() : found->second;
    });
  }

  // The message of the ConfigError of read(); empty if none.
  [[nodiscard]] std::string problem() const {
    try {
      static_cast<void>(read());
      return {};
    } catch (const ConfigError& error) {
      return error.what();
    }
  }

  TempFolder folder_;
  std::map<std::string, std::string> variables_;
};

TEST_F(Credentials, are_empty_without_variables_and_files) {
  const S3Settings settings = read();
  EXPECT_FALSE(settings.credentials);
  EXPECT_THAT(settings.credentials_from, HasSubstr("AWS_ACCESS_KEY_ID"));
  EXPECT_THAT(settings.credentials_from, HasSubstr(".aws/credentials"));
  EXPECT_EQ(settings.region, "us-east-1");
  EXPECT_EQ(settings.endpoint, "");
}

TEST_F(Credentials, are_removed_from_any_text) {
  const S3Credentials credentials{"AKIA", "se+cret", "to/ken"};
  EXPECT_EQ(without_secrets("a se+cret, se%2Bcret; to/kento%2Fken AKIA", credentials),
            "a ***, ***; ****** AKIA");
  EXPECT_EQ(without_secrets("nothing", {"AKIA", "not", ""}), "nothing");
}

TEST_F(Credentials, in_irregular_files_are_refused) {
  const std::string fifo = (folder_ / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto refusal = [&](const char* variable, const std::string& path) {
    variables_[variable] = path;
    const std::string problem = this->problem();
    variables_.erase(variable);
    return problem;
  };
  for (const char* variable : {"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_CA_BUNDLE"}) {
    EXPECT_EQ(refusal(variable, fifo), fifo + ": is no regular file; must be one, or /dev/null");
    EXPECT_NE(refusal(variable, "/dev/zero"), "");
    EXPECT_NE(refusal(variable, folder_.path().string()), "");
    EXPECT_EQ(refusal(variable, "/dev/null"), "");
    EXPECT_EQ(refusal(variable, "/none"), "");
  }
}

TEST_F(Credentials, that_would_add_a_header_are_refused) {
  variables_["AWS_ACCESS_KEY_ID"] = "E";
  variables_["AWS_SECRET_ACCESS_KEY"] = "e";
  for (const char* variable : {"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",
                               "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}) {
    const std::string before = variables_[variable];
    variables_[variable] = "http://a\r\nX-Evil: yes";
    EXPECT_THAT(problem(), AllOf(Not(IsEmpty()), Not(HasSubstr("Evil")))) << variable;
    variables_[variable] = before;
  }
  for (const char* region : {"eu/../x", "a.b", "us-east-1\n"}) {
    variables_["AWS_REGION"] = region;
    EXPECT_THROW(static_cast<void>(read()), ConfigError) << region;
  }
}

TEST_F(Credentials, of_the_environment_come_first) {
  write_file(folder_ / ".aws/credentials",
             "[default]\naws_access_key_id = F\naws_secret_access_key = f\n");
  variables_["AWS_ACCESS_KEY_ID"] = "E";
  variables_["AWS_SECRET_ACCESS_KEY"] = "e";
  variables_["AWS_SESSION_TOKEN"] = "t";
  const S3Settings settings = read();
  ASSERT_TRUE(settings.credentials);
  EXPECT_EQ(settings.credentials->access_key, "E");
  EXPECT_EQ(settings.credentials->secret_key, "e");
  EXPECT_EQ(settings.credentials->session_token, "t");
}

TEST_F(Credentials, come_from_the_profile_of_the_files) {
  write_file(folder_ / ".aws/credentials",
             "# mine\n[default]\naws_access_key_id = D\naws_secret_access_key = d\n"
             "[lab]\naws_access_key_id=L\naws_secret_access_key=l=+/\n");
  write_file(folder_ / ".aws/config",
             "[default]\nregion = eu-west-1\ns3 =\n    addressing_style = path\n"
             "[profile lab]\nregion = eu-north-1\nendpoint_url = https://s3.lab:9000/\n"
             "max_attempts = 7\n");
  EXPECT_EQ(read().credentials->access_key, "D");
  EXPECT_EQ(read().region, "eu-west-1");
  variables_["AWS_PROFILE"] = "lab";
  const S3Settings settings = read();
  EXPECT_EQ(settings.credentials->access_key, "L");
  EXPECT_EQ(settings.credentials->secret_key, "l=+/");
  EXPECT_THAT(settings.credentials_from, HasSubstr("[lab]"));
  EXPECT_EQ(settings.region, "eu-north-1");
  EXPECT_EQ(settings.endpoint, "https://s3.lab:9000");
  EXPECT_EQ(settings.max_attempts, 7);
}

TEST_F(Credentials, are_found_among_settings_of_services) {
  write_file(folder_ / ".aws/config",
             "[default]\nservices = lab\n  aws_access_key_id = not this\n"
             "s3 =\n  endpoint_url = http://plugin\ns3api =\n  endpoint_url = http://plugin\n"
             "region = eu-west-1\n"
             "[services lab]\ndynamodb =\n  endpoint_url = http://tables\n"
             "s3 =\n  endpoint_url = http://objects\n");
  const S3Settings settings = read();
  EXPECT_FALSE(settings.credentials);
  EXPECT_EQ(settings.endpoint, "http://objects");
  EXPECT_EQ(settings.region, "eu-west-1");
}

TEST_F(Credentials, may_be_indented) {
  write_file(folder_ / ".aws/credentials",
             "[default]\n  aws_access_key_id = D\n  aws_secret_access_key = d\n");
  EXPECT_EQ(read().credentials->access_key, "D");
  EXPECT_EQ(read().credentials->secret_key, "d");
}

TEST_F(Credentials, may_be_in_the_config_file) {
  write_file(folder_ / "here/config",
             "[profile lab]\naws_access_key_id = C\naws_secret_access_key = c\n");
  variables_["AWS_CONFIG_FILE"] = (folder_ / "here/config").string();
  variables_["AWS_PROFILE"] = "lab";
  EXPECT_EQ(read().credentials->access_key, "C");
}

TEST_F(Credentials, need_a_secret) {
  variables_["AWS_ACCESS_KEY_ID"] = "E";
  EXPECT_THROW(static_cast<void>(read()), ConfigError);
}

TEST_F(Credentials, in_a_damaged_file_are_an_error_that_names_it_and_no_secret) {
  write_file(folder_ / ".aws/credentials", "[default]\naws_secret_access_key hush\n");
  EXPECT_THAT(problem(), AllOf(HasSubstr(".aws/credentials:2"), Not(HasSubstr("hush"))));
}

TEST_F(Credentials, endpoint_of_s3_comes_before_that_of_all_services) {
  variables_["AWS_ENDPOINT_URL"] = "http://all";
  EXPECT_EQ(read().endpoint, "http://all");
  variables_["AWS_ENDPOINT_URL_S3"] = "http://s3";
  EXPECT_EQ(read().endpoint, "http://s3");
}

TEST_F(Credentials, endpoint_must_be_a_url_without_a_password) {
  for (const char* wrong :
       {"minio.lab:9000", "x", "s3://bucket", "https://", "http://me:hush@lab"}) {
    variables_["AWS_ENDPOINT_URL"] = wrong;
    EXPECT_THAT(problem(), AllOf(Not(IsEmpty()), Not(HasSubstr("hush")))) << wrong;
  }
}

TEST_F(Credentials, attempts_must_be_a_number) {
  variables_["AWS_MAX_ATTEMPTS"] = "3";
  EXPECT_EQ(read().max_attempts, 3);
  for (const char* wrong : {"0", "many", "-1"}) {
    variables_["AWS_MAX_ATTEMPTS"] = wrong;
    EXPECT_THROW(static_cast<void>(read()), ConfigError) << wrong;
  }
}

}  // namespace
}  // namespace feedrate::testing
