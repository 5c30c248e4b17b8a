# Ce que dit le bureau de l’application : problèmes et issues, chronologie, interrupteur.

# Ce qui ne va pas. Une phrase ; que faire est dans les conseils.

# Que faire.

# Pourquoi l’interrupteur laisse une pull request de côté.
passed-by-cancelled = Annulée par une personne ; démarrez-la vous-même
passed-by-nobody_pushed = Attend que quelqu’un pousse
passed-by-draft = Brouillon
passed-by-ignored = Un label tient Collie à l’écart
passed-by-author = L’auteur n’est pas parmi ceux choisis
passed-by-label = N’a aucun des labels choisis
passed-by-left_out = Une personne l’a exclue
passed-by-base = Ne vise aucune des branches de base choisies

# Ce qui est arrivé à une boucle.
event-created = Boucle démarrée
event-rebuilt = Restaurée depuis son point de reprise
event-joined = Montrée à partir d’ici ; ce qui précède n’est pas conservé
event-engine = Collie a continué
event-observed = GitHub a été lu
event-observe_failed = GitHub n’a pas pu être lu
event-poll_postponed = La lecture de GitHub a été reportée : il reste peu de quota
event-rights_checked = Les droits du jeton ont été demandés
event-config_loaded = La configuration du dépôt a été lue
event-config_invalid = La configuration du dépôt contient une erreur
event-review_finished = Une revue s’est terminée
event-review_failed = Une revue a échoué
event-fix_finished = Une correction a été faite
event-fix_failed = Le correcteur a échoué
event-fix_verified = Une correction est repassée par les contrôles
event-verify_failed = Les commandes de vérification n’ont pas pu être exécutées
event-session_cancelled = Une session annulée s’est terminée
event-post_refused = GitHub a refusé un commentaire ; Collie réessaiera
event-base_merged = La base a été fusionnée dans la branche
event-base_merge_refused = La base n’a pas pu être fusionnée dans la branche
event-base_merge_failed = La fusion de la base dans la branche a échoué
event-files_seen = Une personne a regardé ce qu’aucun relecteur n’a vu
event-finding_dismissed = Une personne a écarté un constat
event-fixer_noted = Une personne a donné une consigne au correcteur
event-autonomy_changed = Une personne a réglé jusqu’où Collie va de lui-même
event-push_approved = Une personne a approuvé un push
event-push_rejected = Une personne a refusé un push
event-pause_changed = Une personne a tout mis en pause, ou repris
event-trust_changed = Une personne a décidé ce qui peut être exécuté et corrigé dans le dépôt
event-pushed = La correction a été poussée
event-rebased = La correction a été rebasée sur la branche qui avait avancé
event-push_failed = Le push a échoué
event-remote_head = Le commit de tête de la branche a été lu
event-delivered = Un commentaire a été traité
event-thread_resolved = Un fil a été résolu
event-checks_rerun = Des vérifications ont été relancées
event-remembered = Ce que des personnes ont fait d’un constat a été retenu
event-cleaned_up = Le worktree a été supprimé
event-cancel = Une personne a annulé l’exécution
event-retry = Une personne a démarré une nouvelle exécution
event-resume = Une personne a repris la boucle
event-with-effects = { $event } ; ensuite : { $effects }
event-next = Ensuite : { $effects }
event-waits-person = Attend une personne
moved-pr_awaiting_checks = Le commit de tête ou une vérification a changé : les vérifications sont de nouveau attendues
moved-pr_reviewing = Vérifications réussies ; la revue a commencé
moved-pr_fixing = Des modifications sont nécessaires ; la correction a commencé
moved-pr_ready_to_merge = Prête à fusionner
moved-merged = Fusionnée sur GitHub
moved-closed = Fermée sur GitHub
moved-needs_human = Arrêt : une personne doit décider
moved-failed = Arrêt : impossible de continuer
note-review_done = { $verdict ->
    [approve] { $who } : { $head } approuvé
    [request_changes] { $who } : modifications demandées sur { $head }, { $count ->
        [one] 1 constat
       *[other] { $count } constats
    }
   *[needs_major_work] { $who } : remaniement demandé sur { $head }, { $count ->
        [one] 1 constat
       *[other] { $count } constats
    }
}
note-review_done-rules = Règles
note-pushed = { $commit } poussé
note-finding_dismissed = @{ $login } a écarté « { $title } » : { $reason }
note-fixer_noted = @{ $login } a dit au correcteur : { $text }

# Ce que Collie en fait.
effect-check_rights = demander ce que le jeton peut écrire
effect-load_config = lire la configuration
effect-review = relire
effect-fix = corriger
effect-verify = vérifier la correction
effect-merge_base = fusionner la base
effect-push = pousser
effect-read_remote_head = lire le commit de tête de la branche
effect-post = commenter
effect-resolve_thread = résoudre les fils
effect-rerun_checks = relancer des vérifications
effect-remember = retenir ce que des personnes ont fait d’un constat
effect-clean_up = nettoyer

