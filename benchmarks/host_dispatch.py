"""`python -m benchmarks.host_dispatch [--quick]`: what the hook host costs, on this machine, now.

- one event to one trivial hook, over starting the same process directly (promised: at most 3 ms)
- the rate of replays of one hook, at the beginning and at the end of a thousand
- loading a home with 20 plugins, over a bare start of the interpreter (promised: at most 100 ms)
- the memory a 64 MB output costs, over an output of nothing
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dreamwork_hooks.contract.event import sample_event
from dreamwork_hooks.host import HookHost, LayerFile
from dreamwork_hooks.host.replaying import Pace

PROMISED_MS = 3.0
LOADED_MS = 100.0
PLUGINS = 20
LOUD_MB = 64


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.host_dispatch", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds")
    parser.add_argument("--hook", help="the hook to replay, a shell line [a Python one that answers in JSON]")
    args = parser.parse_args(argv)
    part = 10 if args.quick else 1
    with tempfile.TemporaryDirectory() as tmp:
        print(dispatch(tmp, 300 // part))
        print(rate(tmp, 1000 // part, args.hook or own_hook(tmp)))
        print(loading(Path(tmp), 30 // part))
    print(memory())
    return 0


def host_of(project: str, command: str, event: str = "Stop") -> HookHost:
    """A host with that one hook."""
    entry = {"type": "command", "command": command}
    text = json.dumps({"hooks": {event: [{"hooks": [entry]}]}})
    return HookHost.load(project, files=[LayerFile("user", "settings.json", text=text)], trust="all")


def own_hook(tmp: str) -> str:
    """A hook as people write them: an interpreter that reads its input and answers."""
    script = Path(tmp) / "hook.py"
    script.write_text("import sys\nsys.stdin.read()\nprint('{\"ok\":true}')\n")
    return f"{sys.executable} -I -S {script}"


def dispatch(project: str, rounds: int) -> str:
    """A dispatch against a bare start of the same shell, taken in turns."""
    event = sample_event("Stop", project)
    stdin = json.dumps(event).encode() + b"\n"
    direct: list[float] = []
    hosted: list[float] = []
    with host_of(project, "exit 0") as host:

        def directly() -> None:
            subprocess.run(["/bin/sh", "-c", "exit 0"], input=stdin, capture_output=True, cwd=project, check=True)

        for _ in range(rounds):
            direct.append(timed(directly))
            hosted.append(timed(lambda: host.dispatch(event)))
    over = [h - d for h, d in zip(hosted, direct)]
    middle, low = statistics.median(over) * 1000, (min(hosted) - min(direct)) * 1000
    ratio = statistics.median(hosted) / statistics.median(direct)
    verdict = "ok" if middle <= PROMISED_MS else "over the promise"
    return (
        f"dispatch: {statistics.median(hosted) * 1000:.2f} ms, directly {statistics.median(direct) * 1000:.2f} ms: "
        f"{middle:.2f} ms over (of the fastest: {low:.2f}), ratio {ratio:.2f}; promised {PROMISED_MS:g} ms: {verdict}"
    )


def timed(function: Callable[[], object]) -> float:
    """Seconds a call takes."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def rate(project: str, rounds: int, command: str) -> str:
    """Dispatches a second of one hook over many rounds."""
    event = sample_event("PreCompact", project)
    with host_of(project, command, "PreCompact") as host:
        pace = Pace()
        for _ in range(rounds):
            outcome = host.dispatch(event)
            pace.tick()
        assert outcome.runs[0].ended.exit_code == 0, outcome.runs[0].ended.stderr
    first, last = pace.rate(0, 0.2), pace.rate(0.8, 1)
    return (
        f"{rounds} replays: {pace.rate():.0f} a second; first fifth {first:.0f}, last fifth {last:.0f}, "
        f"ratio {last / first:.2f}"
    )


def loading(root: Path, rounds: int) -> str:
    """A process that loads the hooks of a home with many plugins, against one that does nothing."""
    home = home_with_plugins(root / "home")
    script = (
        "import sys\nfrom dreamwork_hooks.host import HookHost\n"
        "if len(sys.argv) > 2: sys.exit()\n"
        "host = HookHost.load(sys.argv[1], home=sys.argv[1], env={}, managed='/none', trust='all')\n"
        f"assert len(host.configuration.handlers) == {2 * PLUGINS}\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    env.update(PYTHONDONTWRITEBYTECODE="", PYTHONPYCACHEPREFIX=str(root / "bytecode"))  # as after an installation
    bare: list[float] = []
    imported: list[float] = []
    loaded: list[float] = []

    def start(code: str, *more: str) -> None:
        subprocess.run([sys.executable, "-c", code, str(home), *more], env=env, check=True)

    start(script)
    for _ in range(rounds):
        bare.append(timed(lambda: start("pass")))
        imported.append(timed(lambda: start(script, "import alone")))
        loaded.append(timed(lambda: start(script)))
    over = statistics.median(after - before for before, after in zip(bare, loaded)) * 1000
    alone = statistics.median(after - before for before, after in zip(imported, loaded)) * 1000
    verdict = "ok" if over <= LOADED_MS else "over the promise"
    return (
        f"loading {PLUGINS} plugins: {statistics.median(loaded) * 1000:.0f} ms, a bare start "
        f"{statistics.median(bare) * 1000:.0f} ms: {over:.0f} ms over, "
        f"{alone:.0f} over the import alone; promised {LOADED_MS:g} ms: {verdict}"
    )


def home_with_plugins(home: Path) -> Path:
    """A home with plugins that each bring two hooks and a skill without any."""
    names = [f"plugin{number}" for number in range(PLUGINS)]
    market = home / "market"
    rows = [{"name": name, "source": f"./{name}"} for name in names]
    known = {"m": {"source": {"source": "directory", "path": str(market)}, "installLocation": str(market)}}
    files = {
        market / ".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": rows}),
        home / ".claude/plugins/known_marketplaces.json": json.dumps(known),
        home / ".claude/settings.json": json.dumps({"enabledPlugins": {f"{name}@m": True for name in names}}),
    }
    for name in names:
        entries = [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hook.sh " + word} for word in ("one", "two")]
        hooks = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": entries}]}}
        files[market / name / "hooks/hooks.json"] = json.dumps(hooks)
        files[market / name / ".claude-plugin/plugin.json"] = json.dumps({"name": name})
        files[market / name / "skills/one/SKILL.md"] = "---\nname: one\n---\n" + "Words. " * 1000
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return home


def memory() -> str:
    """The peak of a process that dispatches to a loud hook, against one that dispatches to a silent one."""
    silent, loud = peak("exit 0"), peak(f"head -c {LOUD_MB << 20} /dev/zero")
    return f"an output of {LOUD_MB} MB: peak {loud:.0f} MB, without output {silent:.0f} MB: {loud - silent:.0f} MB more"


def peak(command: str) -> float:
    """MB of a fresh process that dispatches one event to that hook."""
    script = (
        "import resource, sys, tempfile\n"
        "from benchmarks.host_dispatch import host_of\n"
        "from dreamwork_hooks.contract.event import sample_event\n"
        "with tempfile.TemporaryDirectory() as tmp, host_of(tmp, sys.argv[1], 'SessionStart') as host:\n"
        "    host.dispatch(sample_event('SessionStart', tmp))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", script, command], env=env, capture_output=True, text=True, check=True)
    return int(done.stdout) / (1 << 20 if sys.platform == "darwin" else 1 << 10)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
