"""A hub for tests: the example of docs/service.md, and what differs from place to place."""

import os
from pathlib import Path

c = get_config()  # noqa: F821 - given by JupyterHub
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
load_subconfig(str(EXAMPLES / "check_service_hub.py"))  # noqa: F821 - given by JupyterHub

c.JupyterHub.bind_url = os.environ["HUB_URL"]
c.JupyterHub.hub_port = int(os.environ["HUB_PORT"])
c.ConfigurableHTTPProxy.api_url = os.environ["HUB_PROXY_URL"]
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = os.environ["HUB_HOMES"] + "/{username}"
c.Spawner.args = ["--allow-root", "--LabApp.extension_manager=readonly"]
