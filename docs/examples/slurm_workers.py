"""Workers as Slurm jobs: python slurm_workers.py JOBS. Ctrl-C ends them.

Needs `pip install dask-jobqueue==0.9.0`, and a home folder that the nodes share, for keys alone.
"""

import sys
import threading
from pathlib import Path

import dask
import yaml
from dask_jobqueue import SLURMCluster
from distributed.security import Security

PRIVATE = Path(".cache/scheduler").resolve()
SINGLE_THREADED = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"]

keys = Security.temporary()
PRIVATE.mkdir(mode=0o700, parents=True, exist_ok=True)
dask.config.set({"distributed.scheduler.allowed-failures": 2})
cluster = SLURMCluster(
    cores=1,  # a job is a worker, and grades one submission at a time
    processes=1,
    memory="4GB",
    walltime="02:00:00",
    queue=None,
    account=None,
    job_script_prologue=[f"export {name}=1" for name in SINGLE_THREADED],
    protocol="tls://",
    security=keys,
    shared_temp_directory=str(PRIVATE),
    scheduler_options={"dashboard_address": None},
)
cluster.scale(jobs=int(sys.argv[1]))

tls = {
    "ca-file": keys.tls_ca_file,
    "client": {"cert": keys.tls_client_cert, "key": keys.tls_client_key},
}
config = PRIVATE / "head.yaml"
config.touch(mode=0o600)
config.write_text(yaml.safe_dump({"distributed": {"comm": {"tls": tls}}}))
print(f"DASK_CONFIG={config} autograder batch ASSIGNMENT --scheduler {cluster.scheduler_address}")
sys.stdout.flush()
threading.Event().wait()
