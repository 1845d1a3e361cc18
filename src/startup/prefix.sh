#!/bin/sh
! trap exit\ 0 0
# dreamwork-hooks: Claude Code runs this file for a hook event, a person runs it with a command. A zip archive follows.
# A file cut short must never leave with 2, which blocks a tool call, nor run its input: hence the trap and the braces.
{
python=''
case ${1-} in @COMMANDS@) kind=command ;; *) kind=event ;; esac
case ${1-} in @HOOKS@ *) hook=unknown ;; esac
[ -n "$python" ] && [ -f "$python" ] && [ -x "$python" ] || python=python3
[ $kind = event ] || command -v "$python" >/dev/null 2>&1 || {
  echo "dreamwork-hooks: there is no python3 on PATH; install Python 3.9 or newer" >&2 && trap - 0 && exit 1
}
[ $kind = command ] && exec "$python" -E -s "$0" "$@"
# Until the hook takes the signals over they are ignored, or one would end it without an answer. An interpreter that is
# not there or cannot be started is answered for here. None starts with a directory for a standard stream.
trap '' 1 2 15
trap "printf '{\"ok\":false,\"hook\":\"%s\",\"plugin\":\"ud-dreamwork-hooks\",\"error\":\"no python3 that can be started\"}\n' $hook; exit 0" 0
[ -n "${BASH_VERSION-}" ] && shopt -s execfail 2>/dev/null
[ -d /dev/stdin ] && exec </dev/null
[ -d /dev/stdout ] && exec >/dev/null
[ -d /dev/stderr ] && exec 2>/dev/null
exec "$python" -E -s -S -c '@BOOT@' '@BOOT_FAILED@' $hook "$0" "$@"
exit 0
}
