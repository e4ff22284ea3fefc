"""Ordinary code works in a box: its files, random numbers, figures, threads, processes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import real_boxes
from real_boxes import LIMITS, SECONDS, Run, said

from autograder.box.outside.client import Box
from autograder.box.outside.zygotes import Zygote
from autograder.course.limits import Limits

zygote, box, run = real_boxes.zygote, real_boxes.box, real_boxes.run  # fixtures


def test_the_assignments_files_are_copies_in_the_working_folder(run: Run) -> None:
    assert run("print(open('data/given.txt').read())") == "given\n"
    assert run("open('data/given.txt', 'a').write('!')") == ""


def test_an_assignment_may_have_many_files_in_folders(zygote: Zygote, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("here")
    assets = {f"folder/{number}.txt": tmp_path / "file.txt" for number in range(500)}
    box = zygote.box(Limits(), assets, seed=0)
    looks = "import pathlib; print(len(list(pathlib.Path('folder').glob('*.txt'))))\n"
    assert said(box, looks + "print(open('folder/499.txt').read())") == "500\nhere\n"
    box.close()


def test_an_assignments_file_may_be_a_link_and_is_a_file_in_the_box(
    zygote: Zygote, tmp_path: Path
) -> None:
    (tmp_path / "weights.bin").write_text("weights")
    (tmp_path / "link.bin").symlink_to("weights.bin")
    box = zygote.box(LIMITS, {"link.bin": tmp_path / "link.bin"}, seed=0)
    assert said(box, "import os; print(os.path.islink('link.bin'), open('link.bin').read())") == (
        "False weights\n"
    )
    box.close()


def test_equal_seeds_give_equal_random_numbers_and_others_differ(zygote: Zygote) -> None:
    drawn = []
    for seed in (1, 1, 2):
        box = zygote.box(LIMITS, {}, seed)
        drawn.append(said(box, "import torch; print(torch.rand(2))"))
        box.close()
    assert drawn[0] == drawn[1] != drawn[2]


ORDINARY = {
    "threads": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool: print(sum(pool.map(abs, range(-5, 5))) == 25)
""",
    "temporary_files": """
import tempfile
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
    print(file.write(b"x") == 1)
""",
    "own_files": """
import pathlib, shutil, torch
torch.save({"a": torch.ones(2)}, "own.pt")
shutil.copy("own.pt", "copy.pt")
print(torch.load("copy.pt")["a"].sum().item() == 2)
pathlib.Path("own.pt").rename("moved.pt")
""",
    "figures": """
import matplotlib.pyplot as plt, os
plt.plot([1, 2]); plt.savefig("figure.png"); plt.close()
print(os.path.getsize("figure.png") > 1000)
""",
    "late_imports": """
import sqlite3, xml.dom.minidom, torch.distributions, numpy.polynomial, matplotlib.animation
print(True)
""",
    "users_home": """
import getpass, os
print(getpass.getuser() == "student", os.path.expanduser("~") == os.getcwd())
""",
    "top_level_await": "import asyncio\nawait asyncio.sleep(0.01)\nprint(True)",
    "optimizer": """
import torch
w = torch.nn.Parameter(torch.ones(2)); o = torch.optim.AdamW([w]); w.sum().backward(); o.step()
print(True)
""",
    "timing": "result = %timeit -q -o -n 1 -r 1 sum([1])\nprint(result.loops == 1)",
    "progress": "from tqdm.auto import tqdm\nprint(sum(tqdm(range(3), disable=None)) == 3)",
    "time": "import time; print(time.localtime().tm_year > 2000)",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_code_works(run: Run, name: str) -> None:
    printed = run(ORDINARY[name]).split()
    assert printed
    assert set(printed) == {"True"}


PROCESSES = {
    "memory_of_a_worker": """
import subprocess
print(subprocess.run(["cat", "/proc/self/statm"], stdout=subprocess.DEVNULL).returncode == 0)
""",
    "data_loader": """
import torch
from torch.utils.data import DataLoader
print(sum(batch.sum().item() for batch in DataLoader(torch.arange(8.), num_workers=2)) == 28)
""",
    "subprocess": """
import subprocess
print(subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout == "hi\\n")
""",
    "shell_command": "said = !echo hi\nprint(said == ['hi'])",
    "interpreter": """
import subprocess, sys
print(subprocess.run([sys.executable, "-c", "import torch"]).returncode == 0)
""",
    "multiprocessing": """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool: print(pool.map(abs, [-1]) == [1])
""",
    "signals_to_a_child": """
import subprocess
child = subprocess.Popen(["sleep", "60"]); child.kill(); print(child.wait() == -9)
""",
}


@pytest.mark.parametrize("name", PROCESSES)
def test_ordinary_code_may_start_processes_where_they_can_be_contained(
    zygote: Zygote, box: Box, name: str
) -> None:
    outputs = box.run_cell(PROCESSES[name], time.monotonic() + SECONDS).outputs
    if zygote.tier == "full":
        assert [output["text"] for output in outputs] == ["True\n"]
    else:
        assert "lets a notebook start no processes" in outputs[-1]["evalue"]
