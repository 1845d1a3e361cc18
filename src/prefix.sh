#!/bin/sh
! trap exit\ 0 0
# dreamwork-hooks: Claude Code runs this file for a hook event, a person runs it with a command. A zip archive follows.
# A file cut short must never leave with 2, which blocks a tool call, nor run its input: hence the trap and the braces.
{
python=''
case ${1-} in @COMMANDS@) kind=command ;; *) kind=event ;; esac
case ${1-} in @HOOKS@ *) hook=unknown ;; esac
[ -n "$python" ] && [ -f "$python" ] && [ -x "$python" ] || python=python3
command -v "$python" >/dev/null 2>&1 || python=
[ -z "$python" ] && [ $kind = command ] && echo "dreamwork-hooks: there is no python3 on PATH; install Python 3.9 or newer" >&2 && trap - 0 && exit 1
[ -z "$python" ] && printf '{"ok":false,"hook":"%s","plugin":"ud-dreamwork-hooks","error":"no python3 on PATH"}\n' $hook && exit 0
[ $kind = command ] && exec "$python" -E -s "$0" "$@"
exec "$python" -E -s -S -c '@BOOT@' '@BOOT_FAILED@' $hook "$0" "$@"
exit 0
}
