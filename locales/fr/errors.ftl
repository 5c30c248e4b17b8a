# Errors, by their code (`ErrorCode`), in a sentence each; then what can be done about them (`ErrorHint`).

# GitHub, loops, the engine, the data folder, the demo.
problem-not_found = { $what } est introuvable sur { $host }.
problem-unauthorized = { $host } n’accepte plus le jeton.
problem-refused = { $host } a refusé : { $message }
problem-wait = { $host } demande à Collie d’attendre jusqu’à { $until }.
problem-unreachable = { $host } est injoignable : { $message }
problem-bad_token = { $host } n’accepte pas ce jeton.
problem-token_shape = Ce n’est pas un jeton : un jeton n’a ni espace ni saut de ligne.
problem-not_github = { $host } ne répond pas comme GitHub : { $message }
problem-bad_url = { $url } ne peut pas servir d’adresse d’API.
problem-no_token = Aucun jeton trouvé pour { $host }.
problem-scopes = Il manque au jeton pour { $host } : { $scopes }.
problem-login_reused = @{ $login } est un autre compte que celui pour lequel ce nom a été autorisé.
problem-accounts_unusable = { $file } est inutilisable : { $message }. Ce fichier dit pour quels comptes valent les noms de la configuration.
problem-server_too_old = { $host } (version { $version }) ne connaît pas { $field }, dont Collie a besoin.
problem-other_account = Le jeton pour { $host } est celui de @{ $login }, et github_account nomme @{ $wanted }.
problem-account_unusable = { $problem ->
    [missing] Aucun jeton de @{ $login } n’est conservé : rien n’a été dit en son nom.
    [refused] GitHub n’accepte pas le jeton de @{ $login }.
    [no_access] @{ $login } ne peut pas voir le dépôt.
   *[sealed] Le jeton de @{ $login } ne peut pas être déchiffré.
}
problem-app_unusable = { $problem ->
    [key_refused] { $host } n’accepte pas la clé de l’application GitHub.
    [suspended] L’installation de l’application GitHub sur { $host } est suspendue.
   *[not_installed] L’application GitHub n’y est pas installée sur { $host }.
}
problem-app_key = La clé de l’application GitHub ({ $where }) est inutilisable : { $message }.
problem-account_is_main = Le jeton est celui de @{ $login }, le compte au nom duquel Collie agit et qui fusionne : une persona a besoin d’un compte à elle.
problem-account_mismatch = Le jeton est celui de @{ $found }, pas de @{ $login }.
problem-account_unknown = Aucun jeton de @{ $login } n’est conservé pour { $host }.
problem-account_no_key = Il n’y a pas de clé pour chiffrer les jetons.
problem-account_key_unusable = La clé des jetons de comptes ({ $where }) est inutilisable : { $message }.
problem-account_sealed = Le jeton de @{ $login } a été chiffré avec une clé qui n’est pas disponible.
problem-accounts_changed = Des jetons ont changé pendant qu’ils étaient chiffrés avec la nouvelle clé : rien n’a été modifié.
problem-denied = @{ $login } ne peut pas démarrer de boucle : ce compte n’est pas parmi les personnes autorisées.
problem-ended = { $pull } est terminée : { $state }.
problem-no_loop = { $pull } n’a pas de boucle.
problem-no_run = { $pull } n’a pas d’exécution { $run } : la dernière est { $count }.
problem-no_finding = { $pull } n’a plus ce constat.
problem-no_own_commit = { $commit } n’est pas un commit que Collie a fait dans { $pull }.
problem-over = { $pull } est terminée : { $state }. Il n’y a plus rien à faire.
problem-busy = { $pull } est encore en cours : { $state }.
problem-another_head = { $pull } n’est plus sur { $head } : regardez ce que personne n’a vu sur son commit de tête actuel.
problem-no_memory_entry = Rien n’est retenu de { $repo } sous l’identifiant { $id } : `collie memory list { $repo }` montre les identifiants.
problem-nothing_unseen = { $pull } n’a rien qu’une personne doive regarder.
problem-not_dismissable = « { $title } » ne peut pas être écarté : une vérification doit réussir, et une demande d’une personne doit recevoir une réponse.
problem-ambiguous_finding = Plusieurs constats commencent par { $finding } : donnez davantage de l’empreinte.
problem-nothing_said = Dites pourquoi, en quelques mots.
problem-no_push_waits = Aucun push de { $pull } n’attend votre approbation.
problem-another_push = Ce qui attend sur { $pull } est désormais un autre commit, { $commit } : regardez celui-là.
problem-not_resumable = { $pull } ne peut pas être reprise : { $state }.
problem-engine_refused = Le moteur en marche a refusé : { $cause }
problem-no_answer = Le moteur en marche n’a pas encore répondu.
problem-configuration = La configuration contient une erreur :
    { $problems }
problem-settings_unreadable = { $file } ne peut pas être lu : { $message }
problem-settings_unwritable = { $file } ne peut pas être écrit : { $message }
problem-settings_busy = Un autre programme modifie sans cesse { $file }. Rien n’a été enregistré.
problem-bad_since = { $value } ne désigne aucune période : il faut un jour (AAAA-MM-JJ), des jours comme 30d, des mois comme 12m, ou all
problem-file_not_saved = Impossible d’écrire { $path } : { $message }
problem-disk_full = Le disque du dossier de données est plein. Rien n’est perdu.
problem-newer = { $what } a été écrit par une version plus récente de Collie (version { $found }, et celle-ci connaît la { $known }).
problem-checkpoint_older = un point de reprise plus récent de cette boucle existe
problem-checkpoint_unreadable = il ne peut pas être lu ({ $message })
problem-damaged = { $what } est endommagé et a été mis de côté ; le journal en dit plus.
problem-store = Le journal est inutilisable : { $message }
problem-owned = Un autre Collie (processus { $pid }) utilise le dossier de données { $folder }.
problem-folder = { $folder } est inutilisable : { $message }
problem-no_home = Il n’y a pas de dossier personnel où garder les données.
problem-sandbox_unsupported = Il n’y a pas de bac à sable pour { $system }, et rien d’une pull request n’est exécuté sans lui.
problem-sandbox_missing = bubblewrap n’est pas installé, et rien d’une pull request n’est exécuté sans bac à sable.
problem-sandbox_refused = Le bac à sable ne peut pas être mis en place sur cette machine ({ $message }), et rien d’une pull request n’est exécuté sans lui.
problem-sandbox_no_landlock = Le noyau n’a pas Landlock, un mur du bac à sable, et rien d’une pull request n’est exécuté sans lui.
problem-sandbox_not_started = `{ $program }` n’a pas pu démarrer dans le bac à sable : { $message }
problem-sandbox_disk_limit = Un programme de la pull request a été arrêté : ses dossiers contenaient ensemble plus de { $mb } mégaoctets.
problem-prepare_failed = `{ $command }`, qui prépare la vérification, a échoué{ $message }.
problem-prepare_hosts_refused = `{ $command }`, qui prépare la vérification, a échoué{ $message }. Elle voulait joindre { $hosts }, ce qui ne lui est pas permis.
problem-verify_needs_network = `{ $command }` a échoué, sans doute parce que les commandes de vérification n’ont pas de réseau : { $message }
problem-config_reserved_command = `{ $name }` ressemble à une ligne qui dit ce qui prépare la vérification : écrivez-la sans crochet, ou comme `prepare`.
problem-no_git = Il faut git 2.38 ou plus récent : { $message }
problem-demo = La démo n’a pas pu s’ouvrir : { $message }
problem-demo_has_no_token = La démo n’a pas besoin de jeton.
problem-demo_port = Le port { $port }, nécessaire à la démo, est pris par un autre programme.
problem-demo_open = La démo dans { $folder } est ouverte dans un autre Collie.
problem-demo_root_used = { $folder } contient une démo antérieure : choisissez un autre --root, ou supprimez-le.
problem-demo_differs =
    { $what ->
        [state] État
        [stop] Raison de l’arrêt
        [pushes] Push de Collie
        [restarts] Redémarrages
        [head] Commit de tête de la boucle
        [pull] État de la pull request
        [marker] Publication sans sa marque
        [token] Publications avec le jeton { $token }
        [comments] Commentaires de Collie
        [comment] Dernier commentaire
        [asked] Demandes d’une nouvelle revue
       *[other] { $what }
    } : { $found } ; attendu : { $expected }
