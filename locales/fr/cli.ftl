# Ce que la commande `collie` dit dans un terminal.

cli-error = erreur :
cli-hint = conseil :
cli-round = { $n } sur { $max } pushs
cli-rounds = { $count ->
    [0] aucun push
    [one] 1 push
   *[other] { $count } pushs
}
cli-findings-fixed = { $count ->
    [one] 1 constat corrigé
   *[other] { $count } constats corrigés
}
cli-more = … et { $count } de plus

cli-rules-has-fix = { " " }(avec correction)
cli-rules-is-off = { " " }(désactivée)
cli-rules-no-cases = n’a pas de cas : écrivez-les dans { $folder }, dans un fichier du même nom que celui de la règle.
cli-rules-cases = { $count ->
    [one] 1 cas
   *[other] { $count } cas
}
cli-rules-broken-code = Ce code ne s’analyse pas, la règle n’y voit donc rien :
cli-rules-no-match = La règle ne trouve rien dans ce code fautif :
cli-rules-unexpected = La règle trouve quelque chose dans ce code correct, ligne { $lines } :
cli-rules-other-lines = La règle trouve quelque chose ligne { $found }, attendu ligne { $expected } :
cli-rules-other-fix = La correction en fait autre chose : { $text }
cli-rules-fix-repeats = Appliquée une seconde fois, la correction change encore quelque chose : { $text }
cli-rules-unapplied-no_match = La correction n’a pas été appliquée : rien n’est trouvé sur cette ligne.
cli-rules-unapplied-no_fix = La correction n’a pas été appliquée : la règle n’en a pas.
cli-rules-unapplied-overlaps = La correction n’a pas été appliquée : elle en chevauche une autre.
cli-rules-unapplied-breaks_syntax = La correction n’a pas été appliquée : le fichier ne s’analyserait plus.
cli-rules-unapplied-still_matches = La correction n’a pas été appliquée : la règle y trouverait encore quelque chose.
cli-rules-tried = { $files ->
    [one] 1 fichier lu
   *[other] { $files } fichiers lus
}, { $matches ->
    [0] rien trouvé
    [one] 1 constat
   *[other] { $matches } constats
}

cli-watching = { $count ->
    [one] 1 pull request suivie. Ctrl-C met en pause ; le prochain démarrage reprend.
   *[other] { $count } pull requests suivies. Ctrl-C met en pause ; le prochain démarrage reprend.
}
cli-following = Un autre collie utilise ce dossier de données (processus { $pid }) ; celui-ci le suit.
cli-following-unknown = Un autre collie utilise ce dossier de données ; celui-ci le suit.
cli-paused = En pause. Relancez pour reprendre.
cli-nothing-open = { $repo } n’a aucune pull request ouverte, hormis des brouillons.
cli-backup-database = Ses boucles sont montrées depuis PostgreSQL, qui n’en fait pas partie : une base perdue est remplie à nouveau depuis Restate.
cli-backup-done =
    { $folder } contient la sauvegarde : { $kib } ko, { $lines } lignes du journal d’audit{ $faults ->
        [0] .
       *[other] , qui a des défauts : `collie doctor` les nomme.
    }
cli-restore-done =
    { $folder } a été fait à partir de la sauvegarde : { $kib } ko, { $lines } lignes du journal d’audit{ $faults ->
        [0] .
       *[other] , qui a des défauts : `collie doctor` les nomme.
    }
cli-team-serving = Le serveur est à l’adresse { $address }. Ctrl-C l’arrête ; les boucles reprennent au prochain démarrage.
cli-team-stopped = Arrêté. Les boucles reprennent au prochain démarrage.
cli-worker-listens = Ce worker écoute à l’adresse { $address } et répond à { $ingress }. Ctrl-C l’arrête ; les autres workers continuent.
cli-move-there = { $count ->
    [one] Une boucle vit maintenant dans Restate.
   *[other] { $count } boucles vivent maintenant dans Restate.
 } `collie serve --engine restate` les montre depuis ce dossier de données.
