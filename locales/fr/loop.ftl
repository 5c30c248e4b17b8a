# Ce qu’est une boucle, ce qu’elle attend et pourquoi elle s’est arrêtée : dans l’application, le terminal et sur GitHub.

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

# Ce qu’attend un travail en plus d’une place.
waits-for-branch = En attente de { $pull }, qui ajoute des commits à la même branche

# Suites de noms, et quantités.
list-and = { $first } et { $last }
list-more = { $first } et { $count } de plus
duration-seconds = { $seconds } s
duration-minutes = { $minutes } min{ $seconds ->
    [0] { "" }
   *[other] { " " }{ $seconds } s
}
duration-hours = { $hours } h{ $minutes ->
    [0] { "" }
   *[other] { " " }{ $minutes } min
}
money = { $amount } $
money-under = < { $amount } $
money-unknown = prix inconnu
money-and-unknown = { $known } + inconnu

# Ce que conclut un panel ou un relecteur.
verdict-approve = approuvé
verdict-request_changes = modifications demandées
verdict-needs_major_work = remaniement nécessaire
verdict-none = a commenté
verdict-rules-none = aucun motif reconnu
verdict-rules-suggestions = suggestions seulement

# Ce qu’a donné un linter que le dépôt configure.
linter-ran = { $count ->
    [0] { $name } : rien sur les lignes modifiées
    [one] { $name } : 1 constat
   *[other] { $name } : { $count } constats
}
linter-not_installed = { $name } : non installé ici
linter-timed_out = { $name } a été arrêté au bout de { $seconds } s
linter-failed = { $name } n’a pas fonctionné : { $message }

# Ce qu’une boucle attend. Une phrase chacune.
blocker-starting = Lecture de la configuration
blocker-checks_running = { $open ->
    [one] { $open } vérification
   *[other] { $open } vérifications
} sur { $total } { $open ->
    [one] pas terminée
   *[other] pas terminées
} : { $names }
blocker-no_checks_yet = Aucune vérification ne s’est encore signalée ; attente jusqu’à { $until }
blocker-collecting_failures = { $count ->
    [one] { $names } a échoué
   *[other] { $count } vérifications ont échoué : { $names }
} ; attente des autres jusqu’à { $until }
blocker-check_needs_action = { $count ->
    [one] La vérification { $names } requiert une intervention
   *[other] Ces vérifications requièrent une intervention : { $names }
}
blocker-rerunning_checks = { $count ->
    [one] { $names } est relancée une fois : la modification n’y est peut-être pour rien
   *[other] Ces vérifications sont relancées une fois : { $names }. La modification n’y est peut-être pour rien
}
blocker-base_broken = { $count ->
    [one] La vérification { $names } échoue aussi sur { $base }
   *[other] Ces vérifications échouent aussi sur { $base } : { $names }
}. Rien n’est corrigé tant que la base n’est pas verte
blocker-bots_out_of_quota = { $names } { $count ->
    [one] n’a plus de quota
   *[other] n’ont plus de quota
 } jusqu’à { $until }
