# Ce que l’application dit d’une pull request : où en est sa boucle, ce qui a été trouvé, ce qu’on peut faire.

# Le haut de la page.
review-round-of = tour { $round } sur { $max }
review-took = Durée du début à la fin
review-since-start = Temps depuis le démarrage
review-branches = de { $head } vers { $base }
review-in-files = { $count ->
    [one] dans 1 fichier
   *[other] dans { $count } fichiers
}
review-description = Description
review-description-none = Elle n’a pas de description.
review-poll-in = Actualisation dans { $time }
review-poll-now = Actualisation…
review-queue = En attente d’une place libre : position { $position }
review-queue-of = En attente d’une place libre : position { $position } sur { $queued }
review-workers = Au travail : { $names }
review-tab-progress = Avancement
review-tab-changes = Modifications
review-tab-timeline = Chronologie
review-tabs = Vues de cette pull request

# Les quatre étapes.
review-steps = Étapes
review-step-checks = Vérifications
review-step-review = Revue
review-step-fix = Correction
review-step-ready = Prête
review-step-todo = à venir
review-step-now = en cours
review-step-waits = attend une personne
review-step-done = terminée
review-step-again = à faire après la correction
review-step-skipped = pas nécessaire
review-step-failed = en échec

# Ce qui a changé, pour un lecteur d’écran.
review-changed = { $title } : { $state }
review-changed-why = { $title } : { $state }. { $why }

# Comment cela s’est terminé.
review-ended-merged-title = Fusionnée
review-ended-merged-approved = Elle a été fusionnée dans { $base } sur { $head }, où elle était prête.
review-ended-merged-forced = Elle a été fusionnée dans { $base } sur { $head }, avant que Collie ne la juge prête.
review-ended-merged = Elle a été fusionnée dans { $base }.
review-ended-closed-title = Fermée
review-ended-closed = Elle a été fermée sur GitHub sans fusion. Rouvrez-la là-bas, puis démarrez une nouvelle exécution.
review-ended-cancelled-title = Annulée
review-ended-cancelled = Une personne l’a annulée. Ce qui a été poussé et publié reste. Collie ne redémarre que si vous le demandez.
review-todo = Ce que vous pouvez faire
review-still-open = { $count ->
    [one] 1 constat encore ouvert
   *[other] { $count } constats encore ouverts
}

# Vérifications.
review-checks = Vérifications
review-checks-passed = { $count ->
    [one] { $count } réussie
   *[other] { $count } réussies
}
review-checks-failed = { $count ->
    [one] { $count } échouée
   *[other] { $count } échouées
}
review-checks-running = { $count } en attente
review-checks-none = Aucune vérification ne s’est signalée sur ce commit de tête.
review-checks-all-passed = { $count ->
    [one] 1 vérification réussie
   *[other] { $count } vérifications réussies
}
review-check-success = réussie
review-check-neutral = neutre
review-check-skipped = ignorée
review-check-failure = échouée
review-check-cancelled = annulée
review-check-timed_out = hors délai
review-check-stale = abandonnée par GitHub
review-check-startup_failure = n’a pas pu démarrer
review-check-action_required = requiert une intervention
review-check-queued = en file
review-check-running = en cours
review-check-cause = { $conclusion } ({ $cause })
review-checks-workflows = Cette pull request modifie ce que la CI exécute : { $names }
review-proof-agreement = { $title } : trouvé par { $names }
review-proof-flaky = Instables sur ce commit : { $names }
review-check-missing = pas encore signalée
review-check-open = Ouvrir la page de { $name }
review-fold = En afficher moins
review-unfold-all = Tout afficher ({ $count })
review-unfold = { $count ->
    [one] En afficher 1 de plus
   *[other] En afficher { $count } de plus
}

# Bots.
review-bots = Bots
review-bot-waiting = attendu
review-bot-waiting-until = attendu jusqu’à { $time }
review-bot-reviewed = a relu
review-bot-out-of-quota = quota épuisé
review-bot-out-of-quota-until = quota épuisé jusqu’à { $time }
review-bot-timed-out = hors délai
review-bot-not-expected = non attendu
review-bot-unverified = non vérifié
review-bot-unverified-why = Ce compte porte le nom d’un bot connu, mais c’est un autre compte (numéro { $id }). Collie l’ignore.

