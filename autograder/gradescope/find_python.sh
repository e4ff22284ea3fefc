#!/bin/sh
# Prints the first of the Pythons named that can make the environment: 3.11 or later, with venv.
[ $# -gt 0 ] || set -- python3.13 python3.12 python3.11 python3
fits='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'
for python; do
  if "$python" -c "$fits" >/dev/null 2>&1; then
    echo "$python"
    exit
  fi
done
echo "None of $* is a Python 3.11 or later with venv: install one (Debian and Ubuntu:" \
  "apt-get install python3 python3-venv), or name yours: make PYTHON=/path/to/python3" >&2
exit 1
