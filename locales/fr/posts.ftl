# Ce que Collie écrit sur GitHub. Du Markdown ; sobre et court, car on le lit entre deux autres choses.

# Petits mots.
post-name = Collie
post-nowhere = l’ensemble
post-more-rows = … et { $count } de plus.
post-column-priority = Priorité
post-column-finding = Constat
post-column-where = Où
post-column-status = Statut
post-column-reviewer = Relecteur
post-column-verdict = Avis
post-column-head = Sur
post-column-check = Vérification
post-column-result = Résultat
post-column-done = Ce qui a été fait
post-column-why = Pourquoi pas
post-column-commit = Commit
post-column-round = Tour
post-column-fixed = Corrigés
post-column-declined = Déclinés
post-priority-p0 = P0 bloquant
post-priority-p1 = P1 critique
post-priority-p2 = P2 important
post-priority-p3 = P3 suggestion
post-kind-question = Question
post-kind-praise = Compliment
post-suggested = Proposition :
post-evidence = Ce qui le fonde :
post-log = La fin du journal
post-by = Trouvé par { $name }, { $category }
post-by-unsure = Trouvé par { $name }, { $category }, sûr à { $percent } %

# Une revue.
report-title = { $ordinal ->
    [one] Revue 1
   *[other] Revue { $ordinal }
} : { $verdict }
report-at = Relu sur { $head }.
report-left-out = { $parts ->
        [one] Une partie du dossier, soit { $tokens } jetons, n’a pas été montrée à { $name }, faute de place.
       *[other] { $parts } parties du dossier, soit { $tokens } jetons, n’ont pas été montrées à { $name }, faute de place.
    }
report-left-out-files = Des lignes modifiées de ces fichiers en font partie : { $files }.
report-nothing = Rien à changer.
report-findings = { $count ->
    [one] Détail de 1 constat
   *[other] Détail de { $count } constats
}
report-stuck = { $count ->
    [one] 1 constat est revenu après correction, et revient aux personnes
   *[other] { $count } constats sont revenus après correction, et reviennent aux personnes
}
rule-people = Modifications demandées par { $names } : cela décide, quoi qu’on ait trouvé d’autre (règle 0).
rule-p0 = { $count ->
    [one] 1 constat P0 demeure
   *[other] { $count } constats P0 demeurent
} : remaniement nécessaire (règle 1).
rule-p1 = { $count ->
    [one] 1 constat P1 demeure
   *[other] { $count } constats P1 demeurent
} : modifications demandées (règle 2).
rule-p2 = { $count ->
    [one] 1 constat P2 demeure
   *[other] { $count } constats P2 demeurent
} : modifications demandées (règle 3).
rule-none = Aucun constat P0, P1 ou P2 ne demeure et personne n’a demandé de modifications : approuvé (règle 4).

# Commentaires dans le code.
inline-summary = { $count ->
    [one] 1 commentaire sur le code de { $head }.
   *[other] { $count } commentaires sur le code de { $head }.
}

# Une correction.
fix-title = Correction { $iteration }
fix-title-none = Aucune correction
fix-pushed = Envoyé : { $commit }.
fix-nothing = Rien n’a été envoyé.
fix-counts = { $fixed ->
    [0] Aucun constat corrigé
    [one] 1 constat corrigé
   *[other] { $fixed } constats corrigés
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
proof-lead = Tout ceci a été vu sur { $head }. La fusion vous revient.
proof-checks = { $count ->
    [0] Aucune vérification n’a tourné
    [one] 1 vérification réussie
   *[other] { $count } vérifications réussies
}
proof-threads = { $count ->
    [0] Aucune discussion
    [one] 1 discussion est réglée
   *[other] { $count } discussions sont réglées
}
proof-thread-resolved = résolue
proof-thread-answered = répondue
proof-fixed = { $count ->
    [0] Rien n’était à corriger
    [one] 1 constat corrigé
   *[other] { $count } constats corrigés
}
proof-suggestions = { $count ->
    [one] 1 suggestion reste ouverte ou a été déclinée
   *[other] { $count } suggestions restent ouvertes ou ont été déclinées
}
proof-spent = { $iterations ->
    [0] Aucun envoi de Collie
    [one] 1 envoi de Collie
   *[other] { $iterations } envois de Collie
}, { $time }
proof-cost = { $input } jetons en entrée, { $output } en sortie, { $cost }
check-success = réussie
check-neutral = neutre
check-skipped = passée
check-failure = échouée
check-cancelled = annulée
check-timed_out = hors délai
check-stale = abandonnée par GitHub
check-startup_failure = n’a pas pu démarrer
check-action_required = demande une action

# Arrêt.
stopped-title-needs_human = Une personne est nécessaire
stopped-title-failed = Collie n’a pas pu continuer
stopped-at = Arrêté sur { $head }.
stopped-todo = Ce que vous pouvez faire :
stopped-left = Ce qui reste
stopped-said = Ce qui a été dit :
stopped-findings = { $count ->
    [one] Détail de 1 constat
   *[other] Détail de { $count } constats
}
stopped-rounds = { $count ->
    [one] Le tour jusqu’ici
   *[other] Tour par tour, { $count } tours
}
stopped-churned = allers-retours
stopped-back = Revenu au tour { $round }, après correction dans { $commits }.
stopped-by-fix = Il porte sur des lignes écrites par une correction de Collie.
stopped-declined = Le correcteur a décliné : { $reason }
status-open = ouvert
status-fixed = corrigé
status-rejected = décliné
status-withdrawn = retiré
status-stuck = revenu

# Réponses dans les discussions.
reply-fixed = Corrigé dans { $commit }.
reply-declined = Non modifié :
reply-left = À une personne d’en décider :

look-again = { $people } : tout ce que vous aviez demandé a reçu une réponse sur { $head }. Merci de regarder à nouveau, et d’approuver ou de dire ce qui manque.

# Ce que le correcteur par règles dit d'un point.
fixer-note-applied = Correction de { $rules } appliquée.
fixer-note-not-covered = Aucune règle intégrée ne couvre ce point, et aucun agent de code n’est configuré.
fixer-note-no-fix = La règle n’a pas de correction mécanique ; une personne doit en juger.
fixer-note-gone = La règle ne s’applique plus à cet endroit.
fixer-note-taken-back = La correction de la règle a été essayée puis retirée, car le changement ne tenait pas avec elle.
