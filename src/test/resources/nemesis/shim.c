/*
 * Preloaded into a server so that a test can shift its clock and fail its writes while it runs.
 *
 * The file RUSH_SHIM is mapped into memory: 8 bytes of microseconds that are added to the wall
 * clock, then 4 bytes of which 1 fails every fsync and 2 fails one pwrite in eight, with EIO.
 * Monotonic clocks stay as they are.
 *
 * libfaketime and libfiu do the same, but both deadlock with the allocator (jemalloc) of Debian's
 * redis-server: they allocate while it initialises itself. Nothing here allocates.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct settings { volatile int64_t shift_us; volatile int32_t fail; };

static struct settings none;
static struct settings *settings = &none;

__attribute__((constructor)) static void map_orders(void) {
    const char *path = getenv("RUSH_SHIM");
    int file = path ? (int) syscall(SYS_openat, AT_FDCWD, path, O_RDWR) : -1;
    if (file < 0) return;
    void *map = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) settings = map;
    syscall(SYS_close, file);
}

static int64_t now_ns(clockid_t clock, struct timespec *raw) {
    syscall(SYS_clock_gettime, clock, raw);
    return raw->tv_sec * 1000000000LL + raw->tv_nsec + settings->shift_us * 1000;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return (int) syscall(SYS_clock_gettime, clock, time);
    int64_t now = now_ns(clock, time);
    time->tv_sec = now / 1000000000LL;
    time->tv_nsec = now % 1000000000LL;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec raw;
    int64_t now = now_ns(CLOCK_REALTIME, &raw);
    time->tv_sec = now / 1000000000LL;
    time->tv_usec = now % 1000000000LL / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec raw;
    time_t now = now_ns(CLOCK_REALTIME, &raw) / 1000000000LL;
    if (result) *result = now;
    return now;
}

static int fails(int kind) {
    static _Thread_local unsigned int turn;
    if (!(settings->fail & kind) || (kind == 2 && turn++ % 8)) return 0;
    errno = EIO;
    return 1;
}

int fsync(int file) { return fails(1) ? -1 : (int) syscall(SYS_fsync, file); }

int fdatasync(int file) { return fails(1) ? -1 : (int) syscall(SYS_fdatasync, file); }

ssize_t pwrite64(int file, const void *data, size_t bytes, off64_t at) {
    return fails(2) ? -1 : syscall(SYS_pwrite64, file, data, bytes, at);
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t at) {
    return pwrite64(file, data, bytes, at);
}
