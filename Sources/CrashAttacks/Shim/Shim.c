// A library that is preloaded into a victim's process. It counts the calls that change files below
// one folder. Environment variables request that it ends the process at a call, lets calls fail, or
// logs their effects.
//
// FAULTLINE_SHIM_FOLDER  the folder; files elsewhere and names that end in -shm do not count
// FAULTLINE_SHIM_KILL    the number of the call at which the process ends, from 1
// FAULTLINE_SHIM_TORN    if set and that call is a write, the call first writes half of its bytes
// FAULTLINE_SHIM_DELAY   if set, the process ends that many microseconds after the call begins
// FAULTLINE_SHIM_FAIL    the number of the first call that fails
// FAULTLINE_SHIM_FAILS   the number of calls that fail, beginning with that call
// FAULTLINE_SHIM_ERROR   their errno; with 0 the next write stops half way
// FAULTLINE_SHIM_OPENS   if set, only calls that open a file count, and all of them do
// FAULTLINE_SHIM_LOG     the file that gets one record for each call that succeeded, and one for
//                        each line that the process writes to its standard output
// FAULTLINE_SHIM_COUNT   the file that gets the number of calls when the process ends normally
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls, failures;
static atomic_flag was_halved = ATOMIC_FLAG_INIT;
static long kill_at, fail_at, fail_count = 1, delay = -1;
static int is_torn, error_number, counts_opens, log_file = -1;
static const char *folder;
static size_t folder_length;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

// The original function of this name, which this library replaces.
#define REAL(name) ((__typeof__(&name))real(&real_##name, #name))
#define DECLARE(name) static void *real_##name

static void *real(void **place, const char *name) {
    void *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        __atomic_store_n(place, found, __ATOMIC_RELEASE);
    }
    return found;
}

DECLARE(open); DECLARE(open64); DECLARE(openat); DECLARE(openat64);
DECLARE(mkstemp); DECLARE(mkostemp); DECLARE(mkdir); DECLARE(mkdirat); DECLARE(rmdir);
DECLARE(write); DECLARE(writev); DECLARE(pwrite); DECLARE(pwrite64); DECLARE(pwritev);
DECLARE(pwritev64); DECLARE(ftruncate); DECLARE(ftruncate64);
DECLARE(fallocate); DECLARE(fallocate64); DECLARE(posix_fallocate); DECLARE(posix_fallocate64);
DECLARE(unlink); DECLARE(unlinkat); DECLARE(remove);
DECLARE(rename); DECLARE(renameat); DECLARE(renameat2); DECLARE(link); DECLARE(linkat);
DECLARE(chmod); DECLARE(fchmod); DECLARE(fchmodat); DECLARE(sendfile); DECLARE(sendfile64);
DECLARE(copy_file_range);

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

static void prepare(void) {
    folder = getenv("FAULTLINE_SHIM_FOLDER");
    folder_length = folder ? strlen(folder) : 0;
    kill_at = number("FAULTLINE_SHIM_KILL", 0);
    is_torn = number("FAULTLINE_SHIM_TORN", 0) != 0;
    delay = number("FAULTLINE_SHIM_DELAY", -1);
    fail_at = number("FAULTLINE_SHIM_FAIL", 0);
    fail_count = number("FAULTLINE_SHIM_FAILS", 1);
    error_number = (int)number("FAULTLINE_SHIM_ERROR", 0);
    counts_opens = number("FAULTLINE_SHIM_OPENS", 0) != 0;
    const char *log = getenv("FAULTLINE_SHIM_LOG");
    if (log) log_file = REAL(open)(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
}

__attribute__((constructor)) static void begin(void) { pthread_once(&prepared, prepare); }

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULTLINE_SHIM_COUNT");
    if (!path) return;
    int file = REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) return;
    char text[64];
    int length = snprintf(text, sizeof text, "%ld %ld\n", (long)calls, (long)failures);
    if (REAL(write)(file, text, (size_t)length) < 0) _exit(71);
    close(file);
}

