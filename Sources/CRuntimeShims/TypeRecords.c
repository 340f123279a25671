// Finds the classes of a program in its type records. The runtime's own look-up of a class by name
// needs the module's name, which a model does not contain.
#include "CRuntimeShims.h"
#include <string.h>

// The linker defines these symbols for the section with the type records.
extern const int32_t __start_swift5_type_metadata[] __attribute__((weak, visibility("hidden")));
extern const int32_t __stop_swift5_type_metadata[] __attribute__((weak, visibility("hidden")));

// The fields with which all context descriptors (of modules and of types) begin. An offset is
// relative to its own address.
typedef struct {
    uint32_t flags;
    int32_t parent;
    int32_t name;
    int32_t access;
} Context;

typedef struct {
    const void *metadata;
    size_t state;
} Response;

enum { kindMask = 0x1f, moduleKind = 0, classKind = 16, isGeneric = 0x80 };

static const void *relative(const int32_t *offset) {
    return *offset == 0 ? NULL : (const char *)offset + *offset;
}

// Follows an offset to its target. If the lowest bit is set, the offset leads to a pointer to the
// target.
static const Context *indirectable(const int32_t *offset, int32_t flags) {
    if (*offset == 0) return NULL;
    const char *place = (const char *)offset + (*offset & ~flags);
    return *offset & 1 ? *(const Context *const *)place : (const Context *)place;
}

static const char *moduleName(const Context *context) {
    while (context != NULL && (context->flags & kindMask) != moduleKind) {
        context = indirectable(&context->parent, 1);
    }
    return context == NULL ? "" : relative(&context->name);
}

void faultline_classes_named(
    const char *name, void *state,
    void (*found)(void *state, const char *module, const void *metadata)) {
    for (const int32_t *record = __start_swift5_type_metadata;
         record < __stop_swift5_type_metadata; record++) {
        const Context *context = indirectable(record, 3);
        if (context == NULL || (context->flags & kindMask) != classKind) continue;
        if (context->flags & isGeneric || strcmp(relative(&context->name), name) != 0) continue;
        const void *access = relative(&context->access);
        if (access == NULL) continue;
        Response (*make)(size_t) = (Response(*)(size_t))access;
        found(state, moduleName(context), make(0).metadata);
    }
}
