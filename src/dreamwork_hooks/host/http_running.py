"""`http` handlers: the event is posted, the body of the answer read as a command's standard output would be.

Documented, not measured. By default only this machine is called; nothing is redirected, and no proxy is used.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import IO
from urllib.parse import urlsplit

from dreamwork_hooks.processes.running import Ended

_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")


def refusal(url: str, allow_http: bool) -> str:
    """Why a URL is not called; empty when it is."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"not an http address: {url}"
    if allow_http or parts.hostname == "localhost":
        return ""
    try:
        if ipaddress.ip_address(parts.hostname).is_loopback:
            return ""
    except ValueError:
        pass
    return f"{parts.hostname} is not this machine; --allow-http calls it"


def call(url: str, headers: Mapping[str, str], body: bytes, timeout: float | None, output_cap: int) -> Ended:
    """Post an event. A status of 2xx reads as exit 0 with the body as output, anything else as exit 1."""
    began = time.monotonic()
    request = urllib.request.Request(
        url, data=body, headers={"Content-Type": "application/json", **headers}, method="POST"
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)
    try:
        with opener.open(request, timeout=timeout) as response:
            data = response.read(output_cap + 1)
    except urllib.error.HTTPError as error:
        error.close()
        return _failed(f"HTTP status {error.code}", began)
    except socket.timeout:  # TimeoutError by its older name
        return _failed("no answer in time", began, timed_out=True)
    except (OSError, ValueError) as error:
        late = isinstance(getattr(error, "reason", None), socket.timeout)
        return _failed(str(error), began, timed_out=late)
    now = time.monotonic()
    return Ended(0, data[:output_cap], b"", now - began, now, stdout_size=len(data))


def with_variables(headers: Mapping[str, str], allowed: tuple[str, ...], env: Mapping[str, str]) -> dict[str, str]:
    """Headers with `$NAME` filled in, for allowed names alone; others become empty."""

    def value(match: re.Match[str]) -> str:
        return env.get(match[1], "") if match[1] in allowed else ""

    return {key: _VARIABLE.sub(value, text) for key, text in headers.items()}


def _failed(said: str, began: float, timed_out: bool = False) -> Ended:
    now = time.monotonic()
    return Ended(1, b"", said.encode("utf-8", "replace"), now - began, now, timed_out=timed_out)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: object, newurl: str
    ) -> None:
        return None
