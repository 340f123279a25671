#ifndef FAULTLINE_POSTGRESQL_START_H
#define FAULTLINE_POSTGRESQL_START_H

/// Registers the stores on servers. The Swift module that links this C module defines the function.
void faultline_postgresql_register(void);

#endif
