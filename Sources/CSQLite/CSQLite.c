#include "CSQLite.h"

int csqlite_refuse_double_quoted_strings(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}
