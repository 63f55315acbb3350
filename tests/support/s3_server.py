#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small S3 server for tests: it serves a folder, checks signatures, and injects faults.

    server = subprocess.Popen([sys.executable, "s3_server.py", FOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()  # "http://127.0.0.1:41234"

It ends when its standard input ends, and so with the test that started it; from a shell: sleep infinity | s3_server.py FOLDER.
Each folder in FOLDER is a bucket and each file in a bucket an object, at /BUCKET/KEY. It answers GET and HEAD of objects, with
ranges, If-Match, and CRC-32, and ListObjectsV2. With --access-key it accepts only requests signed by AWS Signature Version 4.
With --tls it uses HTTPS and writes the certificate to trust, which the command openssl creates.

    curl -X PUT $url/-/faults -d '[{"match": "bucket/key", "kind": "status", "status": 503, "times": 2}]'

sets the fault rules; [] removes them. "match" is a regular expression, searched for in the path and query as sent.
The first rule that matches and has "times" left (default: no limit) is used. It first waits "ms" milliseconds, and until
"together" requests have been in flight concurrently, for a minute at most. Its "kind" is one of:

    delay     no fault; the answer only waits
    status    an error: "status" (503), "code" of S3, "retry_after" in seconds
    reset     the connection is reset before an answer
    hang      there is no answer
    truncate  half of the body is sent, then the connection ends
    stall     half of the body is sent, then nothing
    corrupt   one byte of the body is wrong
    pad       "bytes" spaces follow the body
    again     each page of a list names the same next token
    endless   a list never ends: pages without names, each with another token
    echo      an error that contains the headers of the request

GET /-/log lists the requests: method, path, range ("" for none), and status (0 for no answer). GET /-/stats has the
number of connections and most_in_flight, the largest number of concurrent requests. DELETE /-/log clears both. Requests of
/-/ are neither signed, delayed, nor logged; their connections count.
"""
import argparse
import base64
import calendar
import email.utils
import functools
import hashlib
import hmac
import http.server
import json
import math
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from urllib.parse import parse_qsl, quote, quote_plus, unquote
from xml.sax.saxutils import escape

KINDS = ("delay", "status", "reset", "hang", "truncate", "stall", "corrupt", "pad", "again", "endless", "echo")
AUTHORIZATION = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/]+)/((\d{8})/([^/]+)/s3/aws4_request),\s*"
                           r"SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})")
XML = {"Content-Type": "application/xml"}


class Rule:
    def __init__(self, match, kind, times=math.inf, ms=0, together=0, status=503, code="SlowDown", retry_after=None, bytes=0):
        if kind not in KINDS:
            raise ValueError(f"kind: {kind}; must be one of {', '.join(KINDS)}")
        self.match, self.kind, self.times, self.ms, self.status, self.code = re.compile(match), kind, times, ms, status, code
        self.bytes = bytes
        self.together, self.headers = together, {} if retry_after is None else {"Retry-After": retry_after}


NO_FAULT = Rule("", "delay")


class Refusal(Exception):
    """Status, headers, and body of an error of S3."""


def require(condition, status, code, message, headers=()):
    if not condition:
        raise Refusal(status, {**XML, **dict(headers)}, xml(elements(Error=elements(Code=code, Message=escape(message)))))


def elements(**parts):
    return "".join(f"<{name}>{content}</{name}>" for name, content in parts.items() if content is not None)


def xml(content):
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{content}'.encode()


def check_signature(options, method, target, headers):
    require("Authorization" in headers, 403, "AccessDenied", "Access Denied")
    sent, token, payload = (headers.get(f"x-amz-{name}", "") for name in ("date", "security-token", "content-sha256"))
    parts = AUTHORIZATION.fullmatch(headers["Authorization"])
    require(parts and re.fullmatch(parts[3] + r"T\d{6}Z", sent), 400, "AuthorizationHeaderMalformed", "It is malformed.")
    access_key, scope, _, region, signed, signature = parts.groups()
    require(access_key == options.access_key and (token or not options.session_token), 403, "InvalidAccessKeyId",
            "The AWS Access Key Id you provided does not exist in our records.")
    require(token == options.session_token, 400, "ExpiredToken", "The provided token has expired.")
    require(region == options.region, 400, "AuthorizationHeaderMalformed",
            f"The authorization header is malformed; the region '{region}' is wrong; expecting '{options.region}'",
            {"x-amz-bucket-region": options.region})
    age = time.time() - calendar.timegm(time.strptime(sent, "%Y%m%dT%H%M%SZ"))
    require(abs(age) < 15 * 60, 403, "RequestTimeTooSkewed", "The request time is too far from the current time.")
    names = signed.split(";")
    require({"host", *(name.lower() for name in headers if name.lower().startswith("x-amz-"))}.issubset(names), 403,
            "AccessDenied", "There were headers present in the request which were not signed")
    require(payload in (hashlib.sha256().hexdigest(), "UNSIGNED-PAYLOAD"), 400, "XAmzContentSHA256Mismatch",
            "The provided 'x-amz-content-sha256' header does not match what was computed.")
    path, _, query = target.partition("?")
    pairs = sorted((quote(key, safe=""), quote(value, safe="")) for key, value in parse_qsl(query, keep_blank_values=True))
    values = [",".join(" ".join(value.split()) for value in headers.get_all(name, [])) for name in names]
    canonical = "\n".join([method, quote(unquote(path)), "&".join(map("=".join, pairs)), *map("{}:{}".format, names, values), "",
                           signed, payload])
    digest = hashlib.sha256(canonical.encode("latin-1")).hexdigest()
    key = b"AWS4" + options.secret_key.encode()
    for part in (*scope.split("/"), f"AWS4-HMAC-SHA256\n{sent}\n{scope}\n{digest}"):
        key = hmac.digest(key, part.encode(), "sha256")
    require(key.hex() == signature, 403, "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided. Check your key and signing method.")


def facts_of(path):
    """Size, time of the last change, ETag, and CRC-32."""
    stat = os.stat(path)
    return stat.st_size, stat.st_mtime, *checksums(path, stat.st_size, stat.st_mtime_ns)


@functools.lru_cache(maxsize=None)
def checksums(path, _size, _mtime_ns):
    with open(path, "rb") as file:
        content = file.read()
    return f'"{hashlib.md5(content).hexdigest()}"', base64.b64encode(zlib.crc32(content).to_bytes(4, "big")).decode()


def get_object(path, headers, ranges, weak_etags):
    size, mtime, etag, crc = facts_of(path)
    require(headers.get("If-Match", etag) in (etag, "*"), 412, "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold")
    etag = f"W/{etag}" if weak_etags else etag  # A weak ETag matches no If-Match.
    answer = {"ETag": etag, "Last-Modified": email.utils.formatdate(mtime, usegmt=True), "Content-Type": "binary/octet-stream"}
    status, begin, end = 200, 0, size
    if ranges:
        answer["Accept-Ranges"] = "bytes"
    asked = ranges and re.fullmatch(r"bytes=(?:(\d+)-(\d*)|-(\d+))", headers.get("Range", ""))
    if asked:
        first, last, tail = asked.groups()
        begin = int(first) if first else max(0, size - int(tail))
        end = min(size, int(last) + 1) if last else size
        require(begin < end, 416, "InvalidRange", "The requested range is not satisfiable", {"Content-Range": f"bytes */{size}"})
        status, answer["Content-Range"] = 206, f"bytes {begin}-{end - 1}/{size}"
    elif headers.get("x-amz-checksum-mode") == "ENABLED":
        answer["x-amz-checksum-crc32"] = crc
    with open(path, "rb") as file:
        file.seek(begin)
        return status, answer, file.read(end - begin)


def list_objects(folder, query):
    prefix, delimiter, most = query.get("prefix", ""), query.get("delimiter", ""), min(1000, int(query.get("max-keys", 1000)))
    token = query.get("continuation-token", "")
    require(re.fullmatch("[A-Za-z0-9+/=]*", token), 400, "InvalidArgument", "The continuation token provided is incorrect")
    after = base64.b64decode(token).decode()
    keys = (os.path.join(path, name)[len(folder) + 1:] for path, _, names in os.walk(folder) for name in names)
    is_key = {}  # False: the name is a common prefix.
    for key in sorted(keys):  # The order of code points is that of UTF-8 bytes, as in S3.
        if key.startswith(prefix):
            head, found, _ = key[len(prefix):].partition(delimiter or "\0")
            is_key[prefix + head + found] = not found
    rest = [name for name in is_key if name > after]
    page = rest[:most]
    more = 0 < len(page) < len(rest)
    encoding = query.get("encoding-type")
    encoded = functools.partial(quote_plus, safe="/*") if encoding == "url" else escape  # A space is "+", as in S3.
    listed = elements(Name=escape(os.path.basename(folder)), Prefix=encoded(prefix), Delimiter=encoded(delimiter) or None,
                      EncodingType=encoding, MaxKeys=most, KeyCount=len(page), IsTruncated=str(more).lower(),
                      NextContinuationToken=base64.b64encode(page[-1].encode()).decode() if more else None)
    for name in page:
        if is_key[name]:
            size, mtime, etag, _ = facts_of(os.path.join(folder, name))
            listed += elements(Contents=elements(
                Key=encoded(name), LastModified=time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(mtime)),
                ETag=etag.replace('"', "&quot;"), Size=size))
        else:
            listed += elements(CommonPrefixes=elements(Prefix=encoded(name)))
    return 200, XML, xml(f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{listed}</ListBucketResult>')


def changed(body, rule):
    if rule.kind == "pad":
        return body + b" " * rule.bytes
    token = "again" if rule.kind == "again" else str(time.monotonic_ns())
    goes_on = elements(IsTruncated="true", NextContinuationToken=base64.b64encode(token.encode()).decode())
    return xml(f"<ListBucketResult>{goes_on}</ListBucketResult>")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # Buffered: the end of an answer is sent after do_GET(), when its request is no longer in flight.

    def setup(self):
        super().setup()
        with self.server.lock:
            self.server.stats["connections"] += 1

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/-/"):
            status, body = self.server.control(self.command + self.path, body)
            self.send(status, {"Content-Type": "application/json"}, body, len(body))
            return
        entry = {"method": self.command, "path": self.path, "range": self.headers.get("Range", ""), "status": 0}
        rule = self.server.begin(entry)
        try:
            self.answer(entry, rule)
        finally:
            self.server.end()

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

    def answer(self, entry, rule):
        time.sleep((self.server.options.delay_ms + rule.ms) / 1000)
        self.server.wait_for(rule.together)
        if rule.kind == "hang":
            self.rfile.read()  # Blocks until the client disconnects.
            return
        if rule.kind == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return
        try:
            require(rule.kind != "status", rule.status, rule.code, "A fault of the test", rule.headers)
            require(rule.kind != "echo", 403, "AccessDenied", str(self.headers))
            status, headers, body = self.content()
        except Refusal as refusal:
            status, headers, body = refusal.args
        entry["status"] = status
        size, half = len(body), len(body) // 2
        if rule.kind in ("truncate", "stall"):
            body = body[:half]
        elif rule.kind == "corrupt":
            body = body[:half] + bytes(byte ^ 1 for byte in body[half:half + 1]) + body[half + 1:]
        elif rule.kind in ("pad", "again", "endless"):
            body = changed(body, rule)
            size = len(body)
        self.send(status, headers, body, size)
        if rule.kind == "stall":
            self.wfile.flush()
            self.rfile.read()
        self.close_connection |= rule.kind == "truncate"

    def content(self):
        require(self.command in ("GET", "HEAD"), 405, "MethodNotAllowed", "This server is read only.")
        options = self.server.options
        if options.access_key:
            check_signature(options, self.command, self.path, self.headers)
        path, _, query = self.path.partition("?")
        if options.virtual_host:
            path = "/" + self.headers.get("Host", "").partition(".")[0] + path
        bucket, _, key = unquote(path)[1:].partition("/")
        folder = os.path.join(options.folder, bucket)
        file = os.path.join(folder, key)
        is_bucket = bucket not in ("", ".", "..") and os.path.isdir(folder)
        require(is_bucket, 404, "NoSuchBucket", "The specified bucket does not exist")
        if not key:
            asked = dict(parse_qsl(query, keep_blank_values=True))
            require(asked.get("list-type") == "2", 501, "NotImplemented", "ListObjectsV2 is the only operation on buckets.")
            return list_objects(folder, asked)
        is_key = {"", ".", ".."}.isdisjoint(key.split("/")) and os.path.isfile(file)
        require(is_key, 404, "NoSuchKey", "The specified key does not exist.")
        return get_object(file, self.headers, not options.no_ranges, options.weak_etags)

    def send(self, status, headers, body, size):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", size)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024

    def __init__(self, options):
        super().__init__(("127.0.0.1", 0), Handler)
        self.options, self.lock, self.rules, self.in_flight = options, threading.Condition(), [], 0
        if options.tls:
            self.speak_tls(options.tls)
        self.clear()

    def speak_tls(self, certificate):
        with tempfile.NamedTemporaryFile(suffix=".key") as key:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", "/CN=127.0.0.1",
                            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key.name, "-out", certificate],
                           check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key.name)
        # The thread of each connection makes the handshake when it first reads.
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def clear(self):
        self.log, self.stats = [], {"connections": 0, "most_in_flight": 0}

    def begin(self, entry):
        """Counts the request; returns its rule."""
        with self.lock:
            self.log.append(entry)
            self.in_flight += 1
            self.stats["most_in_flight"] = max(self.stats["most_in_flight"], self.in_flight)
            rule = next((rule for rule in self.rules if rule.times > 0 and rule.match.search(entry["path"])), NO_FAULT)
            rule.times -= 1
            self.lock.notify_all()
            return rule

    def wait_for(self, requests):
        with self.lock:
            self.lock.wait_for(lambda: self.stats["most_in_flight"] >= requests, timeout=60)

    def end(self):
        with self.lock:
            self.in_flight -= 1

    def control(self, request, body):
        with self.lock:
            if request in ("GET/-/log", "GET/-/stats"):
                return 200, json.dumps(self.log if request.endswith("log") else self.stats).encode()
            if request == "PUT/-/faults":
                self.rules = [Rule(**rule) for rule in json.loads(body)]
            elif request == "DELETE/-/log":
                self.clear()
            else:
                return 404, b""
            return 204, b""

    def shutdown_request(self, request):
        self.close_request(request)  # Sends no FIN, so that the client sees a reset.

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):  # Clients may disconnect.
            super().handle_error(request, client_address)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("--access-key", help="accept only requests signed with it and the secret key")
    parser.add_argument("--secret-key", default="")
    parser.add_argument("--session-token", default="", help="token required with the access key")
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--delay-ms", type=float, default=0, help="delay before each answer")
    parser.add_argument("--weak-etags", action="store_true", help="send weak ETags, which match no If-Match")
    parser.add_argument("--no-ranges", action="store_true", help="answer requests for ranges with the whole object")
    parser.add_argument("--virtual-host", action="store_true", help="the bucket is the first label of the host")
    parser.add_argument("--tls", metavar="CERTIFICATE", type=os.path.abspath, help="use HTTPS; write the certificate there")
    options = parser.parse_args()
    server = Server(options)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"{'https' if options.tls else 'http'}://127.0.0.1:{server.server_address[1]}", flush=True)
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
