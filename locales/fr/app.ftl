# Le cadre de l’application et ses listes.

app-name = Collie
close = Fermer
back = Retour
try-again = Réessayer
copied = Copié
copied-not = Le presse-papiers n’est pas accessible
copy-sha = Copier { $sha }
version = Collie { $version }

# Le côté gauche de la fenêtre.
sidebar = Lieux
sidebar-repositories = Dépôts
sidebar-add = Ajouter des dépôts
sidebar-add-title = Ajouter des dépôts
sidebar-more = Actions pour { $repo }
sidebar-remove = Retirer
sidebar-settings = Réglages
quota = Quota GitHub
quota-left = reste { $left }
quota-tip = Il reste { $left } requêtes sur { $limit } ; remise à zéro à { $at }
quota-unknown = Quota GitHub : inconnu
engine-slots = Places : { $working } sur { $slots }
engine-slots-queued = Places : { $working } sur { $slots } · { $queued } en file
engine-none = Démarrage…
account = Connecté en tant que { $login } sur { $host }

# La démo, dans la barre latérale.
demo-card = Démo
demo-card-started = { $started } scénarios lancés sur { $all }
demo-card-open = Scénarios
demo-card-title = Scénarios de la démo
demo-card-text = Des pull requests d’exemple sur une forge locale, traitées par le vrai moteur.

# Les lieux, et quand ils sont vides.
standing-needs-you = Vous attend
standing-needs-you-none = Rien ne vous attend
standing-needs-you-none-text = Les revues arrêtées, ou qui attendent quelqu’un, s’affichent ici.
standing-ready = Prêtes à fusionner
standing-ready-none = Rien n’est encore prêt
standing-ready-none-text = Les pull requests s’affichent ici quand vérifications, bots et relecteurs sont d’accord.
standing-working = En cours
standing-working-none = Rien n’est en cours
standing-working-none-text = Démarrez une revue dans un dépôt, ou activez-y Auto-PR-Review.
frame-detail = Pull request
frame-no-repositories = Aucun dépôt
frame-no-repositories-text = Ajoutez ceux dont Collie doit suivre les pull requests. Rien ne démarre tout seul.

# Au-dessus d’une liste.
list-search = Rechercher
list-auto-review = Auto-PR-Review
list-auto-review-tip = Démarre une revue pour chaque pull request ouverte ici qui n’est pas un brouillon et que les réglages permettent : celles qui sont là et celles à venir. Collie attend les vérifications, relit et pousse des corrections jusqu’à ce qu’elle soit prête ou ait besoin de vous. Il ne fusionne jamais. Désactivé, il ne démarre plus rien ; ce qui tourne continue.
list-refresh = Lire GitHub maintenant
list-refresh-read = Lu { $when }. Lire GitHub maintenant
list-refreshing = Lecture de GitHub…
list-filters = Filtres
list-pulls = Pull requests
list-issues = Tickets
list-mine = À moi
list-agents = Par des agents
list-more-than = { $count }+

# Une liste.
list-pulls-of = Pull requests de { $repo }
list-issues-of = Tickets de { $repo }
list-loading = Lecture…
list-read-at = Voici ce qui a été lu à { $at }.
list-no-pulls = Aucune pull request ouverte
list-no-pulls-text = Les nouvelles apparaissent ici d’elles-mêmes.
list-no-issues = Aucun ticket ouvert
list-no-issues-text = Les nouveaux apparaissent ici d’eux-mêmes.
list-no-match = Aucun résultat
list-no-match-text = Aucune ligne ne répond à la recherche et aux filtres.
list-show-all = Tout afficher
list-start = Démarrer
list-start-one = Démarrer une revue de { $title }
list-start-tip = Démarrer une revue de cette pull request

# Ce que dit une ligne. Les noms des états sont dans loop.ftl.
list-not-started = Pas démarrée
list-draft = Brouillon
list-needs-you = Vous attend
list-queued = En file · { $position }
list-queue = Attend une place libre : rang { $position }
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
list-ready = { $seen }, sur { $head }
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
list-now-pr_created = Collie va l’examiner
list-now-pr_awaiting_checks = Les vérifications sont examinées
list-now-pr_reviewing = La modification est en relecture
list-now-pr_fixing = Des constats sont en cours de correction
list-now-pr_ready_to_merge = Prête : la fusion revient à quelqu’un
list-now-merged = Elle a été fusionnée
list-now-closed = Elle a été fermée sans fusion
list-now-cancelled = Elle a été annulée ; redémarrez-la quand vous voulez
list-now-needs_human = Elle s’est arrêtée et attend quelqu’un
list-now-failed = Collie n’a pas pu continuer

# Ce qui empêche d’avancer.
connection-unreachable = GitHub ne répond pas
connection-unreachable-text = Collie réessaie tout seul. Vous voyez ce qui a été lu en dernier.
connection-unreachable-until = Nouvel essai à { $at }. Vous voyez ce qui a été lu en dernier.
connection-rate-limited = Le quota GitHub est épuisé
connection-rate-limited-text = Les revues reprennent à la remise à zéro.
connection-rate-limited-until = Les revues reprennent à { $at }, à la remise à zéro.
connection-unauthorized = GitHub refuse le jeton
connection-unauthorized-text = Il a été révoqué ou a expiré. Les revues attendent que vous vous reconnectiez.
following = Un autre Collie mène les revues
following-process = Un autre Collie (processus { $process }) mène les revues
following-text = Cette fenêtre les montre et transmet vos demandes. Elle prend le relais quand l’autre s’arrête.
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
keys-start = Démarrer une revue
keys-cancel = Annuler la revue
keys-merge = Fusionner
keys-standing = Vous attend, Prêtes à fusionner, En cours
keys-help = Afficher ces touches

# À la place d’une partie de la fenêtre en panne.
broken-title = Cette partie n’a pas pu être affichée
broken-text = Collie a rencontré une erreur et l’a notée dans ses diagnostics. Les revues continuent.
broken-reload = Recharger

# Quand la page n’atteint pas l’application qui la sert.
host-silent = Collie ne répond pas
host-silent-hint = Vérifiez que Collie tourne encore, puis réessayez.
host-unexpected = Collie a répondu par l’erreur { $status }
host-unexpected-hint = Réessayez. Les diagnostics en disent peut-être plus.
