#ifndef LABEL_H
#define LABEL_H

#define LABEL_SIZE 32

/* The text is always terminated. */
struct label {
    char text[LABEL_SIZE];
};

void label_set(struct label *label, const char *name);

#endif
