"""Keys for scheduler, workers and head: Dask configuration, on standard output."""

import yaml
from distributed.security import Security

keys = Security.temporary()
pair = {"cert": keys.tls_client_cert, "key": keys.tls_client_key}
tls = {"ca-file": keys.tls_ca_file} | dict.fromkeys(("client", "scheduler", "worker"), pair)
print(yaml.safe_dump({"distributed": {"comm": {"require-encryption": True, "tls": tls}}}))