# Qui travaille en ce moment.
review-at-work = Au travail
review-now = En ce moment
review-fixer = Correcteur
review-work-began = Au travail : { $names }
review-work-ended = Travail terminé : { $names }

# Relecteurs.
review-reviewers = Relecteurs
review-reviewers-none = Le panel est constitué une fois la configuration lue.
review-stage = Étape { $number }
review-stage-now = Étape { $number }, en cours
review-reviewer-rules = Règles
review-reviewer-waiting = pas encore
review-reviewer-awaited = cette personne est attendue
review-reviewer-reviewing = revue en cours…
review-reviewer-failed = a échoué
review-reviewer-at = { $verdict } sur { $head }
review-reviewer-outdated = { $verdict } sur { $head } (obsolète)
review-person-awaited = Attend @{ $login }
review-reviewer-asked-in = à la demande de { $names }

# Constats.
review-findings = Constats
review-findings-open = { $count ->
    [one] { $count } ouvert
   *[other] { $count } ouverts
}
review-findings-fixed = { $count ->
    [one] { $count } corrigé
   *[other] { $count } corrigés
}
review-findings-dismissed = { $count ->
    [one] { $count } écarté
   *[other] { $count } écartés
}
review-findings-settled = { $count ->
    [one] { $count } réglé
   *[other] { $count } réglés
}
review-findings-none = Aucun constat.
review-findings-none-yet = Aucun constat jusqu’ici.
review-findings-none-open = Aucun constat ouvert.
review-findings-group = Grouper les constats
review-findings-by-priority = Par priorité
review-findings-by-round = Par tour
review-findings-round = Tour { $round }
review-findings-show-settled = { $count ->
    [one] Afficher 1 constat réglé
   *[other] Afficher { $count } constats réglés
}
review-findings-hide-settled = Masquer les constats réglés
review-priority-p0 = P0 bloquant
review-priority-p1 = P1 critique
review-priority-p2 = P2 important
review-priority-p3 = P3 suggestion
review-status-claimed = dit corrigé
review-status-fixed = corrigé
review-status-rejected = décliné
review-status-withdrawn = retiré
review-status-dismissed = écarté
review-status-unsure = trop incertain pour compter
review-status-stuck = subsiste après chaque correction
review-finding-claimed-in = dit corrigé dans { $commit }, pas encore confirmé
review-finding-fixed-in = corrigé dans { $commit }
review-finding-back-after = subsiste après { $commit }
review-report-only-covered = couvert par un fil ouvert
review-report-only-outside_diff = hors du diff
review-report-only-minor = trop mineur pour un commentaire
review-report-only-surplus = au-delà du nombre de commentaires
review-finding-also-found-by = trouvé aussi par { $names }
review-finding-by-fix = introduit par la correction
review-finding-question = question
review-finding-praise = compliment
review-finding-everywhere = l’ensemble
review-finding-line = { $file }:{ $line }
review-finding-origin = { $name }, { $category }
review-finding-origin-sure = { $name }, { $category }, sûr à { $percent }
review-finding-round = signalé au tour { $round }
review-finding-rounds = signalé des tours { $first } à { $last }
review-finding-open-commit = Ouvrir { $commit } sur GitHub
review-finding-declined = Le correcteur a décliné : { $reason }
review-finding-dismissed = @{ $login } l’a écarté : { $reason }
review-finding-dismissed-by = écarté par @{ $login }
review-finding-suggestion = Suggestion
review-finding-evidence = Élément à l’appui
review-finding-where = Où il a été trouvé
review-finding-fix = Ce que { $commit } y a modifié
review-finding-gone = Ces lignes ne font plus partie des modifications.
review-diff-old = Ligne avant
review-diff-new = Ligne après
review-diff-text = Texte
review-diff-added = ajoutée
review-diff-removed = retirée
review-diff-marked = le constat
review-diff-gap = lignes omises

