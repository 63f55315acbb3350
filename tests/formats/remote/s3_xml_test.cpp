// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/s3_xml.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

constexpr const char* kPage = R"(<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Name>data</Name><Prefix>a/</Prefix><KeyCount>2</KeyCount><IsTruncated>true</IsTruncated>
  <NextContinuationToken>1ueG&amp;=</NextContinuationToken><EncodingType>url</EncodingType>
  <Contents><Key>a/b%20c+%2B.png</Key><LastModified>2026-11-27T06:00:01.000Z</LastModified>
    <ETag>&quot;abc&quot;</ETag><Size>12</Size><Owner/></Contents>
  <CommonPrefixes><Prefix>a/cats/</Prefix></CommonPrefixes>
</ListBucketResult>)";

TEST(ObjectPage, has_objects_folders_and_a_token) {
  const ObjectPage page = parse_object_page(kPage, "s3://data/a");
  ASSERT_EQ(page.objects.size(), 1U);
  EXPECT_EQ(page.objects[0].key, "a/b c +.png");
  EXPECT_EQ(page.objects[0].info.size, 12U);
  EXPECT_EQ(page.objects[0].info.etag, "\"abc\"");
  EXPECT_EQ(page.objects[0].info.mtime_ns, 1'795'759'201'000'000'000);
  EXPECT_EQ(page.prefixes, std::vector<std::string>{"a/cats/"});
  EXPECT_EQ(page.next, "1ueG&=");
}

TEST(ObjectPage, of_a_server_that_encodes_no_keys_has_plain_keys) {
  const ObjectPage page = parse_object_page(
      "<ListBucketResult><Contents><Key>a+50%25.png</Key><Size>1</Size></Contents>"
      "</ListBucketResult>",
      "s3://data");
  ASSERT_EQ(page.objects.size(), 1U);
  EXPECT_EQ(page.objects[0].key, "a+50%25.png");
}

TEST(ObjectPage, keeps_the_spaces_of_a_key) {
  const ObjectPage page = parse_object_page(
      "<ListBucketResult><Contents><Key> a  b<![CDATA[ <c>]]></Key><Size>1</Size></Contents>"
      "<!-- <a><b> --></ListBucketResult>",
      "s3://data");
  ASSERT_EQ(page.objects.size(), 1U);
  EXPECT_EQ(page.objects[0].key, " a  b <c>");
}

// Tags in comments and CDATA sections must not count as elements.
TEST(ObjectPage, that_is_nested_absurdly_is_refused_whatever_hides_it) {
  const auto nested = [](int times, const std::string& element) {
    std::string text = "<ListBucketResult>";
    for (int i = 0; i < times; ++i) text += element;
    for (int i = 0; i < times; ++i) text += "</a>";
    return text + "</ListBucketResult>";
  };
  const auto parse = [](const std::string& xml) {
    static_cast<void>(parse_object_page(xml, "s3://b"));
  };
  for (const char* element : {"<a>", "<a><!-- </a></a> -->", "<a><![CDATA[</a></a>]]>"}) {
    EXPECT_NO_THROW(parse(nested(31, element))) << element;
    EXPECT_THROW(parse(nested(32, element)), FormatError) << element;
    EXPECT_THROW(parse(nested(200'000, element)), FormatError) << element;
  }
  EXPECT_THROW(parse(nested(200'000, "<a b='</a></a>'>")), FormatError);
  EXPECT_EQ(s3_error_text("<Error><Code>a</Code>" + nested(200'000, "<a>") + "</Error>"), "");
}

TEST(ObjectPage, with_a_document_type_is_refused) {
  EXPECT_THROW(
      static_cast<void>(parse_object_page(
          "<!DOCTYPE a [<!ENTITY b \"c\">]><ListBucketResult>&b;</ListBucketResult>", "s3://b")),
      FormatError);
}

TEST(ObjectPage, of_another_kind_is_refused) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<a>";
  for (const std::string& text :
       {std::string(), std::string("<html>no</html>"), std::string("<ListBucketResult>"),
        std::string("{}"), deep, "<ListBucketResult>" + deep,
        std::string("<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>"),
        std::string("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")}) {
    EXPECT_THROW(static_cast<void>(parse_object_page(text, "s3://b")), FormatError)
        << text.substr(0, 80);
  }
}

TEST(S3Error, says_code_and_message) {
  EXPECT_EQ(s3_error_text("<?xml version=\"1.0\"?><Error><Code>SlowDown</Code>"
                          "<Message>Please reduce.</Message></Error>"),
            "SlowDown: Please reduce.");
  EXPECT_EQ(s3_error_text("<Error><Code>AccessDenied</Code></Error>"), "AccessDenied");
  EXPECT_EQ(s3_error_text("<html/>"), "");
  EXPECT_EQ(s3_error_text(""), "");
}

TEST(ServerTime, is_read_in_both_forms) {
  EXPECT_EQ(parse_server_time("2026-11-27T06:00:01.000Z"), 1'795'759'201'000'000'000);
  EXPECT_EQ(parse_server_time("Fri, 27 Nov 2026 06:00:01 GMT"), 1'795'759'201'000'000'000);
  EXPECT_EQ(parse_server_time("yesterday"), 0);
  EXPECT_EQ(parse_server_time("4052-11-27T06:00:01.000Z"),
            0);  // Overflows 64 bits of nanoseconds.
}

}  // namespace
}  // namespace feedrate
