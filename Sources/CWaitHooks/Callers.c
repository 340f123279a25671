// Distinguishes locks of the program from locks of libraries by the function that takes the lock.
//
// A schedule can switch threads where the program takes a lock. Foundation and the runtime have
// many internal locks. No thread holds one of these while another thread of the schedule runs, so
// no switch is needed there.

#define _GNU_SOURCE
#include "CRuntimeShims.h"
#include "CWaitHooks.h"
#include "Originals.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The origin of a call: the program, a system library, this package, or a method of Foundation's
// locks, run loops and timers. For such a method, the method's own caller decides.
typedef enum { UNKNOWN, OWN, LIBRARY, LAB, PASSING } caller_class;

typedef struct {
    uintptr_t base;
    const ElfW(Sym) *symbols;
    size_t count;
    const char *names;
} image_symbols;

#define IMAGES_MAX 32
static image_symbols images[IMAGES_MAX];
static int image_count;
static atomic_flag images_are_used = ATOMIC_FLAG_INIT;

static void read_symbols(image_symbols *image, const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0) return;
    if (fstat(file, &status) == 0 && (size_t)status.st_size > sizeof(ElfW(Ehdr))) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        const ElfW(Ehdr) *head = bytes;
        if (bytes != MAP_FAILED && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0) {
            const ElfW(Shdr) *sections =
                (const ElfW(Shdr) *)((const char *)bytes + head->e_shoff);
            for (int index = 0; index < head->e_shnum; index++) {
                // A stripped file contains only the symbols that the loader needs.
                bool is_wanted = sections[index].sh_type == SHT_SYMTAB
                    || (sections[index].sh_type == SHT_DYNSYM && image->symbols == NULL);
                if (!is_wanted) continue;
                image->symbols =
                    (const ElfW(Sym) *)((const char *)bytes + sections[index].sh_offset);
                image->count = sections[index].sh_size / sizeof(ElfW(Sym));
                image->names =
                    (const char *)bytes + sections[sections[index].sh_link].sh_offset;
            }
        }
    }
    close(file);
}

static const char *symbol_at(const char *path, uintptr_t base, uintptr_t address) {
    while (atomic_flag_test_and_set(&images_are_used)) {}
    image_symbols *image = NULL;
    for (int index = 0; index < image_count; index++) {
        if (images[index].base == base) image = &images[index];
    }
    if (image == NULL && image_count < IMAGES_MAX) {
        image = &images[image_count++];
        image->base = base;
        read_symbols(image, path[0] == '/' ? path : "/proc/self/exe");
    }
    atomic_flag_clear(&images_are_used);
    const char *found = NULL;
    uintptr_t place = address - base, best = 0;
    for (size_t index = 0; image != NULL && index < image->count; index++) {
        const ElfW(Sym) *symbol = &image->symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
        if (symbol->st_value > place || symbol->st_value < best) continue;
        best = symbol->st_value;
        found = image->names + symbol->st_name;
    }
    return found;
}

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

// The mangled names of this package's modules. Each is a prefix of the mangled names of the
// module's functions.
static const char *const modules[] = {
    "14ContextHistory", "8CoreData", "17CoreDataDocuments", "14CoreDataEngine", "13CoreDataModel",
    "17CoreDataPredicate", "14CoreDataSQLite", "13CoreDataStore", "13CoreDataTrace",
    "17FaultlineRecorder", "8LabCheck", "8LabFiles", "9LabReport", "10LabResults", "9LabRunner",
    "11LabScenario", "11LabSchedule", "10LabTesting", "9LabXCTest", "10LabTorture", "11ReportParts",
    "12CrashAttacks", "11FuzzAttacks", "16TortureCampaigns",
};

static caller_class class_of_name(const char *name, bool is_system) {
    if (begins(name, "$s10Foundation6NSLockC") || begins(name, "$s10Foundation9NSLockingP")
        || begins(name, "$s10Foundation15NSRecursiveLockC")
        || begins(name, "$s10Foundation11NSConditionC")
        || begins(name, "$s10Foundation15NSConditionLockC")
        || begins(name, "$s10Foundation7RunLoopC") || begins(name, "$s10Foundation5TimerC")) {
        return PASSING;
    }
    if (is_system) return LIBRARY;
    if (begins(name, "faultline_") || begins(name, "sqlite3")) return LAB;
    if (!begins(name, "$s")) return OWN;
    for (size_t index = 0; index < sizeof modules / sizeof *modules; index++) {
        if (begins(name + 2, modules[index])) return LAB;
    }
    return OWN;
}

static caller_class find_class(uintptr_t address) {
    const char *path = NULL;
    uintptr_t base = 0;
    if (!faultline_find_image((const void *)address, &path, &base)) return LIBRARY;
    bool is_system = path[0] == '/'
        && (strstr(path, "/lib/swift/") != NULL || begins(path, "/usr/lib")
            || begins(path, "/lib"));
    if (is_system && strstr(path, "libFoundation.so") == NULL) return LIBRARY;
    const char *name = symbol_at(path, base, address);
    return name == NULL ? LIBRARY : class_of_name(name, is_system);
}

#define KNOWN_MAX 1024
static _Atomic uintptr_t known[KNOWN_MAX];

// Returns the class of an address from a cache. An entry contains an address in its lower bits and
// the class in its upper bits, which addresses do not use.
static caller_class class_of(uintptr_t address) {
    _Atomic uintptr_t *slot = &known[(address ^ address >> 10) % KNOWN_MAX];
    uintptr_t word = atomic_load_explicit(slot, memory_order_relaxed);
    if ((word & ((uintptr_t)1 << 56) - 1) == address) return (caller_class)(word >> 56);
    caller_class class = find_class(address);
    atomic_store_explicit(slot, (uintptr_t)class << 56 | address, memory_order_relaxed);
    return class;
}

static caller_class caller_of(const void *frame) {
    uintptr_t places[6];
    // The callers' frames are at higher addresses on the same stack.
    size_t count = faultline_walk_frames(
        (uintptr_t)frame, (uintptr_t)frame + (1 << 16), places, 6);
    for (size_t index = 0; index < count; index++) {
        caller_class class = class_of(places[index]);
        if (class != PASSING) return class;
    }
    return LIBRARY;
}

bool faultline_is_own_call(const void *frame) { return caller_of(frame) == OWN; }

bool faultline_is_lab_call(const void *frame) { return caller_of(frame) == LAB; }

const char *faultline_function_at(uintptr_t address) {
    Dl_info found;
    return dladdr((void *)address, &found) == 0 ? NULL : found.dli_sname;
}