# Tours.
review-rounds = Tours
review-rounds-none = Aucun tour n’est encore terminé.
review-rounds-caption = Constats par tour et par priorité
review-rounds-round = Tour
review-rounds-fixed = Corrigés
review-rounds-claimed = Dits corrigés
review-rounds-rejected = Déclinés
review-rounds-commit = Commit
review-rounds-sum = { $round ->
    [one] Tour 1
   *[other] Tour { $round }
} : { $found ->
    [one] { $found } trouvé
   *[other] { $found } trouvés
}, { $fixed ->
    [one] { $fixed } corrigé
   *[other] { $fixed } corrigés
}{ $claimed ->
    [0] { "" }
    [one] , { $claimed } dit corrigé
   *[other] , { $claimed } dits corrigés
}, { $rejected ->
    [one] { $rejected } décliné
   *[other] { $rejected } déclinés
}
review-all-runs = Toutes les exécutions de cette pull request : { $spent }
review-tokens = { $count } tokens

# La preuve.
review-proof = Preuve
review-proof-lead = Vu sur { $head }, le commit de tête sur GitHub.
review-proof-stale = Vu sur { $head }. Le commit de tête a changé depuis ; voici ce qu’il en était.
review-proof-no-checks = Aucune vérification n’a tourné
review-proof-no-check-passed = Aucune vérification réussie
review-proof-unread = Personne n’a lu ces modifications : les règles intégrées ne cherchent que les motifs qu’elles connaissent
review-proof-of-them = { $conclusion ->
    [neutral] { $count ->
        [one] 1 neutre
       *[other] { $count } neutres
    }
    [failure] { $count ->
        [one] 1 échouée
       *[other] { $count } échouées
    }
    [cancelled] { $count ->
        [one] 1 annulée
       *[other] { $count } annulées
    }
    [timed_out] { $count } hors délai
    [stale] { $count ->
        [one] 1 abandonnée par GitHub
       *[other] { $count } abandonnées par GitHub
    }
    [startup_failure] { $count ->
        [one] 1 n’a pas pu démarrer
       *[other] { $count } n’ont pas pu démarrer
    }
    [action_required] { $count ->
        [one] 1 requiert une intervention
       *[other] { $count } requièrent une intervention
    }
   *[skipped] { $count ->
        [one] 1 ignorée
       *[other] { $count } ignorées
    }
}
review-proof-threads = { $count ->
    [0] Aucun fil
    [one] 1 fil réglé
   *[other] { $count } fils réglés
}
review-proof-outsiders = { $count ->
    [one] 1 fil d’une personne sans droit d’écriture, qui ne bloque rien
   *[other] { $count } fils de personnes sans droit d’écriture, qui ne bloquent rien
}
review-proof-merge = { $base } a été fusionnée dans la branche par { $commit }{ $count ->
    [0] { "" }
    [one]  ; une ligne a été laissée de côté
   *[other]  ; { $count } lignes ont été laissées de côté
}
review-proof-ejection = Retirée de la file de fusion : { $why }{ $commit ->
    [none] { "" }
   *[other]  ; { $commit } prétend le corriger
}
review-proof-spent = { $iterations ->
    [0] Aucun push de Collie
    [one] 1 push de Collie
   *[other] { $iterations } pushs de Collie
}, { $time }
review-proof-fixed = { $count ->
    [one] 1 constat corrigé
   *[other] { $count } constats corrigés
}
review-proof-fixed-elsewhere = pas par Collie
review-proof-unverified = { $count ->
    [one] Les corrections n’ont pas été vérifiées : cette commande a été omise
   *[other] Les corrections n’ont pas été vérifiées : ces commandes ont été omises
}
review-proof-suggestions = { $count ->
    [one] 1 suggestion restée ouverte ou déclinée
   *[other] { $count } suggestions restées ouvertes ou déclinées
}

# Chronologie.
review-timeline-empty-title = Rien ne s’est encore passé
review-timeline-empty = Ce que Collie voit et fait apparaît ici, le plus récent d’abord.
review-timeline-run = Exécution { $run }
review-timeline-times = { $times } fois
review-timeline-older = { $count ->
    [one] Afficher 1 entrée plus ancienne
   *[other] Afficher { $count } entrées plus anciennes
}

# Actions.
review-actions = Actions
review-start = Démarrer
review-cancel = Annuler…
review-cancel-now = Annuler
review-retry = Relancer…
review-resume = Reprendre…
review-merge = Fusionner…
review-open = Ouvrir sur GitHub
review-worktree = Ouvrir le worktree
review-more = Autres actions
review-stop-watching = Ne plus suivre
review-merge-not-ready = Vous pourrez la fusionner une fois prête.
review-merge-on-github = Fusionner sur GitHub

