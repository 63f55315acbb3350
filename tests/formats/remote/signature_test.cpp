// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/signature.h"

#include "tests/support/matchers.h"

namespace feedrate {
namespace {

const S3Credentials kCredentials{.access_key = "AKIAIOSFODNN7EXAMPLE",
                                 .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                 .session_token = ""};

std::string signature_of(const UnsignedRequest& request, const S3Credentials& credentials) {
  // The time is 20130524T000000Z.
  const std::chrono::system_clock::time_point now{std::chrono::seconds(1'369'353'600)};
  const std::string authorization =
      sign_s3_request(request, credentials, "us-east-1", now).at("authorization");
  return authorization.substr(authorization.rfind('=') + 1);
}

// Expected values: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
TEST(Signature, matches_the_documented_get_of_a_range) {
  EXPECT_EQ(signature_of(
                {.method = "GET",
                 .path = "/test.txt",
                 .query = "",
                 .headers = {{"host", "examplebucket.s3.amazonaws.com"}, {"range", "bytes=0-9"}}},
                kCredentials),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(Signature, matches_the_documented_list_of_objects) {
  EXPECT_EQ(signature_of({.method = "GET",
                          .path = "/",
                          .query = "max-keys=2&prefix=J",
                          .headers = {{"host", "examplebucket.s3.amazonaws.com"}}},
                         kCredentials),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(Signature, covers_the_session_token) {
  S3Credentials temporary = kCredentials;
  temporary.session_token = "token";
  const UnsignedRequest request{
      .method = "GET", .path = "/a", .query = "", .headers = {{"host", "h"}}};
  const HttpHeaders headers =
      sign_s3_request(request, temporary, "us-east-1", std::chrono::system_clock::time_point());
  EXPECT_EQ(headers.at("x-amz-security-token"), "token");
  EXPECT_NE(headers.at("authorization").find("x-amz-security-token"), std::string::npos);
  EXPECT_NE(signature_of(request, temporary), signature_of(request, kCredentials));
}

TEST(Signature, does_not_show_the_secret) {
  const HttpHeaders headers =
      sign_s3_request({.method = "GET", .path = "/a", .query = "", .headers = {{"host", "h"}}},
                      kCredentials, "us-east-1", std::chrono::system_clock::time_point());
  for (const auto& [name, value] : headers) {
    EXPECT_THAT(value, Not(HasSubstr(kCredentials.secret_key)));
  }
}

}  // namespace
}  // namespace feedrate
