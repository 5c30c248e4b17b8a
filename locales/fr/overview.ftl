# La vue d’ensemble de toutes les boucles, et ce qui se fait à plusieurs à la fois.

overview = Vue d’ensemble
overview-tiles = Filtrer par état
overview-tile-longest = la plus ancienne : { $age }
overview-tile-needs-you-none = rien ne vous attend
overview-tile-ready-none = aucune pour l’instant
overview-tile-working-none = rien ne tourne
overview-spent = Dépense du jour
overview-spent-nothing = Rien
overview-spent-unlimited = sans limite
overview-spent-left = reste { $left } sur { $limit }
overview-group-needs-you = À vous
overview-group-ready = Prêtes à fusionner
overview-group-working = Au travail
overview-group-waiting = En attente
overview-group-snoozed = Mises de côté
overview-group-not-started = Pas démarrées
overview-group-done = Terminées
overview-column-select = Sélection
overview-column-state = État
overview-column-title = Pull request
overview-column-place = Dépôt
overview-column-progress = Progression
overview-column-round = Tour
overview-column-cost = Coût
overview-column-age = Depuis
overview-round = { $iteration } sur { $max }
overview-cost-none = rien de dépensé
overview-since = Depuis le { $at }
overview-updated = Dernier changement le { $at }
overview-repositories-all = Dépôts
overview-repositories = { $count ->
    [one] { $count } dépôt
   *[other] { $count } dépôts
}
overview-group-by = Grouper
overview-group-by-state = Grouper par : état
overview-group-by-repository = Grouper par : dépôt
overview-group-by-none = Grouper par : rien
overview-sort = Trier
overview-sort-repository = Tri : dépôt
overview-sort-newest = Tri : récentes
overview-sort-oldest = Tri : anciennes
overview-sort-title = Tri : titre
overview-sort-cost = Tri : coût
overview-views = Vues
overview-rows-compact = Lignes compactes
overview-rows-usual = Lignes habituelles
overview-view-save = Enregistrer cette vue…
overview-view-save-title = Enregistrer cette vue
overview-view-save-text = Garde filtres, groupes et ordre sous un nom, sur cet ordinateur.
overview-view-name = Nom
overview-view-keep = Enregistrer
overview-view-remove = Supprimer « { $name } »
overview-none = Aucune boucle pour l’instant
overview-none-text = Ouvrez un dépôt et démarrez-y une boucle, ou activez Auto-PR-Review.
overview-none-open-text = Aucune pull request n’est ouverte dans les dépôts suivis. Les nouvelles apparaîtront ici.
overview-open-repository-text = Pull requests

# L’état d’une boucle en un mot ou deux, là où une liste a peu de place.
list-word-pr_created = Démarrage
list-word-pr_awaiting_checks = Vérifications en cours
list-word-pr_reviewing = Revue
list-word-pr_fixing = Correction
list-word-pr_ready_to_merge = Prête à fusionner
list-word-merged = Fusionnée
list-word-closed = Fermée
list-word-cancelled = Annulée
list-word-needs_human = À vous
list-word-failed = Échec
age-second = { $count } s
age-minute = { $count } min
age-hour = { $count } h
age-day = { $count } j

