# SPDX-License-Identifier: Apache-2.0
"""scripts/third_party, for the tested build. Exits 77 if the libraries are not Debian's.

third_party_test.py BUILD_FOLDER
"""
from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "third_party"


class ThirdParty(unittest.TestCase):
    def test_names_what_is_compiled_in_with_its_terms_and_leaves_out_what_is_not(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            sbom, notices = pathlib.Path(folder, "sbom.json"), pathlib.Path(folder, "notices.txt")
            subprocess.run([SCRIPT, sys.argv[1], "--sbom", sbom, "--notices", notices], check=True)
            components = {one["name"]: one["version"] for one in json.loads(sbom.read_text())["components"]}
            text = notices.read_text()
        self.assertLessEqual({"nlohmann-json3-dev", "node-d3"}, components.keys())
        self.assertTrue({"libc6-dev", "libgtest-dev"}.isdisjoint(components))
        installed = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", "nlohmann-json3-dev"], capture_output=True, text=True, check=True)
        self.assertEqual(components["nlohmann-json3-dev"], installed.stdout)
        for name, version in components.items():
            self.assertIn(f"\n{name} {version}\n", text)
        self.assertIn("Niels Lohmann", text)
        self.assertIn("Bostock", text)


if __name__ == "__main__":
    if not shutil.which("dpkg-query") or not pathlib.Path("/usr/share/doc/nlohmann-json3-dev/copyright").exists():
        print("skipped: nlohmann's JSON is not of a Debian package here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
