# Ce que l’application dit d’une pull request : où en est sa boucle, ce qui a été trouvé, ce qu’on peut faire.

# Le haut de la page.
review-by = #{ $number } par { $author }
review-by-unknown = #{ $number }
review-iteration = { $iteration ->
    [0] premier passage
   *[other] itération { $iteration } sur { $max }
}
review-poll-in = Nouvelle lecture dans { $time }
review-poll-now = Lecture de GitHub …
review-queue = Attend une place libre : rang { $position }
review-queue-of = Attend une place libre : rang { $position } sur { $queued }
review-tab-progress = Avancement
review-tab-timeline = Historique
review-tabs = Ce qu’il faut montrer de cette pull request

# Les quatre étapes.
review-steps = Étapes
review-step-checks = Vérifications
review-step-review = Revue
review-step-fix = Correction
review-step-ready = Prête
review-step-todo = à venir
review-step-now = en cours
review-step-waits = attend une personne
review-step-done = fait
review-step-failed = non franchie

# Ce qui a changé, pour un lecteur d’écran.
review-changed = { $title } : { $state }
review-changed-why = { $title } : { $state }. { $why }

# Comment cela s’est terminé.
review-ended-merged-title = Fusionnée
review-ended-merged-approved = Elle a été fusionnée dans { $base } sur { $head }, où elle était prête.
review-ended-merged-forced = Elle a été fusionnée dans { $base } sur { $head }, avant que Collie la trouve prête.
review-ended-merged = Elle a été fusionnée dans { $base }.
review-ended-closed-title = Fermée
review-ended-closed = Elle a été fermée sur GitHub sans fusion. Rouvrez-la là-bas, puis lancez un nouveau passage.
review-ended-cancelled-title = Annulée
review-ended-cancelled = Une personne l’a annulée. Ce qui a été envoyé et publié reste. Collie ne reprend que si vous le demandez.
review-todo = Ce que vous pouvez faire

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
review-checks-running = { $count } en cours
review-checks-none = Aucune vérification ne s’est annoncée sur ce commit.
review-checks-all-passed = { $count ->
    [one] 1 vérification réussie
   *[other] { $count } vérifications réussies
}
review-check-success = réussie
review-check-neutral = neutre
review-check-skipped = non exécutée
review-check-failure = échouée
review-check-cancelled = annulée
review-check-timed_out = hors délai
review-check-stale = abandonnée par GitHub
review-check-startup_failure = n’a pas pu démarrer
review-check-action_required = demande une action
review-check-queued = en file d’attente
review-check-running = en cours
review-check-missing = ne s’est pas annoncée
review-check-open = Ouvrir la page de { $name }
review-fold = En montrer moins
review-unfold-all = Tout montrer ({ $count })
review-unfold = { $count ->
    [one] En montrer 1 de plus
   *[other] En montrer { $count } de plus
}

# Bots.
review-bots = Bots
review-bot-waiting = attendu
review-bot-waiting-until = attendu jusqu’à { $time }
review-bot-reviewed = a relu
review-bot-out-of-quota = quota épuisé
review-bot-out-of-quota-until = quota épuisé jusqu’à { $time }
review-bot-timed-out = n’a pas répondu à temps
review-bot-not-expected = non attendu
review-bot-unverified = non vérifié
review-bot-unverified-why = Ce compte porte le nom d’un bot connu, mais c’en est un autre (numéro { $id }). Collie ne l’écoute pas.

# Qui travaille en ce moment.
review-at-work = Au travail
review-now = En ce moment
review-fixer = Correcteur
review-work-began = Au travail : { $names }
review-work-ended = Travail terminé : { $names }