# Plusieurs lignes à la fois.
select-one = Sélectionner { $title }
bulk = Pull requests sélectionnées
bulk-count = { $count ->
    [one] { $count } sélectionnée
   *[other] { $count } sélectionnées
}
bulk-clear = Effacer la sélection
bulk-more = et { $count } de plus
bulk-start = Démarrer ({ $count })
bulk-start-title = { $count ->
    [one] Démarrer { $count } boucle ?
   *[other] Démarrer { $count } boucles ?
}
bulk-start-text = Chacune attend les vérifications, relit et pousse des corrections selon ses réglages. Rien n’est fusionné.
bulk-start-confirm = Démarrer ({ $count })
bulk-start-others = { $count ->
    [one] { $count } pull request sélectionnée a déjà une boucle et reste telle quelle.
   *[other] { $count } pull requests sélectionnées ont déjà une boucle et restent telles quelles.
}
bulk-retry = Relancer ({ $count })
bulk-retry-title = { $count ->
    [one] Relancer { $count } exécution ?
   *[other] Relancer { $count } exécutions ?
}
bulk-retry-text = Chacune démarre une nouvelle exécution avec tous ses pushs. Ce qui est publié sur GitHub reste.
bulk-retry-confirm = Relancer ({ $count })
bulk-retry-others = { $count ->
    [one] { $count } boucle sélectionnée n’est pas arrêtée et reste telle quelle.
   *[other] { $count } boucles sélectionnées ne sont pas arrêtées et restent telles quelles.
}
bulk-cancel = Annuler ({ $count })
bulk-cancel-title = { $count ->
    [one] Annuler { $count } exécution ?
   *[other] Annuler { $count } exécutions ?
}
bulk-cancel-text = Commits poussés, commentaires sur GitHub et constats restent. Relancer démarre une nouvelle exécution.
bulk-cancel-work = { $count ->
    [one] { $count } est au travail : ce qu’elle n’a pas poussé est perdu.
   *[other] { $count } sont au travail : ce qu’elles n’ont pas poussé est perdu.
}
bulk-cancel-confirm = { $count ->
    [one] Annuler { $count } exécution
   *[other] Annuler { $count } exécutions
}
bulk-cancel-others = { $count ->
    [one] { $count } pull request sélectionnée n’a pas d’exécution à annuler.
   *[other] { $count } pull requests sélectionnées n’ont pas d’exécution à annuler.
}
undo = Revenir en arrière
cancelling-one = { $key } : annulation de l’exécution. Rien n’est perdu.
cancelling-many = Annulation de { $count } exécutions. Rien n’est perdu.

# De côté pour un temps.
snooze-title = Mettre de côté « { $title } » ?
snooze-text = Une boucle mise de côté continue. Elle quitte « À vous » et les compteurs, et s’affiche sous « Mises de côté ».
snooze-tomorrow = Jusqu’à demain
snooze-tomorrow-at = Demain : { $at }
snooze-change = Jusqu’à ce qu’elle change
snooze-ended = { $title } n’est plus mise de côté

# Tout, en tapant quelques lettres.
palette = Commandes
palette-tip = Commandes (Ctrl+K)
palette-placeholder = Une commande, une pull request ou une adresse
palette-places = Aller à
palette-everything = Tout
palette-window = Fenêtre
palette-open = Ouvrir « { $title } »
palette-show = Ouvrir
palette-merge = Fusionner…
palette-retry = Relancer…
palette-snooze = Mettre de côté…
palette-wake = Ne plus mettre de côté
palette-address = Adresse collée
palette-address-start = Démarrer une boucle pour { $key }
palette-address-github = Ouvrir { $key } sur GitHub
palette-address-host = Cette adresse est sur { $host } ; Collie est connecté à { $watched }.

# Ce qui s’est produit depuis l’ouverture de la fenêtre.
notifications = Notifications
notifications-unseen = { $count ->
    [one] Notifications, { $count } nouvelle
   *[other] Notifications, { $count } nouvelles
}
notifications-none = Rien pour l’instant. Ce qui devient prêt, vous attend ou échoue pendant que Collie est ouvert s’affiche ici.
notifications-kinds = Lesquelles garder
notifications-clear = Effacer
notification-ready = Prête à fusionner
notification-needs_you = À vous
notification-failed = Échec

# Les touches.
keys-section-window = Partout
keys-section-list = Dans une liste
keys-section-detail = Dans une pull request
keys-off = Les raccourcis d’une seule lettre sont désactivés dans les réglages. Ctrl+K et les flèches fonctionnent.
keys-palette = Commandes
keys-zoom-in = Tout afficher en plus grand
keys-zoom-out = Tout afficher en plus petit
keys-zoom-usual = Revenir à la taille normale
zoom-is = Zoom { $percent } %
keys-overview = Vue d’ensemble
keys-select = Sélectionner la ligne, pour plusieurs à la fois
keys-github = Ouvrir sur GitHub
keys-snooze = Mettre la boucle de côté, ou la reprendre
keys-tabs = Aller à l’onglet précédent ou suivant
keys-findings = Aller au constat suivant ou précédent
compact-rows = Lignes compactes
compact-rows-help = Des lignes plus basses dans la vue d’ensemble, sans les tuiles au-dessus : cinquante boucles en deux écrans. Gardé sur cet ordinateur.
letter-keys = Raccourcis d’une seule lettre
letter-keys-help = À désactiver si une dictée ou un lecteur d’écran tape des lettres tout seul. Ctrl+K et les flèches fonctionnent toujours. Gardé sur cet ordinateur.