problem-demo_timeout = Il ne s’est pas terminé en { $seconds } s.
problem-demo_waited = Quelqu’un de la démo a attendu en vain { $event }.
problem-demo_call_refused = { $login } n’a pas pu appeler { $call } sur la forge locale : { $message }
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

# Why a merge was refused, beside those above.
problem-rate_limited = { $host } demande à Collie d’attendre jusqu’à { $until }.
problem-quitting = Collie est sur le point de se fermer : rien n’a été fusionné.
problem-no_connection = La fusion n’a pas pu être préparée : { $cause }
problem-other_pull = La fenêtre de confirmation portait sur une autre pull request. Rouvrez-la.
problem-not_ready = { $pull } n’est plus prête. Attendez qu’elle le soit de nouveau.
problem-head_moved = { $pull } a de nouveaux commits depuis que vous l’avez regardée. Lisez-les, puis décidez à nouveau.
problem-draft = { $pull } est un brouillon. Marquez-la comme prête à être relue sur GitHub.
problem-closed = { $pull } est fermée. Rouvrez-la sur GitHub si elle est toujours utile.
problem-already_merged = { $pull } est déjà fusionnée. Il n’y a plus rien à faire.
problem-conflict = { $pull } est en conflit avec sa base. Résolvez le conflit sur la branche et poussez.
problem-checks_not_green = Les vérifications de { $pull } ne sont plus au vert. Attendez-les ou relancez-les.
problem-blocked = Les règles de la branche de base bloquent { $pull }. Voyez l’encadré de fusion sur GitHub.
problem-behind = La branche de { $pull } doit être à jour avec sa base. Mettez-la à jour sur GitHub.
problem-mergeability_unknown = GitHub cherche encore si { $pull } peut être fusionnée. Réessayez dans un instant.
problem-auto_merge_on = La fusion automatique est activée pour { $pull }. Désactivez-la sur GitHub, ou laissez-la fusionner.
problem-in_merge_queue = { $pull } est dans la file de fusion, qui la fusionnera. Pour fusionner autrement, retirez-la de la file sur GitHub.
problem-stack_layer = { $pull } est un étage d’une pile : sa base { $base } est la branche de { $below }, encore ouverte. Fusionnez d’abord { $below }.
problem-base_changed = La base de { $pull } était { $saw } et est maintenant { $now }. Attendez que Collie ait relu la demande, puis décidez à nouveau.
problem-queue_required = La branche de base fusionne par une file de fusion. Ajoutez { $pull } à la file sur GitHub.
problem-method_not_allowed = Le dépôt n’autorise pas cette méthode. Choisissez-en une autre.
problem-no_permission = { $login } n’a pas le droit de fusionner { $pull } : { $message }. Demandez le droit d’écriture, ou laissez une autre personne fusionner.
problem-signed_in_as_another = La fenêtre de confirmation montrait { $confirmed }, mais { $now } est maintenant connecté. Rouvrez-la.
problem-not_merged = { $host } n’a pas donné de réponse claire, et { $pull } est toujours ouverte : { $message }. Fusionnez à nouveau si elle le reste.
problem-outcome_unknown = { $host } n’a pas donné de réponse claire : { $message }. Regardez { $pull } sur GitHub avant de réessayer.
problem-unrecorded = Le journal d’audit n’a pas pu être écrit : { $message }. Rien n’a été fusionné ; corrigez cela, puis réessayez.

# The host.
problem-contract = La fenêtre et le programme sont de versions différentes ({ $message }) : quittez Collie et relancez-le.
problem-argument = Collie ne comprend pas « { $argument } ». Désignez une pull request par OWNER/REPO#N ou par son adresse sur GitHub.
problem-option_unknown = Collie n’a pas d’option « { $argument } ». Lancez collie-desktop --help pour voir ses options.
problem-no_display = Collie a besoin d’un écran pour ouvrir sa fenêtre, et n’en trouve aucun.
problem-no_window = La fenêtre ne peut pas s’ouvrir : { $message }
problem-not_opened = { $what } n’a pas pu être ouvert : { $message }
problem-not_a_web_address = { $what } n’est pas une adresse web et n’a pas été ouvert.