cli-move-back = { $count ->
    [one] Une boucle vit de nouveau dans ce dossier de données.
   *[other] { $count } boucles vivent de nouveau dans ce dossier de données.
 } Son moteur y travaille dès qu’il démarre.
cli-move-other = { $pull } avait déjà une boucle dans Restate : celle-ci reste.
cli-move-left-commit = { $pull } : un commit qui n’était pas poussé n’a pas suivi. Son push échouera, et la boucle dira alors que faire.
cli-worker-stopped = Arrêté. Les autres workers reprennent ce qui était commencé.
cli-runner-waits = En attente de sessions de { $server }. Ctrl-C arrête, et rend la session en cours.
cli-runner-away = Le serveur ne répond pas : { $message }
cli-runner-began = { $work ->
    [fix] Correction de { $pull }
   *[review] Revue de { $pull }
}
cli-runner-handed-in = Rendu : { $pull }
cli-runner-failed = { $pull } a échoué ici, et le serveur le sait : { $reason }
cli-runner-over = { $pull } n’est plus attendu de cet exécuteur.
cli-runner-given-back = { $pull } a été rendu sans résultat.
cli-runner-stopped = Arrêté.
cli-runner-revoked = Le jeton de { $name } ne fonctionne plus.
cli-runner-none = Aucun exécuteur ne s’appelle { $name }.
cli-no-loops = Aucune boucle pour l’instant : démarrez-en une avec `collie watch OWNER/REPO#N`.
cli-all-paused = Tout est en pause depuis { $since }, par { $login } : `collie unpause` reprend le travail.
cli-spent-today = Dépensé aujourd’hui : { $spent }
cli-spent-today-limited = Dépensé aujourd’hui : { $spent } sur { $limit }
cli-engine-runs = Le moteur tourne (processus { $pid }).
cli-engine-rests = Le moteur ne tourne pas : les boucles sont en pause jusqu’au prochain `collie watch`.
cli-asked = Transmis au moteur en marche.
cli-queued = Le moteur ne tourne pas : demande mise en file jusqu’au prochain `collie watch`.
cli-no-answer = Le moteur n’a pas encore répondu ; la demande reste en file.

cli-review-reading = Lecture de { $pull }…
cli-doing = { $who } : { $doing }
cli-review-looking = Revue : { $names }…
cli-review-posting = Publication de la revue…
cli-review-title = { $pull } sur { $head } : { $verdict } ({ $names })
cli-review-title-earlier = { $pull } sur { $head } : { $verdict } ({ $count ->
    [one] { $count } constat compte
   *[other] { $count } constats comptent
})
cli-review-reading-failed = La lecture de ces fichiers a échoué, { $name } ne les a donc pas vus : { $files }.
cli-review-permission-unread = GitHub ne communique pas à ce jeton les droits de { $names } : ces avis comptent comme ceux de personnes sans droit d’écriture.
cli-review-left-out = { $count ->
    [one] { $count } partie du dossier n’a pas été montrée
   *[other] { $count } parties du dossier n’ont pas été montrées
} à { $name }, faute de place. { $files }
cli-review-report = Revue
cli-review-posted = { $count ->
    [0] Revue publiée : { $url }
    [one] Revue publiée avec 1 commentaire dans le code : { $url }
   *[other] Revue publiée avec { $count } commentaires dans le code : { $url }
}
cli-review-before = Ce commit de tête a déjà une revue ; rien n’a été publié : { $url }
cli-review-dry = { $count ->
    [0] Essai à blanc : rien n’a été publié. La revue n’aurait aucun commentaire dans le code.
    [one] Essai à blanc : rien n’a été publié. La revue aurait 1 commentaire dans le code.
   *[other] Essai à blanc : rien n’a été publié. La revue aurait { $count } commentaires dans le code.
}
cli-sarif-runs = Le fichier a { $count } exécutions ; GitHub en accepte au plus { $limit } : répartissez les pull requests sur plusieurs fichiers.
cli-sarif-results = { $pull } a { $count } constats : { $kept } sont dans le fichier, et GitHub montre les { $shown } plus graves.
cli-sarif-nowhere = { $pull } : { $count ->
    [one] { $count } constat ne concerne aucun fichier et figure comme notification, que GitHub ne montre pas ; il est dans le rapport.
   *[other] { $count } constats ne concernent aucun fichier et figurent comme notifications, que GitHub ne montre pas ; ils sont dans le rapport.
}
cli-action-fork = Ce workflow n’a pas de secrets, car il vient d’un fork ou de Dependabot : seules les règles intégrées ont regardé, et rien n’a été publié.

