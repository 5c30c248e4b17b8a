# Ce qu'est une boucle, ce qu'elle attend et pourquoi elle s'est arrêtée : dans l'application, le terminal et sur GitHub.

# Noms des états.
state-pr_created = Démarrage
state-pr_awaiting_checks = En attente des vérifications
state-pr_reviewing = Revue par l’IA
state-pr_fixing = Correction en cours
state-pr_ready_to_merge = Prête à fusionner
state-merged = Fusionnée
state-closed = Fermée
state-cancelled = Annulée
state-needs_human = Intervention manuelle requise
state-failed = Échec

# Suites de noms, et quantités.
list-and = { $first } et { $last }
list-more = { $first } et { $count } de plus
duration-seconds = { $seconds } s
duration-minutes = { $minutes } min { $seconds } s
duration-hours = { $hours } h { $minutes } min
money = { $amount } $

# Ce que conclut un jury ou un relecteur.
verdict-approve = approuvé
verdict-request_changes = modifications demandées
verdict-needs_major_work = remaniement nécessaire
verdict-none = a commenté

# Ce qu'une boucle attend. Une phrase chacune.
blocker-starting = Lecture de la configuration
blocker-checks_running = { $open ->
    [one] { $open } vérification
   *[other] { $open } vérifications
} sur { $total } encore en cours : { $names }
blocker-no_checks_yet = Aucune vérification ne s’est encore annoncée ; on regarde jusqu’à { $until }
blocker-collecting_failures = { $count ->
    [one] { $names } a échoué
   *[other] { $count } vérifications ont échoué : { $names }
} ; on attend les autres jusqu’à { $until }
blocker-check_needs_action = { $count ->
    [one] La vérification { $names } demande l’action d’une personne
   *[other] Ces vérifications demandent l’action d’une personne : { $names }
}
blocker-bots_pending = En attente de la revue de { $names }, jusqu’à { $until }
blocker-reviewing = En revue par { $names }
blocker-awaiting_reviewer = En attente d’une revue de { $names }
blocker-changes_requested = Modifications demandées par { $names } ; tout a reçu une réponse, un second regard est nécessaire
blocker-threads_open = { $count ->
    [one] 1 discussion attend la réponse d’une personne
   *[other] { $count } discussions attendent la réponse d’une personne
}
blocker-fixing = { $count ->
    [one] Correction de 1 constat
   *[other] Correction de { $count } constats
}
blocker-pushing = Envoi de la correction
blocker-awaiting_push = La correction est envoyée ; GitHub ne la montre pas encore
blocker-posting = Publication des commentaires
blocker-awaiting_merge = Prête : la fusion revient à une personne
blocker-draft = C’est un brouillon ; la marquer comme prête pour continuer
blocker-conflict = Elle est en conflit avec { $base } ; une personne doit le résoudre
blocker-behind = { $base } a avancé et doit d’abord y être fusionnée
blocker-mergeability_unknown = GitHub calcule encore si elle peut être fusionnée
blocker-review_required = Les règles de la branche exigent une revue favorable
blocker-ignore_label = L’étiquette { $label } tient Collie à l’écart
blocker-pending_review = Le compte de Collie a ici une revue non envoyée ; l’envoyer ou l’abandonner pour continuer
blocker-auto_merge = { $by } a activé la fusion automatique ; Collie attend qu’elle soit désactivée, pour ne pas achever la fusion
blocker-merge_queue = Elle est dans la file de fusion
blocker-unreachable = GitHub ne répond pas ; prochain essai à { $until }
blocker-unauthorized = GitHub n’accepte pas le jeton ; se reconnecter
blocker-forbidden = Il manque un droit au jeton : { $message }
blocker-not_found = GitHub ne la trouve pas ; on regarde jusqu’à { $until } si cela dure
blocker-rate_limited = Le quota de GitHub est épuisé jusqu’à { $until }
blocker-config_invalid = La configuration du dépôt ne peut être lue : { $message }