# git.
problem-git_failed = `git { $command }` a échoué dans { $location }{ $message }.
problem-git_unreachable = Le dépôt git distant n’a pas répondu{ $message }.
problem-head_mismatch = La branche n’est pas au commit de tête que montre GitHub.
problem-push_refused = Le push a été refusé : { $message }
problem-diverged = La branche a avancé, et la correction ne s’y applique plus.
problem-cancelled = L’opération a été annulée.
problem-clone_failed = Le clone du dépôt est inutilisable{ $message }.
problem-checkout_too_large = La pull request n’a pas été extraite : ses fichiers prennent ensemble plus de { $mb } mégaoctets.
problem-checkout_too_many_files = La pull request n’a pas été extraite : elle compte plus de { $count } fichiers et dossiers.
problem-worktree_gone = Le worktree n’existe plus.
problem-invalid_remote = git n’est pas appelé avec « { $value } » : une adresse https sans identifiants, ou un nom de branche que git accepte, est attendu.
problem-base_merge_up_to_date = git ne trouve rien dans la base que la branche n’ait déjà.
problem-base_merge_conflicts = git trouve des conflits dans { $files }.
problem-base_merge_unresolvable = Ces conflits ne sont pas confiés à un agent, car un côté a supprimé ou renommé le fichier, ce n’est pas du texte, ou les agents y lisent leurs réglages : { $files }.
problem-base_merge_lines_lost = { $count ->
    [one] 1 ligne ajoutée par un côté serait perdue sans que rien ne dise pourquoi : { $lines }
   *[other] { $count } lignes ajoutées par un côté seraient perdues sans que rien ne dise pourquoi : { $lines }
}
problem-base_merge_refused = { $gate ->
    [gate_scope] La fusion modifie des fichiers qu’aucun côté n’a modifiés : { $about }
    [gate_tamper] La fusion affaiblit ce qui vérifie la pull request : { $about }
    [gate_syntax] La fusion casse la syntaxe à { $about }
    [gate_secrets] La fusion ajoute ce qui ressemble à un secret à { $about }
    [gate_links] La fusion laisse des liens physiques, des fichiers qui ont un autre nom ailleurs : { $about }
    [gate_conflicts] Il reste des marques de conflit à { $about }
    [gate_verify] `{ $about }` a échoué après la fusion.
   *[other] Un contrôle de la fusion a échoué : { $about }
}
problem-base_merge_rejected = Le correcteur ne résout pas les conflits{ $message }.
problem-base_merge_declined = Une personne a refusé le push de la fusion.
problem-base_merge_not_verified = La fusion ne passe pas les commandes de vérification.

# Reviewers and fixers.
problem-review_deadline = La revue ne s’est pas terminée en { $deadline }.
problem-fix_deadline = La correction ne s’est pas terminée en { $deadline }.
problem-budget_exceeded = { $unit ->
    [cost_micros] Aucun modèle ni agent n’a été interrogé, car le budget ne suffit pas : { $spent } sur { $limit } sont dépensés ou réservés, et la question peut coûter jusqu’à { $needed }.
   *[tokens] Aucun modèle ni agent n’a été interrogé, car le budget de { $limit } tokens sans tarif est épuisé : { $spent } ont été consommés.
}
problem-session_panicked = La session s’est interrompue à cause d’une erreur de Collie ; le journal en dit plus.
problem-result_without_findings = Le résultat de { $agent } demande des modifications sans donner de constat.
problem-result_for_another_pull = Le résultat concerne la pull request { $got }, et non { $expected }.
problem-result_finding_invalid = Le constat « { $id } » du résultat n’est pas valide : { $fault }.
problem-result_unbalanced = Le résultat doit répondre une fois à chacun des { $asked } constats : « { $id } » { $fault }.
problem-result_bad_sha = « { $text } » dans le résultat n’est pas un identifiant de commit.
result-fault-no_id = il n’a pas d’identifiant
result-fault-duplicate_id = son identifiant sert deux fois
result-fault-no_title = il n’a pas de titre
result-fault-line_zero = les lignes se comptent à partir de 1
result-fault-missing = manque
result-fault-twice = a deux réponses
result-fault-unknown = n’était pas demandé
problem-persona_without_runner = { $name } n’a rien pour travailler : configurez [llm] avec `provider` et `model`, ou un agent comme `runs_on` de [fixer].
problem-persona_without_model = { $name } utilise le modèle de langage, et aucun n’est configuré : [llm] a besoin de `provider` et de `model`.
problem-persona_unknown = Il n’y a pas de persona « { $name } » : écrivez-la dans personas/{ $name }.md du dossier de données, ou dans .collie/personas/{ $name }.md du dépôt.
problem-persona_no_front_matter = { $path }, ligne 1 : pas de métadonnées (front matter) : `---` est attendu, puis des lignes comme `name: quinn`, puis `---`, puis la façon dont la persona relit.
problem-persona_not_yaml = { $path }, ligne { $line } : { $message }
problem-persona_unknown_key = { $path }, ligne { $line }, `{ $key }` : clé inconnue ; les clés connues sont { $known }{ $nearest }
problem-persona_bad_value = { $path }, ligne { $line }, `{ $key }` : { $found } n’est pas valide : { $expected } est attendu{ $nearest }
problem-persona_missing_key = { $path } : `{ $key }` manque : { $expected } est attendu.
problem-persona_bad_body = { $path } : { $found } caractères sous les métadonnées (front matter) : la façon dont cette persona relit est attendue, en 1 à 8000 caractères.
persona-expected-name = un mot de lettres minuscules, de chiffres et de `-`, de 40 caractères au plus, comme `quinn`,
persona-expected-title = une ligne de 80 caractères au plus, comme `quality reviewer`,
persona-expected-focus = une ligne de 300 caractères au plus, qui dit ce que regarde cette persona,
persona-expected-may_escalate_to = une liste de personas qui existent, comme `[sam]`,
problem-personas_unreadable = Le dossier { $folder } ne peut pas être lu : { $message }
problem-rules_unreadable = { $path } ne peut pas être lu : { $message }
problem-no_rules = Il n’y a pas de fichier de règles dans { $path } : une règle est un fichier .yml, comme le montrent `collie help rules` et le guide des règles.
problem-rule_unknown = Il n’y a pas de règle « { $name } » ; `collie rules list` les montre toutes{ $nearest }
problem-provider_unknown = « { $name } » n’est pas un fournisseur de modèles de langage : l’un de { $known } est attendu{ $nearest }
problem-prices_invalid = prices.toml du dossier de données est inutilisable : { $message }
problem-agent_unknown = Collie ne connaît pas l’agent { $name } : déclarez-le par [agents.{ $name }] avec sa `command`.
problem-budget_too_small = La tâche prend à elle seule { $needed } tokens, et { $budget } sont permis : augmentez `context_tokens` de [llm], choisissez un modèle qui lit davantage, ou divisez la pull request.
problem-pull_unread = { $pull } n’a pas pu être lue pour la revue ; le journal en dit plus.
problem-human_not_dispatched = { $name } est une personne, que Collie ne met pas au travail.
problem-agent_no_account = { $agent } n’a pas dit ce qu’il a fait, même quand on le lui a redemandé.
problem-agent_shape = { $agent } n’a pas répondu sous la forme demandée, même quand on lui a demandé de corriger.
problem-rules_panicked = Les règles intégrées se sont interrompues à cause d’une erreur de Collie{ $message }.
problem-path_outside = { $path } n’est pas dans le worktree.
problem-fix_unwritten = { $path } n’a pas pu être écrit{ $message }.