cli-imported = { $repo } importé.
cli-opened = { $pull } ouverte.
cli-serving = La forge écoute sur { $url }. Ctrl-C l’arrête.

demo-title = Démo de Collie : des pull requests sur une forge locale, traitées par le vrai moteur. Rien ne quitte cette machine.
demo-setting-up = Préparation des dépôts d’exemple…
demo-as-designed = Les { $count } scénarios se sont terminés comme prévu.
demo-one-as-designed = Le scénario s’est terminé comme prévu.
demo-not-as-designed = { $scenario } ne s’est pas terminé comme prévu :
demo-kept = Tout est conservé dans { $folder }.
demo-next = Pour essayer sur l’un de vos dépôts, voyez « Your own repository » dans README.md.

doctor-rebuilt = { $count ->
    [0] Rien à reconstruire : il n’y a aucun point de reprise.
    [one] Journal reconstruit à partir d’un point de reprise.
   *[other] Journal reconstruit à partir de { $count } points de reprise.
}
doctor-rebuild-healthy = Le journal est intact : rien n’a été modifié.
doctor-rebuilt-history = Repris du journal endommagé : les dépenses de { $days ->
    [one] { $days } jour
   *[other] { $days } jours
}, { $runs ->
    [one] { $runs } exécution
   *[other] { $runs } exécutions
}.
doctor-rebuilt-incomplete = Une partie des dépenses ou des exécutions terminées n’a pas pu être reprise. Ce que les boucles savent encore compte dans les limites.
doctor-rebuilt-kept = L’ancien journal est conservé sous { $file }.
doctor-rebuilt-skipped = { $file } n’a pas pu servir : { $reason }

cli-unread = Personne n’a lu ces modifications : les règles intégrées ne cherchent que les motifs qu’elles connaissent.
cli-unseen = { $count ->
    [one] Personne n’a vu la totalité de 1 fichier sur { $head } :
   *[other] Personne n’a vu la totalité de { $count } fichiers sur { $head } :
}
cli-unseen-file = { $path } : { $reason }
cli-unseen-more = { $count ->
    [one] et 1 autre
   *[other] et { $count } autres
}
cli-rules-only = { $count ->
    [one] Lu par les seules règles intégrées : { $names }
   *[other] { $count } fichiers lus par les seules règles intégrées : { $names }
}
cli-seen-by = @{ $login } les a regardés.
cli-seen-ask = Regardez-les sur GitHub. `--yes` dit que vous l’avez fait.
cli-seen-confirm = Tapez { $head } pour dire que vous les avez regardés :
cli-level = { $level ->
    [observe] Niveau observer : rien n’est écrit sur GitHub.
    [ask] Niveau demander : il publie, et chaque push vous attend.
   *[push] Niveau pousser : il publie et pousse.
}
cli-held = { $count ->
    [one] Il publierait 1 chose :
   *[other] Il publierait { $count } choses :
}
cli-held-in = { $kind }, { $place }
cli-held-push = { $count ->
    [0] Il pousserait { $commit }.
    [one] Il pousserait { $commit }, qui modifie 1 fichier : { $names }
   *[other] Il pousserait { $commit }, qui modifie { $count } fichiers : { $names }
}
cli-approve-ask = La fenêtre montre son diff. `--yes` l’approuve sans poser de question.
cli-approve-confirm = Tapez { $commit } pour le faire pousser :
cli-reject-confirm = Tapez { $commit } pour que le correcteur réessaie :
cli-insights-days = Du { $from } au { $to }
cli-insights-nothing = Rien ne s’est passé pendant cette période. `--since all` montre tout ce qu’il y a.
cli-insights-unrecorded = { $count ->
    [one] 1 exécution s’est terminée avant que constats et motifs soient enregistrés : elle ne compte que pour les durées et les fusions.
   *[other] { $count } exécutions se sont terminées avant que constats et motifs soient enregistrés : elles ne comptent que pour les durées et les fusions.
 }
