#!/usr/bin/env bash
# Gradescope runs this once, while it builds the image. $AUTOGRADER_PYTHON names another Python than
# those that are looked for. Where there is none, Python 3.11 is installed.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# shellcheck disable=SC2086 # without a value there is no argument
if ! python=$(sh "$source/find_python.sh" ${AUTOGRADER_PYTHON:-}); then
  python=python3.11
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y software-properties-common
  add-apt-repository -y ppa:deadsnakes/ppa
  apt-get install -y python3.11 python3.11-venv
fi

"$python" -m venv "$source/venv"
venv=$source/venv/bin/python
"$venv" -m pip install --no-cache-dir --require-hashes --no-deps --requirement "$source/requirements.lock"
"$venv" -m pip install --no-cache-dir --requirement "$source/requirements.txt"
packages=$("$venv" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$source/course" >"$packages/autograder.pth"
