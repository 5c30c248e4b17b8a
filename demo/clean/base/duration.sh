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
