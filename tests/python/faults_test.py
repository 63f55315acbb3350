# SPDX-License-Identifier: Apache-2.0
"""Whatever happens to `feedrate run --tune`, a script ends as it does without feedrate, and nothing is left behind.

    faults_test.py PATH/TO/feedrate [CLASS]

Each script runs both ways. Its loop continues until feedrate is in the state that the fault needs. A fault that this machine does not
allow is skipped, with the reason.
"""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import unittest

import faults_support as support
from faults_support import Faults

STUCK_ONCE_TRIED = """
class Numbers(Numbers):
    def __getitem__(self, index):
        if os.path.exists("tried"):
            time.sleep(3600)  # so that a signal finds the script within next()
        return super().__getitem__(index)
"""
TRIED_THEN = "train((tried, lambda others: {}))\n"  # the action takes place while feedrate's workers load


class Kills(Faults):
    def test_of_the_program_leave_the_script_alone(self) -> None:
        script = TRIED_THEN.format("IS_RUN and os.kill(os.getppid(), signal.SIGKILL)") + "sys.exit(3)"
        runs = [self.start("untouched", script), self.start("tuned", script), self.start("tuned", script, options=())]
        untouched = runs[0].ending(runs[0].process.wait)
        for run in runs[1:]:
            process = run.script()
            self.assertEqual(run.process.wait(), -signal.SIGKILL)
            self.compare(untouched, run.ending(lambda: os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])), 3)

    def test_that_only_stop_the_program_leave_the_script_alone(self) -> None:
        script = TRIED_THEN.format("IS_TUNED and os.kill(os.getppid(), signal.SIGSTOP)") + "sys.exit(3)"
        untouched, tuned = self.start("untouched", script), self.start("tuned", script)
        state = pathlib.Path(f"/proc/{tuned.script()}/stat")
        tuned.wait_for(lambda: ") Z" in state.read_text(), "the script to end")
        tuned.process.send_signal(signal.SIGCONT)
        self.compare(untouched.ending(untouched.process.wait), tuned.ending(tuned.process.wait), 3)

    def test_of_the_program_and_the_script_leave_a_folder_to_the_next_run(self) -> None:
        both = "[os.kill(process, signal.SIGKILL) for process in (os.getppid(), os.getpid())]"
        run = self.start("tuned", TRIED_THEN.format(both))
        left = run.ending(run.process.wait).left
        self.assertEqual([name[:3] for name in left], ["fr-"])
        with contextlib.suppress(ChildProcessError):
            os.waitpid(run.script(), 0)
        environment = {**os.environ, "TMPDIR": str(run.folder / "tmp")}
        subprocess.run([support.FEEDRATE, "run", "--", "true"], cwd=run.folder, env=environment, stderr=subprocess.DEVNULL)
        self.assertEqual(os.listdir(run.folder / "tmp"), [])

    def test_of_the_script_are_its_status(self) -> None:
        for name in ("KILL", "TERM", "SEGV"):
            with self.subTest(signal=name):
                number = getattr(signal, f"SIG{name}")
                tuned = self.expect_the_same(TRIED_THEN.format(f"os.kill(os.getpid(), {int(number)})"), -number)
                self.assertIn("Written: results", tuned.summary)

    def test_of_a_worker_of_its_own_are_raised(self) -> None:
        script = """
            class Numbers(Numbers):
                def __getitem__(self, index):
                    if index == ORDER[40]:
                        while not os.path.exists("nothing is on its way"):
                            time.sleep(0.01)
                        os.kill(os.getpid(), signal.SIGKILL)
                    return super().__getitem__(index)
            import re
            try:
                for step, batch in enumerate(DataLoader(Numbers(), 4, sampler=ORDER, num_workers=1)):
                    if step == 9:
                        open("nothing is on its way", "w")
            except RuntimeError as error:
                # The cause may have the text instead: that depends on where PyTorch notices.
                print(step, re.search("is killed by signal: Killed", f"{error} {error.__cause__}")[0])
                sys.exit(4)
            """
        self.expect_the_same(script, 4)

    def test_of_trial_workers_are_not_seen(self) -> None:
        tuned = self.expect_the_same(TRIED_THEN.format("[os.kill(worker, signal.SIGKILL) for worker in others]"))
        self.assertIn("stages left: 0", tuned.out)

    def test_of_a_rank_end_the_job(self) -> None:
        script = """
            rank = int(os.environ["RANK"])
            train((tried if rank == 0 else always, lambda _: os.kill(os.getpid(), signal.SIGKILL) if rank == 0 else time.sleep(3600)))
            """
        # Redirected, because torch 1.13 requires it in Python 3.11.
        options = "--rdzv_backend=c10d --rdzv_endpoint=localhost:0 --redirects=0:1,1:1 --tee=0:1,1:1 --monitor_interval=0.2"
        launch = ("-m", "torch.distributed.run", *options.split(), "--nproc_per_node=2", "train.py")
        runs = [self.start(name, script, arguments=launch) for name in ("untouched", "tuned")]
        endings = [run.ending(run.process.wait) for run in runs]
        for ending in endings:
            self.assertRegex(ending.err, r"exitcode\s*: -9")
        self.compare(*[ending._replace(err="") for ending in endings], 1)  # stderr has times and ports


