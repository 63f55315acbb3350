// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/server_refusal.h"

#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

std::string problem_of(const ObjectRequest& request, const ObjectResponse& response,
                       const S3Settings& settings = {}) {
  try {
    require_wanted(request, response, settings);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

const ObjectRequest kRange{.path = "s3://b/k", .range = ObjectRange{4, 2}, .etag = "\"e\""};

TEST(ServerRefusal, accepts_the_requested_bytes) {
  EXPECT_EQ(problem_of(kRange, {206, {{"content-range", "bytes 4-5/9"}, {"etag", "\"e\""}}, "ab"}),
            "");
  EXPECT_EQ(problem_of(kRange, {404, {}, ""}), "");
  EXPECT_EQ(problem_of({.path = "s3://b/k"}, {200, {}, "anything"}), "");
}

TEST(ServerRefusal, reports_other_bytes) {
  EXPECT_NE(problem_of(kRange, {206, {{"content-range", "bytes 0-1/9"}}, "ab"}), "");
  EXPECT_NE(problem_of(kRange, {206, {}, "ab"}), "");
  EXPECT_NE(problem_of(kRange, {206, {{"content-range", "bytes 4-5/9"}}, "a"}), "");
  EXPECT_NE(problem_of(kRange, {200, {}, "ab"}), "");
  ObjectRequest whole = kRange;
  whole.range = ObjectRange{0, 2};
  EXPECT_EQ(problem_of(whole, {200, {}, "ab"}), "");
}

TEST(ServerRefusal, reports_another_object) {
  EXPECT_THROW(require_wanted(kRange, {412, {}, ""}, {}), FormatError);
  EXPECT_THROW(require_wanted(
                   kRange, {206, {{"content-range", "bytes 4-5/9"}, {"etag", "\"f\""}}, "ab"}, {}),
               FormatError);
}

TEST(ServerRefusal, names_the_source_of_credentials_and_what_to_set) {
  const ObjectResponse denied{403, {}, "<Error><Code>AccessDenied</Code></Error>"};
  const std::string unsigned_text =
      problem_of(kRange, denied, {.credentials_from = "AWS_ACCESS_KEY_ID is not set"});
  EXPECT_THAT(unsigned_text, AllOf(HasSubstr("s3://b/k"), HasSubstr("AccessDenied"),
                                   HasSubstr("AWS_ACCESS_KEY_ID is not set")));
  const std::string signed_text = problem_of(
      kRange, denied, {.credentials = S3Credentials{"A", "hush", ""}, .credentials_from = "here"});
  EXPECT_THAT(signed_text, AllOf(HasSubstr("here"), Not(HasSubstr("hush"))));
}

TEST(ServerRefusal, names_the_source_of_expired_credentials) {
  const ObjectResponse expired{400, {}, "<Error><Code>ExpiredToken</Code></Error>"};
  const S3Settings keys{.credentials = S3Credentials{"A", "hush", "t"}, .credentials_from = "here"};
  EXPECT_THAT(problem_of(kRange, expired, keys), HasSubstr("here"));
  const ObjectResponse other{400, {}, "<Error><Code>InvalidArgument</Code></Error>"};
  EXPECT_THAT(problem_of(kRange, other, keys), Not(HasSubstr("here")));
}

TEST(ServerRefusal, names_the_redirect_host_without_signature) {
  const std::string text =
      problem_of(kRange, {301, {{"location", "https://s3.lab/b/k?X-Amz-Signature=hush"}}, ""});
  EXPECT_THAT(text, AllOf(HasSubstr("https://s3.lab:"), Not(HasSubstr("hush"))));
}

TEST(ServerRefusal, names_the_region_of_the_bucket) {
  EXPECT_THAT(problem_of(kRange, {301, {{"x-amz-bucket-region", "eu-west-1"}}, ""}),
              HasSubstr("AWS_REGION=eu-west-1"));
}

TEST(ServerChecksum, is_compared_if_there_is_one) {
  EXPECT_TRUE(checksum_matches({}, "123456789"));
  EXPECT_TRUE(checksum_matches({{"x-amz-checksum-crc32", "y/Q5Jg=="}}, "123456789"));
  EXPECT_FALSE(checksum_matches({{"x-amz-checksum-crc32", "y/Q5Jg=="}}, "123456788"));
  EXPECT_TRUE(checksum_matches({{"x-amz-checksum-crc32c", "4waSgw=="}}, "123456789"));
  EXPECT_FALSE(checksum_matches({{"x-amz-checksum-crc32c", "4waSgw=="}}, "12345678"));
  EXPECT_TRUE(checksum_matches({{"x-amz-checksum-crc32", "AAAAAA==-3"}}, "123456789"));
}

}  // namespace
}  // namespace feedrate