# Language models.
problem-llm_no_key = Il n’y a pas de clé pour { $model } : définissez { $variables }, ou saisissez-en une dans les réglages.
problem-llm_no_model = Aucun modèle n’est choisi : prenez-en un dans la liste du fournisseur, ou saisissez son nom.
problem-llm_key_shape = Ce n’est pas une clé : une clé est une seule ligne de lettres, de chiffres et de signes, sans espaces. Copiez-la de nouveau.
problem-llm_key_named = Les réglages prennent la clé de { $provider } dans une variable ou d’une commande : videz la variable de la clé et la commande de la clé pour en saisir une ici.
problem-llm_key_command = { $program } n’a pas donné la clé de { $model }{ $message } : lancez-le dans un terminal, ou indiquez `key_variable`.
problem-llm_login_unusable = La connexion Google de { $origin } est inutilisable pour { $model }{ $message } : recréez-la avec `gcloud auth application-default login`, ou indiquez dans GOOGLE_APPLICATION_CREDENTIALS le fichier de clé d’un compte de service.
problem-llm_login_refused = { $service } n’a pas donné de jeton pour { $model } avec la connexion de { $origin }{ $message } : reconnectez-vous avec `gcloud auth application-default login`, ou utilisez un autre fichier de clé.
problem-llm_login_unanswered = { $service } n’a pas pu donner de jeton pour { $model } avec la connexion de { $origin }{ $message } : vérifiez le réseau, puis réessayez.
problem-llm_no_header = Le champ HTTP { $name } de { $model } demande la variable d’environnement { $variable }, qui n’est pas définie.
problem-llm_bad_address = { $model } n’a pas d’adresse utilisable{ $message } : donnez une adresse http ou https, comme http://localhost:8000/v1.
problem-llm_not_listed = { $model } ne liste pas ses modèles : sa propre console les nomme.
problem-models_none = Aucun modèle de langage n’est configuré : nommez un fournisseur avec --provider, ou configurez [llm] dans config.toml.
problem-models_unnamed = Quel modèle faut-il essayer ? Nommez-le avec --model ; `collie models --provider NOM` les liste là où le fournisseur le fait.
problem-llm_bad_schema = Le schéma { $name } est inutilisable{ $message }.
problem-llm_unauthorized = { $model } n’accepte pas la clé{ $message } : vérifiez-la, ou créez-en une nouvelle.
problem-llm_no_credit = Le compte de { $model } n’a plus de crédit{ $message } : ajoutez-en, ou choisissez un autre modèle.
problem-llm_model_not_found = { $model } n’existe pas là-bas{ $message } : vérifiez le nom du modèle et l’adresse.
problem-llm_rate_limited = { $model } ne prend plus de demandes pour l’instant{ $message } : attendez { $wait }, ou choisissez un autre modèle.
problem-llm_context_too_long = La demande est trop longue pour { $model }{ $message }, même réduite de moitié : réduisez `context_tokens` de [llm], ou choisissez un modèle au contexte plus large.
problem-llm_prompt_cut = { $model } a lu { $read } tokens de la demande, sur { $sent } environ ; sa réponse ne compte donc pas : donnez au service un contexte plus large, choisissez un modèle qui en a un, ou réduisez `context_tokens` de [llm].
problem-llm_refused = { $model } a refusé de répondre{ $message } : choisissez un autre modèle.
problem-llm_request_rejected = { $model } n’a pas accepté la demande (statut { $status }){ $message } : vérifiez la température, le maximum de tokens et l’adresse.
problem-llm_unavailable = { $model } est en panne{ $message } : réessayez plus tard.
problem-llm_unreachable = { $model } est injoignable{ $message } : vérifiez l’adresse et le réseau, et que le service tourne.
problem-llm_stream_interrupted = La réponse de { $model } s’est interrompue{ $message } : réessayez plus tard.
problem-llm_max_tokens_reached = La réponse de { $model } dépasse { $max } tokens, réflexion comprise : augmentez `max_tokens` de [llm].
problem-llm_empty_answer = { $model } a donné une réponse vide : réessayez, ou choisissez un autre modèle.
problem-llm_schema_mismatch = { $model } n’a pas répondu sous la forme demandée, même quand on lui a demandé de corriger ({ $count ->
    [one] 1 écart
   *[other] { $count } écarts
}) : choisissez un autre modèle.
problem-llm_deadline_exceeded = { $model } n’a pas répondu en { $after } : réessayez, ou laissez-lui plus de temps.
problem-llm_cancelled = La demande à { $model } a été annulée.
llm-own-limit = le maximum propre au modèle en
duration-a-while = un moment

# Coding agents.
problem-agent_program_not_found = { $agent } : il n’y a pas de programme `{ $program }` : installez-le là où PATH le trouve, ou donnez sa commande dans les réglages.
problem-agent_not_started = { $agent } : `{ $program }` n’a pas pu démarrer{ $message }.
problem-agent_unsupported_protocol = { $agent } parle la version { $offered } d’ACP, et Collie la version 1 : installez-en une version qui parle la 1.
problem-agent_login_required = { $agent } demande une connexion{ $methods }{ $message } : connectez-vous avec sa propre commande, ou définissez sa clé d’API.
problem-agent_invalid_response = { $agent } a répondu à { $step } hors du protocole{ $message } : mettez-le à jour, et signalez-le à ses auteurs si cela ne suffit pas.
problem-agent_idle_timeout = { $agent } n’a rien écrit pendant { $after } durant { $step } et a été arrêté{ $message }.
problem-agent_deadline_exceeded = { $agent } n’avait pas fini après { $after }, durant { $step }, et a été arrêté{ $message } : donnez-lui moins à faire, ou plus de temps dans les réglages.
problem-agent_too_much_output = { $agent } a écrit plus de { $bound } octets et a été arrêté.
problem-agent_process_exited = { $agent } s’est terminé durant { $step }, { $status }{ $message } : lancez-le dans un terminal pour voir pourquoi.
problem-agent_refused = { $agent } a refusé { $step } avec l’erreur { $error } : { $message }{ $stderr }
problem-agent_cancelled = { $agent } a été annulé.

# `collie review`.
problem-review_checkout = { $pull } n’a pas pu être extraite : { $cause }
problem-review_not_open = { $pull } est { $state ->
    [draft] un brouillon
    [merged] fusionnée
   *[closed] fermée
} : seule une pull request ouverte est relue.
problem-review_denied = { $pull } : @{ $login } ne peut pas publier de revue ici, car ce compte n’est pas parmi les personnes autorisées.
problem-review_pending = { $pull } : @{ $login } y a une revue commencée et non publiée, et GitHub n’en accepte pas d’autre à côté : publiez-la ou supprimez-la, puis recommencez.
problem-review_policy = { $pull } : la configuration de sa base est inutilisable : { $cause }
problem-review_failed = { $reviewer } n’a pas pu relire { $pull } : { $cause }
problem-review_stopped = La revue de { $pull } a été arrêtée ; rien n’a été publié.
problem-review_no_model = Aucun modèle de langage n’est configuré pour ces options : nommez-en un par --llm-provider et --model, ou dans [llm] de config.toml.
problem-action_environment = La variable { $name } n’est pas définie : `collie action` s’exécute dans un workflow GitHub, dont le runner la définit.
problem-action_event = L’événement du workflow dans { $path } est inutilisable : { $message }
problem-action_no_pull = L’événement `{ $event }` ne concerne aucune pull request.
problem-mcp_client = Le client MCP a rompu la connexion : { $message }
problem-mcp_read_only = Ce serveur MCP a été démarré avec --read-only : il ne modifie rien.
problem-no_proof = { $pull } n’a pas encore de preuve : la pull request n’est pas prête à fusionner.

