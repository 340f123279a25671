// The headers that the files of this module need.

#ifndef CYARDSTICK_INTERNAL_H
#define CYARDSTICK_INTERNAL_H

#include "CYardstick.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#endif