# Remarques.
note-ignored = { $reason ->
    [older_snapshot] Des données plus récentes de GitHub avaient déjà été lues : celles-ci ont été laissées de côté
    [read_before_it_was_asked_for] Collie avait de nouveau interrogé GitHub depuis : cette réponse plus ancienne a été laissée de côté
    [terminal] L’exécution était déjà terminée : rien n’a été fait
    [still_running] L’exécution n’était pas encore terminée : rien n’a été fait
    [not_resumable] L’exécution ne s’était pas arrêtée pour une personne : rien n’a été repris
    [unknown_effect] Plus rien n’attendait cette réponse : elle a été laissée de côté
    [wrong_answer] C’était la réponse à une autre demande : elle a été laissée de côté
    [no_fix] Aucune correction n’était en cours : rien n’a été fait
    [not_dismissable] Une vérification ou une personne l’a trouvé : il n’a pas été écarté
    [unknown_finding] Ce constat n’existait pas : rien n’a été fait
    [another_head] Cela concernait un autre commit de tête : rien n’a été fait
    [no_change] C’était déjà le cas : rien n’a été fait
    [no_such_push] Aucun push de ce commit sur ce commit de tête n’attendait d’approbation : rien n’a été fait
    [no_such_reviewer] Ce relecteur n’était pas au travail : sa réponse a été laissée de côté
   *[other] Rien n’a été fait
}
note-head_moved = Quelqu’un a poussé : le commit de tête passe de { $from } à { $to }
note-push_conflicted = { $commit } ne s’applique pas sur ce qui a été poussé entre-temps : il a été abandonné, et le nouveau commit de tête est relu
note-impostor = { $login } se fait passer pour { $claims }
note-author_denied = { $login ->
    [none] Rien n’est corrigé : le compte de l’auteur n’existe plus
   *[other] Rien n’est corrigé : { $login } n’a pas de droit d’écriture et n’a pas été autorisé
}
note-login_reused = { $login } est un autre compte que celui auquel ce nom donnait confiance : sa parole ne compte pas
note-permission_unread = GitHub ne dit pas ce que { $login } peut faire ici : compté comme sans droit d’écriture
note-rights_lacking = Il manque au jeton : { $names }
note-rights_granted = Le jeton a ce qui lui manquait
note-config_without_effect = Sans effet dans .collie.toml à { $commit }, qui ne peut que durcir : { $keys }
note-bot_trusted = { $login } est un bot vérifié
note-feedback_turn = { $count ->
    [one] 1 commentaire est remis au correcteur
   *[other] { $count } commentaires sont remis au correcteur
}
note-command_obeyed = @{ $login } a écrit { $command }
note-command_denied = { $login } a écrit { $command } sans en avoir le droit : rien n’a été fait
note-became_stuck = Un constat subsiste après chaque correction
note-checks_rerun = Relancées une fois : { $names }
note-queue_ejected = Retirée de la file de fusion : { $why }
note-pull_ended = La pull request a été { $end ->
    [merged] fusionnée
   *[other] fermée
} après l’arrêt de l’exécution
note-claim_refuted = Un constat subsiste alors qu’il était dit corrigé
note-run_started = Une exécution a démarré
note-iteration_done = Le tour { $iteration } s’est terminé par { $commit }
note-autonomy_changed = { $login ->
    [none] Collie peut désormais { $level ->
        [observe] seulement observer : le dépôt ou un label le dit
        [ask] publier, et demande avant chaque push
       *[push] publier et pousser
    }
   *[other] { $login } a réglé l’autonomie sur { $level }
}
note-pause_changed = { $paused ->
    [yes] { $login } a tout mis en pause
   *[no] { $login } a repris le travail
}
note-held_discarded = { $count ->
    [one] 1 publication en attente a été abandonnée : son commit de tête n’existe plus
   *[other] { $count } publications en attente ont été abandonnées : leur commit de tête n’existe plus
}
note-push_approved = { $login } a approuvé le push de { $commit }
note-push_rejected = { $said ->
    [yes] { $login } a refusé le push de { $commit } : { $words }
   *[no] { $login } a refusé le push de { $commit }
}
note-files_seen = { $count ->
    [one] { $login } a regardé 1 fichier qu’aucun relecteur n’a vu, sur { $head }
   *[other] { $login } a regardé { $count } fichiers qu’aucun relecteur n’a vus, sur { $head }
}
note-hosts_refused-agent = { $who } voulait joindre { $hosts }, ce qui ne lui est pas permis : nommez-les comme `hosts` de l’agent dans config.toml s’il en a besoin.
note-hosts_refused-prepare = Pendant la préparation de la vérification, { $hosts } n’a pas pu être joint : nommez-les sous `prepare_hosts` si elle en a besoin.
note-undeliverable = Un commentaire ne peut pas être publié : { $message }
note-post_duplicated = Publié { $count } fois au lieu d’une, merci de le signaler : { $ids }
note-post_edited = { $kind ->
    [review] La revue { $id } de Collie a été modifiée : elle reste telle quelle
   *[other] Le commentaire { $id } de Collie a été modifié : il reste tel quel
}
note-post_deleted = { $kind ->
    [review] La revue { $id } de Collie a été supprimée : elle n’est pas publiée de nouveau
   *[other] Le commentaire { $id } de Collie a été supprimé : il n’est pas publié de nouveau
}
note-worked = { $who } sur { $name }
note-linters = Linters du dépôt : { $linters }
note-worked-fixer = Le correcteur
note-worked-took-over = { $reason ->
    [out_of_quota] { $name } a pris le relais : quota épuisé
    [key_refused] { $name } a pris le relais : clé refusée, ou absente
   *[down] { $name } a pris le relais : en panne
}
note-worked-resumed = a repris sa session
note-worked-reads = { $count ->
        [one] une lecture de fichiers
       *[other] { $count } lectures de fichiers
    }