blocker-bots_pending = En attente de la revue de { $names }, jusqu’à { $until }
blocker-reviewing = Revue en cours par { $names }
blocker-reviewing-rules = les règles
blocker-awaiting_reviewer = En attente d’une revue de { $names }
blocker-changes_requested = Modifications demandées par { $names } ; tout a reçu une réponse, en attente d’une nouvelle revue
blocker-threads_open = { $count ->
    [one] 1 fil attend la réponse d’une personne
   *[other] { $count } fils attendent la réponse d’une personne
}
blocker-comments_open = { $count ->
    [one] 1 commentaire de { $names } est laissé à une personne
   *[other] { $count } commentaires de { $names } sont laissés à une personne
}
blocker-fixing = { $count ->
    [one] Correction de 1 constat
   *[other] Correction de { $count } constats
}
blocker-verifying = Exécution des commandes de vérification sur la correction
blocker-merging_base = Fusion de { $base } dans la branche
blocker-verify_untrusted = { $count ->
    [one] Une correction est prête et attend : personne n’a encore autorisé la commande de vérification du dépôt : { $commands }
   *[other] Une correction est prête et attend : personne n’a encore autorisé les commandes de vérification du dépôt : { $commands }
}
blocker-fixing_off = Des constats demeurent, et Collie est réglé pour relire seulement : quelqu’un doit les corriger
blocker-author_not_allowed = { $login ->
    [none] Le compte de l’auteur n’existe plus : rien n’est corrigé tant que vous n’autorisez pas cette pull request
   *[other] { $login } n’a pas de droit d’écriture : rien n’est corrigé tant que vous n’autorisez pas l’auteur ou cette pull request
}
blocker-unseen = { $count ->
    [one] Aucun relecteur n’a vu tout ce fichier ; une personne doit le regarder : { $names }
   *[other] Aucun relecteur n’a vu la totalité de { $count } fichiers ; une personne doit les regarder : { $names }
}
blocker-no_sandbox = { $message } { $hints } Collie continue de lui-même dès que c’est possible.
blocker-paused = Tout est en pause depuis { $since }, par { $by } : rien n’est relu, corrigé ni écrit tant que vous ne reprenez pas
blocker-budget = { $scope ->
    [pull_request] { $unit ->
        [cost_micros] Le budget de cette pull request ne couvre pas la prochaine question : { $spent } sur { $limit } sont dépensés ou réservés, et elle peut coûter jusqu’à { $needed }. Relevez la limite pour continuer.
       *[tokens] Le budget de { $limit } tokens sans tarif de cette pull request est épuisé : { $spent } ont été consommés. Relevez la limite pour continuer.
    }
    [total] { $unit ->
        [cost_micros] Le budget de l’ensemble des pull requests ne couvre pas la prochaine question : { $spent } sur { $limit } sont dépensés ou réservés, et elle peut coûter jusqu’à { $needed }. Relevez la limite pour continuer.
       *[tokens] Le budget de { $limit } tokens sans tarif de l’ensemble des pull requests est épuisé : { $spent } ont été consommés. Relevez la limite pour continuer.
    }
   *[day] { $unit ->
        [cost_micros] Le budget du jour ne couvre pas la prochaine question : { $spent } sur { $limit } sont dépensés ou réservés, et elle peut coûter jusqu’à { $needed }. Collie continue à minuit, ou dès que vous relevez la limite.
       *[tokens] Le budget du jour de { $limit } tokens sans tarif est épuisé : { $spent } ont été consommés. Collie continue à minuit, ou dès que vous relevez la limite.
    }
}
held-kind-review = Rapport de revue
held-kind-inline = Commentaire sur une ligne
held-kind-persona_review = Revue d’une persona
held-kind-dismiss_review = Revue d’une persona, retirée
held-kind-fix = Rapport de correction
held-kind-proof = Preuve
held-kind-stop = Dernier commentaire de l’exécution
held-kind-reply = Réponse dans un fil
held-kind-addition = Ajout à un fil
held-kind-body_dispositions = Réponse aux constats d’un bot
held-kind-answers = Réponse à des commentaires
held-kind-command_reply = Réponse à une commande
held-kind-request_bot_review = Demande à un bot
held-kind-request_rereview = Demande de nouvelle revue
held-kind-resolve_thread = Résoudre un fil
held-kind-rerun_checks = Relancer des vérifications
blocker-observing = { $count ->
    [one] 1 publication ou push est retenu. Augmentez l’autonomie pour le laisser partir.
   *[other] { $count } publications et pushs sont retenus. Augmentez l’autonomie pour les laisser partir.
}
blocker-awaiting_approval = { $count ->
    [0] Un commit attend votre accord ({ $commit })
    [one] 1 fichier modifié attend votre accord ({ $commit })
   *[other] { $count } fichiers modifiés attendent votre accord ({ $commit })
}
blocker-pushing = Push de la correction
blocker-awaiting_push = La correction est poussée ; GitHub ne la montre pas encore
blocker-posting = Publication des commentaires
blocker-awaiting_merge = Prête : la décision de fusionner revient à une personne
blocker-draft = C’est un brouillon ; marquez-la comme prête à être relue pour continuer
blocker-conflict = { $tried ->
    [yes] En conflit avec { $base } ; une personne doit résoudre le conflit, car Collie n’y est pas parvenu : { $message }
   *[no] En conflit avec { $base } ; une personne doit résoudre le conflit
}
blocker-behind = { $tried ->
    [yes] En retard sur { $base }, qu’une personne doit d’abord fusionner dans la branche, car Collie n’y est pas parvenu : { $message }
   *[no] En retard sur { $base }, à fusionner d’abord dans la branche
}
blocker-mergeability_unknown = GitHub vérifie encore si elle peut être fusionnée
blocker-merge_blocked = GitHub refuserait la fusion sans dire pourquoi : voyez les règles de la branche sur sa page
blocker-review_required = Les règles de la branche exigent une revue favorable
blocker-ignore_label = Le label { $label } tient Collie à l’écart
blocker-pending_review = Le compte de Collie a ici une revue non soumise ; soumettez-la ou abandonnez-la pour continuer
blocker-auto_merge = { $by } a activé la fusion automatique ; Collie attend qu’elle soit désactivée, pour ne pas achever la fusion
blocker-merge_queue = Dans la file de fusion
blocker-queue_ejected = Retirée de la file de fusion : { $cause ->
    [own_checks] { ejection-own_checks }
    [neighbour_checks] { ejection-neighbour_checks }. Rien n’est corrigé ; remettez-la dans la file
    [base_checks] { ejection-base_checks }. Rien n’est corrigé ; remettez-la dans la file une fois la base verte
    [undecided_checks] { ejection-undecided_checks }. Rien n’est corrigé ; voyez ces vérifications, ou remettez-la dans la file
    [infrastructure] { ejection-infrastructure }. Remettez-la dans la file
    [timeout] { ejection-timeout }. Remettez-la dans la file
    [conflict] { ejection-conflict }{ $tried ->
        [yes] . Collie n’est pas parvenu à fusionner la base dans la branche : { $message }
       *[no] . Une personne doit résoudre le conflit, ou la remettre dans la file
    }
    [branch_protections] { ejection-branch_protections }
   *[other] { ejection-merge_not_built }. Remettez-la dans la file
}
blocker-unreachable = GitHub ne répond pas ; prochain essai à { $until }
blocker-unauthorized = GitHub refuse le jeton ; reconnectez-vous
blocker-forbidden = Il manque un droit au jeton : { $message }
blocker-app_unusable = { $problem ->
    [key_refused] GitHub n’accepte pas la clé de l’application GitHub : mettez-en une valide dans le fichier que nomme [app]
    [suspended] L’installation de l’application GitHub est suspendue : rétablissez-la dans les réglages du compte sur GitHub
   *[not_installed] L’application GitHub n’y est pas installée : installez-la, ou nommez un autre compte dans [app]
}
blocker-account_unusable = { $problem ->
    [missing] Aucun jeton de @{ $login } n’est conservé : rien ne peut être dit en son nom. Ajoutez-le avec collie account add { $login }
    [refused] GitHub n’accepte pas le jeton de @{ $login }. Remplacez-le avec collie account add { $login }
    [no_access] @{ $login } ne peut pas voir ce dépôt : invitez ce compte ou donnez-lui accès par son jeton
   *[sealed] Le jeton de @{ $login } ne peut pas être déchiffré : rendez la clé qui l’a chiffré, ou remplacez le jeton avec collie account add { $login }
}
blocker-rights_lacking = { $kind ->
    [scope] Il manque au jeton le droit { $names } : rien n’est écrit. Créez un jeton qui l’a, ou lancez gh auth refresh --scopes repo ; Collie reprend tout seul
   *[permission] Il manque au jeton { $count ->
        [one] le droit
       *[other] les droits
    } { $names } : rien n’est écrit. Accordez ce qui manque dans les réglages du jeton sur GitHub ; Collie reprend tout seul
}
blocker-server_too_old = { $version ->
    [none] Le serveur ne connaît pas { $field }, dont Collie a besoin : mettez GitHub Enterprise Server à jour
   *[other] GitHub Enterprise Server { $version } ne connaît pas { $field }, dont Collie a besoin : mettez le serveur à jour
}
blocker-not_found = GitHub ne la trouve pas ; Collie cherche jusqu’à { $until }
blocker-rate_limited = Le quota GitHub est épuisé jusqu’à { $until }
blocker-config_invalid = La configuration du dépôt ne peut pas être lue : { $message }