# The command line and the local forge.
problem-usage = { $cause }
problem-usage_line = Utilisation : { $usage }
problem-usage_unknown_argument = Collie ne connaît pas l’argument `{ $arg }`{ $nearest }
problem-usage_unknown_command = Collie ne connaît pas la commande `{ $name }`{ $nearest }
problem-usage_invalid_value = « { $value } » n’est pas une valeur de { $arg } : l’une de { $known } est attendue{ $nearest }
problem-usage_bad_value = « { $value } » n’est pas une valeur valide de { $arg }.
problem-usage_missing = Il manque ces arguments : { $args }
problem-usage_missing_command = Il manque une commande : l’une de { $known } est attendue.
problem-usage_missing_value = { $arg } a besoin d’une valeur.
problem-usage_conflict = { $arg } ne peut pas s’utiliser avec { $other }.
problem-usage_other = Collie ne comprend pas cette ligne de commande.
problem-no_threads = Aucun thread ne peut démarrer : { $message }
problem-forge = La forge locale : { $message }

# Evaluations.
problem-eval_set_syntax = { $place } : { $value }
problem-eval_set_empty = { $place } : aucun cas ; un jeu contient au moins un `[[case]]`.
problem-eval_set_duplicate = { $place } : `{ $value }` figure deux fois ; chaque cas, et chaque défaut d’un cas, a besoin d’un nom à lui.
problem-eval_set_bad_id = { $place } : `{ $value }` n’est pas un nom : n’employez que des lettres, des chiffres, `-`, `_` et `.`.
problem-eval_set_bad_sha = { $place } : `{ $value }` n’est pas un identifiant de commit ; il compte 40 ou 64 chiffres hexadécimaux.
problem-eval_set_bad_repository = { $place } : `{ $value }` n’est ni PROPRIÉTAIRE/DÉPÔT ni l’adresse d’une pull request sur github.com.
problem-eval_set_bad_lines = { $place } : les lignes sont deux nombres à partir de 1, le plus petit d’abord, comme [12, 14].
problem-eval_set_bad_path = { $place } : `{ $value }` n’est pas un chemin à l’intérieur du dépôt.
problem-eval_set_no_change = { $place } : un cas a soit `base` et `head`, soit `folder`, soit `pull`.
problem-eval_set_clean_or_faulty = { $place } : un cas a soit des défauts (`[[case.fault]]`), soit `clean = true`.
problem-eval_set_lines_without_file = { $place } : des lignes ont besoin d’un `file`.
problem-eval_set_empty_text = { $place } : c’est vide ; dites en une phrase ce qui ne va pas.
problem-eval_results_invalid = { $file }, ligne { $line } : ce ne sont pas des résultats de `collie eval run` : { $message }
problem-eval_file = { $file } ne peut pas être utilisé : { $message }
problem-eval_exists = { $file } existe déjà : continuez-le avec --resume, ou nommez un autre fichier avec --out.
problem-eval_other_run = { $file } vient d’un autre jeu, d’une autre persona, d’un autre modèle ou d’autres prompts que ceux demandés : nommez un autre fichier avec --out.
problem-eval_no_clones = Des cas comme { $case } ont besoin de clones : nommez le dossier qui les contient avec --clones ; { $repository } y est cherché sous PROPRIÉTAIRE/DÉPÔT, PROPRIÉTAIRE+DÉPÔT ou DÉPÔT.
problem-eval_no_clone = { $count ->
    [one] { $folder } n’a pas de clone de { $repositories } : clonez-le là (`git clone https://github.com/PROPRIÉTAIRE/DÉPÔT PROPRIÉTAIRE+DÉPÔT`).
   *[other] { $folder } n’a pas de clones de { $count } dépôts : { $repositories }. Clonez-les là (`git clone https://github.com/PROPRIÉTAIRE/DÉPÔT PROPRIÉTAIRE+DÉPÔT`).
}
problem-eval_no_commit = Il manque au clone { $folder } le commit { $commit } de { $case } : récupérez-le (`git fetch origin { $commit }`).
problem-eval_no_pull = Il manque au clone { $folder } le commit de tête de la pull request { $number } : récupérez-le (`git fetch origin refs/pull/{ $number }/head:refs/pull/{ $number }/head`).
problem-eval_git = { $case } n’a pas pu être préparé : git dit : { $message }
problem-eval_no_case = Il n’y a pas de cas `{ $case }` dans le jeu { $set }.
problem-eval_not_recorded = { $case } a posé une question à laquelle { $folder } n’a pas de réponse : les prompts, le modèle ou le code ont changé depuis l’enregistrement. Enregistrez de nouveau avec --record.
problem-eval_recorder = Les réponses ne peuvent être ni enregistrées ni rejouées : { $message }
problem-eval_no_model = --record et --replay sont faits pour les modèles de langage : { $persona } n’en utilise pas. Nommez-en un avec --llm-provider et --model.
problem-eval_judge_no_model = Un juge qui est un modèle de langage en a besoin d’un : nommez-le avec --llm-provider et --model, ou configurez-le sous [llm].
problem-eval_judge_failed = { $case } n’a pas pu être jugé : { $cause }
problem-eval_stopped = Arrêté après { $done } exécutions sur { $total } ; ce qui a été fait est dans { $file }. Continuez avec --resume.
problem-eval_over_budget = Arrêté après { $done } exécutions sur { $total } ; ce qui a été fait est dans { $file }. Continuez avec --resume dès que le budget le permet. { $cause }
problem-eval_cases_failed = { $failed } exécutions sur { $total } ont échoué ; { $file } dit pourquoi, ligne par ligne. Relancez-les avec --resume.
problem-eval_nothing_in_common = { $first } et { $second } n’ont aucun cas en commun : comparez des exécutions d’un même jeu.
problem-eval_prompts_invalid = Les prompts de { $folder } ne peuvent pas être utilisés. `collie eval prompts DOSSIER` écrit ceux qui sont fournis, pour commencer.
problem-eval_prompt_unknown = { $file } : aucun prompt ne s’appelle ainsi{ $nearest }
problem-eval_prompt_missing = { $file } : ce fichier manque ; un dossier de prompts les a tous.
problem-eval_prompt_empty = { $file } : ce fichier est vide.
problem-eval_prompt_missing_slot = { $file } : l’emplacement { "{{" }{ $slot }{ "}}" } manque, si bien que ce qui y va n’atteindrait aucun modèle.
problem-eval_prompt_unknown_slot = { $file } : rien ne remplit l’emplacement { "{{" }{ $slot }{ "}}" }.
problem-eval_prompt_other_persona = { $file } : ce fichier décrit la persona { $name } ; un fichier porte le nom de sa persona.
problem-eval_prompts_unused = `rules` ne lit aucun prompt : retirez --prompts, ou nommez une persona.

