// Declarations that the files of this module share.

#ifndef CYARDSTICK_INTERNAL_H
#define CYARDSTICK_INTERNAL_H

#include "CYardstick.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/// Registers the table-valued function `cb_array(pointer)` on a connection.
int cb_register_array(sqlite3 *connection);

#endif