cli-memory-empty = Rien n’est encore retenu de { $repo } : ce que des personnes écartent avec une raison dans ses fils, et ce qu’elles fusionnent corrigé, le sera.
cli-memory-dismissed = écarté
cli-memory-accepted = accepté
cli-memory-until = jusqu’au { $day }
cli-memory-for-ever = sans limite
cli-memory-forgotten = { $id } est oublié.
cli-account-token = Jeton de @{ $login } (il n’est pas affiché) :
cli-account-added = Le jeton de @{ $login } est conservé, chiffré. Collie publie avec lui là où la configuration nomme ce compte.
cli-account-unseen = Le jeton de @{ $login } ne voit pas { $repo } : invitez-y le compte ou donnez accès au jeton.
cli-account-removed = Le jeton de @{ $login } est supprimé. Ce que le compte a dit reste à Collie.
cli-account-rotated = { $count ->
    [one] 1 jeton est sous la nouvelle clé.
   *[other] { $count } jetons sont sous la nouvelle clé.
}
cli-account-none = Aucun jeton de compte n’est conservé.
cli-account-line = { $usable ->
    [yes] @{ $login } sur { $host }, depuis { $added }
   *[no] @{ $login } sur { $host }, depuis { $added } : ne peut pas être déchiffré avec la clé disponible
}
cli-trust-own = Votre propre configuration indique ces commandes de vérification, qui ne demandent rien de plus :
cli-trust-source = { $source } de { $repo }, branche { $branch } à { $head }, indique ces commandes de vérification :
cli-trust-sandboxed = Elles exécutent le code des pull requests : dans le bac à sable, sans réseau ; une ligne `[prepare …]` avec les hôtes qu’elle nomme.
cli-trust-unsandboxed = Elles exécutent le code des pull requests sans bac à sable, comme le dit votre configuration : elles peuvent tout ce que vous pouvez.
cli-trust-none = Le dépôt n’indique aucune commande de vérification : il n’y a rien à autoriser.
cli-trust-trusted = Elles ont votre confiance. Si elles changent, Collie redemande.
cli-trust-untrusted = Elles n’ont pas votre confiance : une correction attend votre décision. `--yes` les autorise, `--skip` continue sans elles.
cli-trust-skipped = Elles sont omises, comme vous l’avez décidé ; la preuve les nomme.
cli-trust-confirm = Tapez { $repo } pour faire confiance à exactement ces commandes :
cli-trust-declined = Rien n’a été changé.

cli-models-title = { $provider } : { $count ->
    [0] aucun modèle
    [one] 1 modèle
   *[other] { $count } modèles
}
cli-models-context = { $tokens } tokens
cli-models-answers = { $name } répond : { $ms } ms, { $input } tokens en entrée, { $output } en sortie, { $cost }
cli-models-answered-as = { "  " }en tant que { $name }

