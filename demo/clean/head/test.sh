#!/bin/sh
# Runs every test; says which one failed.
. ./duration.sh
failed=0

same() {
  if [ "$2" = "$3" ]; then
    echo "ok   $1"
  else
    echo "FAIL $1: expected '$3', got '$2'"
    failed=1
  fi
}

same "seconds of a bare number" "$(seconds 90)" 90
same "seconds of minutes" "$(seconds 5m)" 300
same "seconds of days" "$(seconds 1d)" 86400
same "seconds of nonsense" "$(seconds soon 2>/dev/null || echo refused)" refused

same "ago of hours" "$(ago 7260)" 2h
same "ago of a day" "$(ago 86400)" 1d
same "ago of a moment" "$(ago 5)" 5s
same "ago of nonsense" "$(ago -1 2>/dev/null || echo refused)" refused

exit $failed
