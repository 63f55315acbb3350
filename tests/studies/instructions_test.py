# SPDX-License-Identifier: Apache-2.0
"""studies/instructions reads callgrind's output; the expected numbers are computed by hand."""
import csv
import io
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from load_study import load_study

script = load_study("instructions")

ROOT = Path(__file__).resolve().parents[2]

# A sample is fetched, read and decoded; reading and decoding call memcpy, decoding also through libjpeg.
PROFILE = f"""# callgrind format
version: 1
creator: callgrind-3.19.0
cmd: feedrate sweep --axis num_workers=0
positions: line
events: Ir

ob=(1) /usr/bin/feedrate
fl=(1) {ROOT}/loaders/record_dataset.cpp
fn=(1) fetch
10 100
cfi=(2) {ROOT}/formats/tar/tar_reader.cpp
cfn=(2) read
calls=1 5
+1 60
cfi=(3) {ROOT}/loaders/decode/jpeg_decoder.cpp
cfn=(3) decode
calls=1 5
* 1000

fl=(2)
fn=(2)
5 20
cob=(2) /lib/libc.so.6
cfi=(4) ???
cfn=(4) memcpy
calls=1 0
+3 40

fl=(3)
fn=(3)
5 300
fi=(5) /usr/include/c++/12/vector
7 100
fe=(3)
cob=(2)
cfi=(4)
cfn=(4)
calls=3 0
9 200
cob=(3) /lib/libjpeg.so.62
cfi=(4)
cfn=(5) jpeg_read_scanlines
calls=1 0
* 400

ob=(3)
fl=(4)
fn=(5)
0 280
cob=(2)
cfn=(4)
calls=1 0
0 120

ob=(2)
fn=(4)
0 360

totals: 1160
"""


def profile_of(text):
    return script.read_profile(io.StringIO(text))


class ReadProfile(unittest.TestCase):
    def test_adds_up_each_function_with_what_was_inlined_into_it(self):
        own = {function.name: cost for function, cost in profile_of(PROFILE).own.items()}
        self.assertEqual(own, {"fetch": 100, "read": 20, "decode": 400, "jpeg_read_scanlines": 280, "memcpy": 360})

    def test_names_the_library_where_the_source_is_not_known(self):
        files = {function.name: function.file for function in profile_of(PROFILE).own}
        self.assertEqual(files["jpeg_read_scanlines"], "/lib/libjpeg.so.62")
        self.assertEqual(files["read"], f"{ROOT}/formats/tar/tar_reader.cpp")

    def test_knows_who_called_whom_at_what_cost(self):
        calls = {(caller.name, callee.name): cost for (caller, callee), cost in profile_of(PROFILE).calls.items()}
        self.assertEqual(calls, {("fetch", "read"): 60, ("fetch", "decode"): 1000, ("read", "memcpy"): 40,
                                 ("decode", "memcpy"): 200, ("decode", "jpeg_read_scanlines"): 400,
                                 ("jpeg_read_scanlines", "memcpy"): 120})

    def test_takes_the_event_of_instructions_and_skips_positions(self):
        text = "positions: instr line\nevents: Bc Ir\nfl=(1) a.c\nfn=(1) f\n0x10 3 7 9\n+2 * 1\n"
        self.assertEqual(list(profile_of(text).own.values()), [9])


class Stages(unittest.TestCase):
    def test_come_from_the_source_folder(self):
        for file, stage in [(f"{ROOT}/formats/tar/tar_reader.cpp", "read"), ("../../loaders/decode/resample.cpp", "transform"),
                            ("/elsewhere/bench/feedrate/loaders/decode/png_decoder.cpp", "decode"), ("core/queue.h", None),
                            ("loaders/decode/weighted_sums_avx2.cpp", "transform"),
                            ("/usr/include/c++/12/bits/vector.tcc", None), ("/home/bench/other.cpp", None), ("???", None)]:
            self.assertEqual(script.stage_of_file(file), stage, file)

    def test_take_what_libraries_do_for_them(self):
        sums = script.by_stage(profile_of(PROFILE))
        self.assertAlmostEqual(sums["read"], 60)
        self.assertAlmostEqual(sums["decode"], 1000)
        self.assertAlmostEqual(sums["hand over"], 100)
        self.assertAlmostEqual(sum(sums.values()), 1160)

    def test_leave_to_the_rest_what_nobody_of_ours_called(self):
        sums = script.by_stage(profile_of("positions: line\nevents: Ir\nfl=(1) a.c\nfn=(1) f\n1 5\n"))
        self.assertEqual(sums[script.REST], 5)

    def test_end_with_functions_of_libraries_that_call_each_other(self):
        text = PROFILE + "ob=(2)\nfl=(4)\nfn=(4)\ncob=(3)\ncfn=(5)\ncalls=1 0\n0 50\n"
        self.assertAlmostEqual(sum(script.by_stage(profile_of(text)).values()), 1160)


class Difference(unittest.TestCase):
    def test_is_what_the_longer_run_took_more(self):
        twice = PROFILE.replace("\n0 360", "\n0 720")
        more = profile_of(twice).minus(profile_of(PROFILE))
        self.assertEqual({function.name: cost for function, cost in more.own.items()}, {"memcpy": 360})
        self.assertEqual(more.calls, {})


class Table(unittest.TestCase):
    rows = script.rows_of(Path("study/decode.yaml"), "fast", {"read": 160.0, "decode": 480.0}, 16)

    def test_is_per_sample(self):
        self.assertEqual([(row["stage"], row["instructions_per_sample"], row["share"]) for row in self.rows],
                         [("read", 10, 0.25), ("decode", 30, 0.75), ("all", 40, 1.0)])

    def test_compares_with_an_earlier_one(self):
        old = [{"config": "decode", "decoder": "fast", "stage": "decode", "instructions_per_sample": "60", "share": "0.8"}]
        lines = script.table(self.rows, old).splitlines()
        self.assertTrue(lines[2].endswith("60   -50.0%"), lines[2])
        self.assertTrue(lines[1].rstrip().endswith("25.0%"), lines[1])

    def test_is_kept_as_csv(self):
        out = io.StringIO()
        writer = csv.DictWriter(out, script.COLUMNS, lineterminator="\n")
        writer.writerows(self.rows)
        self.assertEqual(out.getvalue().splitlines()[0], "decode,fast,read,10,0.25")


if __name__ == "__main__":
    unittest.main()