review-cancel-title = Annuler cette exécution ?
review-cancel-working = Le travail en cours s’arrête aussitôt, et les modifications inachevées sont abandonnées avec la copie de la branche propre à Collie.
review-cancel-kept = Rien n’est perdu : les commits poussés, les commentaires sur GitHub et les constats affichés ici restent.
review-cancel-again = Collie ne la redémarrera pas tout seul. Relancer démarre une nouvelle exécution.
review-cancel-confirm = Annuler l’exécution
review-retry-title = Démarrer une nouvelle exécution ?
review-retry-text = Elle repart du début : vérifications, revue et jusqu’à { $max ->
    [one] 1 push
   *[other] { $max } pushs
}. Les constats de la dernière exécution ne sont pas repris ; ceux qui valent encore seront retrouvés.
review-retry-confirm = Démarrer une nouvelle exécution
review-resume-title = Reprendre cette boucle ?
review-resume-text = La nouvelle exécution garde les constats, ce qui est revenu après correction et l’historique, et repart du commit de tête actuel avec jusqu’à { $max ->
    [one] 1 push
   *[other] { $max } pushs
}.
review-resume-confirm = Reprendre

# Fusion.
review-merge-title = Fusionner #{ $number }
review-merge-asking = Lecture des options de fusion sur GitHub…
review-merge-repository = Dépôt
review-merge-head = Commit de tête
review-merge-base = Dans
review-merge-account = En tant que
review-merge-method = Méthode
review-method-merge = Commit de fusion
review-method-merge-why = Tous les commits, réunis par un commit de fusion.
review-method-squash = Squash
review-method-squash-why = Toutes les modifications en un seul commit.
review-method-rebase = Rebase
review-method-rebase-why = Tous les commits, rebasés sur la base.
review-merge-confirm = Fusionner { $head } dans { $base }
review-merge-refused = Cette pull request ne peut pas être fusionnée maintenant
review-merge-moved = Le commit de tête a changé
review-merge-moved-text = Vous avez vu { $seen } ; le commit de tête est maintenant { $now }. Actualisez avant de fusionner.
review-merge-changed = Cette fusion a changé
review-merge-changed-text = La branche de base ou les méthodes de fusion ne sont plus celles que vous avez vues. Actualisez avant de fusionner.
review-merge-left = Cette pull request n’est plus prête
review-merge-left-text = { $state }. Fermez cette fenêtre, et fusionnez une fois qu’elle est de nouveau prête.
review-merge-look = Actualiser
review-merge-done-title = Fusionnée
review-merge-done = { $by } a fusionné { $head } dans { $base } : { $sha }.
review-merge-done-no-sha = { $by } a fusionné { $head } dans { $base }.
review-merge-finished = Terminé

# Une pull request sans boucle.
review-none-state = Pas démarrée
review-none-title = Collie ne travaille pas sur cette pull request
review-none-text = Démarrez une boucle : Collie attend les vérifications, relit les modifications et corrige ce qu’il trouve, jusqu’à ce que la pull request soit prête à fusionner.
review-none-passed-by = Auto-PR-Review la laisse de côté
review-none-draft-title = C’est un brouillon
review-none-draft = Collie attendrait qu’elle soit marquée comme prête à être relue sur GitHub.
review-none-auto-merge-title = La fusion automatique est active
review-none-auto-merge = Collie se tient à l’écart, car sa propre correction pourrait achever la fusion. Désactivez la fusion automatique sur GitHub pour le laisser travailler.
review-none-gone-title = { $key } n’est pas parmi les pull requests ouvertes
review-none-gone = Elle est peut-être fermée, ou plus récente que la liste. Actualisez la liste, ou regardez-la sur GitHub.
review-none-reload = Actualiser la liste

