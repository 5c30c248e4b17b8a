# Le cadre de l’application et ses listes.

app-name = Collie
close = Fermer
back = Retour
try-again = Réessayer
copied = Copié
copied-not = Impossible de copier dans le presse-papiers
copy-sha = Copier { $sha }
version = Collie { $version }

# Le côté gauche de la fenêtre.
sidebar = Barre latérale
sidebar-repositories = Dépôts
sidebar-add = Ajouter des dépôts
sidebar-add-title = Ajouter des dépôts
sidebar-more = Autres actions pour { $repo }
sidebar-remove = Retirer
sidebar-settings = Réglages
quota = Quota GitHub
quota-left = reste { $left }
quota-tip = { $left } requêtes restantes sur { $limit } ; remise à zéro à { $at }
quota-unknown = Quota GitHub : pas encore connu
engine-slots = Places : { $working } sur { $slots }
engine-slots-queued = Places : { $working } sur { $slots } · { $queued } en file
engine-elsewhere = Les boucles tournent sur d’autres machines
engine-none = Démarrage…
account = Connecté en tant que { $login } sur { $host }

# La démo, dans la barre latérale.
demo-card = Démo
demo-card-started = { $started } sur { $all } démarrés
demo-card-open = Scénarios
demo-card-title = Scénarios de la démo
demo-card-text = Des pull requests d’exemple sur une forge locale, traitées par le vrai moteur.

# Les listes de tous les dépôts, et quand elles sont vides.
standing-needs-you = À vous
standing-needs-you-none = Rien à traiter
standing-needs-you-none-text = Les boucles arrêtées ou en attente d’une personne s’affichent ici.
standing-ready = Prêtes à fusionner
standing-ready-none = Rien de prêt pour l’instant
standing-ready-none-text = Les pull requests s’affichent ici une fois que vérifications, bots et relecteurs sont d’accord.
standing-working = En cours
standing-working-none = Rien en cours
standing-working-none-text = Démarrez une boucle dans un dépôt, ou activez-y Auto-PR-Review.
frame-detail = Pull request
frame-no-repositories = Aucun dépôt pour l’instant
frame-no-repositories-text = Ajoutez les dépôts dont Collie doit suivre les pull requests. Rien ne démarre tout seul.

# Au-dessus d’une liste.
list-search = Rechercher
list-auto-review = Auto-PR-Review
list-auto-review-tip = Démarre une boucle pour chaque pull request ouverte de ce dépôt qui n’est pas un brouillon et que les réglages autorisent, aujourd’hui et à l’avenir. Collie attend les vérifications, relit et pousse des corrections jusqu’à ce que la pull request soit prête ou ait besoin de vous. Il ne fusionne jamais. Désactivé, il ne démarre plus de boucle ; celles en cours continuent.
list-refresh = Actualiser
list-refresh-read = Mis à jour { $when }. Actualiser
list-refreshing = Actualisation…
list-filters = Filtres
list-pulls = Pull requests
list-issues = Tickets
list-mine = À moi
list-agents = Par des agents
list-more-than = { $count }+

# Une liste.
list-pulls-of = Pull requests de { $repo }
list-issues-of = Tickets de { $repo }
list-loading = Chargement…
list-read-at = Données de { $at }.
list-no-pulls = Aucune pull request ouverte
list-no-pulls-text = Les nouvelles apparaissent ici automatiquement.
list-no-issues = Aucun ticket ouvert
list-no-issues-text = Les nouveaux apparaissent ici automatiquement.
list-no-match = Aucun résultat
list-no-match-text = Rien ne correspond à la recherche et aux filtres.
list-show-all = Tout afficher
list-start = Démarrer
list-start-one = Démarrer une boucle pour { $title }
list-start-tip = Démarrer une boucle pour cette pull request

