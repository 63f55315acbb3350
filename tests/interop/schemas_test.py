#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the JSON documents of small runs, and the results of this repository, against docs/schemas.

    schemas_test.py <feedrate> <source folder>

Exits 77 without jsonschema 4 (Debian: python3-jsonschema). Without torch it watches no training, and reports that.
"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}; needs jsonschema 4")
    sys.exit(77)

FEEDRATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SCHEMAS = {path.name.split(".")[0]: json.loads(path.read_text()) for path in SOURCE.glob("docs/schemas/*.schema.json")}
TRACES = [SOURCE / "tests/golden/profile" / name for name in ("gpu_three_steps.json", "old_layout.json")]
SWEEP = """# Do the schemas hold?
engine: native
dataset: {path: ds}
loader: {batch_size: 4, num_workers: [0, 1]}
device: {name: 'sim:a100-pcie4'}
trainer: {kind: burn, step_ms: 1}
measure: {steps: 6, repeats: 2}
"""
TRAINING = """import time
from torch.utils.data import DataLoader

class Slow:
    def __len__(self):
        return 320

    def __getitem__(self, i):
        time.sleep(2e-3)
        return i

if __name__ == "__main__":
    for epoch in range(%d):
        for batch in DataLoader(Slow(), batch_size=8):
            time.sleep(2e-3)
"""
seen = {name: set() for name in SCHEMAS}  # Properties that documents had, by schema.