// MARK: Files that count

static int is_inside(const char *path) {
    pthread_once(&prepared, prepare);
    if (!folder || !path || strncmp(path, folder, folder_length)) return 0;
    if (path[folder_length] != '/' && path[folder_length] != 0) return 0;
    size_t length = strlen(path);
    return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

static int path_of(int file, char *path) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_inside(path);
}

static int file_is_inside(int file) {
    char path[PATH_MAX];
    return file > 2 && file != log_file && path_of(file, path);
}

// The absolute path for a path relative to an open folder.
static const char *absolute(int at, const char *path, char *space) {
    if (path[0] == '/' || at == AT_FDCWD) return path;
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, space, PATH_MAX / 2);
    if (length < 0) return path;
    snprintf(space + length, PATH_MAX - (size_t)length, "/%s", path);
    return space;
}

// MARK: Ending and failing

static void end_now(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void end_soon(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec time = {
        .it_value = {delay / 1000000, (delay % 1000000) * 1000 + 1}};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &time, 0))
        end_now();
}

enum fate { GOES_ON, FAILS, HALVES, ENDS_HALF_WAY };

// Counts a call and decides whether it ends the process, fails, or runs.
static enum fate count(int is_write) {
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (call == kill_at) {
        if (delay >= 0) end_soon();
        else if (is_torn && is_write) return ENDS_HALF_WAY;
        else end_now();
    }
    if (fail_at && call >= fail_at && !error_number) {
        // Only the next write is cut in half; other calls run.
        if (!is_write || atomic_flag_test_and_set(&was_halved)) return GOES_ON;
        atomic_fetch_add(&failures, 1);
        return HALVES;
    }
    if (fail_at && call >= fail_at && call - fail_at < fail_count) {
        atomic_fetch_add(&failures, 1);
        errno = error_number;
        return FAILS;
    }
    return GOES_ON;
}

static enum fate change(int is_write) { return counts_opens ? GOES_ON : count(is_write); }

// MARK: Logging

struct record {
    uint32_t kind, path_length, target_length, flags;
    uint64_t inode;
    int64_t offset, length;
};

static void begin_log(void) { if (log_file >= 0) pthread_mutex_lock(&log_lock); }
static void end_log(void) { if (log_file >= 0) pthread_mutex_unlock(&log_lock); }

static void note(
    char kind, uint64_t inode, const char *path, const char *target, int64_t offset,
    const void *bytes, int64_t length
) {
    if (log_file < 0) return;
    int kept = errno;
    struct record record = {
        (uint32_t)kind, path ? (uint32_t)strlen(path) : 0, target ? (uint32_t)strlen(target) : 0,
        bytes != 0, inode, offset, length};
    struct iovec parts[4] = {
        {&record, sizeof record}, {(void *)path, record.path_length},
        {(void *)target, record.target_length}, {(void *)bytes, bytes ? (size_t)length : 0}};
    if (REAL(writev)(log_file, parts, 4) < 0) end_now();
    errno = kept;
}

static void note_file(char kind, int file, int64_t offset, const void *bytes, int64_t length) {
    if (log_file < 0) return;
    struct stat status;
    char path[PATH_MAX] = "";
    int kept = errno;
    if (fstat(file, &status)) status.st_ino = 0;
    path_of(file, path);
    errno = kept;
    note(kind, status.st_ino, path, 0, offset, bytes, length);
}

// Logs the bytes that a call such as `copy_file_range` copied into a file inside the kernel.
static void note_copied(int file, int64_t offset, int64_t length) {
    if (log_file < 0 || length <= 0) return;
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    int reader = REAL(open)(link, O_RDONLY | O_CLOEXEC);
    char *bytes = malloc((size_t)length);
    if (reader < 0 || !bytes || pread(reader, bytes, (size_t)length, offset) != length) end_now();
    note_file('w', file, offset, bytes, length);
    free(bytes);
    close(reader);
}

