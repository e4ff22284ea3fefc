"""Workers by Dask Gateway: python gateway_workers.py WORKERS. Ctrl-C ends them.

Needs `pip install dask-gateway==2026.3.0`. Address and login come from Dask's own
configuration, as on a JupyterHub that offers Gateway.
"""

import sys
import threading
from pathlib import Path

import yaml
from dask_gateway import Gateway

PRIVATE = Path(".cache/scheduler").resolve()
PRIVATE.mkdir(mode=0o700, parents=True, exist_ok=True)

with Gateway() as gateway, gateway.new_cluster(shutdown_on_close=True) as cluster:
    cluster.scale(int(sys.argv[1]))
    keys = cluster.security
    tls = {"ca-file": keys.tls_cert, "client": {"cert": keys.tls_cert, "key": keys.tls_key}}
    client = {"preload": ["dask_gateway"]}  # what makes Dask know gateway:// addresses
    config = PRIVATE / "head.yaml"
    config.touch(mode=0o600)
    config.write_text(yaml.safe_dump({"distributed": {"client": client, "comm": {"tls": tls}}}))
    address = cluster.scheduler_address
    print(f"DASK_CONFIG={config} autograder batch ASSIGNMENT --scheduler {address}", flush=True)
    threading.Event().wait()
