# Ce que dit le bureau de l’application : problèmes et issues, chronologie, interrupteur.

# Ce qui ne va pas. Une phrase ; que faire est dans les conseils.
problem-not_found = { $what } est introuvable sur { $host }.
problem-unauthorized = { $host } n’accepte plus le jeton.
problem-refused = { $host } a refusé : { $message }
problem-wait = { $host } demande d’attendre jusqu’à { $until }.
problem-unreachable = { $host } est injoignable : { $message }
problem-bad_token = { $host } n’accepte pas ce jeton.
problem-token_shape = Ce n’est pas un jeton : un jeton n’a ni espace ni saut de ligne.
problem-not_github = { $host } ne répond pas comme GitHub : { $message }
problem-bad_url = { $url } ne peut servir d’adresse d’API : { $message }
problem-no_token = Aucun jeton pour { $host } n’a été trouvé.
problem-scopes = Il manque au jeton pour { $host } : { $scopes }.
problem-denied = @{ $login } ne peut pas lancer de relectures : le compte n’est pas parmi les utilisateurs autorisés.
problem-ended = { $pull } est terminée : { $state }.
problem-no_loop = { $pull } n’a pas été prise en charge.
problem-no_finding = Ce constat de { $pull } n’est plus connu.
problem-over = { $pull } est terminée : { $state }. Il n’y a plus rien à faire.
problem-busy = { $pull } est encore en cours : { $state }.
problem-not_resumable = { $pull } ne peut pas être reprise : { $state }.
problem-engine_refused = Le moteur en marche a refusé : { $message }
problem-no_answer = Le moteur en marche n’a pas encore répondu.
problem-configuration = La configuration est erronée : { $message }
problem-settings_unreadable = { $file } ne peut pas être lu : { $message }
problem-settings_unwritable = { $file } ne peut pas être écrit : { $message }
problem-settings_busy = Un autre programme modifiait sans cesse { $file }. Rien n’a été enregistré.
problem-disk_full = Le disque du dossier de données est plein. Rien n’est perdu.
problem-newer = { $what } a été écrit par un Collie plus récent.
problem-damaged = { $what } est endommagé ({ $message }). Il a été mis de côté.
problem-store = { $what } : { $message }
problem-owned = Un autre Collie (processus { $pid }) possède le dossier de données { $folder }.
problem-folder = { $folder } est inutilisable : { $message }
problem-no_home = Il n’y a pas de dossier personnel où garder les données.
problem-no_git = Il faut git 2.38 ou plus récent : { $message }
problem-git = { $message }
problem-demo = La démo n’a pas pu être ouverte : { $message }
problem-demo_has_no_token = La démo n’a pas besoin de jeton.
problem-demo_port = Le port { $port } de la démo est pris par un autre programme.
problem-demo_open = La démo dans { $folder } est ouverte dans un autre Collie.
problem-no_scenario = Il n’y a pas de scénario « { $name } ».
problem-no_demo = La démo n’est pas ouverte.
problem-signed_out = Personne n’est connecté.
problem-starting = Collie démarre encore.
problem-login_unknown = GitHub n’a pas encore dit à qui est ce jeton.
problem-no_keychain = Ce système n’a pas de trousseau que Collie puisse utiliser.
problem-keychain_locked = Le trousseau est verrouillé.
problem-keychain = Le trousseau a échoué : { $message }
problem-bad_name = « { $name } » n’est ni OWNER/REPO ni OWNER/REPO#N.
problem-no_worktree = { $pull } n’a pas d’arbre de travail sur cette machine en ce moment.
problem-no_page = Il n’y a pas de page pour { $name }.
problem-opens_nothing = Cette fenêtre ne peut pas ouvrir d’autres programmes.
problem-merge_elsewhere = La fusion se fait dans la fenêtre de bureau.
problem-merge_closed = La pull request est fermée.
problem-merge_merged = La pull request est déjà fusionnée.
problem-merge_draft = La pull request est un brouillon.
problem-merge_queued = La pull request est déjà dans la file de fusion.
problem-merge_by_queue = Cette branche fusionne par une file.
problem-merge_auto = { $login } a activé la fusion automatique.
problem-merge_no_right = Le compte connecté ne peut pas fusionner ici.
problem-merge_conflict = La pull request est en conflit avec sa base.
problem-merge_blocked = Les règles de la branche ne sont pas encore remplies.
problem-merge_behind = La base a avancé et doit d’abord être intégrée.
problem-merge_no_method = Le dépôt n’autorise aucune façon de fusionner.
problem-answer = La réponse n’a pas pu être écrite : { $message }

