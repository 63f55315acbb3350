#include "tests/decode/png_maker.h"

#include <stdexcept>

#include <zlib.h>

namespace feedrate::png {
namespace {

void append(Data& data, const Data& more) { data.insert(data.end(), more.begin(), more.end()); }

void append_number(Data& data, std::uint64_t number) {
  for (const int shift : {24, 16, 8, 0}) data.push_back(static_cast<std::byte>(number >> shift));
}

}  // namespace

Data bytes_of(std::string_view text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

Data chunk(std::string_view name, const Data& data) {
  Data checked = bytes_of(name);
  append(checked, data);
  Data result;
  append_number(result, data.size());
  append(result, checked);
  append_number(result, crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                              static_cast<uInt>(checked.size())));
  return result;
}

Data header(const Header& header) {
  Data data;
  append_number(data, header.width);
  append_number(data, header.height);
  for (const std::uint8_t value :
       {header.depth, header.color_type, header.compression, header.filter, header.interlace}) {
    data.push_back(std::byte{value});
  }
  return chunk("IHDR", data);
}

Data deflated(const Data& data, int window_bits, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  Data result(deflateBound(&stream, data.size()));
  stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<std::byte*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate");
  return result;
}

Data file(const std::vector<Data>& chunks) {
  Data result = bytes_of("\x89PNG\r\n\x1A\n");
  for (const Data& each : chunks) append(result, each);
  return result;
}

Data plain_file(const Header& wanted, const Data& stream) {
  return file({header(wanted), chunk("IDAT", stream), chunk("IEND", {})});
}

}  // namespace feedrate::png
