#include "CSQLite.h"

#include <pthread.h>
#include <unistd.h>

static void set_up(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

void csqlite_keep_no_memory_account(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
}

int csqlite_refuse_double_quoted_strings(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

int csqlite_only_reads_what_may_be_written(sqlite3 *database) {
    const char *path = sqlite3_db_filename(database, "main");
    return path && *path && sqlite3_db_readonly(database, "main") == 1 && access(path, W_OK) == 0;
}

int csqlite_checkpoints_on_close(sqlite3 *database, int setting) {
    int skips = setting < 0 ? -1 : !setting;
    int result = 0;
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, skips, &result);
    return !result;
}

int csqlite_reset_on_vacuum(sqlite3 *database, int setting) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, setting, (int *)0);
}