// MARK: Writes

#define WRITE(file, half, whole, at, bytes, size)                                                 \
    if (!file_is_inside(file)) return whole;                                                      \
    begin_log();                                                                                  \
    enum fate fate = change(1);                                                                   \
    ssize_t done = -1;                                                                            \
    if (fate == ENDS_HALF_WAY) {                                                                  \
        done = half;                                                                              \
        end_now();                                                                                \
    }                                                                                             \
    if (fate != FAILS) {                                                                          \
        off_t place = at;                                                                         \
        done = fate == HALVES && (size) > 1 ? half : whole;                                       \
        if (done > 0) note_file('w', file, place, bytes, done);                                   \
    }                                                                                             \
    end_log();                                                                                    \
    return done;

static off_t position(int file) {
    int flags = fcntl(file, F_GETFL);
    return lseek(file, 0, flags >= 0 && (flags & O_APPEND) ? SEEK_END : SEEK_CUR);
}

ssize_t write(int file, const void *bytes, size_t size) {
    if (file == 1 && log_file >= 0) {
        begin_log();
        note('m', 0, 0, 0, 0, bytes, (int64_t)size);
        ssize_t told = REAL(write)(file, bytes, size);
        end_log();
        return told;
    }
    WRITE(
        file, REAL(write)(file, bytes, size / 2), REAL(write)(file, bytes, size), position(file),
        bytes, size)
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
    WRITE(
        file, REAL(pwrite)(file, bytes, size / 2, at), REAL(pwrite)(file, bytes, size, at), at,
        bytes, size)
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    WRITE(
        file, REAL(pwrite64)(file, bytes, size / 2, at), REAL(pwrite64)(file, bytes, size, at), at,
        bytes, size)
}

// Writes each buffer of the vector by a separate call, so that each call is counted. If a call
// writes only a part of its buffer, the function returns, and its caller writes the rest.
#define WRITE_PARTS(call)                                                                         \
    ssize_t total = 0;                                                                            \
    for (int index = 0; index < count_of_parts; index++) {                                        \
        ssize_t done = call;                                                                      \
        if (done < 0) return total ? total : -1;                                                  \
        total += done;                                                                            \
        if ((size_t)done < parts[index].iov_len) break;                                           \
    }                                                                                             \
    return total;

ssize_t writev(int file, const struct iovec *parts, int count_of_parts) {
    if (!file_is_inside(file)) return REAL(writev)(file, parts, count_of_parts);
    WRITE_PARTS(write(file, parts[index].iov_base, parts[index].iov_len))
}

ssize_t pwritev(int file, const struct iovec *parts, int count_of_parts, off_t at) {
    if (!file_is_inside(file)) return REAL(pwritev)(file, parts, count_of_parts, at);
    WRITE_PARTS(pwrite(file, parts[index].iov_base, parts[index].iov_len, at + total))
}

ssize_t pwritev64(int file, const struct iovec *parts, int count_of_parts, off64_t at) {
    if (!file_is_inside(file)) return REAL(pwritev64)(file, parts, count_of_parts, at);
    WRITE_PARTS(pwrite64(file, parts[index].iov_base, parts[index].iov_len, at + total))
}

#define COPY(file, call, at)                                                                      \
    if (!file_is_inside(file)) return call;                                                       \
    begin_log();                                                                                  \
    off_t place = at;                                                                             \
    ssize_t done = change(0) == FAILS ? -1 : call;                                                \
    note_copied(file, place, done);                                                               \
    end_log();                                                                                    \
    return done;

ssize_t sendfile(int to, int from, off_t *offset, size_t size) {
    COPY(to, REAL(sendfile)(to, from, offset, size), position(to))
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) {
    COPY(to, REAL(sendfile64)(to, from, offset, size), position(to))
}

ssize_t copy_file_range(
    int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags
) {
    COPY(
        to, REAL(copy_file_range)(from, from_at, to, to_at, size, flags),
        to_at ? *to_at : position(to))
}

