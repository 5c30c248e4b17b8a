# Le cadre de l’application et ses listes.

app-name = Collie
close = Fermer
back = Retour
try-again = Réessayer
copied = Copié
copied-not = Le presse-papiers n’est pas accessible
copy-sha = Copier { $sha }
