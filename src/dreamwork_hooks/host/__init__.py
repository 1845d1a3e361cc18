"""Runs any Claude Code hooks configuration outside Claude Code.

    from dreamwork_hooks.host import HookHost

    with HookHost.load(project) as host:
        outcome = host.dispatch(event)

`HookHost` loads settings layers and plugins, finds the hooks an event fires, runs them side by side, and folds their
answers as the client does. `Policies` switches on what another agent may want done differently, `TrustStore` keeps
the consent to hooks that come with a repository.
"""

from dreamwork_hooks.contract.decision import Decision
from dreamwork_hooks.contract.event import Event, EventError, parse_event
from dreamwork_hooks.host.host import HookHost
from dreamwork_hooks.host.outcome import HookRun, NotRun, Outcome
from dreamwork_hooks.host.policies import Policies, PolicyError, ToolNames
from dreamwork_hooks.host.trust import TrustError, TrustStore, Verdict
from dreamwork_hooks.processes.running import Cancel
from dreamwork_hooks.settings.configuration import Configuration, load_configuration
from dreamwork_hooks.settings.layers import LayerFile
from dreamwork_hooks.settings.shape import Handler
from dreamwork_hooks.settings.sources import layer_files

__all__ = [
    "Cancel",
    "Configuration",
    "Decision",
    "Event",
    "EventError",
    "Handler",
    "HookHost",
    "HookRun",
    "LayerFile",
    "NotRun",
    "Outcome",
    "Policies",
    "PolicyError",
    "ToolNames",
    "TrustError",
    "TrustStore",
    "Verdict",
    "layer_files",
    "load_configuration",
    "parse_event",
]
