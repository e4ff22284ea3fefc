"""What a box may see, use and ask of the kernel: data, and pure functions of data.

Theory of operation. A box of tier `full` has namespaces of its own: its root folder is an empty
one in which only `readable` paths appear, read-only, so that refusing system calls and Landlock
are a second and third wall. In tier `restricted` there are no namespaces, so Landlock must hide
the files, and the filter must also refuse new processes, signals to others and every socket.
Nothing here touches the system, except to ask where Python lies.
"""

from __future__ import annotations

import errno
import os
import resource
import site
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

from autograder.box.walls import landlock, syscalls
from autograder.box.walls.seccomp import KILL, Rule, Test, answer
from autograder.course.limits import Limits
from autograder.files import PACKAGE

Tier = Literal["full", "restricted", "none"]
Layers = list[tuple[str, bool]]
"""Paths with whether they are shown (True) or covered (False), outermost first."""

NAMESPACES: Final = (
    syscalls.CLONE_NEWUSER
    | syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNET
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUTS
)
"""Those that a box is born in; that of its control group begins when it is in the group."""

UNPRIVILEGED_ID: Final = 65534
"""User and group of the zygote when the grader is root."""

BOX_ID: Final = 1000
HOME: Final = "/box"
TEMPORARY: Final = "/tmp"
SHARED_MEMORY: Final = "/dev/shm"
OPEN_FILES: Final = 256
COPIED_BYTES: Final = 256 << 20
"""What a box may change of the memory that it shares with the zygote."""

ZYGOTE_TEMPORARY_BYTES: Final = 64 << 20

SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"),
    *("/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"),
)
ZEROS: Final = "/dev/zero"
"""A device to be read only: written to memory, it is memory that belongs to no process."""
DEVICES: Final = ("/dev/null", ZEROS, "/dev/full", "/dev/random", "/dev/urandom")
FACTS: Final = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu")
"""What libraries ask about the machine; readable in tier `restricted`."""

KNOWN_OF_THE_SYSTEM: Final = frozenset(
    {
        *("cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime", "version"),
        *("mounts", "net", "self", "thread-self"),  # links into the box's own part
    }
)
"""What a box of tier `full` sees in `/proc` beside its processes: the rest is the machine's."""

EMPTY: Final = "/empty"
"""A folder of the view that covers others."""

KNOWN_OF_ITSELF: Final = (
    *("auxv", "comm", "exe", "fd", "fdinfo", "io", "limits", "maps", "oom_score", "pagemap"),
    *("smaps", "smaps_rollup", "stat", "statm", "status"),
)
"""What a box of tier `restricted` sees of its own process: nothing of mounts, groups, commands."""

MADE_FILES: Final = {
    "/etc/passwd": f"student:x:{BOX_ID}:{BOX_ID}::{HOME}:/bin/sh\n"
    f"nobody:x:{UNPRIVILEGED_ID}:{UNPRIVILEGED_ID}::/:/bin/sh\n",
    "/etc/group": f"student:x:{BOX_ID}:\nnogroup:x:{UNPRIVILEGED_ID}:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
}
"""Files of the view's own, with their text."""