# What stands in brackets after a sentence's words.
problem-aside = { " " }({ $words })
problem-nearest =  ; vouliez-vous dire `{ $words }` ?

# What an earlier version wrote down.
problem-recorded = { $message }

# What is wrong in a configuration.
problem-config_problem = { $place } : { $wrong }
problem-config_invalid_toml = TOML non valide : { $message }
problem-config_not_utf8 = ce n’est plus de l’UTF-8 après l’octet { $byte }
problem-config_unreadable = ne peut pas être lu : { $message }
problem-config_unknown_key_near = clé inconnue{ $nearest }
problem-config_unknown_key = clé inconnue ; les clés connues sont { $known }
problem-config_user_file_only = seul le config.toml de l’utilisateur peut définir ceci
problem-config_user_file_only_bots = seul le config.toml de l’utilisateur peut nommer des bots, car on se fie à ce qu’ils disent
problem-config_user_file_only_repositories = seul le config.toml de l’utilisateur peut lister des dépôts, car il dit où les boucles démarrent d’elles-mêmes
problem-config_user_file_only_desktop = seul le config.toml de l’utilisateur peut configurer l’application de bureau
problem-config_user_file_only_models = seul le config.toml de l’utilisateur peut choisir les modèles et les agents, puisqu’ils tournent sur sa machine
problem-config_llm_incomplete = un modèle de langage demande à la fois `provider` et `model` : Collie n’a de valeur par défaut pour aucun des deux
problem-config_llm_without_url = le fournisseur "{ $name }" demande une `url`, par exemple "{ $example }"
problem-config_unknown_model = aucun [models.{ $name }] n’est configuré{ $nearest }
problem-config_invalid_header = { $name } n’est pas un champ HTTP : donnez un texte, ou une table avec `variable = "NOM"`
problem-config_header_holds_secret = la valeur de { $name } est un secret, qu’aucun fichier ne doit contenir : donnez une table avec `variable = "NOM"`
problem-config_duplicate_header = le champ HTTP { $name } y est deux fois
problem-config_not_a_variable = ce n’est pas le nom d’une variable d’environnement : donnez le nom de celle qui contient le secret, par exemple "MY_MODEL_KEY", jamais le secret lui-même
problem-config_agent_without_command = Collie ne connaît pas cet agent : il lui faut une `command`, par exemple ["my-agent", "--acp"]
problem-config_app_incomplete = l’`id` de l’application GitHub et l’`account` qui l’a installée sont attendus, ainsi que `key_file` si COLLIE_APP_KEY ne contient pas la clé
problem-config_verdict_without_account = le compte GitHub au nom duquel la persona publie est attendu, avec `may_approve` ou `may_request_changes`
problem-config_mcp_incomplete = un serveur MCP a besoin d’une `command` (avec `env`) ou d’une `url` (avec `transport` et `headers`), l’une des deux, et de `used_by`, par exemple ["fixer", "reviewers"]
problem-config_mcp_holds_secret = un secret se trouve ici, qu’aucun fichier ne doit contenir : nommez sa variable sous `env` ou, pour un serveur à une adresse, dans une table sous `headers` avec `variable = "NOM"`
problem-config_withheld_variable = { $name } ne va à aucun autre programme : les jetons de GitHub et les variables de Collie restent chez Collie
problem-config_invalid_dollars = { $value } n’est pas valide : un montant en dollars de 0 à 1000000 est attendu, par exemple 5 ou 2.50
problem-config_invalid_temperature = { $value } n’est pas valide : un nombre de 0 à 2 est attendu, par exemple 0.2
problem-config_invalid_name = "{ $name }" n’est pas un nom valide : minuscules, chiffres et tirets sont attendus
problem-config_unknown_agent = "{ $name }" n’est pas un agent : déclarez-le par [agents.{ $name }] avec sa `command`{ $nearest }
problem-config_not_a_table = une table est attendue : [{ $name }]
problem-config_not_an_array_of_tables = des tables sont attendues : [[{ $name }]]
problem-config_human_approval_disabled = Collie ne fusionne jamais ; une personne décide toujours, donc seul true est possible
problem-config_auto_merge_enabled = Collie ne fusionne jamais, donc seul false est possible
problem-config_invalid_host = `{ $name }` ne désigne aucun hôte : écrivez `example.com`, `*.example.com` ou `localhost:11434`.
problem-config_relative_path = `{ $name }` ne commence pas par `/`.
problem-config_not_below_home = `{ $name }` n’est pas un dossier du répertoire personnel : écrivez-le comme `.agent/sessions`.
problem-config_invalid_url = { $value } n’est pas une adresse valide : par exemple "https://ghe.example.com/api/v3", sans login dedans
problem-config_invalid_account_id = le numéro du compte du bot est attendu
problem-config_bot_incomplete = un bot a besoin d’un `id` et d’un `login`
problem-config_stage_size = une étape a de 1 à 5 relecteurs, pas { $count }
problem-config_stage_empty = une étape a besoin de `reviewers`
problem-config_duplicate_reviewer = un relecteur figure deux fois dans une étape
problem-config_unknown_reviewer = "{ $name }" n’est pas un relecteur : "rules", une persona en minuscules, ou "@" et le login d’une personne sont attendus{ $nearest }
problem-config_invalid_duration = { $value } n’est pas une durée : par exemple "30m", "45s" ou "500ms"
problem-config_out_of_range = { $value } n’est pas valide : un nombre entier de { $least } à { $most } est attendu
problem-config_invalid_share = { $value } n’est pas valide : un nombre de 0 à 1 est attendu, par exemple 0.7
problem-config_invalid_share_variable = { $value } n’est pas valide : un nombre de 0 à 1 est attendu
problem-config_not_a_boolean = { $value } n’est pas valide : true ou false est attendu
problem-config_not_a_string = { $value } n’est pas valide : un texte est attendu
problem-config_not_a_string_array = { $value } n’est pas valide : une liste de textes est attendue, par exemple ["a", "b"]
problem-config_invalid_login = "{ $name }" n’est pas un login
problem-config_unknown_choice = { $value } n’est pas valide : l’un de { $choices } est attendu{ $nearest }
problem-config_unknown_language = { $value } n’est pas valide : en ou fr est attendu
problem-config_unknown_bot = "{ $name }" n’est pas un bot connu ; ajoutez-le sous [[bots]] avec le numéro de son compte{ $nearest }
problem-config_poll_too_fast = github.com est lu au plus toutes les 15 s : mettez "15s" ou plus
problem-config_invalid_repository = "{ $name }" n’est pas un dépôt : par exemple "owner/repo"
problem-config_repository_unnamed = un dépôt a besoin d’un `name`
problem-config_duplicate_repository = { $name } figure deux fois
problem-config_set_by_environment = { $name } est définie dans l’environnement, qui l’emporte ; retirez-la de là pour changer ceci ici
problem-config_unsupported_value = { $value } n’est pas permis ici

