# Ce que Collie trouve sur cette machine : `collie doctor`, et les réglages de l’application.

doctor-ok = ok
doctor-warning = note
doctor-bad = erreur
doctor-git = git
doctor-git-ok = { $version }
doctor-git-missing = introuvable ; installez git 2.38 ou plus récent
doctor-gh = gh
doctor-gh-accounts = { $version } ; comptes sur { $host } : { $accounts } ; choisissez-en un avec github_account
doctor-gh-active = { $login } (celui de gh)
doctor-gh-missing = introuvable ; un jeton dans GITHUB_TOKEN convient aussi
doctor-token = jeton
doctor-token-missing = aucun pour { $host } : connectez-vous avec `gh auth login`, ou définissez GITHUB_TOKEN
doctor-token-of = { $login } sur { $host }
doctor-token-refused = { $host } : { $reason }
doctor-server = GitHub Enterprise Server
doctor-server-ok = { $version }
doctor-server-lacks = { $version }, qui ne connaît pas { $fields } : Collie s’en passe ; mettez le serveur à jour pour voir ce qui en dépend
doctor-rights = droits
doctor-rights-ok = { $repo } : il ne manque au jeton rien que GitHub dise d’avance
doctor-rights-lacking = { $repo } : il manque au jeton { $names } ; accordez-le dans les réglages du jeton sur GitHub
doctor-allowed = personnes autorisées
doctor-allowed-you = { $login } peut démarrer des boucles
doctor-allowed-nobody = personne ne peut démarrer de boucle : ajoutez un login à allowed_users dans { $file }
doctor-allowed-not-you = { $login } ne peut pas démarrer de boucle : ajoutez ce login à allowed_users dans { $file }
doctor-model = modèle de langage
doctor-model-none = aucun ; les règles et les agents relisent sans lui
doctor-model-ok = { $tables }{ $model } ({ $provider })
doctor-model-login = { $tables }{ $model } ({ $provider }), avec la connexion AWS de { $place }
doctor-model-key = { $tables }{ $model } ({ $provider }) : pas de clé ; saisissez-en une dans les réglages de l’application, ou définissez { $variables }
doctor-model-no-keychain = { $tables }{ $model } ({ $provider }) : pas de clé ; définissez { $variables }, ou nommez dans `key_command` un programme qui l’affiche : il n’y a pas de trousseau ici
doctor-model-variable = { $tables }{ $model } ({ $provider }) : pas de clé ; `key_variable` nomme { $variables }, qui n’est pas définie
doctor-agent = agent de code
doctor-agent-none = aucun ; les règles corrigent sans lui
doctor-agent-ok = { $agent } : { $login }, ACP { $protocol }
doctor-agent-resumes = { $agent } : { $login }, ACP { $protocol }, reprend les sessions précédentes
doctor-agent-login = connecté
doctor-agent-login-unknown = connexion indéterminée
doctor-agent-no-login = non connecté
doctor-sandbox = bac à sable
doctor-sandbox-ok = les commandes de vérification et les agents tournent dans bubblewrap, sans vos fichiers et sans autre réseau que les hôtes que vous avez nommés ; { $limits }
doctor-sandbox-untried = les commandes de vérification et les agents tournent dans Seatbelt, que personne n’a encore essayé avec Collie ; les agents ne se connectent que par des variables, et ce qui quitte son groupe de processus peut rester ; { $limits }
doctor-sandbox-cgroup = cgroup : utilisé
doctor-sandbox-rlimits = cgroup : non disponible, rlimits à la place
doctor-process = processus de Collie
doctor-process-ok = aucun secret dans son environnement, aucun fichier core, fermé aux autres programmes
doctor-process-memory = D’autres programmes de cet utilisateur peuvent lire sa mémoire.
doctor-process-core = Un plantage peut laisser un fichier core avec des secrets.
doctor-process-variables = Des secrets figurent dans son environnement : { $variables }.
doctor-data = dossier de données
doctor-data-ok = { $folder }
doctor-engine = moteur
doctor-engine-runs = tourne (processus { $pid })
doctor-engine-rests = ne tourne pas
doctor-config = configuration
doctor-config-none = { $file } n’existe pas ; les valeurs par défaut s’appliquent
doctor-config-ok = { $file }
doctor-quota = quota
doctor-quota-left = { $left } requêtes restantes sur { $limit } jusqu’à { $until }
doctor-journal = journal
doctor-journal-loops = { $count ->
    [one] 1 boucle
   *[other] { $count } boucles
}
doctor-audit = journal d’audit
doctor-audit-ok = { $count ->
    [0] encore vide
    [one] 1 ligne, telle qu’écrite
   *[other] { $count } lignes, telles qu’écrites
}
doctor-audit-unchained = { $count ->
    [one] 1 ligne antérieure vient d’une version plus ancienne et n’est pas chaînée
   *[other] { $count } lignes antérieures viennent d’une version plus ancienne et ne sont pas chaînées
}
doctor-audit-fault-edited = { $file }, ligne { $line } : différente de ce qui a été écrit.
doctor-audit-fault-gap = { $file }, ligne { $line } : ne suit pas la ligne précédente ; une ligne a été retirée, ajoutée ou déplacée.
doctor-audit-fault-unchained = { $file }, ligne { $line } : non chaînée, après des lignes qui le sont.
doctor-audit-fault-truncated = { $file } : la ligne { $line } était la dernière, et a disparu.
doctor-audit-more = { $count ->
    [one] 1 autre ligne est fausse.
   *[other] { $count } autres lignes sont fausses.
}
doctor-audit-unread = illisible : { $message }
doctor-memory = mémoire
doctor-memory-ok = { $count ->
    [0] rien encore
    [one] 1 dépôt
   *[other] { $count } dépôts
}
doctor-memory-broken = les revues s’en passent tant que ce n’est pas corrigé : { $message }.
doctor-memory-more = { $count ->
    [one] 1 autre fichier est illisible.
   *[other] { $count } autres fichiers sont illisibles.
}