// MARK: Sizes and syncs

#define FILE_CALL(kind, at, call)                                                                 \
    if (!file_is_inside(file)) return call;                                                       \
    begin_log();                                                                                  \
    int result = change(0) == FAILS ? -1 : call;                                                  \
    if (!result) note_file(kind, file, at, 0, 0);                                                 \
    end_log();                                                                                    \
    return result;

int ftruncate(int file, off_t size) { FILE_CALL('t', size, REAL(ftruncate)(file, size)) }
int ftruncate64(int file, off64_t size) { FILE_CALL('t', size, REAL(ftruncate64)(file, size)) }

// Syncs are counted and logged, but not executed, because they would take time. Later readers read
// the kernel's page cache, so they see the data without a sync.
int fsync(int file) { FILE_CALL('s', 0, fcntl(file, F_GETFD) < 0 ? -1 : 0) }
int fdatasync(int file) { return fsync(file); }
int fchmod(int file, mode_t mode) { FILE_CALL('p', 0, REAL(fchmod)(file, mode)) }

int fallocate(int file, int mode, off_t at, off_t size) {
    FILE_CALL('x', at + size, REAL(fallocate)(file, mode, at, size))
}

int fallocate64(int file, int mode, off64_t at, off64_t size) {
    FILE_CALL('x', at + size, REAL(fallocate64)(file, mode, at, size))
}

// These two functions return the error number instead of setting errno.
#define ALLOCATE(call)                                                                            \
    if (!file_is_inside(file)) return call;                                                       \
    begin_log();                                                                                  \
    int result = change(0) == FAILS ? errno : call;                                               \
    if (!result) note_file('x', file, at + size, 0, 0);                                           \
    end_log();                                                                                    \
    return result;

int posix_fallocate(int file, off_t at, off_t size) {
    ALLOCATE(REAL(posix_fallocate)(file, at, size))
}

int posix_fallocate64(int file, off64_t at, off64_t size) {
    ALLOCATE(REAL(posix_fallocate64)(file, at, size))
}

// MARK: Names

#define PATH_CALL(kind, path, target, call)                                                       \
    const char *first = path, *second = target;                                                   \
    if (!is_inside(first) && !(second && is_inside(second))) return call;                         \
    begin_log();                                                                                  \
    int result = change(0) == FAILS ? -1 : call;                                                  \
    if (!result) note(kind, 0, first, second, 0, 0, 0);                                           \
    end_log();                                                                                    \
    return result;

int unlink(const char *path) { PATH_CALL('u', path, 0, REAL(unlink)(path)) }
int remove(const char *path) { PATH_CALL('u', path, 0, REAL(remove)(path)) }
int rmdir(const char *path) { PATH_CALL('u', path, 0, REAL(rmdir)(path)) }
int mkdir(const char *path, mode_t mode) { PATH_CALL('d', path, 0, REAL(mkdir)(path, mode)) }
int chmod(const char *path, mode_t mode) { PATH_CALL('p', path, 0, REAL(chmod)(path, mode)) }

int unlinkat(int at, const char *path, int flags) {
    char space[PATH_MAX];
    PATH_CALL('u', absolute(at, path, space), 0, REAL(unlinkat)(at, path, flags))
}

int mkdirat(int at, const char *path, mode_t mode) {
    char space[PATH_MAX];
    PATH_CALL('d', absolute(at, path, space), 0, REAL(mkdirat)(at, path, mode))
}

int fchmodat(int at, const char *path, mode_t mode, int flags) {
    char space[PATH_MAX];
    PATH_CALL('p', absolute(at, path, space), 0, REAL(fchmodat)(at, path, mode, flags))
}

int rename(const char *path, const char *target) {
    PATH_CALL('r', path, target, REAL(rename)(path, target))
}

int renameat(int at, const char *path, int to, const char *target) {
    char space[PATH_MAX], other[PATH_MAX];
    PATH_CALL(
        'r', absolute(at, path, space), absolute(to, target, other),
        REAL(renameat)(at, path, to, target))
}

