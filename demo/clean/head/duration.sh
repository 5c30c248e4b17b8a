# Durations for shell scripts. Source this file.

# Prints a duration such as 90s, 5m, 2h or 1d in seconds; fails on anything else.
seconds() {
  number=${1%[smhd]}
  case $number in
    '' | *[!0-9]*) echo "seconds: '$1' is no duration" >&2; return 1 ;;
  esac
  case $1 in
    *s | *[0-9]) echo "$number" ;;
    *m) echo $((number * 60)) ;;
    *h) echo $((number * 3600)) ;;
    *d) echo $((number * 86400)) ;;
  esac
}

# Prints how long ago that many seconds are, in the largest whole unit.
ago() {
  case $1 in
    '' | *[!0-9]*) echo "ago: '$1' is no number of seconds" >&2; return 1 ;;
  esac
  if [ "$1" -ge 86400 ]; then echo "$(($1 / 86400))d"
  elif [ "$1" -ge 3600 ]; then echo "$(($1 / 3600))h"
  elif [ "$1" -ge 60 ]; then echo "$(($1 / 60))m"
  else echo "$1s"
  fi
}