# Ce que dit une ligne. Les noms des états sont dans loop.ftl.
list-not-started = Pas démarrée
list-draft = Brouillon
list-queued = En file · { $position }
list-queue = En attente d’une place libre : position { $position }
list-state-round = { $state } · { $iteration } sur { $max }
list-waiting-you = Vous attend
list-waiting-login = Attend @{ $login }
list-waiting-others = Attend @{ $login } +{ $others }
list-pull = { $branch }
list-pull-by = par { $author } · { $branch }
list-issue = { $comments ->
    [one] { $comments } commentaire
   *[other] { $comments } commentaires
}
list-issue-by = par { $author } · { list-issue }
list-ready-unread = personne n’a lu les modifications
list-ready-checks = { $count ->
    [0] aucune vérification
    [one] 1 vérification
   *[other] { $count } vérifications
}
list-ready-reviewers = { $count ->
    [0] aucun relecteur
    [one] 1 relecteur
   *[other] { $count } relecteurs
}
list-now-pr_created = Sur le point de démarrer
list-now-pr_awaiting_checks = Examen des vérifications
list-now-pr_reviewing = Revue des modifications en cours
list-now-pr_fixing = Correction des constats en cours
list-now-pr_ready_to_merge = Prête : à vous de fusionner
list-now-merged = Fusionnée
list-now-closed = Fermée sans fusion
list-now-cancelled = Annulée ; vous pouvez la redémarrer à tout moment
list-now-needs_human = Arrêtée ; requiert une intervention
list-now-failed = Collie n’a pas pu continuer

# Ce qui empêche d’avancer.
connection-unreachable = GitHub ne répond pas
connection-unreachable-text = Collie continue d’essayer. Vous voyez les dernières données connues.
connection-unreachable-until = Nouvel essai à { $at }. Vous voyez les dernières données connues.
connection-rate-limited = Quota GitHub épuisé
connection-rate-limited-text = Les boucles reprennent à sa remise à zéro.
connection-rate-limited-until = Les boucles reprennent à { $at }, à sa remise à zéro.
connection-unauthorized = GitHub refuse le jeton
connection-unauthorized-text = Il a été révoqué ou a expiré. Les boucles attendent que vous vous reconnectiez.
following = Les boucles tournent dans un autre Collie
following-process = Les boucles tournent dans un autre Collie (processus { $process })
following-text = Cette fenêtre les affiche et transmet vos demandes. Elle prend le relais quand l’autre se ferme.
stopped-heading = Collie n’a pas pu démarrer
stopped-unknown = La raison est inconnue. Les diagnostics en disent peut-être plus.
stopped-logs = Ouvrir les diagnostics

# Les touches.
keys-title = Raccourcis clavier
keys-move = Ligne suivante ou précédente
keys-move-anywhere = De même, de partout
keys-open = Ouvrir la ligne
keys-close = Fermer ce qui est ouvert
keys-search = Rechercher
keys-start = Démarrer une boucle
keys-cancel = Annuler l’exécution
keys-merge = Fusionner
keys-changes = Afficher ou masquer ce que Collie a modifié
keys-widen = Donner toute la fenêtre aux modifications, puis la rendre
keys-hunks = Aller au bloc suivant ou précédent des modifications
keys-standing = À vous, Prêtes à fusionner, En cours
keys-help = Afficher les raccourcis clavier

# À la place d’une partie de la fenêtre en panne.
broken-title = Cette partie n’a pas pu s’afficher
broken-text = Collie a rencontré une erreur et l’a notée dans ses diagnostics. Les boucles continuent.
broken-reload = Recharger

# Quand la page n’atteint pas l’application qui la sert.
host-silent = Collie ne répond pas
host-silent-since = Ce que vous voyez date de { $at }. Le serveur de Collie est recontacté automatiquement ; ce message disparaîtra dès sa réponse.
host-silent-hint = Vérifiez que Collie tourne encore, puis réessayez.
host-unexpected = Collie a répondu par l’erreur { $status }
host-unexpected-hint = Réessayez. Les diagnostics en disent peut-être plus.

# Tout est mis en pause d’un coup (§15).
pause-all = Tout mettre en pause
pause-end = Reprendre
pause-end-all = Reprendre tout ce qui est en pause
pause-title = Tout est en pause
pause-text = Mis en pause par @{ $login } { $at }. Rien n’est relu, corrigé ni écrit, et rien n’est dépensé, tant que vous ne reprenez pas. GitHub est toujours lu.
rights-operator-only = Seules les personnes que la configuration du serveur autorise en décident
rights-machine-only = Cela se modifie sur la machine du serveur, dans son config.toml.
rights-look-only = Vous pouvez regarder. Pour agir sur les pull requests de { $repo }, il faut pouvoir y pousser.
frame-no-repositories-server = Ce serveur ne suit aucun dépôt que GitHub vous montre.
settings-read-only = Ces réglages ne peuvent qu’être lus ici
