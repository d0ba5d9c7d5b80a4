// What the process that decodes pictures may still ask of the system: memory, threads, and its
// opened descriptors. A decoder that is taken over can open no file, no connection and no program.
#define _GNU_SOURCE
#include "CVips.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSE(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), ANSWER(SECCOMP_RET_ERRNO | EACCES)

int32_t cvips_seal(void) {
#ifdef OWN_ARCHITECTURE
    struct sock_filter steps[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
#ifdef __x86_64__
        // The numbers of the x32 interface would go round the list.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        REFUSE(open), REFUSE(creat), REFUSE(fork), REFUSE(vfork), REFUSE(unlink), REFUSE(rename),
        REFUSE(mkdir), REFUSE(chmod), REFUSE(link), REFUSE(symlink),
#endif
        REFUSE(openat), REFUSE(openat2), REFUSE(open_by_handle_at), REFUSE(unlinkat),
        REFUSE(renameat2), REFUSE(linkat), REFUSE(symlinkat), REFUSE(mkdirat), REFUSE(fchmod),
        REFUSE(fchmodat), REFUSE(truncate), REFUSE(execve), REFUSE(execveat), REFUSE(socket),
        REFUSE(socketpair), REFUSE(connect), REFUSE(bind), REFUSE(sendto), REFUSE(sendmsg),
        REFUSE(ptrace), REFUSE(process_vm_readv), REFUSE(process_vm_writev), REFUSE(pidfd_open),
        REFUSE(kill), REFUSE(tkill), REFUSE(io_uring_setup), REFUSE(userfaultfd), REFUSE(bpf),
        REFUSE(perf_event_open), REFUSE(mount), REFUSE(unshare), REFUSE(setns), REFUSE(prlimit64),
        // The C library then asks clone, whose arguments can be looked at: threads only.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        ANSWER(SECCOMP_RET_ERRNO | EACCES),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 ? 0 : errno;
#else
    return ENOSYS;
#endif
}
