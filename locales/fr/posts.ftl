# Ce que Collie écrit sur GitHub. Du Markdown ; sobre et court, car on le lit entre deux autres choses.

# Petits mots.
post-name = Collie
post-nowhere = l’ensemble
post-more-rows = … et { $count } de plus.
post-column-priority = Priorité
post-column-finding = Constat
post-column-reason = Raison
post-column-where = Où
post-column-status = Statut
post-column-reviewer = Relecteur
post-column-verdict = Verdict
post-column-head = Commit de tête
post-column-check = Vérification
post-column-result = Résultat
post-column-done = Ce qui a été fait
post-column-why = Pourquoi pas
post-column-commit = Commit
post-column-command = Commande
post-column-round = Tour
post-column-fixed = Corrigés
post-column-declined = Déclinés
post-column-conflict = Conflit
post-column-resolution = Comment il a été résolu
post-column-line = Ligne
post-column-added-by = Ajoutée par
post-column-report-only = Seulement ici, car
post-column-found-by = Trouvé par
post-column-sure = Certitude
post-column-dismissed-by = Écarté par
post-column-lines = Lignes
post-column-note = Note
post-priority-p0 = P0 bloquant
post-priority-p1 = P1 critique
post-priority-p2 = P2 important
post-priority-p3 = P3 suggestion
post-kind-question = Question
post-kind-praise = Compliment
post-suggested = Suggestion :
post-evidence = Élément à l’appui :
post-log = Fin du journal
post-by = Trouvé par { $name }, { $category }
post-by-unsure = Trouvé par { $name }, { $category }, sûr à { $percent } %

# Une revue.
report-title = { $ordinal ->
    [one] Revue 1
   *[other] Revue { $ordinal }
} : { $verdict }
report-at = Revue faite sur { $head }.
report-looked = Revue faite sur { $head } : { $count ->
        [one] { $count } fichier
       *[other] { $count } fichiers
    } (+{ $added } −{ $removed }), par { $names }.
report-looked-partly = Revue faite sur { $head } : { $seen } de { $count ->
        [one] { $count } fichier
       *[other] { $count } fichiers
    } en entier (+{ $added } −{ $removed }), par { $names }. Ce que personne n’a lu est listé plus bas.
report-top = Les { $count } qui comptent le plus :
report-all-findings = Tous les constats ({ $count })
report-map = Carte des modifications : { $count ->
        [one] { $count } fichier
       *[other] { $count } fichiers
    }, +{ $added } −{ $removed }
report-uses = { $count ->
        [one] { $count } fichier qui utilise ce qui change
       *[other] { $count } fichiers qui utilisent ce qui change
    }
report-summary = Les modifications selon { $name }
report-threads = { $open ->
        [one] { $open } fil ouvert
       *[other] { $open } fils ouverts
    } sur { $count }.
report-unread = Les règles intégrées ont cherché les motifs qu’elles connaissent. **Personne n’a lu ces modifications.**
report-reading-failed = La lecture de ces fichiers a échoué, { $name } ne les a donc pas vus : { $files }.
report-left-out = { $parts ->
        [one] Une partie du dossier, soit { $tokens } tokens, n’a pas été montrée à { $name }, faute de place.
       *[other] { $parts } parties du dossier, soit { $tokens } tokens, n’ont pas été montrées à { $name }, faute de place.
    }
