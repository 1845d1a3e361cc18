"""All layers together: which hooks stand, which are switched off and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dreamwork_hooks.settings.doubts import FILE
from dreamwork_hooks.settings.found import Finding, Layer
from dreamwork_hooks.settings.layers import MANAGED, PRECEDENCE, LayerFile, once_each
from dreamwork_hooks.settings.reading import read_layer
from dreamwork_hooks.settings.shape import Handler


@dataclass(frozen=True)
class Configuration:
    """The merged hooks. `handlers` are in configuration order; `off` says of some why they do not run."""

    layers: tuple[Layer, ...]
    handlers: tuple[Handler, ...]
    off: dict[Handler, str] = field(default_factory=dict, hash=False)
    env: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Everything wrong in any layer, in the order of the files."""
        return tuple(problem for layer in self.layers for problem in layer.problems)

    @property
    def lost(self) -> tuple[Handler, ...]:
        """Handlers in files that are ignored."""
        return tuple(handler for layer in self.layers for handler in layer.lost)

    @cached_property
    def lost_handlers(self) -> frozenset[Handler]:
        """The same, to look one up."""
        return frozenset(self.lost)


def load_configuration(files: Sequence[LayerFile]) -> Configuration:
    """Read and merge layers; their order is by precedence, and within one layer as given."""
    ordered = sorted(once_each(files), key=lambda file: PRECEDENCE.index(file.layer))
    return merge([read_layer(file) for file in ordered])


def merge(layers: Sequence[Layer]) -> Configuration:
    """Merge layers given lowest first.

    All hooks of all layers run. `disableAllHooks` of the highest layer that sets it holds for all (measured
    for user and project); managed hooks are spared unless the managed file itself says so (documented).
    """
    handlers = tuple(handler for layer in layers for handler in layer.handlers)
    env: dict[str, str] = {}
    for layer in layers:
        env.update(layer.env or {})
    deciding = next((layer for layer in reversed(layers) if layer.disable_all_hooks is not None), None)
    managed_only = next((lay for lay in layers if lay.file.layer == MANAGED and lay.managed_only), None)
    off = _plugins_off(layers)
    for handler in handlers:
        spared = handler.layer == MANAGED and deciding is not None and deciding.file.layer != MANAGED
        if deciding is not None and deciding.disable_all_hooks and not spared:
            off[handler] = f"disableAllHooks is true in {deciding.file.path}"
        if managed_only is not None and handler.layer != MANAGED:
            off[handler] = f"allowManagedHooksOnly is true in {managed_only.file.path}"
    return Configuration(tuple(layers), handlers, off, env)


def _plugins_off(layers: Sequence[Layer]) -> dict[Handler, str]:
    """The hooks of plugins that are switched off, or are not loaded for a malformed guard in one of their files."""
    broken = {
        layer.file.source: f"its plugin is not loaded: {layer.file.path}, {layer.void_reason}"
        for layer in layers
        if layer.file.source and any(each.takes == FILE and each.rule in _MALFORMED for each in layer.problems)
    }
    off: dict[Handler, str] = {}
    for layer in layers:
        why = broken.get(layer.file.source, "")
        if layer.file.switched_off:
            why = f"enabledPlugins switches its plugin off in {layer.file.switched_off}"
        if why:
            off.update(dict.fromkeys(layer.handlers, why))
    return off


_MALFORMED = ("settings/malformed-event", "settings/malformed-group", "settings/malformed-handler")