# Relecteurs.
review-reviewers = Relecteurs
review-reviewers-none = Le jury est constitué une fois la configuration lue.
review-stage = Étape { $number }
review-stage-now = Étape { $number }, en cours
review-reviewer-rules = Règles
review-reviewer-waiting = pas encore
review-reviewer-awaited = cette personne est attendue
review-reviewer-reviewing = revue en cours
review-reviewer-failed = a échoué
review-reviewer-at = { $verdict } sur { $head }
review-reviewer-outdated = { $verdict } sur { $head } (antérieur)
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
review-findings-settled = { $count ->
    [one] { $count } réglé
   *[other] { $count } réglés
}
review-findings-none = Rien n’a été trouvé.
review-findings-none-yet = Rien n’a été trouvé jusqu’ici.
review-findings-none-open = Rien n’est ouvert.
review-findings-group = Grouper les constats
review-findings-by-priority = Par priorité
review-findings-by-round = Par tour
review-findings-round = Tour { $round }
review-findings-show-settled = { $count ->
    [one] Montrer 1 constat réglé
   *[other] Montrer { $count } constats réglés
}
review-findings-hide-settled = Masquer les constats réglés
review-priority-p0 = P0 bloquant
review-priority-p1 = P1 critique
review-priority-p2 = P2 important
review-priority-p3 = P3 suggestion
review-status-fixed = corrigé
review-status-rejected = décliné
review-status-withdrawn = retiré
review-status-stuck = revenu
review-finding-fixed-in = corrigé dans { $commit }
review-finding-back-after = revenu après { $commit }
review-finding-by-fix = né de la correction
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
review-finding-suggestion = Proposition
review-finding-evidence = Ce qui le fonde
review-finding-where = Où il a été trouvé
review-finding-fix = Ce que { $commit } y a changé
review-finding-gone = Ces lignes ne sont plus dans le changement.
review-diff-old = Ligne avant
review-diff-new = Ligne après
review-diff-text = Texte
review-diff-added = ajoutée
review-diff-removed = retirée
review-diff-marked = le constat
review-diff-gap = lignes omises

# Tours.
review-rounds = Tour par tour
review-rounds-none = Aucun tour n’est encore achevé.
review-rounds-caption = Constats de chaque tour par priorité
review-rounds-round = Tour
review-rounds-fixed = Corrigés
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
}, { $rejected ->
    [one] { $rejected } décliné
   *[other] { $rejected } déclinés
}
review-all-runs = Toutes les exécutions de cette pull request : { $spent }
review-tokens = { $count } jetons

# La preuve.
review-proof = Preuve
review-proof-lead = Vu sur { $head }, le même commit que sur GitHub.
review-proof-stale = Vu sur { $head }. La branche a bougé depuis ; voici ce qu’il en était.
review-proof-no-checks = Aucune vérification n’a tourné
review-proof-of-them = { $count } { $word }
review-proof-threads = { $count ->
    [0] Aucune discussion
    [one] 1 discussion est réglée
   *[other] { $count } discussions sont réglées
}
review-proof-spent = { $iterations ->
    [0] Aucun envoi de Collie
    [one] 1 envoi de Collie
   *[other] { $iterations } envois de Collie
}, { $time }
review-proof-fixed = { $count ->
    [one] 1 constat corrigé
   *[other] { $count } constats corrigés
}
review-proof-suggestions = { $count ->
    [one] 1 suggestion reste ouverte ou a été déclinée
   *[other] { $count } suggestions restent ouvertes ou ont été déclinées
}

# Historique.
review-timeline-empty-title = Rien ne s’est encore passé
review-timeline-empty = Ce que Collie voit et fait apparaît ici, le plus récent d’abord.
review-timeline-run = Passage { $run }
review-timeline-times = { $times } fois
review-timeline-older = { $count ->
    [one] Montrer 1 entrée plus ancienne
   *[other] Montrer { $count } entrées plus anciennes
}

# Actions.
review-actions = Actions
review-start = Démarrer
review-cancel = Annuler…
review-retry = Réessayer…
review-resume = Reprendre…
review-merge = Fusionner…
review-open = Ouvrir sur GitHub
review-worktree = Ouvrir le dossier de travail
review-merge-not-ready = Elle pourra être fusionnée une fois prête.
review-merge-other-host = La fusion se fait dans la fenêtre de bureau.

