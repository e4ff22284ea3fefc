"""The examples of docs/service.md have the form that those want who read them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT
from traitlets.config import Config

from autograder.service.hub import HubSettings
from autograder.service.policy import CheckService

EXAMPLES = ROOT / "docs" / "examples"
COMPOSE = EXAMPLES / "check-service-compose.yaml"
REACH = "access:services!service=check"


def environment_of_the_unit() -> dict[str, str]:
    lines = (EXAMPLES / "check-service.env").read_text().split()
    return dict(line.split("=", 1) for line in lines)


def environment_of_the_container() -> dict[str, str]:
    compose = yaml.safe_load(COMPOSE.read_text())
    found: dict[str, str] = compose["services"]["check"]["environment"]
    return found


def kubernetes() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((EXAMPLES / "check-service-kubernetes.yaml").read_text()))


def environment_of_the_pod() -> dict[str, str]:
    [container] = kubernetes()[0]["spec"]["template"]["spec"]["containers"]
    return {one["name"]: one.get("value", "of a secret") for one in container["env"]}


@pytest.mark.parametrize(
    "given", [environment_of_the_unit(), environment_of_the_container(), environment_of_the_pod()]
)
def test_each_example_tells_the_service_all_that_a_hub_would(given: Mapping[str, str]) -> None:
    found = HubSettings.found(given)
    assert found is not None
    assert (found.prefix, found.base) == ("/services/check/", "/")
    assert (found.client, found.scopes) == ("service-check", {REACH, "access:services"})
    assert found.url.endswith(":8765")


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    text = (EXAMPLES / "check-service.service").read_text()
    for here, there in (
        ("User=course", "User=root"),
        ("/srv/course/.venv/bin/autograder serve", ""),
    ):
        assert here in text
        text = text.replace(here, there or str(shutil.which("true")))
    unit = tmp_path / "check-service.service"
    unit.write_text(text.replace("=/srv/course", f"={tmp_path}"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_compose_file_is_one() -> None:
    command = ["check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    subprocess.run([sys.executable, "-m", *command], check=True, capture_output=True)
    services = yaml.safe_load(COMPOSE.read_text())["services"]
    reached = {name for name, one in services.items() if "ports" in one}
    assert reached == {"tls"}


PREFIX = "JUPYTERHUB_SERVICE_PREFIX"


def test_the_hub_knows_the_service_and_lets_students_reach_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    c = Config()
    monkeypatch.setenv("CHECK_SERVICE_TOKEN", "secret")
    code = (EXAMPLES / "check_service_hub.py").read_text()
    exec(compile(code, "check_service_hub.py", "exec"), {"get_config": lambda: c})
    [service] = c.JupyterHub.services
    assert (service["name"], service["api_token"]) == ("check", "secret")
    unit = environment_of_the_unit()
    assert service["url"] == unit["JUPYTERHUB_SERVICE_URL"]
    told = c.Spawner.environment.to_dict()["update"]
    assert f"{told['AUTOGRADER_URL']}/" == unit["JUPYTERHUB_SERVICE_URL"] + unit[PREFIX]
    roles = {role["name"]: role["scopes"] for role in c.JupyterHub.load_roles}
    values = yaml.safe_load((EXAMPLES / "check-service-values.yaml").read_text())["hub"]
    assert {name: role["scopes"] for name, role in values["loadRoles"].items()} == roles
    assert all(REACH in scopes for scopes in roles.values())
    assert {*roles} == {"user", "server"}


def test_the_objects_on_kubernetes_find_each_other() -> None:
    deployment, service = kubernetes()
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert service["spec"]["selector"].items() <= labels.items()
    assert deployment["spec"]["replicas"] == 1
    values = yaml.safe_load((EXAMPLES / "check-service-values.yaml").read_text())["hub"]
    name, port = service["metadata"]["name"], service["spec"]["ports"][0]["port"]
    assert values["services"]["check"]["url"] == f"http://{name}:{port}"


def test_the_page_lists_every_option_with_its_default() -> None:
    page = (ROOT / "docs" / "service.md").read_text()
    listed = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", page, re.MULTILINE))
    defaults = {
        name: getattr(CheckService(), name) for name in CheckService.class_trait_names(config=True)
    }
    shown = {name: text.strip("`") for name, text in listed.items()}
    assert shown == {
        name: f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float)
        else str(value)
        for name, value in defaults.items()
    }  # fmt: skip
