#ifndef LABEL_H
#define LABEL_H

#include <stddef.h>

#define LABEL_SIZE 32

/* The text is always terminated. */
struct label {
    char text[LABEL_SIZE];
};

void label_set_n(struct label *label, const char *name, size_t length);
void label_set(struct label *label, const char *name);

#endif
