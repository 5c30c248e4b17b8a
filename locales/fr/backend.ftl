# Ce que dit le bureau de l’application : problèmes et issues, chronologie, interrupteur.

# Ce qui ne va pas. Une phrase ; que faire est dans les conseils.
problem-not_found = { $what } est introuvable sur { $host }.
problem-unauthorized = { $host } n’accepte plus le jeton.
problem-refused = { $host } a refusé : { $message }
problem-wait = { $host } demande à Collie d’attendre jusqu’à { $until }.
problem-unreachable = { $host } est injoignable : { $message }
problem-bad_token = { $host } n’accepte pas ce jeton.
problem-token_shape = Ce n’est pas un jeton : un jeton n’a ni espace ni saut de ligne.
problem-not_github = { $host } ne répond pas comme GitHub : { $message }
problem-bad_url = { $url } ne peut pas servir d’adresse d’API : { $message }
problem-no_token = Aucun jeton trouvé pour { $host }.
problem-scopes = Il manque au jeton pour { $host } : { $scopes }.
problem-denied = @{ $login } ne peut pas démarrer de boucle : ce compte n’est pas parmi les personnes autorisées.
problem-ended = { $pull } est terminée : { $state }.
problem-no_loop = { $pull } n’a pas de boucle.
problem-no_finding = { $pull } n’a plus ce constat.
problem-over = { $pull } est terminée : { $state }. Il n’y a plus rien à faire.
problem-busy = { $pull } est encore en cours : { $state }.
problem-not_resumable = { $pull } ne peut pas être reprise : { $state }.
problem-engine_refused = Le moteur en marche a refusé : { $message }
problem-no_answer = Le moteur en marche n’a pas encore répondu.
problem-configuration = La configuration contient une erreur : { $message }
problem-settings_unreadable = { $file } ne peut pas être lu : { $message }
problem-settings_unwritable = { $file } ne peut pas être écrit : { $message }
problem-settings_busy = Un autre programme modifie sans cesse { $file }. Rien n’a été enregistré.
problem-disk_full = Le disque du dossier de données est plein. Rien n’est perdu.
problem-newer = { $what } a été écrit par une version plus récente de Collie.
problem-damaged = { $what } est endommagé ({ $message }). Il a été mis de côté.
problem-store = { $what } : { $message }
problem-owned = Un autre Collie (processus { $pid }) utilise le dossier de données { $folder }.
problem-folder = { $folder } est inutilisable : { $message }
problem-no_home = Il n’y a pas de dossier personnel où garder les données.
problem-no_git = Il faut git 2.38 ou plus récent : { $message }
problem-git = { $message }
problem-demo = La démo n’a pas pu s’ouvrir : { $message }
problem-demo_has_no_token = La démo n’a pas besoin de jeton.
problem-demo_port = Le port { $port }, nécessaire à la démo, est pris par un autre programme.
problem-demo_open = La démo dans { $folder } est ouverte dans un autre Collie.
problem-no_scenario = Il n’y a pas de scénario « { $name } ».
problem-no_demo = La démo n’est pas ouverte.
problem-signed_out = Personne n’est connecté.
problem-starting = Collie démarre encore.
problem-login_unknown = GitHub n’a pas encore dit à qui est ce jeton.
problem-no_keychain = Collie n’a trouvé aucun trousseau sur ce système.
problem-keychain_locked = Le trousseau est verrouillé.
problem-keychain = Le trousseau a signalé une erreur : { $message }
problem-bad_name = « { $name } » n’est ni OWNER/REPO ni OWNER/REPO#N.
problem-no_worktree = { $pull } n’a pas de worktree sur cette machine en ce moment.
problem-no_page = Il n’y a pas de page pour { $name }.
problem-opens_nothing = Cette fenêtre ne peut pas ouvrir d’autres programmes.
problem-merge_elsewhere = La fusion n’est possible que dans l’application de bureau.
problem-merge_closed = La pull request est fermée.
problem-merge_merged = La pull request est déjà fusionnée.
problem-merge_draft = La pull request est un brouillon.
problem-merge_queued = La pull request est déjà dans la file de fusion.
problem-merge_by_queue = Cette branche fusionne par une file de fusion.
problem-merge_auto = { $login } a activé la fusion automatique.
problem-merge_no_right = Le compte connecté n’a pas le droit de fusionner ici.
problem-merge_conflict = La pull request est en conflit avec sa base.
problem-merge_blocked = Les règles de la branche ne sont pas encore remplies.
problem-merge_behind = La branche est en retard sur sa base, qui doit d’abord y être fusionnée.
problem-merge_no_method = Le dépôt n’autorise aucune méthode de fusion.
problem-answer = La réponse n’a pas pu être écrite : { $message }