class Shortages(Faults):
    """Resources that run out at some step."""

    def expect_no_trial(self, script: str, **how: object) -> None:
        """Expects that feedrate's workers fail, and the script does not."""
        self.assertIn("stages left: 0", self.expect_the_same(script, **how).out)

    def test_shared_memory(self) -> None:
        if not support.has_own_shm:
            self.skipTest(support.why_no_own_shm)
        script = """
            train((tried, lambda _: open("grown", "w")), (failed, lambda _: None))
            until = time.monotonic() + 60
            while os.listdir("/dev/shm") and time.monotonic() < until:
                time.sleep(0.1)  # waits for workers to end
            """
        with support.shm_of("128k"):
            self.expect_no_trial(script)

    def as_a_user(self) -> dict[str, object]:
        """Options that run the script as a user whom the limit of processes binds."""
        if os.getuid() != 0:
            return {}
        around = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        os.chmod(self.folder, 0o755)
        for program in (support.FEEDRATE, sys.executable):
            if subprocess.run([*around, "test", "-x", program], stderr=subprocess.DEVNULL).returncode != 0:
                self.skipTest(f"the limit of processes does not bind root, and another user may not run {program}")
        return {"around": around, "prepare": lambda folder: [os.chown(path, 65534, 65534) for path in (folder, folder.parent)]}

    def test_processes(self) -> None:
        limit = "train((always, lambda _: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))), (failed, lambda _: None))"
        self.expect_no_trial(limit, **self.as_a_user())

    def test_threads_from_the_start(self) -> None:
        self.expect_the_same("resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))\ntrain()", **self.as_a_user())

    def test_descriptors(self) -> None:
        limit = "resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))"
        self.expect_no_trial(f"train((always, lambda _: {limit}), (failed, lambda _: None))")

    def test_memory(self) -> None:
        limit = """
            def limit(_):
                pages = int(open("/proc/self/statm").read().split()[0])
                resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (1 << 20),) * 2)
            train((always, limit), (failed, lambda _: None))
            """
        self.expect_no_trial(limit)

    def test_temporary_files(self) -> None:
        script = """
            def fill(folder):
                with contextlib.suppress(OSError), open(folder + "/full", "wb", buffering=0) as file:
                    while file.write(bytes(4096)):
                        pass
            fill(os.environ["TMPDIR"])
            train(workers=2)
            os.unlink(os.environ["TMPDIR"] + "/full")
            """
        def small(folder: pathlib.Path) -> None:
            support.mount_tmpfs(folder, "4m")
            self.addCleanup(subprocess.run, ["umount", "-l", str(folder)])

        self.expect_the_same("import contextlib\n" + support.textwrap.dedent(script), prepare=small)


