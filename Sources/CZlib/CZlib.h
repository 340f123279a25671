// The system's zlib, which decompresses the models that stores contain.

#include <zlib.h>