int renameat2(int at, const char *path, int to, const char *target, unsigned flags) {
    char space[PATH_MAX], other[PATH_MAX];
    PATH_CALL(
        'r', absolute(at, path, space), absolute(to, target, other),
        REAL(renameat2)(at, path, to, target, flags))
}

// Logs the name of a new file ('c') or of an existing file ('l') with its inode.
static void note_name(char kind, const char *path) {
    struct stat status;
    if (log_file >= 0 && !lstat(path, &status)) note(kind, status.st_ino, path, 0, 0, 0, 0);
}

#define LINK_CALL(target, call)                                                                   \
    const char *name = target;                                                                    \
    if (!is_inside(name)) return call;                                                            \
    begin_log();                                                                                  \
    int result = change(0) == FAILS ? -1 : call;                                                  \
    if (!result) note_name('l', name);                                                            \
    end_log();                                                                                    \
    return result;

int link(const char *path, const char *target) { LINK_CALL(target, REAL(link)(path, target)) }

int linkat(int at, const char *path, int to, const char *target, int flags) {
    char space[PATH_MAX];
    LINK_CALL(absolute(to, target, space), REAL(linkat)(at, path, to, target, flags))
}

// Whether opening with these flags changes the folder or the file.
static int changes(const char *path, int flags) {
    if (counts_opens) return 1;
    if ((flags & O_TMPFILE) == O_TMPFILE) return 1;
    struct stat status;
    int exists = !stat(path, &status);
    return ((flags & O_CREAT) && !exists) || ((flags & O_TRUNC) && exists && status.st_size > 0);
}

#define OPEN_CALL(whole, flags, call)                                                             \
    mode_t mode = 0;                                                                              \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {                                  \
        va_list list;                                                                             \
        va_start(list, flags);                                                                    \
        mode = va_arg(list, mode_t);                                                              \
        va_end(list);                                                                             \
    }                                                                                             \
    const char *name = whole;                                                                     \
    if (!is_inside(name) || !changes(name, flags)) return call;                                   \
    begin_log();                                                                                  \
    struct stat status;                                                                           \
    int is_new = (flags & O_TMPFILE) != O_TMPFILE && stat(name, &status) != 0;                    \
    int result = count(0) == FAILS ? -1 : call;                                                   \
    if (result >= 0 && is_new) note_name('c', name);                                              \
    if (result >= 0 && (flags & O_TMPFILE) == O_TMPFILE) note_file('n', result, 0, 0, 0);         \
    else if (result >= 0 && (flags & O_TRUNC) && !is_new) note_file('t', result, 0, 0, 0);        \
    end_log();                                                                                    \
    return result;

int open(const char *path, int flags, ...) {
    OPEN_CALL(path, flags, REAL(open)(path, flags, mode))
}

int open64(const char *path, int flags, ...) {
    OPEN_CALL(path, flags, REAL(open64)(path, flags, mode))
}

int openat(int at, const char *path, int flags, ...) {
    char space[PATH_MAX];
    OPEN_CALL(absolute(at, path, space), flags, REAL(openat)(at, path, flags, mode))
}

int openat64(int at, const char *path, int flags, ...) {
    char space[PATH_MAX];
    OPEN_CALL(absolute(at, path, space), flags, REAL(openat64)(at, path, flags, mode))
}

int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

#define TEMPORARY(call)                                                                           \
    if (!is_inside(pattern)) return call;                                                         \
    begin_log();                                                                                  \
    int result = count(0) == FAILS ? -1 : call;                                                   \
    if (result >= 0) note_name('c', pattern);                                                     \
    end_log();                                                                                    \
    return result;

int mkstemp(char *pattern) { TEMPORARY(REAL(mkstemp)(pattern)) }
int mkostemp(char *pattern, int flags) { TEMPORARY(REAL(mkostemp)(pattern, flags)) }