class Ends(Faults):
    """Ends of a script while feedrate's workers load for it."""

    def test_at_once(self) -> None:
        self.expect_the_same(TRIED_THEN.format("os._exit(5)"), 5)

    # PyTorch ends workers at exit by a signal. A worker that is sending a batch may then leave its segment, with and without feedrate.
    def test_by_an_exception(self) -> None:
        self.expect_the_same(TRIED_THEN.format("[time.sleep(1), 1 / 0]"), 1)

    def test_by_exit(self) -> None:
        self.expect_the_same(TRIED_THEN.format("[time.sleep(1), sys.exit(6)]"), 6)

    def test_by_another_program(self) -> None:
        script = """
            def children():
                with open("/proc/self/task/%d/children" % os.getpid()) as file:
                    return [child for child in file.read().split() if ") Z" not in open(f"/proc/{child}/stat").read()]
            if len(sys.argv) == 1:
                train((tried, lambda _: os.execv(sys.executable, [sys.executable, "train.py", "again"])))
            until = time.monotonic() + 60
            while children() and time.monotonic() < until:
                time.sleep(0.1)
            print("children:", len(children()))
            train()
            sys.exit(4)
            """
        self.expect_the_same(script, 4)

    def test_in_a_forked_child(self) -> None:
        script = """
            def fork(_):
                global child
                child = os.fork()
            child = 0
            train((tried, fork))
            if child == 0:
                sys.exit(9)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        self.assertIn("9\n", self.expect_the_same(script).out)

    def test_of_a_daemons_parent(self) -> None:
        script = """
            train((tried, lambda _: None))
            if os.fork() > 0:
                os._exit(0)
            os.setsid()
            train()
            print("daemon", flush=True)
            """
        self.assertIn("daemon", self.expect_the_same(script).out)

    def test_by_a_terminals_interrupt(self) -> None:
        script = """
            try:
                train((tried, lambda _: open("tried", "w")), steps=MOST)
            except KeyboardInterrupt:
                time.sleep(0.3)
                print("interrupted")
            sys.exit(7)
            """
        endings = []
        for name in ("untouched", "tuned"):
            terminal, end = pty.openpty()
            run = self.start(name, STUCK_ONCE_TRIED + support.textwrap.dedent(script), stdin=end, around=("setsid", "--ctty", "--wait"), start_new_session=False)
            os.close(end)
            run.wait_for((run.folder / "tried").exists, "a trial")
            os.write(terminal, b"\x03")
            endings.append(run.ending(run.process.wait))
            os.close(terminal)
        tuned = self.compare(*endings, 7)
        self.assertIn("interrupted", tuned.out)
        self.assertTrue(json.loads((tuned.folder / "results/run.json").read_text())["interrupted"])

    def test_by_a_signal_to_the_program(self) -> None:
        handler = "signal.signal(signal.SIGTERM, lambda *_: (print('terminated'), sys.exit(8)))\n"
        for begin, status in (("", -signal.SIGTERM), (handler, 8)):
            endings = []
            for name in ("untouched", "tuned"):
                run = self.start(name, STUCK_ONCE_TRIED + begin + "train((tried, lambda _: open('tried', 'w')), steps=MOST)")
                run.wait_for((run.folder / "tried").exists, "a trial")
                run.process.send_signal(signal.SIGTERM)
                endings.append(run.ending(run.process.wait))
            self.assertIn("Written: results", self.compare(*endings, status).summary)

    def test_by_a_signal_to_all_processes_of_a_job(self) -> None:
        script = """
            had = []
            signal.signal(signal.SIGUSR1, lambda *_: had.append(1))
            def wait(_):
                open("tried", "w")
                while not had:
                    time.sleep(0.01)
                time.sleep(0.5)  # leaves time for a second one
            train((tried, wait))
            print(len(had))
            """
        endings = []
        for name in ("untouched", "tuned"):
            run = self.start(name, script)
            run.wait_for((run.folder / "tried").exists, "a trial")
            os.killpg(run.process.pid, signal.SIGUSR1)
            endings.append(run.ending(run.process.wait))
        self.assertIn("1\n", self.compare(*endings, 0).out)


class Surroundings(Faults):
    """Changes that a script makes to its process or its surroundings."""

    def test_descriptors_are_closed(self) -> None:
        script = """
            def close(_):
                global log
                os.closerange(3, 65536)
                log = open("log", "w+")
                log.write("begun\\n")
            train((always, close), steps=500)
            log.write("over\\n")
            log.close()
            print(open("log").read())
            """
        self.expect_the_same(script)

    def test_standard_error_is_another(self) -> None:
        script = """
            def replace(_):
                os.dup2(os.open("other", os.O_WRONLY | os.O_CREAT), 2)
                sys.stderr = open("another", "w")
                print("of the script", file=sys.stderr)
            train((tried, replace))
            sys.stderr.flush()
            print(open("other").read(), open("another").read())
            """
        self.expect_the_same(script)

    def test_children_are_waited_for_by_a_handler(self) -> None:
        script = """
            ended = []
            signal.signal(signal.SIGCHLD, lambda *_: ended.append(1))
            train((failed, lambda _: [subprocess.run(["true"]) for _ in range(3)]))
            print(len(ended))
            """
        self.expect_the_same(script)

    def test_a_pool_works_at_the_same_time(self) -> None:
        script = """
            def both(_):
                with multiprocessing.Pool(2) as second:
                    print(first.map(abs, range(-9, 0)), second.map(abs, range(-3, 0)))
            if __name__ == "__main__":
                first = multiprocessing.Pool(2)
                train((tried, both))
                first.close()
                first.join()
                print(len(multiprocessing.active_children()))
            """
        self.expect_the_same(script)

    def test_children_are_forked_before(self) -> None:
        script = """
            child = os.fork()
            train((tried, lambda _: None) if child else (always, lambda _: None))
            if child == 0:
                sys.exit(9)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        self.expect_the_same(script)

    def test_the_start_method_is_chosen_later(self) -> None:
        script = """
            if __name__ == "__main__":
                train((tried, lambda _: multiprocessing.set_start_method("spawn")))
                print(multiprocessing.get_start_method())
            """
        self.expect_the_same(script)

    def test_a_script_that_cannot_be_imported_is_not_run_again(self) -> None:
        script = """
            multiprocessing.set_start_method("spawn", force=True)
            train(steps=600)
            """
        self.expect_the_same(script)

    def test_other_workers_hang(self) -> None:
        script = """
            main = os.getpid()
            class Numbers(Numbers):
                def __getitem__(self, index):
                    if os.getpid() != main:
                        signal.pause()
                    return super().__getitem__(index)
            if IS_TUNED:
                sys.modules["feedrate.switching"].LEAST_PATIENCE_S = 1
            train((failed, lambda _: None))
            """
        self.expect_the_same(script)

    def test_the_process_is_as_it_was(self) -> None:
        script = """
            print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
            print([signal.getsignal(number) for number in sorted(signal.valid_signals())])
            print(os.getcwd() == os.environ["PWD"], sys.argv, os.getpgid(0) == os.getsid(0), sorted(os.listdir("/proc/self/fd")))
            print([resource.getrlimit(limit) for limit in range(16)], os.umask(0), os.getpriority(os.PRIO_PROCESS, 0))
            """
        self.expect_the_same(script)

    def test_children_are_ignored(self) -> None:
        self.expect_the_same("train()\nsys.exit(5)", 5, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))

    def test_nobody_reads_what_the_program_says(self) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        self.expect_the_same("train(steps=200)\nsys.exit(5)", 5, stderr=writing)
        os.close(writing)

    def test_the_results_are_removed(self) -> None:
        removed = "train((tried, lambda _: shutil.rmtree('results', ignore_errors=True)))\nsys.exit(5)"
        self.assertIn("results: ", self.expect_the_same(removed, 5).summary)

    def test_there_is_no_temporary_folder(self) -> None:
        tuned = self.expect_the_same("train()\nsys.exit(5)", 5, prepare=os.rmdir)
        self.assertIn(" steps of train.py", tuned.summary)  # feedrate uses another folder

    def test_the_temporary_folder_is_emptied(self) -> None:
        script = """
            def empty(_):
                while entries := list(os.scandir(os.environ["TMPDIR"])):  # another worker may add a file
                    for entry in entries:
                        shutil.rmtree(entry.path, ignore_errors=True)
            train((tried, empty))
            """
        self.expect_the_same(script)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    support.begin()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
