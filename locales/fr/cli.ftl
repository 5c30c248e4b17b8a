# Ce que la commande `collie` dit dans un terminal.

cli-error = erreur :
cli-hint = conseil :
cli-round = { $n } sur { $max } corrections
cli-rounds = { $count ->
    [0] aucun envoi
    [one] 1 envoi
   *[other] { $count } envois
}
cli-findings-fixed = { $count ->
    [one] 1 problème corrigé
   *[other] { $count } problèmes corrigés
}
cli-more = … et { $count } de plus

cli-watching = { $count ->
    [one] 1 pull request suivie. Ctrl-C met en pause ; le prochain démarrage reprend.
   *[other] { $count } pull requests suivies. Ctrl-C met en pause ; le prochain démarrage reprend.
}
cli-following = Un autre collie travaille sur ce dossier de données (processus { $pid }) ; on le suit.
cli-following-unknown = Un autre collie travaille sur ce dossier de données ; on le suit.
cli-paused = En pause. Relancez pour reprendre au même endroit.
cli-nothing-open = { $repo } n’a aucune pull request ouverte qui ne soit pas un brouillon.
cli-no-loops = Aucune pull request n’a encore été prise en charge : commencez par `collie watch OWNER/REPO#N`.
cli-no-loop = { $pull } n’a pas été prise en charge : commencez par `collie watch { $pull }`.
cli-engine-runs = Un moteur tourne (processus { $pid }).
cli-engine-rests = Aucun moteur ne tourne : les boucles reposent jusqu’au prochain `collie watch`.
cli-asked = Demandé au moteur qui tourne.
cli-queued = Aucun moteur ne tourne : mis en file jusqu’au prochain `collie watch`.
cli-refused = Le moteur a refusé : { $reason }
cli-no-answer = Le moteur qui tourne n’a pas encore répondu ; la demande reste en file.
cli-hint-doctor = `collie doctor` dit ce qui manque.
cli-hint-configuration = Corrigez-la, puis relancez ; le guide (user guide) donne toutes les clés.
cli-hint-forge = `collie help forge` dit ce que prend chacune de ses commandes.
cli-hint-git = Installez git 2.38 ou plus récent, de sorte que `git` soit trouvé dans PATH.
cli-hint-data = `collie doctor` examine le dossier de données ; COLLIE_HOME en désigne un autre.
cli-hint-usage = `collie --help` donne les commandes, `collie help COMMANDE` ce que chacune accepte.
cli-hint-allow = Ajoutez le compte à allowed_users dans { $file }, ou à GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS.
cli-log-effects = demande { $effects }

cli-review-reading = Lecture de { $pull } …
cli-doing = { $who } : { $doing }
cli-review-looking = Revue : { $names } …
cli-review-posting = Publication de la revue …
cli-review-title = { $pull } à { $head } : { $verdict } ({ $names })
cli-review-report = La revue
cli-review-posted = { $count ->
    [0] Revue publiée : { $url }
    [one] Revue publiée, avec 1 commentaire sur sa ligne : { $url }
   *[other] Revue publiée, avec { $count } commentaires sur leurs lignes : { $url }
}
cli-review-before = Une revue de cette version est déjà publiée ; rien n’a été ajouté : { $url }
cli-review-dry = { $count ->
    [0] Essai à blanc : rien n’a été publié. Ce serait la revue seule, sans commentaire sur une ligne.
    [one] Essai à blanc : rien n’a été publié. Ce serait la revue avec 1 commentaire sur sa ligne.
   *[other] Essai à blanc : rien n’a été publié. Ce serait la revue avec { $count } commentaires sur leurs lignes.
}

cli-imported = { $repo } importé.
cli-opened = { $pull } ouverte.
cli-serving = La forge écoute sur { $url }. Ctrl-C l’arrête.

demo-title = Démo de Collie : des pull requests sur une forge locale, traitées par le vrai moteur. Rien ne quitte cette machine.
demo-setting-up = Préparation des dépôts d’exemple …
demo-as-designed = Les { $count } scénarios se sont terminés comme prévu.
demo-one-as-designed = Le scénario s’est terminé comme prévu.
demo-not-as-designed = { $scenario } ne s’est pas terminé comme prévu :
demo-kept = Tout est conservé dans { $folder }.
demo-next = Essayez sur un de vos dépôts : voir « Your own repository » dans README.md.

doctor-rebuilt = { $count ->
    [0] Rien à refaire : il n’y a aucun point de reprise.
    [one] Journal refait à partir d’un point de reprise.
   *[other] Journal refait à partir de { $count } points de reprise.
}
doctor-rebuild-healthy = Le journal est sain : rien n’a été fait.
doctor-rebuilt-kept = L’ancien journal est conservé sous { $file }.
doctor-rebuilt-skipped = { $file } n’a pas pu servir : { $reason }
