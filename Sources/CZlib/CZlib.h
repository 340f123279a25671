// The system's zlib, which inflates the models that stores carry.

#include <zlib.h>