# Polls are slower than configured: what is left of an hour’s budget, and when it is full again.
throttle-graphql = GitHub est lu moins souvent : { $left } points restants sur { $limit } jusqu’à { $until }
throttle-rest = GitHub est lu moins souvent : { $left } requêtes restantes sur { $limit } jusqu’à { $until }

# Pourquoi une exécution s’est arrêtée, et ce qu’une personne peut faire.
stop-ci_timeout = { $count ->
    [0] Les vérifications n’ont pas fini à temps
    [one] La vérification { $names } n’a pas fini à temps
   *[other] { $count } vérifications n’ont pas fini à temps : { $names }
}
stop-iterations_spent = { $max ->
    [one] Après 1 push, il reste des points ouverts
   *[other] Après { $max } pushs, il reste des points ouverts
}
stop-stuck = { $count ->
    [one] 1 constat subsiste après chaque correction, et il ne reste rien d’autre à corriger
   *[other] { $count } constats subsistent après chaque correction, et il ne reste rien d’autre à corriger
}
stop-oscillating = Les corrections font des allers-retours
stop-upheld = { $count ->
    [one] Il reste 1 constat que le correcteur ne peut pas corriger
   *[other] Il reste { $count } constats que le correcteur ne peut pas corriger
}
stop-too_many_restarts = { $count ->
    [one] D’autres ont poussé une fois pendant l’exécution, plus que permis
   *[other] D’autres ont poussé { $count } fois pendant l’exécution
}
stop-too_many_turns = Les retours n’ont pas cessé : { $count ->
    [one] Collie a répondu une fois
   *[other] Collie a répondu { $count } fois
}
stop-cannot_push-default_branch = Collie ne pousse pas sur la branche par défaut
stop-cannot_push-protected = La branche source est protégée
stop-cannot_push-base_of_another = La branche source est la base d’une autre pull request ouverte
stop-cannot_push-fork_read_only = Le fork ne laisse pas les mainteneurs pousser
stop-cannot_push-refused = Le push a été refusé
stop-in-full = { $stop } : { $message }
stop-review_failed = { $kind ->
    [rules] Les règles ont définitivement échoué
   *[other] Le relecteur { $reviewer } a définitivement échoué
}
stop-fix_failed = Le correcteur a définitivement échoué
stop-access_lost = La pull request a disparu, ou n’est plus accessible