def feedrate(folder, *arguments, codes=(0,)):
    environment = {**os.environ, "FEEDRATE_PYTHON": sys.executable}
    done = subprocess.run([FEEDRATE, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode in codes, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def resolved(schema, root):
    if "$ref" not in schema:
        return schema
    for name in schema["$ref"].split("/")[1:]:
        root = root[name]
    return root


def note(document, schema, root, into):
    """Records the properties of `schema` that `document` has."""
    schema = resolved(schema, root)
    if isinstance(document, dict):
        for name, value in document.items():
            if name in schema.get("properties", {}):
                into.add((id(schema), name))
                note(value, schema["properties"][name], root, into)
    elif isinstance(document, list) and "items" in schema:
        for value in document:
            note(value, schema["items"], root, into)


def hold(name, document, what):
    for error in Draft202012Validator(SCHEMAS[name]).iter_errors(document):
        raise AssertionError(f"{what}: {error.json_path}: {error.message[:500]}; see docs/schemas/{name}.schema.json")
    note(document, SCHEMAS[name], SCHEMAS[name], seen[name])


def subschemas(schema, path):
    """(path, schema) of all subschemas, `schema` first."""
    if isinstance(schema, list):
        for i, one in enumerate(schema):
            yield from subschemas(one, f"{path}/{i}")
    if not isinstance(schema, dict):
        return
    yield path, schema
    for key, value in schema.items():
        if key in ("properties", "patternProperties", "$defs"):
            for name, one in value.items():
                yield from subschemas(one, f"{path}/{key}/{name}")
        elif key in ("items", "additionalProperties", "anyOf", "oneOf", "allOf"):
            yield from subschemas(value, f"{path}/{key}")


def check_schema(name):
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema", name
    assert schema["title"] and "`feedrate " in schema["description"], f"{name}: must name its command"
    for path, one in subschemas(schema, name):
        properties = {**one.get("properties", {}), **one.get("patternProperties", {})}
        for key, value in properties.items():
            assert len(value.get("description", "")) > 5, f"{path}: {key} has no description"
        assert not properties or one.get("additionalProperties") is False, f"{path}: is not closed"
        assert "object" not in one.get("type", "") or "additionalProperties" in one, f"{path}: is not closed"
        assert set(one.get("required", [])) <= set(properties), f"{path}: requires what it does not have"


def check_optional_was_seen(name):
    """Requires a document with each optional property, because a wrong name there fails no document."""
    for path, one in subschemas(SCHEMAS[name], name):
        known = {key for of, key in seen[name] if of == id(one)} | set(one.get("required", []))
        unseen = set(one.get("properties", {})) - known
        assert not unseen, f"{path}: no document has {unseen}"


def run_json(folder, fresh=True):
    document = json.loads((folder / "run.json").read_text())
    # Properties that files of old versions may lack are required of this version.
    lacks = set(SCHEMAS["run"]["properties"]) - {"history"} - set(document)
    assert not fresh or not lacks, f"{folder}: lacks {lacks}"
    return document


def check_sweeps(folder):
    (folder / "s.yaml").write_text(SWEEP)
    feedrate(folder, "data", "make", "ds", "--count", "32")
    hold("plan", json.loads(feedrate(folder, "plan", "s.yaml", "--json")), "plan")
    hold("run", json.loads(feedrate(folder, "sweep", "s.yaml", "--trace", "--json", "--out", "sweep")), "sweep")
    feedrate(folder, "sweep", "s.yaml", "--axis", "ranks=2", "--only", "num_workers=1", "--out", "ranks")
    tune = ["tune", "s.yaml", "--engine", "native", "--budget", "5s", "--present", "num_workers=0"]
    recommendation = json.loads(feedrate(folder, *tune, "--json", "--out", "tune"))
    hold("recommendation", recommendation, "tune")
    assert recommendation == json.loads((folder / "tune/recommendation.json").read_text())
    for name in ("sweep", "ranks", "tune"):
        hold("run", run_json(folder / name), f"run.json of {name}")
    hold("effects", json.loads(feedrate(folder, "effects", "sweep", "--json")), "effects")
    course = SOURCE / "results/epyc-2cpu-sim-a100-pcie4/2026-11-24-course-idris"
    hold("effects", json.loads(feedrate(folder, "effects", course, "--json")), "effects of a published sweep")
    compared = feedrate(folder, "compare", "sweep", "tune", "--format", "json", codes=(0, 3))
    hold("comparison", json.loads(compared), "compare")
    check_what_if(folder, "sweep")
    watched = SOURCE / "results/h100-16cpu/2026-11-27-run"
    hold("what_if", json.loads(feedrate(folder, "tune", watched, "--json")), "tune of a watched training")


def check_what_if(folder, run):
    hold("what_if", json.loads(feedrate(folder, "what-if", run, "--format", "json")), f"what-if {run}")
    cluster = ["--nodes", "4", "--ranks", "2", "--storage-bandwidth", "1GB/s", "--sample-bytes", "100KB", "--format", "json"]
    hold("scaling", json.loads(feedrate(folder, "what-if", run, *cluster)), f"what-if {run} --nodes")


def check_machine(folder):
    machine = json.loads(feedrate(folder, "env", "--json"))
    hold("env", machine, "env")
    machine["environment"].setdefault("cpu_governor", "performance")
    hold("env", machine, "env with a governor")
    only = "to_uint8|device|read_whole_file_cold/2KiB/threads:1$"
    # The file stays in memory, so the row has a warning.
    printed = feedrate(folder, "limits", "--json", "--only", only, "--min-time", "0.0001", "--folder", "/dev/shm")
    hold("limits", json.loads(printed), "limits")


def periodic_trace(folder):
    """A trace with a call of next() every 10 ms; every fourth takes 6 ms instead of 1."""
    calls = [{"ph": "X", "cat": "user_annotation", "name": "enumerate(DataLoader)#x.__next__", "pid": 1, "tid": 1,
              "ts": 10000 * i + 1, "dur": 1000 if i % 4 else 6000} for i in range(40)]
    (folder / "periodic.json").write_text(json.dumps({"traceEvents": calls}))
    return folder / "periodic.json"


def check_traces(folder):
    traces = [*TRACES, periodic_trace(folder), *sorted((folder / "sweep/traces").glob("*.json"))]
    feedrate(folder, "trace", *traces, "--json", "list.json")
    feedrate(folder, "trace", traces[0], "--json", "one.json")
    documents = json.loads((folder / "list.json").read_text())
    for path, document in zip(traces, documents):
        hold("trace", document, f"trace {path.name}")
    assert documents[0] == json.loads((folder / "one.json").read_text()) and len(documents) == len(traces)
    assert documents[len(TRACES)]["loader"]["periodic"], "no pattern in periodic.json"


def check_trainings(folder):
    hold("verdict", json.loads(feedrate(folder, "run", "--json", "--", "true")), "run of no training")
    sys.path.insert(0, str(SOURCE / "tests/python"))
    import fake_program
    settings = {"batch_size": 8, "num_workers": 0, "pin_memory": False, "persistent_workers": False}
    fake = {"settings": settings, "tune": 0.05, "site": "t.py:1", "class": "DataLoader", "dataset": "Slow"}
    hold("verdict", fake_program.verdict_of(fake, True), "tests/python/fake_program.py")
    if not importlib.util.find_spec("torch"):
        print(f"left out: {sys.executable} has no torch, so no training is watched")
        return
    for name, epochs, options in (("watched", 1, []), ("tuned", 6, ["--tune"])):
        (folder / "train.py").write_text(TRAINING % epochs)
        verdict = json.loads(feedrate(folder, "run", "--json", *options, "--out", name, "train.py").splitlines()[-1])
        assert verdict and bool(verdict["tuning"]) == bool(options), f"{name}: {verdict}"
        hold("verdict", verdict, f"run {name}")
        hold("run", run_json(folder / name), f"run.json of {name}")


def with_present_names(document):
    """An older file's members by the names that they have now."""
    for owner, old, new in ((document, "course", "history"), (document.get("environment", {}), "doubts", "warnings")):
        if old in owner:
            owner[new] = owner.pop(old)
    return document


def check_results():
    """Checks the results of this repository, and those that tests expect."""
    for name in ("run", "recommendation"):
        version = SCHEMAS[name]["properties"]["schema_version"]["const"]
        for path in sorted(SOURCE.glob(f"results/**/{name}.json")):
            document = with_present_names(json.loads(path.read_text()))
            if document["schema_version"] == version:
                hold(name, document, path)
    for name, schema in (("run", "run"), ("watched_run", "run"), ("compare", "comparison")):
        hold(schema, json.loads((SOURCE / f"tests/golden/report/{name}.json").read_text()), f"tests/golden/report/{name}.json")


for each in sorted(SCHEMAS):
    check_schema(each)
with tempfile.TemporaryDirectory(prefix="feedrate-") as temporary:
    folder = pathlib.Path(temporary)
    check_sweeps(folder)
    check_machine(folder)
    check_traces(folder)
    check_trainings(folder)
check_results()
for each in SCHEMAS:
    assert seen[each], f"{each}: no document is held to it"
    check_optional_was_seen(each)