# Ce qu’une boucle attend qu’on lui dise : les commandes du dépôt peuvent-elles s’exécuter, l’auteur peut-il être corrigé.
review-trust-trust = Faire confiance à ces commandes…
review-trust-trust-title = { $count ->
    [one] Laisser cette commande s’exécuter ?
   *[other] Laisser ces { $count } commandes s’exécuter ?
}
review-trust-trust-text = { $repo } les indique pour vérifier chaque correction. Elles exécutent le code de ses pull requests. Si elles changent, Collie redemande.
review-trust-trust-confirm = Faire confiance
review-trust-skip = Continuer sans vérification…
review-trust-skip-title = Continuer sans vérification ?
review-trust-skip-text = { $count ->
    [one] Les corrections dans { $repo } sont poussées sans que cette commande ait été exécutée. La preuve l’indique.
   *[other] Les corrections dans { $repo } sont poussées sans que ces commandes aient été exécutées. La preuve l’indique.
}
review-trust-skip-confirm = Continuer sans
review-trust-author = Autoriser cet auteur…
review-trust-author-title = Corriger les pull requests de @{ $login } ?
review-trust-author-text = @{ $login } n’a pas de droit d’écriture sur { $repo }. Vous autorisez ce compte, quel que soit son nom plus tard, pour toutes ses pull requests ici.
review-trust-author-confirm = Autoriser l’auteur
review-trust-pull = Autoriser cette pull request…
review-trust-pull-title = Corriger la pull request nº { $number } ?
review-trust-pull-text = Son auteur n’a pas de droit d’écriture sur { $repo }. Vous autorisez cette seule pull request, avec tout ce qui y sera poussé plus tard.
review-trust-pull-confirm = Autoriser la pull request
review-trust-commands = Commandes
review-trust-where = Elles s’exécutent dans le bac à sable, sans réseau hormis les hôtes d’une ligne `[prepare …]`, sans vos identifiants ni vos fichiers ; sauf si vous avez réglé ce dépôt pour tout exécuter sans bac à sable.
review-trust-where-sandboxed = Elles s’exécutent dans le bac à sable, sans réseau hormis les hôtes d’une ligne `[prepare …]`, sans vos identifiants ni vos fichiers.
review-trust-where-unsandboxed = Vous avez réglé ce dépôt pour s’exécuter hors du bac à sable quand il n’y en a pas. Elles s’exécutent alors comme vous, avec vos fichiers, vos identifiants et le réseau.
review-trust-author-what = Collie corrige ensuite les constats et pousse vers la branche. Le correcteur, et les commandes qui vérifient ses corrections, s’exécutent dans le bac à sable.

review-coverage = Montré à personne
review-unseen = { $count ->
    [one] Personne n’a vu la totalité de 1 fichier
   *[other] Personne n’a vu la totalité de { $count } fichiers
}
review-rules-only = { $count ->
    [one] 1 fichier lu par les seules règles intégrées
   *[other] { $count } fichiers lus par les seules règles intégrées
}
review-seen-by = @{ $login } les a regardés.
review-budget-raise = Relever la limite…
review-seen = J’ai regardé…
review-seen-title = { $count ->
    [one] Avez-vous regardé ce fichier ?
   *[other] Avez-vous regardé ces { $count } fichiers ?
}
review-seen-text = Aucun relecteur n’a vu toute leur modification sur { $head }. Regardez-les sur GitHub avant de le dire.
review-seen-kept = Cela vaut pour ce seul commit de tête, et la preuve vous nomme.
review-seen-confirm = J’ai regardé

