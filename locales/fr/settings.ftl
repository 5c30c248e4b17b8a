# Réglages : ce qui ne va pas dans une configuration, et les libellés du formulaire.

settings-place-together = configuration
settings-place-line = { $place }, ligne { $line }

settings-shown-array = cette liste
settings-shown-table = cette table
settings-shown-datetime = cette date