review-cancel-title = Annuler ce passage ?
review-cancel-working = Ce qui tourne s’arrête aussitôt, et les changements inachevés partent avec la copie de la branche que tient Collie.
review-cancel-waiting = Rien ne tourne en ce moment ; Collie cesse d’observer et retire sa copie de la branche.
review-cancel-kept = Rien n’est perdu : les commits envoyés, les commentaires sur GitHub et les constats d’ici restent.
review-cancel-again = Collie ne la reprendra pas de lui-même. Réessayer lance un nouveau passage.
review-cancel-confirm = Annuler le passage
review-retry-title = Lancer un nouveau passage ?
review-retry-text = Il commence au début : vérifications, revue et jusqu’à { $max ->
    [one] 1 envoi
   *[other] { $max } envois
}. Les constats du dernier passage ne sont pas repris ; ce qui tient encore sera retrouvé.
review-retry-confirm = Lancer un nouveau passage
review-resume-title = Continuer ce passage ?
review-resume-text = Il reprend les constats, ce qui est revenu après correction et l’historique, et repart du commit actuel avec jusqu’à { $max ->
    [one] 1 envoi
   *[other] { $max } envois
}.
review-resume-confirm = Continuer

# Fusion.
review-merge-title = Fusionner #{ $number }
review-merge-asking = On demande à GitHub comment la fusionner …
review-merge-head = Commit
review-merge-base = Dans
review-merge-account = En tant que
review-merge-method = Méthode
review-method-merge = Commit de fusion
review-method-merge-why = Tous les commits, réunis par un commit de fusion.
review-method-squash = Squash
review-method-squash-why = Un seul commit avec tous les changements.
review-method-rebase = Rebase
review-method-rebase-why = Tous les commits, posés sur la base.
review-merge-confirm = Fusionner { $head } dans { $base }
review-merge-refused = Elle ne peut pas être fusionnée maintenant
review-merge-moved = La branche a bougé
review-merge-moved-text = Vous avez regardé { $seen } ; elle en est maintenant à { $now }. Regardez à nouveau avant de fusionner.
review-merge-changed = La fusion proposée n’est plus la même
review-merge-changed-text = La branche de destination ou les méthodes ont changé depuis votre lecture. Regardez à nouveau avant de fusionner.
review-merge-left = Elle n’est plus prête
review-merge-left-text = { $state }. Fermez ceci, et fusionnez une fois qu’elle l’est à nouveau.
review-merge-look = Regarder à nouveau
review-merge-done-title = Fusionnée
review-merge-done = { $by } a fusionné { $head } dans { $base } : { $sha }.
review-merge-done-no-sha = { $by } a fusionné { $head } dans { $base }.
review-merge-finished = Terminé

# Une pull request sans boucle.
review-none-state = Pas démarrée
review-none-into = { $head } vers { $base }
review-none-title = Collie ne travaille pas sur cette pull request
review-none-text = Démarrez-la pour que ses vérifications soient attendues, le changement relu et les constats corrigés, jusqu’à ce qu’elle soit prête à fusionner.
review-none-passed-by = L’interrupteur ne la prend pas
review-none-draft-title = C’est un brouillon
review-none-draft = Collie attendrait qu’elle soit marquée comme prête sur GitHub.
review-none-auto-merge-title = La fusion automatique est active
review-none-auto-merge = Collie se tient à l’écart, car sa propre correction pourrait achever la fusion. Désactivez-la sur GitHub pour le laisser travailler.
review-none-gone-title = { $key } n’est pas parmi les pull requests ouvertes
review-none-gone = Elle est peut-être fermée, ou plus récente que la liste. Relisez la liste, ou regardez-la sur GitHub.
review-none-reload = Relire la liste