REFUSED: Final = (
    # other processes and their memory
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp"),
    *("pidfd_getfd", "perf_event_open", "migrate_pages", "move_pages", "mbind", "set_mempolicy"),
    # namespaces and mounts
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "statmount", "listmount"),
    *("name_to_handle_at", "open_by_handle_at", "fanotify_init", "quotactl", "quotactl_fd"),
    # parts of the kernel that have let many out, and that no student needs
    *("bpf", "userfaultfd", "keyctl", "add_key", "request_key", "memfd_secret", "seccomp"),
    *("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"),
    *("lsm_get_self_attr", "lsm_set_self_attr", "lsm_list_modules"),
    # memory that belongs to no process, so that nobody counts it
    *("shmget", "shmat", "shmctl", "semget", "semctl", "semop"),
    *("msgget", "msgctl", "msgsnd", "msgrcv", "mq_open", "mq_unlink", "vmsplice"),
    # what others have read
    *("mincore", "cachestat"),
    # the machine
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot"),
    *("swapon", "swapoff", "acct", "syslog", "settimeofday", "clock_settime", "clock_adjtime"),
    *("adjtimex", "iopl", "ioperm", "modify_ldt", "personality", "vhangup"),
)
ABSENT: Final = (
    *("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("inotify_init", "inotify_init1"),  # a user may have few of these, in all boxes together
    "memfd_create",  # memory that belongs to no process; a box has two such files, of fixed size
)
"""Answered "no such call", after which libraries do without, as the filter can see through."""

REFUSED_IF_RESTRICTED: Final = (
    *("fork", "vfork", "execve", "execveat"),
    *("tkill", "pidfd_open", "pidfd_send_signal"),
    *("socket", "sendmsg", "sendmmsg"),  # a descriptor under way keeps a file that nobody finds
    *("chown", "fchown", "lchown", "fchownat"),
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
)
PRETENDED_IF_RESTRICTED: Final = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2"),
    *("utime", "utimes", "futimesat", "utimensat"),
)
"""Landlock does not see these, and copying a file must not fail for them."""

UNSUPPORTED_IF_RESTRICTED: Final = ("fallocate",)
"""What takes room on a disk at once, and more than the largest file; libraries write instead."""

PRETENDED: Final = ("flock", "fadvise64", "readahead")
"""What would leave a trace on files that other boxes read, and what nothing rests on in a box."""
F_NOTIFY: Final = 1026
LOCKS: Final = (6, 7, 37, 38)
"""`fcntl`'s F_SETLK and F_SETLKW, and both for open files."""
MADV_COLD, MADV_PAGEOUT = 20, 21
RWF_NOWAIT: Final = 8