note-worked-edits = { $count ->
        [one] une modification
       *[other] { $count } modifications
    }
note-worked-commands = { $count ->
        [one] une commande
       *[other] { $count } commandes
    }
note-worked-others = { $count ->
        [one] un autre appel d’outil
       *[other] { $count } autres appels d’outil
    }
note-worked-refused = { $count ->
        [one] une demande refusée
       *[other] { $count } demandes refusées
    }
note-session_cancelled = elle avait coûté jusque-là { $cost }
note-worked-untaken = { $setting ->
        [model] sans le modèle
        [effort] sans l’effort
       *[mcp_server] sans le serveur MCP
    } { $name }, { $reason ->
        [not_offered] qu’il ne propose pas
        [too_many] absent des premiers qu’il propose
        [transport] qu’il ne sait pas joindre par HTTP
        [program_not_found] dont le programme est introuvable
       *[refused] qu’il a refusé
    }
note-worked-refused-hosts = accès refusé à { $hosts }
note-worked-dropped = { $count ->
        [one] un constat écarté
       *[other] { $count } constats écartés
    }
note-worked-silenced = { $count ->
        [one] un constat n’est plus soulevé : son semblable a été écarté ici deux fois
       *[other] { $count } constats ne sont plus soulevés : leurs semblables ont été écartés ici deux fois
    }
note-worked-refuted = { $count ->
        [one] un constat réfuté à la contre-vérification
       *[other] { $count } constats réfutés à la contre-vérification
    }
note-worked-unchecked = { $count ->
        [one] un constat qui n’a pas pu être revérifié, et demeure
       *[other] { $count } constats qui n’ont pas pu être revérifiés, et demeurent
    }
note-worked-agreed = { $count ->
        [one] un constat fait aussi par un autre relecteur
       *[other] { $count } constats faits aussi par un autre relecteur
    }
note-worked-left-out = { $count ->
        [one] une partie omise, faute de place
       *[other] { $count } parties omises, faute de place
    }

# Le récit d’une boucle (`collie log`).
story-run = Exécution { $number }
story-between = {" ;"}
story-round = { $told ->
    [no] Tour { $number }
   *[yes] Tour { $number } : { $parts }.
}
story-rules = les règles
story-review = { $count ->
    [0] { $who } : aucun constat
    [one] { $who } : 1 constat
   *[other] { $who } : { $count } constats
}
story-pushed = { $commit } poussé
story-rerun = { $count ->
    [one] 1 contrôle en échec relancé
   *[other] { $count } contrôles en échec relancés
}
story-waited = { $time } d’attente { $blocker ->
    [checks_running] des contrôles
    [no_checks_yet] des contrôles
    [rerunning_checks] des contrôles
    [collecting_failures] des contrôles
    [check_needs_action] d’un contrôle qui demande quelqu’un
    [base_broken] des contrôles de la base
    [bots_pending] des bots de revue
    [bots_out_of_quota] du quota d’un bot de revue
    [awaiting_reviewer] d’un relecteur
    [changes_requested] d’une personne qui a demandé des modifications
    [threads_open] de fils ouverts
    [comments_open] de réponses à des commentaires
    [verify_untrusted] d’un mot sur les commandes de vérification
    [awaiting_approval] d’une approbation du push
    [draft] de la fin d’un brouillon
    [conflict] d’un conflit à résoudre
    [behind] d’une fusion de la base
    [mergeability_unknown] de GitHub
    [unreachable] de GitHub
    [rate_limited] du quota de GitHub
    [budget] du budget
    [paused] de la fin d’une pause
    [merge_queue] de la file de fusion
   *[other] d’une personne
}
story-came = { $event } : { $time } après le début.
