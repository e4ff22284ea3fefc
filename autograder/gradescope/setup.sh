#!/usr/bin/env bash
# Gradescope runs this once, while it builds the image. $AUTOGRADER_PYTHON names another Python 3.11
# than the one that is installed here where it is missing.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${AUTOGRADER_PYTHON:-python3.11}

if ! command -v "$python" >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y software-properties-common
  add-apt-repository -y ppa:deadsnakes/ppa
  apt-get install -y python3.11 python3.11-venv
fi

"$python" -m venv "$source/venv"
venv=$source/venv/bin/python
"$venv" -m pip install --no-cache-dir --requirement "$source/requirements.txt"
packages=$("$venv" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$source/course" >"$packages/autograder.pth"
