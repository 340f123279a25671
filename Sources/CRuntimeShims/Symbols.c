// Looks up the functions at addresses, and demangles Swift names.

#define _GNU_SOURCE
#include "CRuntimeShims.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// From Swift's runtime, which has no header for it.
extern char *swift_demangle(
    const char *name, size_t length, char *output, size_t *output_size, uint32_t flags);

bool faultline_find_image(const void *address, const char **path, uintptr_t *base) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || !info.dli_fname || !info.dli_fbase) return false;
    *path = info.dli_fname;
    *base = (uintptr_t)info.dli_fbase;
    return true;
}

char *faultline_demangle(const char *name, size_t length) {
    return swift_demangle(name, length, NULL, NULL, 0);
}

// MARK: Getters

static bool read_at(int file, uint64_t offset, void *bytes, size_t count) {
    return pread(file, bytes, count, (off_t)offset) == (ssize_t)count;
}

// The symbol at an offset of the file if it is the name of a getter; freed by the caller.
static char *getter_at(int file, uint64_t offset) {
    size_t length = 0, room = 256;
    char *name = malloc(room);
    while (name) {
        ssize_t count = pread(file, name + length, room - length, (off_t)(offset + length));
        if (count <= 0) break;
        size_t end = strnlen(name + length, (size_t)count);
        length += end;
        if (end < (size_t)count) {
            bool is_getter = length > 4 && memcmp(name, "$s", 2) == 0 &&
                             (strcmp(name + length - 2, "TK") == 0 ||
                              strcmp(name + length - 2, "vg") == 0);
            if (is_getter) return name;
            break;
        }
        if (length < room) continue;
        room *= 2;
        char *larger = realloc(name, room);
        if (!larger) break;
        name = larger;
    }
    free(name);
    return NULL;
}

// The symbols are read in pieces, because those of a large program would take up much memory.
static char *getter_in(
    int file, const Elf64_Shdr *table, const Elf64_Shdr *strings, uint64_t first, uint64_t second) {
    enum { PIECE = 4096 };
    Elf64_Sym *symbols = malloc(PIECE * sizeof(Elf64_Sym));
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    char *found = NULL;
    for (uint64_t start = 0; symbols && start < count; start += PIECE) {
        size_t size = count - start < PIECE ? count - start : PIECE;
        uint64_t offset = table->sh_offset + start * sizeof(Elf64_Sym);
        if (!read_at(file, offset, symbols, size * sizeof(Elf64_Sym))) break;
        for (size_t index = 0; index < size; index++) {
            uint64_t value = symbols[index].st_value;
            if (value == 0 || (value != first && value != second)) continue;
            if (symbols[index].st_name >= strings->sh_size) continue;
            char *name = getter_at(file, strings->sh_offset + symbols[index].st_name);
            if (!name) continue;
            // At one address, the key path's own function is preferred to a getter.
            if (found && strcmp(name + strlen(name) - 2, "TK") != 0) {
                free(name);
                continue;
            }
            free(found);
            found = name;
        }
    }
    free(symbols);
    return found;
}

static char *getter_of_file(int file, uint64_t first, uint64_t second) {
    Elf64_Ehdr header;
    if (!read_at(file, 0, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > 1024)
        return NULL;
    Elf64_Shdr sections[1024];
    size_t size = header.e_shnum * sizeof *sections;
    if (!read_at(file, header.e_shoff, sections, size)) return NULL;
    // The full symbol table; a stripped file only has the dynamic one.
    const Elf64_Shdr *table = NULL;
    for (size_t index = 0; index < header.e_shnum; index++) {
        if (sections[index].sh_type == SHT_SYMTAB) table = &sections[index];
        if (sections[index].sh_type == SHT_DYNSYM && !table) table = &sections[index];
    }
    if (!table || table->sh_link >= header.e_shnum) return NULL;
    return getter_in(file, table, &sections[table->sh_link], first, second);
}

char *faultline_getter_symbol(const void *address) {
    const char *path;
    uintptr_t base;
    if (!faultline_find_image(address, &path, &base)) return NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    // The path of the program may be relative to a folder that was the current one at its start.
    if (file < 0) file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    // If a program is not position-independent, its symbols are absolute addresses.
    char *found = getter_of_file(file, (uintptr_t)address - base, (uintptr_t)address);
    close(file);
    return found;
}
