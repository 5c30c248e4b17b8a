#include <string.h>

#include "label.h"

/* Copies a name into a label. */
void label_set(struct label *label, const char *name)
{
    label->text[0] = '\0';
    strncat(label->text, name, sizeof label->text - 1);
}

/* Copies a name of a given length, which needs no terminator; what does not fit is cut. */
void label_set_n(struct label *label, const char *name, size_t length)
{
    if (length >= sizeof label->text)
        length = sizeof label->text - 1;
    memcpy(label->text, name, length);
    label->text[length] = '\0';
}