hint-ci-logs = Consultez les journaux de ces vérifications : elles sont peut-être bloquées, ou en attente d’un runner.
hint-ci-retry = Relancez-les, puis relancez l’exécution.
hint-fix-yourself = Corrigez ce qui est listé, poussez, puis cliquez sur « Reprendre » : Collie repart de votre commit.
hint-resume = Reprenez pour que Collie continue avec ce qu’il sait.
hint-dismiss = Si un constat est faux, dites-le dans son fil ; la décision revient à une personne.
hint-more-iterations = Augmentez max_pr_review_iterations si d’autres tours en valent la peine.
hint-settle-first = Mettez-vous d’accord sur le résultat voulu avant tout nouveau push.
hint-quiet = Attendez que plus personne ne pousse, puis cliquez sur « Reprendre ».
hint-own-branch = Ouvrez la pull request depuis une branche à elle.
hint-unprotect = Laissez le compte de Collie pousser sur la branche, ou corrigez vous-même les constats.
hint-retarget = Fusionnez ou réorientez d’abord la pull request qui s’appuie sur cette branche.
hint-fork-allow = Cochez « Allow edits by maintainers », ou corrigez vous-même les constats.
hint-rules = Lisez le message du serveur : des signatures, des règles de commit ou un hook peuvent être en cause.
hint-retry = Relancez une fois la cause disparue.
hint-doctor = Lancez `collie doctor` pour vérifier ce qu’il faut à une exécution.
hint-access = Vérifiez que la pull request existe et que le compte peut encore la voir.