# Que faire.
problem-hint-access = Vérifiez le nom, et que le compte y a accès.
problem-hint-sign_in = Reconnectez-vous : avec `gh auth login`, ou avec un nouveau jeton.
problem-hint-rights = Vérifiez ce que le compte et son jeton peuvent y faire.
problem-hint-network = Vérifiez le réseau. Collie reprend de lui-même dès que cela répond.
problem-hint-new_token = Créez un jeton avec la portée `repo`, et collez-le en entier.
problem-hint-api_url = Pour GitHub Enterprise, l’adresse est https://HOST/api/v3.
problem-hint-allow = Ajoutez le compte dans Réglages › Comptes.
problem-hint-retry = Recommencer lance une nouvelle exécution.
problem-hint-cancel_first = Annulez-la d’abord.
problem-hint-settings = Les réglages montrent ce qui ne va pas, et où.
problem-hint-settings_rights = Vérifiez les droits du fichier et de son dossier, puis enregistrez à nouveau.
problem-hint-settings_busy = Fermez ce programme, puis enregistrez à nouveau.
problem-hint-configuration = Corrigez le fichier, puis réessayez.
problem-hint-free_space = Libérez de la place, puis réessayez.
problem-hint-update = Mettez Collie à jour, ou utilisez un autre COLLIE_HOME.
problem-hint-rebuild = `collie doctor --rebuild` restaure ce que savent les points de reprise.
problem-hint-data_folder = Vérifiez les droits du dossier, ou désignez-en un autre par COLLIE_HOME.
problem-hint-stop_other = Arrêtez l’autre, ou servez-vous-en.
problem-hint-git = Installez git, puis réessayez.
problem-hint-demo_anew = Quittez la démo en l’oubliant, puis recommencez-la.
problem-hint-demo_port = Arrêtez l’autre programme et réessayez, ou recommencez la démo.
problem-hint-stays_queued = La demande reste en attente.
problem-hint-keychain = Déverrouillez-le et réessayez ; ou connectez-vous avec gh.
problem-hint-desktop_window = Ouvrez Collie sur cette machine pour fusionner.
problem-hint-on_github = Ouvrez-la sur GitHub.

# Pourquoi l’interrupteur laisse une pull request de côté.
passed-by-cancelled = Annulée par une personne ; lancez-la à la main
passed-by-nobody_pushed = Attend que quelqu’un pousse
passed-by-draft = Un brouillon
passed-by-ignored = Une étiquette tient Collie à l’écart
passed-by-author = L’auteur n’est pas parmi ceux choisis
passed-by-label = N’a aucune des étiquettes choisies
passed-by-base = Vise une autre branche que celles choisies

# Ce qui est arrivé à une boucle.
event-created = Prise en charge
event-rebuilt = Restaurée depuis son point de reprise
event-engine = Collie a repris
event-observed = GitHub a été lu
event-observe_failed = GitHub n’a pas pu être lu
event-config_loaded = La configuration du dépôt a été lue
event-config_invalid = La configuration du dépôt est erronée
event-review_finished = Une relecture s’est terminée
event-review_failed = Une relecture a échoué
event-fix_finished = Une correction a été faite
event-fix_failed = Le correcteur a échoué
event-pushed = La correction a été poussée
event-rebased = La correction a été posée sur la branche déplacée
event-push_failed = La poussée a échoué
event-remote_head = La branche a été interrogée sur sa tête
event-delivered = Un commentaire est arrivé
event-thread_resolved = Un fil a été résolu
event-cleaned_up = L’arbre de travail a été supprimé
event-cancel = Une personne a annulé
event-retry = Une personne a lancé une nouvelle exécution
event-resume = Une personne l’a laissée reprendre
event-with-effects = { $event } ; ensuite : { $effects }

# Ce que Collie en fait.
effect-load_config = lire la configuration
effect-review = relire
effect-fix = corriger
effect-push = pousser
effect-read_remote_head = interroger la branche
effect-say = commenter
effect-resolve = résoudre les fils
effect-clean_up = ranger

# Remarques.
note-ignored = Sans effet : { $reason ->
    [older_snapshot] une lecture plus récente a déjà été faite
    [read_before_it_was_asked_for] lu avant d’avoir été demandé
    [terminal] l’exécution est terminée
    [still_running] l’exécution n’est pas terminée
    [not_resumable] l’exécution n’attend personne
    [unknown_effect] plus personne n’attend cette réponse
    [wrong_answer] cette réponse ne correspond pas à la demande
    [no_fix] aucune correction n’est en cours
    [no_such_reviewer] ce relecteur n’est pas à l’œuvre
   *[other] rien ne change
}
note-head_moved = Quelqu’un a déplacé la tête de { $from } à { $to }
note-impostor = { $login } se fait passer pour { $claims }
note-bot_trusted = { $login } est un bot vérifié
note-became_stuck = Un constat est revenu après sa correction
note-run_started = Une exécution a commencé
note-iteration_done = L’itération { $iteration } s’est terminée par { $commit }
note-undeliverable = Un commentaire n’arrivera jamais : { $message }
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
        [one] un autre outil
       *[other] { $count } autres outils
    }
note-worked-refused = { $count ->
        [one] un souhait refusé
       *[other] { $count } souhaits refusés
    }
note-worked-dropped = { $count ->
        [one] un constat écarté
       *[other] { $count } constats écartés
    }
note-worked-refuted = { $count ->
        [one] un constat réfuté au second examen
       *[other] { $count } constats réfutés au second examen
    }
note-worked-agreed = { $count ->
        [one] un constat qu’un collègue a fait aussi
       *[other] { $count } constats qu’un collègue a faits aussi
    }
note-worked-left-out = { $count ->
        [one] une partie non montrée, faute de place
       *[other] { $count } parties non montrées, faute de place
    }
