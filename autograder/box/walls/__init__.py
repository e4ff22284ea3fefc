"""What confines a box: namespaces, mounts, Landlock, system calls, limits; and the zygote."""