# Ce que Collie a poussé ou pousserait.
review-changes-commits = Commits
review-changes-all = Les { $count } commits
review-changes-earlier = Exécutions antérieures
review-changes-round = Tour { $round }
review-changes-commit = Commit { $sha }
review-changes-standing-pending = Pas encore poussé
review-changes-standing-removed = N’est plus sur la branche
review-changes-findings = { $count ->
    [one] répond à { $count } constat
   *[other] répond à { $count } constats
}
review-changes-files-of = Fichiers de { $sha }
review-changes-files = { $count ->
    [one] { $count } fichier
   *[other] { $count } fichiers
}
review-changes-files-left-out = { $count ->
    [one] et { $count } autre fichier
   *[other] et { $count } autres fichiers
}
review-changes-counts = { $added ->
    [one] { $added } ligne ajoutée
   *[other] { $added } lignes ajoutées
}, { $removed ->
    [one] { $removed } ligne supprimée
   *[other] { $removed } lignes supprimées
}
review-changes-file-added = nouveau
review-changes-file-removed = supprimé
review-changes-file-renamed = déplacé
review-changes-file-retyped = autre type de fichier
review-changes-moved = { $from } → { $to }
review-changes-diff-of = Lignes de { $sha }
review-changes-hunk = Ligne { $line }
review-changes-likely = Sans doute pour :
review-changes-likely-why = Le constat le plus proche dans ce fichier, ou le seul du commit
review-changes-elsewhere = Répond aussi, dans des fichiers ou des lignes qui ne sont pas montrés ici, à :
review-changes-no-line-end = pas de fin de ligne
review-changes-unshown = Ses lignes ne sont pas montrées : { $reason }.
review-changes-only-moved = Déplacé sans modification.
review-changes-no-lines = Aucune de ses lignes n’a changé.
review-changes-lines-left-out = { $count ->
    [one] { $count } autre ligne n’est pas montrée.
   *[other] { $count } autres lignes ne sont pas montrées.
}
review-changes-redacted = Un secret a été retiré de ce qui est montré.
review-changes-merge = { $count ->
    [0] Intègre { $base } sans conflit : tout vient de la base.
    [one] Intègre { $base }. Seul le fichier en conflit est montré ; le reste vient de la base.
   *[other] Intègre { $base }. Seuls les { $count } fichiers en conflit sont montrés ; le reste vient de la base.
}
review-changes-merge-earlier = Intègre la base, lors d’une exécution antérieure : on ne sait plus quels fichiers étaient en conflit.
review-changes-nothing-shown = Aucun fichier à montrer.
review-changes-layout = Présentation du diff
review-changes-layout-unified = Unifié
review-changes-layout-split = Côte à côte
review-changes-previous = Bloc précédent (p)
review-changes-next = Bloc suivant (n)
review-changes-at-hunk = Bloc { $number } sur { $count }
review-changes-widen = Toute la fenêtre (f)
review-changes-narrow = Revenir à côté de la liste (f)
review-changes-none-title = Rien n’est encore poussé
review-changes-none = Ce que Collie pousse, ou pousserait, s’affiche ici ligne par ligne.
review-changes-none-ended = Collie n’a rien modifié dans cette pull request.
review-changes-missing-gone-title = { $sha } n’existe plus
review-changes-missing-gone = Ni le clone du dossier de données ni GitHub n’ont ce commit.
review-changes-missing-unreachable-title = { $sha } n’a pas pu être lu
review-changes-missing-unreachable = Le clone du dossier de données n’a pas ce commit, et GitHub n’a pas répondu.
review-changes-ask-again = Demander à nouveau
review-changes-summary = { $count ->
    [one] Collie a modifié { $count } fichier
   *[other] Collie a modifié { $count } fichiers
}
review-changes-summary-unknown = Ce que Collie a modifié
review-changes-incomplete = Tout n’a pas pu être compté.

# La page d’une pull request prête.
ready-at = Prête sur { $head } : { $parts }
ready-no-checks = aucune vérification exécutée
ready-approved = { $count ->
    [one] approuvée par { $names }
   *[other] approuvée par { $names }
}
ready-the-rules = les règles
ready-rules-alone = les règles n’ont rien reconnu
ready-nobody = sans revue
ready-dismissed = { $count ->
    [one] 1 constat écarté
   *[other] { $count } constats écartés
}
ready-evidence = Éléments de preuve
ready-verdicts = Verdicts
ready-threads = Fils
ready-effort = { $count ->
    [0] Aucun push de Collie
    [one] 1 push de Collie
   *[other] { $count } pushs de Collie
} en { $time }
ready-open-checks = Ouvrir les vérifications sur GitHub
ready-thread-resolved = résolu
ready-thread-answered = répondu
ready-thread-outsider = sans droit d’écriture ; ne bloque rien
ready-unproven = Non prouvé
ready-unproven-unread = Ni modèle ni personne n’a lu ces modifications : les règles ne cherchent que les motifs qu’elles connaissent
ready-unproven-no-checks = Rien n’a été exécuté en CI
ready-unproven-not-run = { $count ->
    [one] 1 vérification n’a pas été exécutée : { $names }
   *[other] { $count } vérifications n’ont pas été exécutées : { $names }
}
ready-unproven-flaky = Rouge puis vert sur ce commit de tête : { $names }
ready-unproven-workflows = { $count ->
    [one] La pull request décide elle-même de ce qu’exécute la CI : 1 fichier
   *[other] La pull request décide elle-même de ce qu’exécute la CI : { $count } fichiers
}
ready-unproven-unverified = { $count ->
    [one] Corrections poussées sans 1 commande de vérification, comme vous l’avez choisi
   *[other] Corrections poussées sans { $count } commandes de vérification, comme vous l’avez choisi
}
ready-unproven-unseen = { $count ->
    [one] Aucun relecteur n’a vu 1 fichier en entier
   *[other] Aucun relecteur n’a vu { $count } fichiers en entier
}
ready-unproven-rules-only = { $count ->
    [one] 1 fichier n’a été lu que par les règles
   *[other] { $count } fichiers n’ont été lus que par les règles
}
ready-unproven-lost-lines = { $count ->
    [one] Une fusion de la base a laissé 1 ligne de côté
   *[other] Des fusions de la base ont laissé { $count } lignes de côté
}
ready-unproven-bots = { $count ->
    [one] { $names } n’a pas relu
   *[other] { $count } bots n’ont pas relu : { $names }
}
ready-unproven-dismissed = { $count ->
    [one] 1 constat a été écarté par une personne
   *[other] { $count } constats ont été écartés par des personnes
}
ready-unproven-declined = { $count ->
    [one] 1 constat a été décliné par le correcteur
   *[other] { $count } constats ont été déclinés par le correcteur
}
ready-unproven-stuck = { $count ->
    [one] 1 constat subsiste après chaque correction
   *[other] { $count } constats subsistent après chaque correction
}
ready-left-declined = Le correcteur a décliné : { $reason }