# `collie eval`.
cli-eval-set = Le jeu { $set } est utilisable : { $cases } cas, dont { $clean } sans défaut, { $faults } défauts connus.
cli-eval-prompts = { $count } prompts sont dans { $folder }. Modifiez-les, puis : collie eval run --prompts { $folder }
cli-eval-written = { $file } : { $count ->
    [one] 1 entrée écrite
   *[other] { $count } entrées écrites
}
cli-eval-title = { $run }, jeu { $set } : { $cases } cas, { $runs ->
    [one] 1 exécution
   *[other] { $runs } exécutions
}
cli-eval-precision = Précision { $value } % ({ $hits } constats sur { $all } désignent un défaut connu ; { $interval })
cli-eval-recall = Rappel { $value } % ({ $hits } défauts trouvés sur { $all } ; { $interval })
cli-eval-f-one = F1 { $value } % ({ $interval })
cli-eval-clean = Cas sans défaut : { $silent } exécutions sur { $runs } sans constat ({ $interval }) ; { $wrong ->
    [0] aucun faux constat
    [one] 1 faux constat
   *[other] { $wrong } faux constats
}
cli-eval-kinds = Trouvés par type : { $kinds }
cli-eval-unjudged = { $count ->
    [one] 1 constat n’est jugé par personne et ne compte nulle part
   *[other] { $count } constats ne sont jugés par personne et ne comptent nulle part
} : `collie eval judge`
cli-eval-cost-unknown = Prix inconnu
cli-eval-spent = { $cost } ; { $input } tokens lus, { $output } écrits ; { $total } en tout, { $median } pour l’exécution médiane
cli-eval-failed = { $count ->
    [one] 1 exécution a échoué
   *[other] { $count } exécutions ont échoué
} : { $names }
cli-eval-interval = 95 % : { $low } à { $high } %
cli-eval-run-figure = { $name } : { $value } ({ $interval })
cli-eval-seconds = { $seconds } s
cli-eval-interval-of = 95 % : { $low } à { $high }
cli-eval-no-interval = sans intervalle
cli-eval-no-figure = { $name } : rien à compter
cli-eval-metric = { $metric ->
    [precision] Précision
    [recall] Rappel
    [clean] Faux constats sur 100 exécutions de cas sans défaut
    [cost] Coût d’une exécution
    [time] Durée d’une exécution
   *[other] F1
}
cli-eval-compare-title = Premier : { $first }. Second : { $second }. { $cases } cas en commun
cli-eval-difference = { $name } : { $first } → { $second } (différence { $interval }){ $noise ->
    [no] , plus que du bruit
   *[yes] { "" }
}
cli-eval-only = Défauts trouvés par le premier seul : { $first } ; par le second seul : { $second } (test exact de McNemar : p = { $p })
cli-eval-verdict = { $better ->
    [first] Le premier est meilleur : son F1 dépasse l’autre de { $points } points, plus que du bruit ({ $interval }).
    [second] Le second est meilleur : son F1 dépasse l’autre de { $points } points, plus que du bruit ({ $interval }).
   *[none] Aucun n’est meilleur d’après ces cas : le F1 diffère de { $points } points, ce que le hasard seul peut faire ({ $interval }).
}
cli-eval-no-verdict = Il n’y a pas de défaut connu parmi ces cas, donc pas de F1 à comparer.
cli-eval-case = { $case } : défauts trouvés par le premier seul : { $first }, par le second seul : { $second } ; faux constats : { $wrong } → { $other }
cli-eval-more = … et { $count } de plus ; --json les donne tous
cli-eval-unpaired = { $count ->
    [one] 1 cas d’un seul côté est laissé de côté
   *[other] { $count } cas d’un seul côté sont laissés de côté
} : { $names }

# `collie replay`.
cli-replay-not-recorded = Non rejoué : ce sur quoi c’était décidé n’est pas gardé
cli-replay-waits = attend : { $code }
cli-replay-dropped = { $count ->
    [one] 1 effet est clos
   *[other] { $count } effets sont clos
}
cli-replay-differs-here = diffère
cli-replay-unknown = { $replayed ->
    [0] Aucune des { $count } entrées ne peut être rejouée : ce sur quoi elles étaient décidées n’est pas gardé. Cela l’est à partir de cette version, jusqu’à quelque temps après la fin de l’exécution.
   *[other] { $count ->
        [one] 1 entrée n’a pas été rejouée
       *[other] { $count } entrées n’ont pas été rejouées
    } : ce sur quoi elles étaient décidées n’est pas gardé.
}
cli-replay-same = { $count ->
    [one] 1 entrée rejouée : comme enregistré.
   *[other] { $count } entrées rejouées : comme enregistré.
}
cli-replay-differs = L’entrée { $seq } aboutit aujourd’hui à autre chose que ce qui est enregistré. Rien après elle n’a été rejoué. Enregistré → aujourd’hui :
cli-replay-nothing = rien
cli-replay-more = … et { $count } de plus ; --json les montre toutes