report-left-out-files = Des lignes modifiées de ces fichiers en font partie : { $files }.
report-linters = Linters configurés par ce dépôt : { $linters }.
report-unseen = { $count ->
    [one] Personne n’a vu la totalité de 1 fichier
   *[other] Personne n’a vu la totalité de { $count } fichiers
}
report-rules-only = { $count ->
    [one] 1 fichier lu par les seules règles intégrées
   *[other] { $count } fichiers lus par les seules règles intégrées
}
report-since = { $name } a regardé ce qui a changé depuis { $head }, qu’il avait déjà relu, et ses constats encore ouverts.
report-nothing = Rien à modifier.
report-findings = { $count ->
    [one] Détail de 1 constat
   *[other] Détail de { $count } constats
}
report-unsure = { $count ->
    [one] 1 constat dont personne n’est assez sûr : il ne compte pas
   *[other] { $count } constats dont personne n’est assez sûr : ils ne comptent pas
}
report-only-covered = un fil ouvert le dit déjà
report-only-outside-diff = sa ligne n’est pas dans le diff
report-only-minor = trop mineur pour un commentaire
report-only-surplus = ce serait trop de commentaires
finding-found-by = Trouvé par { $names }.
report-unchecked = { $count ->
    [one] 1 constat d’un bot part à la correction sans vérification : aucun modèle ni agent n’a pu le vérifier.
   *[other] { $count } constats de bots partent à la correction sans vérification : aucun modèle ni agent n’a pu les vérifier.
}
report-stuck = { $count ->
    [one] 1 constat subsiste après chaque correction ; aux personnes d’en décider
   *[other] { $count } constats subsistent après chaque correction ; aux personnes d’en décider
}
rule-people = Modifications demandées par { $names } : cela l’emporte sur tout le reste (règle 0).
rule-p0 = { $count ->
    [one] Il reste 1 constat P0
   *[other] Il reste { $count } constats P0
} : remaniement nécessaire (règle 1).
rule-p1 = { $count ->
    [one] Il reste 1 constat P1
   *[other] Il reste { $count } constats P1
} : modifications demandées (règle 2).
rule-p2 = { $count ->
    [one] Il reste 1 constat P2
   *[other] Il reste { $count } constats P2
} : modifications demandées (règle 3).
rule-none = Il ne reste aucun constat P0, P1 ou P2 et personne n’a demandé de modifications : approuvé (règle 4).
rule-none-unread = Il ne reste aucun constat P0, P1 ou P2 et personne n’a demandé de modifications (règle 4).

# Un fichier de la modification, en quelques mots.
file-added = nouveau
file-deleted = supprimé
file-renamed = déplacé
file-copied = copié
file-mode = mode ou type seulement
file-findings = { $count ->
    [one] un constat { $priority }
   *[other] { $count } constats, dont le plus grave est { $priority }
}
file-unseen = personne ne l’a vu en entier : { $reason }

# Commentaires dans le code.
persona-review = { $verdict ->
    [approve] { $persona } approuve { $head }.
    [request_changes] { $persona } demande des modifications sur { $head }.
   *[comment] { $persona } a relu { $head }.
}
persona-review-taken-back = { $persona } a relu { $head } et ne maintient plus ce que dit cette revue.
inline-summary = { $count ->
    [one] 1 commentaire sur le code de { $head }.
   *[other] { $count } commentaires sur le code de { $head }.
}

# Une correction.
fix-title = Tour { $iteration } : corrections
fix-title-none = Aucune correction
fix-pushed = Poussé : { $commit }.
fix-nothing = Rien n’a été poussé.
fix-title-merge = Tour { $iteration } : { $base } fusionnée
fix-merged = Poussé : { $commit }, qui fusionne { $base } à { $head } dans la branche.
merge-lost = { $count ->
    [one] 1 ligne ajoutée par un côté a été laissée de côté
   *[other] { $count } lignes ajoutées par un côté ont été laissées de côté
}
merge-side-head = la branche
merge-side-base = la base
fix-counts = { $fixed ->
    [0] Aucun constat dit corrigé
    [one] 1 constat dit corrigé
   *[other] { $fixed } constats dits corrigés
}, { $rejected ->
    [0] aucun décliné
    [one] 1 décliné
   *[other] { $rejected } déclinés
}{ $deferred ->
    [0] .
    [one] , 1 suggestion laissée de côté.
   *[other] , { $deferred } suggestions laissées de côté.
}

