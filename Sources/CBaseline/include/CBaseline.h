#ifndef CBASELINE_H
#define CBASELINE_H

#include <sqlite3.h>

#endif