AF_UNIX: Final = 1
SOL_SOCKET, SO_SNDBUF = 1, 7
MSG_OOB: Final = 1
MESSAGES: Final = (
    *(("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)),
    *(("recvfrom", 3), ("recvmsg", 2), ("recvmmsg", 3)),
)
"""Calls that take flags of a message, and at which place."""

F_SETPIPE_SZ: Final = 1031
PENDING_SIGNALS: Final = 256
"""Queued signals and timers, of which a user has some ten thousand in all processes together."""

NO_CORE_BYTES: Final = 1
"""The one limit that the kernel heeds also where a program of the machine takes core dumps."""

MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
CLONE_THREAD, CLONE_FILES = 0x10000, 0x400
CLOSE_RANGE_UNSHARE: Final = 2
SIGKILL: Final = 9
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
KERNEL_WITH_OWN_PROCESS_COUNTS: Final = (5, 14)


def system_call_rules(tier: Tier, pid: int) -> list[Rule]:
    """The filter's rules for a box whose first process calls itself `pid`."""
    refuse = answer(errno.EPERM)
    rules = [
        *(Rule(name, refuse) for name in REFUSED),
        *(Rule(name, answer(errno.ENOSYS)) for name in ABSENT),
        *(Rule(name, answer(0)) for name in PRETENDED),
        *(Rule("fcntl", answer(0), (Test(1, "equal", lock),)) for lock in LOCKS),
        *(Rule("madvise", answer(0), (Test(2, "equal", a),)) for a in (MADV_COLD, MADV_PAGEOUT)),
        # tells what others have read
        Rule("preadv2", answer(errno.EOPNOTSUPP), (Test(5, "with_any_bit", RWF_NOWAIT),)),
        Rule("fcntl", refuse, (Test(1, "equal", F_NOTIFY),)),
        Rule("clone", refuse, (Test(0, "with_any_bit", NAMESPACES | syscalls.CLONE_NEWCGROUP),)),
        Rule("ioctl", refuse, (Test(1, "equal", TIOCSTI),)),
        Rule("ioctl", refuse, (Test(1, "equal", TIOCLINUX),)),
        # urgent bytes of local sockets, which have let some out, and nobody sends
        *(
            Rule(name, answer(errno.EOPNOTSUPP), (Test(at, "with_any_bit", MSG_OOB),))
            for name, at in MESSAGES
        ),
        # the memory of pipes is counted for each user
        Rule("fcntl", refuse, (Test(1, "equal", F_SETPIPE_SZ),)),
        # what waits in sockets belongs to no process: their buffers stay as they are
        Rule("setsockopt", answer(0), (Test(1, "equal", SOL_SOCKET), Test(2, "equal", SO_SNDBUF))),
        # a lower limit would have the machine take core dumps again
        Rule("setrlimit", refuse, (Test(0, "equal", resource.RLIMIT_CORE),)),
        Rule("prlimit64", refuse, (Test(1, "equal", resource.RLIMIT_CORE),)),
        # memory that belongs to no process, once all but a page of it is given back
        Rule(
            "mmap",
            refuse,
            (Test(3, "with_any_bit", MAP_SHARED), Test(3, "with_any_bit", MAP_ANONYMOUS)),
        ),
        # what it holds is to be seen from outside
        Rule("prctl", refuse, (Test(0, "equal", syscalls.PR_SET_DUMPABLE),)),
        # the box must end with the zygote: nothing to be told, and nothing done
        Rule("prctl", answer(0), (Test(0, "equal", syscalls.PR_SET_PDEATHSIG),)),
    ]
    if tier == "restricted":
        return rules + _restricted_rules(pid)
    other_family = answer(errno.EAFNOSUPPORT)
    return [
        *rules,
        Rule("socket", other_family, (Test(0, "unequal", AF_UNIX),)),
        Rule("socketpair", other_family, (Test(0, "unequal", AF_UNIX),)),
        # the first process of a pid namespace would not die of its own SIGKILL
        *(
            Rule(name, KILL, (Test(0, "equal", whom), Test(at, "equal", SIGKILL)))
            for name, whom, at in (
                *(("kill", itself, 1) for itself in (pid, 0)),
                *(("tkill", pid, 1), ("tgkill", pid, 2), ("rt_sigqueueinfo", pid, 1)),
            )
        ),
    ]


def _restricted_rules(pid: int) -> list[Rule]:
    refuse = answer(errno.EPERM)
    return [
        *(Rule(name, refuse) for name in REFUSED_IF_RESTRICTED),
        *(Rule(name, answer(0)) for name in PRETENDED_IF_RESTRICTED),
        *(Rule(name, answer(errno.EOPNOTSUPP)) for name in UNSUPPORTED_IF_RESTRICTED),
        Rule("clone", refuse, (Test(0, "without_bit", CLONE_THREAD),)),
        # a thread with descriptors of its own could hide files in them
        Rule("clone", refuse, (Test(0, "without_bit", CLONE_FILES),)),
        Rule("close_range", refuse, (Test(2, "with_any_bit", CLOSE_RANGE_UNSHARE),)),
        Rule("socketpair", answer(errno.EAFNOSUPPORT), (Test(0, "unequal", AF_UNIX),)),
        Rule("kill", refuse, (Test(0, "unequal", pid), Test(0, "unequal", 0))),
        *(
            Rule(name, refuse, (Test(0, "unequal", pid),))
            for name in ("tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
        ),
    ]


def python_paths() -> list[str]:
    """Where this interpreter and its libraries lie."""
    searched = [*site.getsitepackages(), *filter(None, sys.path)]
    return [sys.prefix, sys.base_prefix, *searched, str(PACKAGE)]


def layers(readable: Iterable[str], hidden: Iterable[str]) -> Layers:
    """Which paths to show (True) or cover (False), outermost first, without what changes nothing.

    The nearest rule above a path decides about it; hidden wins over readable on the same path.
    """
    marks = {Path(path): True for path in readable} | {Path(path): False for path in hidden}
    needed: dict[Path, bool] = {}
    for path in sorted(marks, key=lambda p: len(p.parts)):
        above = next((needed[p] for p in path.parents if p in needed), False)
        if marks[path] != above:
            needed[path] = marks[path]
    return [(str(path), shown) for path, shown in needed.items()]


def file_rights(tier: Tier, shown: Layers) -> list[tuple[str, int]]:
    """Landlock's rules that all boxes share."""
    written = [(path, landlock.USE_DEVICE) for path in DEVICES if path != ZEROS]
    devices = [(ZEROS, landlock.READ), *written]
    if tier == "restricted":
        facts = [(path, landlock.READ) for path in FACTS]
        return [*_without_hidden(dict(shown)), *facts, *devices]
    paths = [(path, landlock.READ) for path, visible in shown if visible]
    around = [("/proc", landlock.READ), ("/etc", landlock.READ)]
    return [*around, *paths, *devices]


def own_file_rights(tier: Tier, home: str, pid: int) -> list[tuple[str, int]]:
    """Landlock's rules for the box of process `pid` with the folder `home`."""
    if tier == "restricted":
        own = [(f"/proc/{pid}/{name}", landlock.READ) for name in KNOWN_OF_ITSELF]
        return [
            *((path, right) for path, right in own if os.path.exists(path)),
            (home, landlock.WRITE),
        ]
    return [(path, landlock.WRITE) for path in (home, TEMPORARY, SHARED_MEMORY)]


def _without_hidden(shown: dict[str, bool]) -> list[tuple[str, int]]:
    """Landlock cannot take back: a folder with something hidden below it is split up."""
    hidden = [Path(path) for path, visible in shown.items() if not visible]
    rules: list[tuple[str, int]] = []
    pending = [Path(path) for path, visible in shown.items() if visible]
    while pending:
        path = pending.pop()
        if path in hidden:
            continue
        if any(path in secret.parents for secret in hidden):
            pending += [child for child in path.iterdir() if not child.is_symlink()]
        else:
            rules.append((str(path), landlock.READ))
    return rules


def environment(home: str, temporary: str) -> dict[str, str]:
    """The whole environment of a box: constants only."""
    return {
        "HOME": home,
        "TMPDIR": temporary,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PATH": f"{os.path.dirname(sys.executable)}:/usr/local/bin:/usr/bin:/bin",
        "TERM": "dumb",
        "USER": "student",
        "LOGNAME": "student",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": temporary,
        "OMP_NUM_THREADS": "1",
        "TORCHDYNAMO_DISABLE": "1",  # compiling takes longer than an answer may
        "TORCHINDUCTOR_CACHE_DIR": temporary,
        "HF_HUB_OFFLINE": "1",
        "NBGRADER_EXECUTION": "autograde",
    }


def rlimits(limits: Limits, used_bytes: int | None, own_process_count: bool) -> dict[int, int]:
    """Resource limits of a box.

    Args:
        used_bytes: address space at the fork; None where it is unknown.
        own_process_count: the kernel counts the box's processes apart from others of its user.
    """
    most = {
        resource.RLIMIT_CORE: NO_CORE_BYTES,
        resource.RLIMIT_CPU: int(limits.submission_seconds) + 1,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_MEMLOCK: 0,
    }
    if sys.platform.startswith("linux"):
        most |= {resource.RLIMIT_SIGPENDING: PENDING_SIGNALS, resource.RLIMIT_MSGQUEUE: 0}
    if used_bytes is not None:
        most[resource.RLIMIT_AS] = used_bytes + limits.memory_bytes
    if own_process_count:
        most[resource.RLIMIT_NPROC] = limits.processes
    return most


def counts_processes_per_box(tier: Tier) -> bool:
    """Whether RLIMIT_NPROC in a user namespace leaves other boxes of the user alone."""
    release = os.uname().release.split(".")
    version = tuple(int(part) for part in release[:2] if part.isdigit())
    return tier == "full" and version >= KERNEL_WITH_OWN_PROCESS_COUNTS
