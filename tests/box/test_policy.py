"""The sandbox's policy as data: what is shown, refused and allowed, decided without a sandbox."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import resource
from pathlib import Path

import pytest

from autograder.box.walls import calls, landlock, policy, seccomp, syscalls, view
from autograder.box.walls.policy import Tier
from autograder.box.walls.syscall_numbers import LAST_KNOWN, MACHINES, NUMBERS, number
from autograder.course.limits import Limits

PID = 77
EPERM, ENOSYS = seccomp.answer(errno.EPERM), seccomp.answer(errno.ENOSYS)
X86, ARM = seccomp.ARCHITECTURE["x86_64"], seccomp.ARCHITECTURE["aarch64"]
I386 = 0x40000003
AF_UNIX, AF_INET, AF_NETLINK = 1, 2, 16
THREAD_FLAGS, FORK_FLAGS = 0x3D0F00, 0x01200011


def simulate(program: list[seccomp.Instruction], architecture: int, nr: int, *args: int) -> int:
    """What the kernel would answer: runs the filter on one call."""
    words = {seccomp.NR_AT: nr, seccomp.ARCHITECTURE_AT: architecture}
    for index, value in enumerate(args):
        words[seccomp.ARGUMENTS_AT + 8 * index] = value & 0xFFFFFFFF
    at = accumulator = 0
    while True:
        code, when_true, when_false, constant = program[at]
        at += 1
        if code == seccomp.RETURN:
            return constant
        if code == seccomp.LOAD:
            accumulator = words.get(constant, 0)
            continue
        holds = {
            seccomp.JUMP_EQ: accumulator == constant,
            seccomp.JUMP_GT: accumulator > constant,
            seccomp.JUMP_SET: bool(accumulator & constant),
        }[code]
        at += when_true if holds else when_false


def answer(tier: Tier, name: str, *args: int, machine: str = "x86_64") -> int:
    program = seccomp.assemble(calls.system_call_rules(tier, PID), machine)
    nr = number(name, machine)
    assert nr is not None
    return simulate(program, seccomp.ARCHITECTURE[machine], nr, *args)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_calls_that_leave_a_box_are_refused(tier: Tier, machine: str) -> None:
    for name in ("ptrace", "mount", "unshare", "setns", "bpf", "keyctl", "process_vm_readv"):
        assert answer(tier, name, machine=machine) == EPERM, name
    for name in ("shmget", "semget", "msgget", "mq_open"):
        assert answer(tier, name, machine=machine) == EPERM, name
    for name in ("clone3", "io_uring_setup", "inotify_init1", "memfd_create"):
        assert answer(tier, name, machine=machine) == ENOSYS, name


@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_calls_of_another_kind_of_machine_end_the_process(tier: Tier) -> None:
    program = seccomp.assemble(calls.system_call_rules(tier, PID), "x86_64")
    getpid = number("getpid", "x86_64") or 0
    assert simulate(program, X86, getpid) == seccomp.ALLOW
    assert simulate(program, I386, getpid) == seccomp.KILL
    assert simulate(program, ARM, getpid) == seccomp.KILL
    assert simulate(program, X86, getpid | seccomp.X32_BIT) == seccomp.KILL


@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_no_urgent_bytes_and_no_core_dumps(tier: Tier) -> None:
    refused = seccomp.answer(errno.EOPNOTSUPP)
    for name, at in calls.MESSAGES:
        plain, urgent = [0] * (at + 1), [0] * at + [calls.MSG_OOB | 0x40]
        sends_descriptors = tier == "restricted" and name.startswith("sendm")
        assert answer(tier, name, *plain) == (EPERM if sends_descriptors else seccomp.ALLOW)
        assert answer(tier, name, *urgent) == refused
    assert answer(tier, "setrlimit", resource.RLIMIT_CORE) == EPERM
    assert answer(tier, "prlimit64", 0, resource.RLIMIT_CORE) == EPERM
    assert answer(tier, "prlimit64", 0, resource.RLIMIT_NOFILE) == seccomp.ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_pipes_stay_as_they_are_and_descriptors_are_changed(tier: Tier, machine: str) -> None:
    set_size, set_flags = fcntl.F_SETPIPE_SZ, fcntl.F_SETFD
    assert answer(tier, "fcntl", 3, set_size, 1 << 20, machine=machine) == EPERM
    assert answer(tier, "fcntl", 3, set_flags, 1, machine=machine) == seccomp.ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_nothing_is_left_at_files_that_all_boxes_read(tier: Tier, machine: str) -> None:
    pretended = seccomp.answer(0)
    for name in ("flock", "fadvise64", "readahead"):
        assert answer(tier, name, machine=machine) == pretended
    for command in (fcntl.F_SETLK, fcntl.F_SETLKW, fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW):
        assert answer(tier, "fcntl", 3, command, machine=machine) == pretended
    for advice, said in ((20, pretended), (21, pretended), (4, seccomp.ALLOW)):
        assert answer(tier, "madvise", 0, 4096, advice, machine=machine) == said
    assert answer(tier, "fcntl", 3, fcntl.F_NOTIFY, machine=machine) == EPERM
    for name in ("mincore", "cachestat"):
        assert answer(tier, name, machine=machine) == EPERM
    flags = 0, 0, 0, 0, 0
    refused = seccomp.answer(errno.EOPNOTSUPP)
    assert answer(tier, "preadv2", *flags, os.RWF_NOWAIT, machine=machine) == refused
    assert answer(tier, "preadv2", *flags, 0, machine=machine) == seccomp.ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_no_memory_belongs_to_no_process(tier: Tier, machine: str) -> None:
    shared, private, without_file = mmap.MAP_SHARED, mmap.MAP_PRIVATE, mmap.MAP_ANONYMOUS
    for flags, said in (
        (shared | without_file, EPERM),
        (private | without_file, seccomp.ALLOW),
        (shared, seccomp.ALLOW),
    ):
        assert answer(tier, "mmap", 0, 4096, 3, flags, machine=machine) == said
    assert answer(tier, "vmsplice", machine=machine) == EPERM
    assert answer(tier, "setsockopt", 3, 1, 7, machine=machine) == seccomp.answer(0)
    assert answer(tier, "setsockopt", 3, 1, 2, machine=machine) == seccomp.ALLOW
    rights = dict(policy.file_rights(tier, []))
    assert not rights["/dev/zero"] & landlock.WRITE_FILE


def test_no_file_of_a_box_on_the_disk_is_where_nobody_looks() -> None:
    assert answer("restricted", "clone", THREAD_FLAGS & ~calls.CLONE_FILES) == EPERM
    assert answer("restricted", "close_range", 3, 9, calls.CLOSE_RANGE_UNSHARE) == EPERM
    assert answer("restricted", "close_range", 3, 9, 0) == seccomp.ALLOW
    assert answer("restricted", "prctl", syscalls.PR_SET_DUMPABLE, 0) == EPERM
    assert answer("restricted", "fallocate") == seccomp.answer(errno.EOPNOTSUPP)


def test_calls_newer_than_the_table_do_not_exist() -> None:
    program = seccomp.assemble(calls.system_call_rules("full", PID), "x86_64")
    assert simulate(program, X86, LAST_KNOWN + 1) == ENOSYS


def test_threads_start_in_every_tier_and_processes_only_in_the_full_one() -> None:
    assert answer("full", "clone", THREAD_FLAGS) == seccomp.ALLOW
    assert answer("full", "clone", FORK_FLAGS) == seccomp.ALLOW
    assert answer("full", "execve") == seccomp.ALLOW
    assert answer("restricted", "clone", THREAD_FLAGS) == seccomp.ALLOW
    assert answer("restricted", "clone", FORK_FLAGS) == EPERM
    for name in ("fork", "vfork", "execve", "execveat"):
        assert answer("restricted", name) == EPERM


def test_no_new_namespace_comes_from_clone() -> None:
    for bit in range(32):
        flag = 1 << bit
        if flag & policy.NAMESPACES:
            assert answer("full", "clone", FORK_FLAGS | flag) == EPERM
            assert answer("restricted", "clone", THREAD_FLAGS | flag) == EPERM


def test_the_only_sockets_are_local_ones() -> None:
    refused = seccomp.answer(errno.EAFNOSUPPORT)
    assert answer("full", "socket", AF_UNIX) == seccomp.ALLOW
    assert answer("full", "socket", AF_INET) == refused
    assert answer("full", "socket", AF_NETLINK) == refused
    assert answer("restricted", "socket", AF_UNIX) == EPERM
    assert answer("restricted", "socketpair", AF_UNIX) == seccomp.ALLOW
    assert answer("restricted", "socketpair", AF_INET) == refused


def test_signals_reach_nobody_else_where_the_process_table_is_shared() -> None:
    assert answer("restricted", "kill", PID, 15) == seccomp.ALLOW
    for other in (PID + 1, -1, -PID):
        assert answer("restricted", "kill", other, 9) == EPERM
    assert answer("restricted", "tgkill", PID, PID, 6) == seccomp.ALLOW
    assert answer("restricted", "tgkill", PID + 1, PID + 1, 6) == EPERM


def test_nothing_else_reaches_others_either() -> None:
    for name, at in calls.OTHERS:
        before = (1,) * at if name == "ioprio_set" else (0,) * at
        for itself in (0, PID):
            assert answer("restricted", name, *before, itself) == seccomp.ALLOW, name
        assert answer("restricted", name, *before, PID + 1) == EPERM, name
        assert answer("full", name, *before, PID + 1) == seccomp.ALLOW, name
    assert answer("restricted", "setpriority", os.PRIO_USER, 0) == EPERM
    assert answer("restricted", "ioprio_set", 3, 0) == EPERM
    for told in (fcntl.F_SETOWN, fcntl.F_SETSIG, 15):
        assert answer("restricted", "fcntl", 3, told, PID + 1) == EPERM
    for told in (0x8901, 0x8902):
        assert answer("restricted", "ioctl", 3, told) == EPERM
    for tier in ("full", "restricted"):
        assert answer(tier, "fcntl", 3, fcntl.F_SETLEASE, fcntl.F_WRLCK) == EPERM


def test_the_first_process_of_a_box_can_kill_itself() -> None:
    for itself in (PID, 0):
        assert answer("full", "kill", itself, 9) == seccomp.KILL
    assert answer("full", "tgkill", PID, PID, 9) == seccomp.KILL
    assert answer("full", "kill", PID, 15) == seccomp.ALLOW
    assert answer("full", "kill", PID + 1, 9) == seccomp.ALLOW


def test_terminals_take_no_stuffed_input_and_death_with_the_zygote_stays() -> None:
    assert answer("full", "ioctl", 0, calls.TIOCSTI) == EPERM
    assert answer("full", "ioctl", 0, 0x5401) == seccomp.ALLOW
    assert answer("full", "prctl", 1, 0) == seccomp.answer(0)
    assert answer("full", "prctl", 15, 0) == seccomp.ALLOW


def test_copying_a_file_does_not_fail_where_modes_cannot_change() -> None:
    assert answer("restricted", "chmod") == seccomp.answer(0)
    assert answer("restricted", "chown") == EPERM
    assert answer("full", "chmod") == seccomp.ALLOW


def test_every_call_of_the_policy_has_a_number() -> None:
    named = {rule.name for tier in ("full", "restricted") for rule in rules(tier)}
    assert named <= set(NUMBERS)
    for machine in range(len(MACHINES)):
        numbers = [both[machine] for both in NUMBERS.values() if both[machine] is not None]
        assert len(set(numbers)) == len(numbers)
        assert max(numbers) <= LAST_KNOWN


def rules(tier: str) -> list[seccomp.Rule]:
    return calls.system_call_rules("full" if tier == "full" else "restricted", PID)


def test_jumps_of_the_filter_fit_into_a_byte() -> None:
    for machine in MACHINES:
        program = seccomp.assemble(calls.system_call_rules("restricted", PID), machine)
        assert all(max(true, false) < 256 for _, true, false, _ in program)
        assert len(program) < 4096


def test_the_nearest_path_above_decides_what_is_shown() -> None:
    shown = policy.layers(
        ["/course/.venv", "/course/autograder", "/usr", "/usr/lib/python3"],
        ["/course", "/course/autograder/hidden", "/home"],
    )
    assert dict(shown) == {
        "/usr": True,
        "/course/.venv": True,
        "/course/autograder": True,
        "/course/autograder/hidden": False,
    }


def test_a_hidden_folder_below_a_shown_one_is_covered_and_may_show_again() -> None:
    shown = policy.layers(["/opt/conda", "/opt/conda/course/.venv"], ["/opt/conda/course"])
    assert shown == [
        ("/opt/conda", True),
        ("/opt/conda/course", False),
        ("/opt/conda/course/.venv", True),
    ]


def test_hidden_wins_over_shown_on_the_same_path() -> None:
    assert policy.layers(["/course"], ["/course"]) == []


def test_links_on_the_way_to_a_path_are_kept(tmp_path: Path) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "again").symlink_to(tmp_path / "link" / "inner")
    links, at = view.follow(str(tmp_path / "again"))
    assert at == os.path.realpath(tmp_path / "real" / "inner")
    assert links[str(tmp_path.resolve() / "again")] == str(tmp_path / "link" / "inner")
    assert links[str(tmp_path.resolve() / "link")] == "real"


def test_a_path_of_the_grader_that_is_a_link_hides_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "course" / "venv").mkdir(parents=True)
    (tmp_path / "way").symlink_to("course")
    _, shown = view.resolve([str(tmp_path / "course" / "venv")], [str(tmp_path / "way")])
    assert shown == [(os.path.realpath(tmp_path / "course" / "venv"), True)]


def test_landlock_shows_only_the_other_parts_of_a_folder_with_a_hidden_one(tmp_path: Path) -> None:
    for name in ("box", "checks"):
        (tmp_path / "package" / name).mkdir(parents=True)
    package = tmp_path / "package"
    shown = [(str(package), True), (str(package / "checks"), False)]
    rights = dict(policy.file_rights("restricted", shown))
    assert rights[str(package / "box")] == landlock.READ
    assert not {str(package), str(package / "checks")} & set(rights)


def test_only_the_boxs_own_folders_may_be_written() -> None:
    shared = policy.file_rights("full", [("/usr", True)])
    writable = {path for path, rights in shared if rights & landlock.WRITE_FILE}
    assert writable == set(policy.DEVICES) - {"/dev/zero"}
    own = dict(policy.own_file_rights("full", "/box", 1))
    assert set(own) == {"/box", "/tmp", "/dev/shm"}
    assert not any(rights & landlock.MAKE_CHAR for rights in own.values())


def test_the_environment_is_made_of_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    made = policy.environment("/box", "/tmp")
    assert "SECRET_TOKEN" not in made
    assert (made["HOME"], made["TMPDIR"], made["OMP_NUM_THREADS"]) == ("/box", "/tmp", "1")


def test_rlimits_follow_from_the_limits() -> None:
    limits = Limits(memory_bytes=1000, processes=7, file_bytes=5)
    most = policy.rlimits(limits, used_bytes=100, own_process_count=True)
    assert most[resource.RLIMIT_AS] == 1100
    assert most[resource.RLIMIT_NPROC] == 7
    assert most[resource.RLIMIT_FSIZE] == 5
    assert most[resource.RLIMIT_SIGPENDING] == policy.PENDING_SIGNALS
    assert most[resource.RLIMIT_MSGQUEUE] == most[resource.RLIMIT_MEMLOCK] == 0
    assert most[resource.RLIMIT_CORE] == 1  # 0 does not stop a program that takes dumps


def test_processes_are_not_limited_where_the_count_is_shared_with_others() -> None:
    most = policy.rlimits(Limits(), used_bytes=None, own_process_count=False)
    assert resource.RLIMIT_NPROC not in most
    assert resource.RLIMIT_AS not in most