# Prête.
proof-title = LGTM : prête à fusionner
proof-title-unread = Prête à fusionner ; personne n’a lu les modifications
proof-lead = Tout ceci a été vu sur { $head }. La fusion vous revient.
proof-checks = { $count ->
    [0] Aucune vérification n’a tourné
    [one] 1 vérification réussie
   *[other] { $count } vérifications réussies
}
proof-checks-none-passed = Aucune vérification réussie
proof-threads = { $count ->
    [0] Aucun fil
    [one] 1 fil réglé
   *[other] { $count } fils réglés
}
proof-outsiders = { $count ->
    [one] 1 fil d’une personne sans droit d’écriture, qui ne bloque rien
   *[other] { $count } fils de personnes sans droit d’écriture, qui ne bloquent rien
}
proof-thread-resolved = résolu
proof-thread-answered = répondu
proof-fixed = { $count ->
    [0] Rien n’était à corriger
    [one] 1 constat corrigé
   *[other] { $count } constats corrigés
}
proof-fixed-elsewhere = pas par Collie
proof-agreements = { $count ->
    [one] 1 constat de plusieurs outils
   *[other] { $count } constats de plusieurs outils
}
proof-flaky = { $count ->
    [one] { $names } a été rouge et verte sur ce même commit : elle est instable.
   *[other] Ces vérifications ont été rouges et vertes sur ce même commit et sont instables : { $names }.
}
proof-workflow-files = Cette pull request modifie ce que la CI exécute : { $names }.
proof-merge = { $base } à { $head } a été fusionnée dans la branche par { $commit }.
proof-ejection = Elle était dans la file de fusion à { $head } et en a été retirée : { $why }.{ $commit ->
    [none] { "" }
   *[other] { " " }{ $commit } prétend le corriger ; seule une nouvelle mise en file peut le montrer.
}
proof-unverified = Les corrections n’ont pas été vérifiées : l’utilisateur a choisi de continuer sans { $count ->
    [one] cette commande du dépôt
   *[other] ces { $count } commandes du dépôt
}
proof-seen-by = { $login } a regardé les fichiers qu’aucun relecteur n’a vus.
proof-dismissed = { $count ->
    [one] 1 constat écarté par une personne
   *[other] { $count } constats écartés par des personnes
}
proof-left = { $count ->
    [one] 1 constat non corrigé ou décliné
   *[other] { $count } constats non corrigés ou déclinés
}
proof-suggestions = { $count ->
    [one] 1 suggestion restée ouverte ou déclinée
   *[other] { $count } suggestions restées ouvertes ou déclinées
}
proof-spent = { $iterations ->
    [0] Aucun push de Collie
    [one] 1 push de Collie
   *[other] { $iterations } pushs de Collie
}, { $time }
proof-cost = { $input } tokens en entrée, { $output } en sortie, { $cost }
check-success = réussie
check-neutral = neutre
check-skipped = ignorée
check-failure = échouée
check-cancelled = annulée
check-timed_out = hors délai
check-stale = abandonnée par GitHub
check-startup_failure = n’a pas pu démarrer
check-action_required = requiert une intervention

# Arrêt.
stopped-title-needs_human = Intervention requise
stopped-title-failed = Collie n’a pas pu continuer
stopped-at = Arrêt sur { $head }.
stopped-todo = Ce que vous pouvez faire :
stopped-left = Ce qui reste
stopped-said = Message :
stopped-findings = { $count ->
    [one] Détail de 1 constat
   *[other] Détail de { $count } constats
}
stopped-rounds = { $count ->
    [one] 1 tour jusqu’ici
   *[other] { $count } tours jusqu’ici
}
stopped-churned = allers-retours
stopped-back = Toujours là au tour { $round }, après { $commits }.
stopped-by-fix = Il porte sur des lignes écrites par une correction de Collie.
stopped-declined = Le correcteur a décliné : { $reason }
status-open = ouvert
status-claimed = dit corrigé
status-fixed = corrigé
status-rejected = décliné
status-withdrawn = retiré
status-unsure = trop incertain pour compter
status-stuck = subsiste après chaque correction
status-dismissed = écarté

# Réponses dans les fils.
reply-fixed = Corrigé dans { $commit }.
addition-lead = Également constaté ici ; voici ce qui s’y ajoute :
reply-declined = Non modifié :
reply-left = À une personne d’en décider :

