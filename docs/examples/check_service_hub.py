"""For jupyterhub_config.py: a hub that knows the check service, and lets students reach it.

The same token stands in /etc/check-service.env. `openssl rand -hex 32` makes one.
"""

import os

c = get_config()  # noqa: F821 - given by JupyterHub

URL = os.environ.get("CHECK_SERVICE_URL", "http://127.0.0.1:8765")

c.JupyterHub.services = [
    {
        "name": "check",
        "url": URL,
        "api_token": os.environ["CHECK_SERVICE_TOKEN"],
        "oauth_no_confirm": True,
    }
]
REACH = "access:services!service=check"
c.JupyterHub.load_roles = [
    {"name": "user", "scopes": ["self", REACH]},
    {"name": "server", "scopes": ["users:activity!user", "access:servers!server", REACH]},
]
# Where students' servers find it, for the button and for %check.
c.Spawner.environment.update({"AUTOGRADER_URL": f"{URL}/services/check"})