# Pourquoi un passage s'est arrêté, et ce qu'une personne peut faire.
stop-ci_timeout = { $count ->
    [0] Les vérifications n’ont pas fini à temps
    [one] La vérification { $names } n’a pas fini à temps
   *[other] { $count } vérifications n’ont pas fini à temps : { $names }
}
stop-iterations_spent = { $max ->
    [one] Après 1 envoi, il reste des points ouverts
   *[other] Après { $max } envois, il reste des points ouverts
}
stop-stuck = { $count ->
    [one] 1 constat est revenu après correction, et il ne reste rien d’autre à corriger
   *[other] { $count } constats sont revenus après correction, et il ne reste rien d’autre à corriger
}
stop-oscillating = Les corrections font des allers-retours
stop-upheld = { $count ->
    [one] 1 constat demeure que le correcteur ne peut pas corriger
   *[other] { $count } constats demeurent que le correcteur ne peut pas corriger
}
stop-too_many_restarts = { $count ->
    [one] D’autres ont envoyé des commits une fois pendant le travail, plus que permis
   *[other] D’autres ont envoyé des commits { $count } fois pendant le travail
}
stop-too_many_turns = Les retours n’ont pas cessé : { $count ->
    [one] 1 tour de réponses a été donné
   *[other] { $count } tours de réponses ont été donnés
}
stop-cannot_push-default_branch = Collie n’envoie rien sur la branche par défaut
stop-cannot_push-protected = La branche source est protégée
stop-cannot_push-base_of_another = La branche source est la base d’une autre pull request ouverte
stop-cannot_push-fork_read_only = Le fork ne laisse pas les mainteneurs envoyer de commits
stop-cannot_push-refused = L’envoi a été refusé
stop-in-full = { $stop } : { $message }
stop-review_failed = Le relecteur { $reviewer } a échoué pour de bon
stop-fix_failed = Le correcteur a échoué pour de bon
stop-access_lost = La pull request a disparu, ou l’accès a été perdu

hint-ci-logs = Regarder les journaux de ces vérifications : elles sont peut-être bloquées, ou sans exécuteur.
hint-ci-retry = Les relancer, puis réessayer.
hint-fix-yourself = Corriger ce qui est listé, l’envoyer et relancer Collie : il repart de ce commit.
hint-resume = Reprendre, pour que Collie continue avec ce qu’il sait.
hint-dismiss = Si un constat est faux, le dire dans sa discussion ; les personnes décident.
hint-more-iterations = Augmenter max_iterations si d’autres tours en valent la peine.
hint-settle-first = Se mettre d’accord sur le résultat voulu avant tout nouvel envoi.
hint-quiet = Attendre que plus personne n’envoie de commits, puis reprendre.
hint-own-branch = Ouvrir la pull request depuis une branche à elle.
hint-unprotect = Laisser le compte de Collie écrire sur la branche, ou appliquer soi-même les constats.
hint-retarget = Fusionner ou réorienter d’abord la pull request qui s’appuie sur cette branche.
hint-fork-allow = Cocher « Allow edits by maintainers », ou appliquer soi-même les constats.
hint-rules = Lire ce que dit le serveur : signatures, règles de commit ou hook peuvent être en cause.
hint-retry = Réessayer une fois la cause disparue.
hint-doctor = `collie doctor` vérifie ce qu’il faut à un passage.
hint-access = Vérifier que la pull request existe et que le compte peut encore la voir.

doing-gathers = Rassemble ce qu’il y a à lire
doing-reads = Lit une demande de { $tokens } jetons
doing-asks-again = Est interrogé de nouveau (requête { $attempt })
doing-thinks = Réfléchit, { $characters } caractères jusqu’ici
doing-writes = Écrit, { $characters } caractères jusqu’ici
doing-repairs = Met sa réponse dans la forme demandée
doing-looks-again = { $findings ->
        [one] Confronte encore une fois un constat au code
       *[other] Confronte encore une fois { $findings } constats au code
    }
doing-uses = Utilise un outil
doing-refused = N’a pas été autorisé : { $title }
doing-plans = Étapes de son plan faites : { $done } sur { $total }
