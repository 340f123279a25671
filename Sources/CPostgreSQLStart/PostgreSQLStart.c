#include "PostgreSQLStart.h"

// This constructor runs before `main`, so that a program which links the module needs no call to
// register the stores.
__attribute__((constructor)) static void start(void) { faultline_postgresql_register(); }
