# SPDX-License-Identifier: Apache-2.0
"""scripts/release, in a small repository: what it refuses, and what it would make."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]


class Release(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scripts").mkdir()
        for name in ("release", "steps.sh"):
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts")
        (self.root / "python" / "feedrate").mkdir(parents=True)
        (self.root / "python" / "feedrate" / "__init__.py").write_text('__version__ = "1.2.3"  # read here\n')
        self.git("init", "--quiet")
        self.commit("## [1.2.3] - 2026-01-31\n")

    def git(self, *words: str) -> None:
        subprocess.run([*GIT, *words], cwd=self.root, check=True)

    def commit(self, changelog: str) -> None:
        (self.root / "CHANGELOG.md").write_text(changelog)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "one")

    def release(self, option: str = "--dry-run", tag: str = "") -> tuple[int, str]:
        environment = {**os.environ, **({"GITHUB_REF_NAME": tag} if tag else {})}
        done = subprocess.run(["scripts/release", option], cwd=self.root, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def expect_refusal(self, of: str, *arguments: str) -> None:
        code, output = self.release(*arguments)
        self.assertEqual(code, 2, output)
        self.assertIn(of, output)

    def test_says_what_it_would_make_and_makes_no_tag(self) -> None:
        code, output = self.release()
        self.assertEqual(code, 0, output)
        self.assertIn("v1.2.3", output)
        tags = subprocess.run(["git", "tag"], cwd=self.root, capture_output=True, text=True, check=True).stdout
        self.assertEqual(tags, "")

    def test_refuses_uncommitted_changes(self) -> None:
        (self.root / "stray").touch()
        self.expect_refusal("uncommitted")

    def test_refuses_a_version_without_a_dated_section(self) -> None:
        for text in ("## [1.2.3] - unreleased\n", "## [1.2.30] - 2026-01-31\n", "## [1.3.0] - unreleased\n## [1.2.3] - 2026-01-31\n"):
            self.commit(text)
            self.expect_refusal("CHANGELOG.md")

    def test_refuses_a_tag_that_exists(self) -> None:
        self.git("tag", "v1.2.3")
        self.expect_refusal("v1.2.3 exists")

    def test_refuses_a_pushed_tag_of_another_version(self) -> None:
        self.expect_refusal("v1.2.4", "--artefacts", "v1.2.4")


if __name__ == "__main__":
    unittest.main()
