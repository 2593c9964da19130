#!/bin/sh
# The `sallyport` command of the packaged app: what a user puts on PATH and what compiled configurations call.
# Job: start the app's own program without a display, with the command's arguments untouched, and make sure that
# an end which the program did not intend is never taken for a yes. It must not decide anything else.

# Links are followed, so that one in a bin folder works. Standard utilities are not looked for on the caller's PATH.
self=$(command -p readlink -f -- "$0") || self=$0
app=${self%/*}/../../sallyport

# The command's name comes after global options.
word=
# The same folder as the command's own (electron/core/store/layout.ts): a relative XDG_DATA_HOME does not count.
case ${XDG_DATA_HOME:-} in
  /*) data=$XDG_DATA_HOME ;;
  *) data=${HOME:-/nonexistent}/.local/share ;;
esac
state=${SALLYPORT_HOME:-$data/sallyport}
expect=
for argument in "$@"; do
  if [ -n "$expect" ]; then
    state=$argument
    expect=
    continue
  fi
  case $argument in
    --state-dir) expect=yes ;;
    --state-dir=*) state=${argument#*=} ;;
    -*) ;;
    *)
      word=$argument
      break
      ;;
  esac
done

# All after the first `--` is the command's: Chromium takes no switch from there on.
# Chromium's own folder hangs on the state folder, and only its fatal messages may reach stderr, which agents show.
set -- --ozone-platform=headless --log-level=3 --user-data-dir="$state/electron" -- "$@"
# As root Chromium refuses to start with its sandbox. The sandbox confines renderers; this mode has none.
[ "$(command -p id -u)" = 0 ] && set -- --no-sandbox --no-zygote "$@"

# A caller may have closed standard input; what is opened next would take its place.
(exec 3<&0) 2>/dev/null || exec </dev/null

if [ "$word" = dispatch ]; then
  deny() {
    printf 'sallyport: %s\nSo the call is denied. Run "sallyport doctor" to see whether the gate holds.\n' "$1" >&2
    exit 2
  }
  answer=$("$app" "$@")
  status=$?
  case $status in
    0)
      # Half an answer, or text around it, would be read as a yes by some agents.
      case $answer in
        '{'*'}') printf '%s\n' "$answer" || deny 'the answer could not be written.' ;;
        *) deny 'the gate ended without a complete answer.' ;;
      esac
      exit 0
      ;;
    2)
      [ -z "$answer" ] || printf '%s\n' "$answer"
      exit 2
      ;;
    *) deny "the gate ended with status $status." ;;
  esac
fi

# Other commands run in the background of this script, so that it can pass signals on while it waits.
exec 3<&0
"$app" "$@" <&3 3<&- &
child=$!
exec 3<&-

passed=
# A terminal sends its signals to the whole foreground group, the program included: not to be sent twice.
pass_once() {
  passed=yes
  read -r _ _ _ _ group _ _ foreground _ <"/proc/$$/stat" && [ "$group" = "$foreground" ] || kill "-$1" "$child"
}
trap 'pass_once INT' INT
trap 'pass_once HUP' HUP
trap 'passed=yes; kill -TERM "$child"' TERM

while :; do
  passed=
  wait "$child"
  status=$?
  # A signal that was passed on ends the wait early, not the program.
  [ -n "$passed" ] && kill -0 "$child" 2>/dev/null || break
done

if [ "$status" -gt 128 ] && [ "$status" -ne 130 ]; then
  printf 'sallyport: the program was ended by signal %s; this is a fault of Sallyport or of this machine.\n' \
    "$((status - 128))" >&2
  exit 70
fi
exit "$status"