# What to do about it.
problem-hint-access = Vérifiez le nom, et que le compte y a accès.
problem-hint-sign_in = Reconnectez-vous, avec `gh auth login` ou avec un nouveau jeton.
problem-hint-rights = Vérifiez ce que le compte et son jeton peuvent y faire.
problem-hint-update_server = Mettez GitHub Enterprise Server à jour.
problem-hint-add_account = Ajoutez ou remplacez son jeton avec `collie account add`.
problem-hint-check_app = Vérifiez l’installation de l’application sur GitHub, et l’identifiant, la clé et le compte que nomme [app] de config.toml.
problem-hint-account_key = Mettez une clé de 32 octets, en Base64, dans COLLIE_ACCOUNT_KEY, nommez un fichier pour elle dans COLLIE_ACCOUNT_KEY_FILE, ou déverrouillez le trousseau.
problem-hint-again_now = Réessayez.
problem-hint-other_account = gh y connaît aussi { $accounts } : choisissez le compte avec github_account dans config.toml, ou avec gh auth switch.
problem-hint-network = Vérifiez le réseau. Collie reprend tout seul dès qu’il obtient une réponse.
problem-hint-new_token = Créez un jeton avec le droit `repo`, et collez-le en entier.
problem-hint-api_url = Pour GitHub Enterprise, l’adresse est https://HOST/api/v3.
problem-hint-repin = Retirez le nom de accounts.json dans le dossier de données, puis redémarrez Collie : le nom vaudra alors pour le compte qui le porte.
problem-hint-allow = Ajoutez le compte aux personnes autorisées : dans Réglages › Compte, dans `allowed_users` de config.toml, ou dans GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS.
problem-hint-retry = Relancer démarre une nouvelle exécution.
problem-hint-cancel_first = Annulez-la d’abord.
problem-hint-settings = Les réglages montrent ce qui ne va pas, et où.
problem-hint-settings_rights = Vérifiez les droits du fichier et de son dossier, puis enregistrez à nouveau.
problem-hint-settings_busy = Fermez ce programme, puis enregistrez à nouveau.
problem-hint-configuration = Corrigez-la, puis réessayez ; le guide (user guide) donne toutes les clés.
problem-hint-free_space = Libérez de l’espace, puis réessayez.
problem-hint-update = Mettez Collie à jour, ou utilisez un autre COLLIE_HOME.
problem-hint-rebuild = Lancez `collie doctor --rebuild` pour restaurer ce que contiennent les points de reprise.
problem-hint-data_folder = Lancez `collie doctor` pour vérifier le dossier de données, ou choisissez-en un autre avec COLLIE_HOME.
problem-hint-stop_other = Arrêtez l’autre, ou servez-vous-en.
problem-hint-git = Installez git 2.38 ou plus récent, et vérifiez que `git` est dans PATH.
problem-hint-demo_anew = Quittez la démo en effaçant ses données, puis rouvrez-la.
problem-hint-demo_port = Arrêtez l’autre programme et réessayez, ou effacez les données de la démo et rouvrez-la.
problem-hint-stays_queued = La demande reste en file.
problem-hint-keychain = Déverrouillez-le et réessayez, ou connectez-vous avec gh.
problem-hint-model_keychain = Déverrouillez-le et réessayez, ou définissez la clé comme variable d’environnement, ou indiquez dans `key_command` un programme qui l’affiche.
problem-hint-model_key_elsewhere = Définissez la clé comme variable d’environnement là où Collie est lancé, ou indiquez dans `key_command` un programme qui l’affiche.
problem-hint-desktop_window = Ouvrez Collie sur cette machine pour fusionner.
problem-hint-on_github = Ouvrez-la sur GitHub.
problem-hint-install_bubblewrap = Installez bubblewrap (`apt install bubblewrap`).
problem-hint-user_namespaces = Autorisez les espaces de noms utilisateur non privilégiés sur cette machine ; démarrez un conteneur avec les options de sécurité `seccomp=unconfined` et `systempaths=unconfined`, ou avec un profil qui permet autant. `collie doctor` essaie chaque mur.
problem-hint-landlock = Utilisez Linux 5.13 ou plus récent, avec `landlock` parmi les modules de sécurité activés (`lsm=` sur la ligne de commande du noyau).
problem-hint-unsandboxed = Si vous faites confiance à tous ceux qui peuvent y écrire, mettez `unsandboxed = true` pour ce dépôt dans config.toml ; cela ne vaut que pour leur travail.
problem-hint-disk_limits = Si le dépôt est vraiment aussi grand, relevez la limite sous `[disk]` dans config.toml (`checkout_mb`, `checkout_files`, `sandbox_mb`), puis réessayez.
problem-hint-prepare = Faites chercher ce qui manque avant : `prepare` et `prepare_hosts` sous `[verify]` (`npm ci`, `registry.npmjs.org`), puis réessayez.
problem-hint-prepare_hosts = Si elle peut les joindre, ajoutez-les à `prepare_hosts` sous `[verify]` dans votre propre config.toml, puis réessayez.
problem-hint-doctor = Lancez `collie doctor` pour voir ce qui manque.
problem-hint-forge = Lancez `collie help forge` pour voir ce que prend chacune de ses commandes.
problem-hint-usage = Lancez `collie --help` pour la liste des commandes, ou `collie help COMMANDE` pour voir ce que prend l’une d’elles.
problem-hint-dry_run = --dry-run ne publie rien et ne demande aucun droit.
problem-hint-raise_budget = { $scope ->
    [pull_request] Relevez `per_pull_request_usd` ou `per_pull_request_tokens` sous `[budget]` dans config.toml, ou faites relever au dépôt sa propre limite.
    [total] Relevez `total_usd` ou `total_tokens` sous `[budget]` dans config.toml.
   *[day] Relevez `per_day_usd` ou `per_day_tokens` sous `[budget]` dans config.toml, ou recommencez après minuit.
}
problem-hint-try_again = Réessayez dans un instant.
problem-hint-install_webkit = Installez WebKitGTK 4.1 (`bash scripts/setup.sh --desktop` le fait sous Debian et Ubuntu), puis relancez.
problem-hint-terminal = Sans écran, `collie watch OWNER/REPO` fait tourner les mêmes boucles dans un terminal.
problem-hint-start_loop = Démarrez-en une avec `collie watch { $pull }`.