# Que faire.
problem-hint-access = Vérifiez le nom, et que le compte y a accès.
problem-hint-sign_in = Reconnectez-vous, avec `gh auth login` ou avec un nouveau jeton.
problem-hint-rights = Vérifiez ce que le compte et son jeton peuvent y faire.
problem-hint-network = Vérifiez le réseau. Collie reprend tout seul dès qu’il obtient une réponse.
problem-hint-new_token = Créez un jeton avec le droit `repo`, et collez-le en entier.
problem-hint-api_url = Pour GitHub Enterprise, l’adresse est https://HOST/api/v3.
problem-hint-allow = Ajoutez le compte dans Réglages › Compte.
problem-hint-retry = Réessayer démarre une nouvelle exécution.
problem-hint-cancel_first = Annulez-la d’abord.
problem-hint-settings = Les réglages montrent ce qui ne va pas, et où.
problem-hint-settings_rights = Vérifiez les droits du fichier et de son dossier, puis enregistrez à nouveau.
problem-hint-settings_busy = Fermez ce programme, puis enregistrez à nouveau.
problem-hint-configuration = Corrigez le fichier, puis réessayez.
problem-hint-free_space = Libérez de l’espace, puis réessayez.
problem-hint-update = Mettez Collie à jour, ou utilisez un autre COLLIE_HOME.
problem-hint-rebuild = Lancez `collie doctor --rebuild` pour restaurer ce que contiennent les points de reprise.
problem-hint-data_folder = Vérifiez les droits du dossier, ou choisissez-en un autre avec COLLIE_HOME.
problem-hint-stop_other = Arrêtez l’autre, ou servez-vous-en.
problem-hint-git = Installez git, puis réessayez.
problem-hint-demo_anew = Quittez la démo en effaçant ses données, puis rouvrez-la.
problem-hint-demo_port = Arrêtez l’autre programme et réessayez, ou effacez les données de la démo et rouvrez-la.
problem-hint-stays_queued = La demande reste en file.
problem-hint-keychain = Déverrouillez-le et réessayez, ou connectez-vous avec gh.
problem-hint-desktop_window = Ouvrez Collie sur cette machine pour fusionner.
problem-hint-on_github = Ouvrez-la sur GitHub.

# Pourquoi l’interrupteur laisse une pull request de côté.
passed-by-cancelled = Annulée par une personne ; démarrez-la vous-même
passed-by-nobody_pushed = Attend que quelqu’un pousse
passed-by-draft = Brouillon
passed-by-ignored = Un label tient Collie à l’écart
passed-by-author = L’auteur n’est pas parmi ceux choisis
passed-by-label = N’a aucun des labels choisis
passed-by-base = Ne vise aucune des branches de base choisies

# Ce qui est arrivé à une boucle.
event-created = Boucle démarrée
event-rebuilt = Restaurée depuis son point de reprise
event-engine = Collie a continué
event-observed = GitHub a été lu
event-observe_failed = GitHub n’a pas pu être lu
event-config_loaded = La configuration du dépôt a été lue
event-config_invalid = La configuration du dépôt contient une erreur
event-review_finished = Une revue s’est terminée
event-review_failed = Une revue a échoué
event-fix_finished = Une correction a été faite
event-fix_failed = Le correcteur a échoué
event-pushed = La correction a été poussée
event-rebased = La correction a été rebasée sur la branche qui avait avancé
event-push_failed = Le push a échoué
event-remote_head = Le commit de tête de la branche a été lu
event-delivered = Un commentaire a été traité
event-thread_resolved = Un fil a été résolu
event-cleaned_up = Le worktree a été supprimé
event-cancel = Une personne a annulé l’exécution
event-retry = Une personne a démarré une nouvelle exécution
event-resume = Une personne a repris la boucle
event-with-effects = { $event } ; ensuite : { $effects }

# Ce que Collie en fait.
effect-load_config = lire la configuration
effect-review = relire
effect-fix = corriger
effect-push = pousser
effect-read_remote_head = lire le commit de tête de la branche
effect-post = commenter
effect-resolve_thread = résoudre les fils
effect-clean_up = nettoyer

# Remarques.
note-ignored = Sans effet : { $reason ->
    [older_snapshot] des données plus récentes avaient déjà été lues
    [read_before_it_was_asked_for] lu avant d’avoir été demandé
    [terminal] l’exécution est terminée
    [still_running] l’exécution n’est pas terminée
    [not_resumable] l’exécution ne s’est pas arrêtée pour une personne
    [unknown_effect] plus rien n’attend cette réponse
    [wrong_answer] cette réponse correspond à une autre demande
    [no_fix] aucune correction n’est en cours
    [no_such_reviewer] ce relecteur n’est pas au travail
   *[other] rien ne change
}
note-head_moved = Quelqu’un a poussé : le commit de tête passe de { $from } à { $to }
note-impostor = { $login } se fait passer pour { $claims }
note-bot_trusted = { $login } est un bot vérifié
note-became_stuck = Un constat est revenu après sa correction
note-run_started = Une exécution a démarré
note-iteration_done = Le tour { $iteration } s’est terminé par { $commit }
note-undeliverable = Un commentaire ne peut pas être publié : { $message }
note-worked = { $who } sur { $name }
note-worked-fixer = Le correcteur
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
note-worked-dropped = { $count ->
        [one] un constat écarté
       *[other] { $count } constats écartés
    }
note-worked-refuted = { $count ->
        [one] un constat réfuté à la contre-vérification
       *[other] { $count } constats réfutés à la contre-vérification
    }
note-worked-agreed = { $count ->
        [one] un constat fait aussi par un autre relecteur
       *[other] { $count } constats faits aussi par un autre relecteur
    }
note-worked-left-out = { $count ->
        [one] une partie omise, faute de place
       *[other] { $count } parties omises, faute de place
    }