# Ce qu’une personne dit d’un constat.
finding-actions = Ce que vous pouvez faire de ce constat
finding-dismiss = Écarter…
finding-note = Dire au correcteur…
finding-open-thread = Ouvrir le fil
finding-open-code = Ouvrir dans l’éditeur
dismiss-title = Écarter ce constat ?
dismiss-text = Il ne compte plus dans cette boucle. Le compte rendu et la preuve vous citent avec la raison, et les revues suivantes de ce dépôt en sont informées.
dismiss-text-here = Il ne compte plus dans cette boucle. Le compte rendu et la preuve vous citent avec la raison.
dismiss-reason = Raison
dismiss-confirm = Écarter
dismiss-resume = Écarter et reprendre
note-title = Dire quelque chose au correcteur
note-text = Il le lit à sa prochaine intervention.
note-text-again = Il le lit à sa prochaine intervention, et reprend ce constat.
note-label = Consigne
note-confirm = Transmettre
todo-dismiss-resume = Écarter et reprendre…
todo-note = Dire au correcteur…
todo-rounds = { $count ->
    [one] Un tour de plus…
   *[other] { $count } tours de plus…
}
todo-rounds-title = { $count ->
    [one] Reprendre avec un tour de plus ?
   *[other] Reprendre avec { $count } tours de plus ?
}
todo-rounds-text = La nouvelle exécution garde les constats et l’historique, et peut pousser jusqu’à { $max } fois.
todo-choose-title = Quel constat ne compte pas ?
todo-choose-text = Chacun est écarté avec sa propre raison.

# Exécutions qu’une autre a suivies.
earlier-runs = Exécutions précédentes
earlier-run = Exécution { $number } : { $state }
earlier-run-head = { $head ->
    [none] Terminée avant que le commit de tête soit connu.
   *[other] Terminée sur { $head }.
}
earlier-run-unproven = { $head ->
    [none] Terminée avant que le commit de tête soit connu. Elle n’a jamais été prête.
   *[other] Terminée sur { $head }, qui n’était pas prêt.
}
earlier-run-lost = Seules ses dates ont été gardées à l’époque.
earlier-run-took = durée : { $time }
earlier-run-proof = Vu sur { $head } quand c’était prêt