# The server for a team.
problem-listen_unprotected = { $address } est joignable depuis d’autres machines, et des jetons traverseraient le réseau sans protection : rien n’a été démarré.
problem-listen_failed = Collie ne peut pas écouter sur { $address } : { $message }
problem-worker_unprotected = { $address } est joignable depuis d’autres machines, et sans la clé publique du moteur ce worker obéirait à n’importe laquelle : rien n’a été démarré.
problem-worker_settings = Ce worker ne peut pas commencer : { $message }
problem-loops_unreachable = Restate, où vivent les boucles, ne répond pas, ou aucun de ses workers. Ce qui est montré est ce qui a été dit en dernier.
problem-loops_unreadable = Les workers disent de leurs boucles ce que ce serveur ne peut pas lire : ils sont plus récents. Ce qui est montré est ce qui a été dit en dernier.
problem-loops_of_another_engine = Ce dossier de données, ou la base que nomme DATABASE_URL, montre les boucles d’un autre Restate que celui qui répond maintenant. Ce qui est montré est ce qui a été dit en dernier.
problem-database_unreachable = PostgreSQL, d’où viennent les vues, ne répond pas. Ce qui est montré est ce qui a été dit en dernier.
problem-database_url = DATABASE_URL est définie et n’est pas une adresse de PostgreSQL : il faut postgres://UTILISATEUR@HÔTE/BASE. Rien n’a été démarré. ({ $message })
problem-database_of_another_engine = La base que nomme DATABASE_URL montre les boucles d’un autre Restate que ce dossier de données.
problem-loops_in_database = Les boucles que montre { $folder } sont dans PostgreSQL, que cette commande ne connaît pas.
problem-loops_elsewhere = Les boucles que montre { $folder } vivent dans Restate : un moteur ici ferait leur travail une seconde fois, et n’a pas été démarré.
problem-move_unreachable = Restate ne répond pas à l’adresse { $address }, ou aucun de ses workers : les boucles n’ont pas été déplacées, ou pas toutes. ({ $message })
problem-move_paused = Tout est en pause, et Restate n’en saurait rien : mettez fin à la pause (`collie unpause`), puis déplacez les boucles.
problem-move_nothing = Il n’y a rien à déplacer : les boucles y sont déjà.
problem-move_unfinished = Un déplacement des boucles a commencé et n’est pas terminé : rien n’y travaille d’ici là.
problem-loops_of_its_own = { $folder } a ses propres boucles : celles de Restate ne sont pas montrées à côté d’elles.
problem-public_url_invalid = { $url } n’est pas une adresse publique : il faut une adresse comme https://collie.example.org.
problem-foreign_host = La requête nomme l’hôte { $host }, qui n’est pas un nom de ce serveur.
problem-foreign_origin = La requête vient de la page d’un autre site et est refusée.
problem-request_malformed = La requête est incompréhensible : { $message }
problem-request_too_large = La requête dépasse la limite de { $limit }.
problem-request_timed_out = La requête n’est pas arrivée à temps.
problem-too_many_requests = Trop de requêtes viennent de vous : rien n’a été fait.
problem-no_route = Il n’y a rien à { $path }.
problem-not_visible = { $name } n’existe pas, ou GitHub ne vous le montre pas.
problem-no_write_access = @{ $login } n’a pas d’accès en écriture à { $repo } : rien n’a été fait.
problem-operator_only = Seule la personne qui exploite ce serveur en décide : rien n’a été fait.
problem-bad_signature = La signature de la livraison manque ou est fausse : rien n’a été fait.
problem-backup_target_used = { $folder } n’est pas vide : indiquez un nouveau dossier.
problem-backup_unusable = { $folder } n’est pas une sauvegarde utilisable : { $message }
problem-backup_failed = La copie n’a pas pu être faite : { $message }
problem-webhook_secret_unreadable = Le secret des webhooks n’a pas pu être lu ({ $place }) : { $message }
problem-runner_unknown = Aucun exécuteur n’a ce secret ici : il a été mal saisi, ou révoqué.
problem-session_token_unknown = Le jeton n’appartient à aucune session.
problem-session_token_other = Le jeton appartient à une autre session.
problem-session_over = La session est terminée : elle a été rendue, confiée à un autre exécuteur, ou n’est plus voulue.
problem-session_stale = La session porte sur le commit de tête { $head }, et ce qui a été rendu sur un autre.
problem-session_other_work = Une revue était demandée et une correction a été rendue, ou l’inverse.
problem-patch_unfit = Le patch ne s’applique pas au commit de tête de la session.
problem-patch_too_large = Le patch dépasse { $mb } mégaoctets.
problem-no_runner = Aucun exécuteur n’a pris la session à temps : { $wait }.
problem-runners_lost = Des exécuteurs ont pris la session sans la rendre : { $names }.
problem-runners_unusable = Le fichier des secrets des exécuteurs ({ $place }) est inutilisable : { $message }
problem-runner_name = { $name } ne peut pas être le nom d’un exécuteur : il faut au plus 60 lettres, chiffres, points et tirets, et un nom qu’aucun autre n’a.
problem-runner_server_url = { $url } ne peut pas servir d’adresse du serveur : il faut https, ou http sur cette machine.
problem-runner_secret_missing = L’exécuteur n’a pas de secret ({ $place }) : { $message }
problem-runner_folder_busy = Un autre exécuteur travaille dans ce dossier de données : démarrez celui-ci avec un autre --home.
problem-runner_server_answer = Le serveur { $url } a donné une réponse qu’un exécuteur ne comprend pas ({ $status }) : { $message }
problem-device_off = Ce serveur n’a pas d’application pour la connexion par code : utilisez un jeton.
problem-device_refused = { $host } n’accepte pas l’application de ce serveur pour la connexion par code : { $message }
problem-device_denied = La connexion a été refusée sur la page de GitHub.
problem-device_expired = Le code n’a pas été saisi à temps, ou n’est plus connu.
problem-webhooks_off = Ce serveur n’accepte pas de webhooks : il n’a pas de secret pour eux.
problem-server_stopping = Le serveur s’arrête : rien n’a été fait.
problem-hint-tls_proxy = Placez devant un proxy qui parle TLS et démarrez avec `--behind-proxy --public-url https://…` ; sinon, écoutez sur 127.0.0.1.
problem-hint-server_docs = Voyez docs/server.md.
problem-hint-worker_docs = Voyez docs/many-machines.md.
problem-hint-check_engine_to_move = Vérifiez que Restate et un worker tournent, et que --ingress est son adresse ; puis relancez la commande.
problem-hint-finish_move = Relancez le même `collie move`, ou `collie move here` pour tout ramener.
problem-hint-check_engine = Vérifiez que Restate et un worker tournent, et que --ingress est son adresse ; le journal du serveur en dit plus. Il continue de lui-même.
problem-hint-check_database = Vérifiez que PostgreSQL tourne et accepte des connexions d’ici, et que DATABASE_URL est son adresse ; le journal du serveur en dit plus. Un serveur qui tourne continue de lui-même.
problem-hint-name_database = Donnez à DATABASE_URL la valeur qu’a le serveur de ce dossier, dans une version avec la fonctionnalité restate ; ou regardez la page du serveur.
problem-hint-action_docs = Voir docs/action.md.