doing-gathers = Rassemble le contexte
doing-reads = Lit un prompt de { $tokens } tokens
doing-asks-again = Interroge de nouveau (requête { $attempt })
doing-thinks = Réfléchit
doing-writes = Écrit sa réponse
doing-spent = { $tokens } tokens jusqu’ici
doing-spent-cost = { $tokens } tokens jusqu’ici, { $cost }
doing-repairs = Corrige le format de sa réponse
doing-waits-for-runner = Attend un exécuteur
doing-runs-elsewhere = Travaille sur l’exécuteur { $runner }
doing-looks-again = { $findings ->
        [one] Revérifie un constat dans le code
       *[other] Revérifie { $findings } constats dans le code
    }
doing-uses = Utilise un outil
doing-refused = Non autorisé : { $title }
doing-plans = Plan : { $done } étapes faites sur { $total }

unseen-reason-binary = binaire
unseen-reason-lockfile = fichier de verrouillage
unseen-reason-generated = généré ou tiers, selon la base
unseen-reason-submodule = sous-module
unseen-reason-link = lien symbolique
unseen-reason-too_large = trop volumineux
unseen-reason-too_many = trop de fichiers
unseen-reason-unreadable = illisible
unseen-reason-nesting = imbriqué trop profondément
unseen-reason-no_room = plus de place dans le prompt
unseen-reason-reading_failed = la lecture de sa partie a échoué
unseen-reason-taken_out = un push l’a retiré, et ce qui est parti n’a pas été lu

# Pourquoi une vérification a échoué.
failure-cause-base_broken = échoue aussi sur la base
failure-cause-infrastructure = infrastructure
failure-cause-flaky = instable
failure-cause-regression = régression

# Pourquoi une pull request a été retirée de la file de fusion.
ejection-own_checks = { $count ->
    [one] { $names } y a échoué avec cette seule modification
   *[other] ces vérifications y ont échoué avec cette seule modification : { $names }
}
ejection-neighbour_checks = { $count ->
    [one] { $names } a échoué sur ce qui la précédait dans la file, sans cette modification
   *[other] ces vérifications ont échoué sur ce qui la précédait dans la file, sans cette modification : { $names }
}
ejection-base_checks = { $count ->
    [one] { $names } échoue sur la base sans cette modification
   *[other] ces vérifications échouent sur la base sans cette modification : { $names }
}
ejection-undecided_checks = { $count ->
    [0] une vérification a échoué, et GitHub ne montre pas laquelle
    [one] { $names } a échoué, et rien ne dit si c’est à cause de cette modification ou d’une autre
   *[other] ces vérifications ont échoué, et rien ne dit si c’est à cause de cette modification ou d’une autre : { $names }
}
ejection-infrastructure = { $count ->
    [one] { $names } n’est pas allée à son terme, ce qui ne dit rien de la modification
   *[other] ces vérifications ne sont pas allées à leur terme, ce qui ne dit rien de la modification : { $names }
}
ejection-timeout = ses vérifications n’ont pas fini à temps
ejection-conflict = elle est en conflit avec la base, ou avec ce qui la précédait dans la file
ejection-branch_protections = les règles de la branche de base ne sont pas respectées
ejection-merge_not_built = GitHub n’a pas pu construire le commit de fusion
ejection-manual = quelqu’un l’en a retirée
ejection-queue_cleared = la file a été vidée
ejection-rolled_back = la file a repris son commit
ejection-unknown = { $word ->
    [none] GitHub ne dit pas pourquoi
   *[other] GitHub donne une raison que Collie ne connaît pas : { $word }
}

# An alarm: something that was posted twice.
loop-duplicated = { $count ->
    [one] GitHub montre plus d’une fois une publication de Collie. Cela ne doit jamais arriver : merci de le signaler avec le journal, qui la nomme.
   *[other] GitHub montre plus d’une fois { $count } publications de Collie. Cela ne doit jamais arriver : merci de le signaler avec le journal, qui les nomme.
}