# Ce qui a été dit hors des fils.
answers-left = { $count ->
    [one] Je ne peux pas lire ce qui est demandé ici : aucun modèle ni agent n’est configuré. C’est laissé à une personne. Une fois réglé, répondez { $command } ou approuvez.
   *[other] Je ne peux pas lire ce qui est demandé ici : aucun modèle ni agent n’est configuré. C’est laissé à une personne. Une fois tout réglé, répondez { $command } ou approuvez.
}

# Réponses aux commandes dans les commentaires.
command-stopped = Arrêté. Plus rien n’est relu ni poussé ici tant que personne ne démarre à nouveau.
command-has-ended = Il n’y a rien à arrêter : la dernière exécution est terminée ({ $state }).
command-restarted = Une nouvelle exécution a commencé.
command-not-allowed = Aucune exécution n’a commencé : ce compte n’est plus parmi ceux qui peuvent en démarrer une.
command-still-running = L’exécution en cours n’est pas terminée ({ $state }) : il n’y a rien à réessayer.
command-no-finding = Il n’y a pas de constat { $finding } dans l’exécution en cours. Les rapports ci-dessus indiquent le numéro de chacun.
command-needs-thread = Écrivez { $command } dans le fil de ce qui est à corriger : ici, ce qui est visé n’est pas clair.
command-settled = { $count ->
    [0] Rien n’était laissé à une personne ici.
    [one] 1 commentaire est considéré comme réglé.
   *[other] { $count } commentaires sont considérés comme réglés.
}
command-unknown = Je ne connais pas { $command }. Ce que je connais : { $known }.
explain-status = État : { $status }.

bot-findings-answered = Suite donnée aux constats que des bots ont laissés hors des fils
look-again = { $people } : tout ce que vous avez demandé a reçu une réponse sur { $head }. Merci de faire une nouvelle revue, et d’approuver ou de dire ce qui manque.

# Ce que le correcteur par règles dit d’un constat.
fixer-note-applied = Correction de { $rules } appliquée.
fixer-note-applied-where-named = Correction de { $rules } appliquée sur une ligne que la vérification nomme. Sa prochaine exécution dira si c’est pour cela qu’elle échoue.
fixer-note-not-covered = Aucune règle intégrée ne couvre ce constat, et aucun agent de code n’est configuré.
fixer-note-no-fix = La règle n’a pas de correction automatique ; une personne doit en juger.
fixer-note-gone = La règle ne s’applique plus à cet endroit.
fixer-note-taken-back = La correction de la règle a été essayée puis annulée, car les modifications ne passaient pas avec elle.
fixer-note-unchanged = Le correcteur n’a rien modifié.
fixer-note-nothing-asked = Aucune modification n’est demandée.
fixer-note-gate-scope = La correction a modifié des fichiers hors de la pull request : { $what }
fixer-note-gate-tamper = La correction affaiblit ce qui vérifie la pull request, ce que seule une personne peut faire : { $what }
fixer-note-gate-syntax = La correction a cassé la syntaxe à { $what }
fixer-note-gate-secrets = La correction ajoute ce qui ressemble à un secret à { $what }
fixer-note-gate-links = La correction a laissé des liens physiques, des fichiers qui ont un autre nom ailleurs : { $what }
fixer-note-gate-conflicts = Il reste des marques de conflit à { $what }
fixer-note-gate-lost-lines = Des lignes ajoutées par un côté de la fusion ont disparu : { $what }
fixer-note-push-rejected = { $what ->
    [none] Une personne a refusé la correction avant son push.
   *[other] Une personne a refusé la correction avant son push : { $what }
}
fixer-note-gate-verify = `{ $what }` a échoué après la correction.
tamper-deleted_test = un test a disparu
tamper-skipped_test = un test est ignoré
tamper-loosened_assertion = un test vérifie moins
tamper-suppressed = un avertissement ou la couverture est supprimé
tamper-linter_setting = un réglage d’un linter, d’un vérificateur de types ou d’un lanceur de tests a changé
tamper-coverage_setting = un réglage de couverture a changé
tamper-workflow = un workflow a changé
