"""What a box may ask of the kernel: data, and pure functions of data.

Theory of operation. Whatever is not named here is allowed: Python and torch need most calls. In
tier `full` refusing is a second wall behind the namespaces; in tier `restricted` the filter must
also refuse new processes, whatever reaches other ones, and sockets but for local pairs. What the
zygote counts from outside (see `watching`) holds because the filter refuses what would not be seen.
"""

from __future__ import annotations

import errno
import resource
from typing import Final

from autograder.box.walls import syscalls
from autograder.box.walls.policy import NAMESPACES, Tier
from autograder.box.walls.seccomp import KILL, Rule, Test, answer

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
    *("tkill", "pidfd_open", "pidfd_send_signal", "process_mrelease"),
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

PRETENDED: Final = ("flock", "fadvise64", "readahead", "setsid")
"""What would leave a trace on files that other boxes read, and what nothing rests on in a box.

A session of its own gets a share of the processor of its own: whoever opens many starves others.
"""
F_NOTIFY, F_SETLEASE = 1026, 1024
F_SETOWN, F_SETSIG, F_SETOWN_EX = 8, 10, 15
FIOSETOWN, SIOCSPGRP = 0x8901, 0x8902
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
MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
CLONE_THREAD, CLONE_FILES = 0x10000, 0x400
CLOSE_RANGE_UNSHARE: Final = 2
SIGKILL: Final = 9
PRIO_PROCESS, IOPRIO_WHO_PROCESS = 0, 1
OTHERS: Final = (
    *(("kill", 0), ("prlimit64", 0), ("setpriority", 1), ("ioprio_set", 1)),
    *((f"sched_set{what}", 0) for what in ("affinity", "attr", "param", "scheduler")),
)
"""Calls that reach any process of the same user, and at which place they name it; 0 is itself."""
TIOCSTI, TIOCLINUX = 0x5412, 0x541C


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
        # whoever opens a file with a lease waits until its holder gives way
        Rule("fcntl", refuse, (Test(1, "equal", F_SETLEASE),)),
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
        *(
            Rule(name, refuse, (Test(at, "unequal", pid), Test(at, "unequal", 0)))
            for name, at in OTHERS
        ),
        Rule("setpriority", refuse, (Test(0, "unequal", PRIO_PROCESS),)),
        Rule("ioprio_set", refuse, (Test(0, "unequal", IOPRIO_WHO_PROCESS),)),
        # signals that files send to whom they are told
        *(
            Rule("fcntl", refuse, (Test(1, "equal", told),))
            for told in (F_SETOWN, F_SETSIG, F_SETOWN_EX)
        ),
        *(Rule("ioctl", refuse, (Test(1, "equal", told),)) for told in (FIOSETOWN, SIOCSPGRP)),
        *(
            Rule(name, refuse, (Test(0, "unequal", pid),))
            for name in ("tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
        ),
    ]