# La vie d’une boucle en image, et son journal.
lanes-title = La vie de cette exécution
lanes-keys = Périodes ; les flèches mènent de l’une à l’autre
lanes-checks = Vérifications
lanes-bots = Bots
lanes-review = Revue
lanes-fix = Correction
lanes-people = Personnes
lanes-bar = { $lane } : { $time }
lanes-bar-waits = { $lane } : { $time } d’attente
lanes-legend = Hachuré : attente · tirets : push
lanes-legend-cut = Hachuré : attente · tirets : push · coupé : plus long que dessiné
lanes-caption = La vie de cette exécution : avec qui elle était, et quand
lanes-from = Depuis
lanes-with = Avec
lanes-took = Durée
lanes-cost = Coût
lanes-pushed = Poussé
log-filters = Ce que montre le journal
log-search = Chercher dans le journal
log-kind = Sorte
log-all = Tout
log-checks = Vérifications
log-bots = Bots
log-review = Revues
log-fix = Corrections et pushs
log-people = Personnes
log-quiet = Afficher les étapes sans effet
log-nothing = Le journal n’a rien de tel.

# How far Collie goes by itself.
autonomy-title = Ce que Collie fait de lui-même
autonomy-of = Ce que Collie fait de lui-même dans { $repo }, dans chaque pull request
autonomy-chip = Autonomie : { $level ->
    [observe] observer
    [ask] demander
   *[push] pousser
}
autonomy-menu = { $chip } · ce que Collie fait de lui-même dans { $repo }
autonomy-observe = Observer
autonomy-observe-text = Relit et corrige ici, et n’écrit rien sur GitHub.
autonomy-ask = Demander
autonomy-ask-text = Publie, et vous demande avant chaque push.
autonomy-push = Pousser
autonomy-push-text = Publie et pousse.
auto-sheet-title = Activer Auto-PR-Review pour { $repo } ?
auto-sheet-reading = Lecture des pull requests ouvertes…
auto-sheet-counts = { $count ->
    [0] Aucune pull request ouverte ne correspond.
    [one] 1 pull request correspond ;
   *[other] { $count } pull requests correspondent ;
} { $count ->
    [0] Les nouvelles démarrent dès leur ouverture.
   *[other] { $now ->
        [one] { $now } démarre maintenant
       *[other] { $now } démarrent maintenant
    }{ $later ->
        [0] .
        [one] , { $later } attend.
       *[other] , { $later } attendent.
    }
}
auto-sheet-matches = { $count ->
    [0] Aucune pull request ouverte ne correspond. Les nouvelles démarrent dès leur ouverture.
    [one] 1 pull request correspond. Elle démarre dès qu’un worker a de la place.
   *[other] { $count } pull requests correspondent. Chacune démarre dès qu’un worker a de la place.
}
auto-sheet-as-observe = Rien n’est écrit en tant que @{ $login } tant que vous n’augmentez pas l’autonomie.
auto-sheet-as-ask = Commentaires en tant que @{ $login } ; chaque push vous attend.
auto-sheet-as-push = Commentaires et pushs en tant que @{ $login }.
auto-sheet-pulls = Pull requests
auto-sheet-by = { $author }, { $branch }
auto-sheet-none = Aucune n’est ouverte qu’il démarrerait.
auto-sheet-more = Il y a plus de pull requests ouvertes que de listées ; celles-là démarrent aussi.
auto-sheet-confirm = Activer
review-raise = Publier, et demander avant de pousser…
review-raise-title = Publier dans { $repo }, et demander avant chaque push ?
review-raise-text = L’autonomie de tout le dépôt passe à « demander ». Ce qui est retenu dans ses pull requests est publié ; chaque push vous attend.
review-raise-confirm = Publier et demander
review-held = En attente de votre accord
review-held-observe = Ce qu’il aurait publié
review-held-count = { $count ->
    [one] { $count } publication
   *[other] { $count } publications
}
review-held-push = { $count ->
    [0] Pousserait
    [one] Pousserait { $count } fichier modifié,
   *[other] Pousserait { $count } fichiers modifiés,
}
review-held-show = Voir les modifications
review-approve = Approuver le push…
review-approve-title = Pousser { $commit } ?
review-approve-text = Sur { $head }. Si quelqu’un pousse avant, rien n’est poussé.
review-approve-confirm = Pousser
review-approve-files = Fichiers modifiés
review-reject = Refuser…
review-reject-title = Refuser { $commit } ?
review-reject-text = Il n’est pas poussé sur { $head }. Le correcteur réessaie, trois fois au plus.
review-reject-confirm = Refuser
review-reject-note = Qu’est-ce qui devrait être différent ?
review-reject-note-help = Le correcteur le lit comme sa prochaine consigne. Les règles intégrées ne lisent pas ; ce qu’elles ont corrigé compte comme refusé.
