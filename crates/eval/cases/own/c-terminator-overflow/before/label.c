#include <string.h>

#include "label.h"

/* Copies a name into a label. */
void label_set(struct label *label, const char *name)
{
    label->text[0] = '\0';
    strncat(label->text, name, sizeof label->text - 1);
}
