# Settings: what is wrong with a configuration, and the form's labels.

# Where something is wrong. "place" is a file or a variable; a key may follow it.
settings-place-together = configuration
settings-place-line = { $place }, line { $line }

# What was written, where it is too long to be said back.
settings-shown-array = this array
settings-shown-table = this table
settings-shown-datetime = this datetime

