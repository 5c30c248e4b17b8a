# Ce que Collie trouve sur cette machine : `collie doctor`, et les réglages de l’application.

doctor-ok = OK
doctor-warning = Note
doctor-bad = Erreur
doctor-git = git
doctor-git-ok = { $version }
doctor-git-missing = Introuvable. Installez git 2.38 ou plus récent.
doctor-gh = gh
doctor-gh-accounts = { $version } ; comptes sur { $host } : { $accounts } ; choisissez-en un avec github_account
doctor-gh-active = { $login } (celui de gh)
doctor-gh-missing = Introuvable. Un jeton dans GITHUB_TOKEN convient aussi.
doctor-token = Jeton
doctor-token-missing = Aucun pour { $host }. Connectez-vous avec `gh auth login`, ou définissez GITHUB_TOKEN.
doctor-token-of = { $login } sur { $host }
doctor-token-refused = { $host } : { $reason }
doctor-server = GitHub Enterprise Server
doctor-server-ok = { $version }
doctor-server-lacks = { $version }, qui ne connaît pas { $fields } : Collie s’en passe ; mettez le serveur à jour pour voir ce qui en dépend
doctor-rights = Droits
doctor-rights-ok = { $repo } : toutes les permissions vérifiables sont là
doctor-rights-lacking = { $repo } : il manque au jeton { $names } ; accordez-le dans les réglages du jeton sur GitHub
doctor-allowed = Personnes autorisées
doctor-allowed-you = { $login } peut démarrer des boucles
doctor-allowed-nobody = Personne ne peut démarrer de boucle : ajoutez un login à allowed_users dans { $file }
doctor-allowed-not-you = { $login } ne peut pas démarrer de boucle : ajoutez ce login à allowed_users dans { $file }
doctor-model = Modèle de langage
doctor-model-none = Aucun. Les règles et les agents relisent sans lui.
doctor-model-ok = { $tables }{ $model } ({ $provider })
doctor-model-login = { $tables }{ $model } ({ $provider }), avec la connexion AWS de { $place }
doctor-model-key = { $tables }{ $model } ({ $provider }) : pas de clé ; saisissez-en une dans les réglages de l’application, ou définissez { $variables }
doctor-model-no-keychain = { $tables }{ $model } ({ $provider }) : pas de clé ; définissez { $variables }, ou nommez dans `key_command` un programme qui l’affiche : il n’y a pas de trousseau ici
doctor-model-variable = { $tables }{ $model } ({ $provider }) : pas de clé ; `key_variable` nomme { $variables }, qui n’est pas définie
doctor-agent = Agent de code
doctor-agent-none = Aucun. Les règles corrigent sans lui.
doctor-agent-ok = { $agent } : { $login }, ACP { $protocol }
doctor-agent-resumes = { $agent } : { $login }, ACP { $protocol }, reprend les sessions précédentes
doctor-agent-login = connecté
doctor-agent-login-unknown = connexion indéterminée
doctor-agent-no-login = non connecté
doctor-sandbox = Bac à sable
doctor-sandbox-ok = Les commandes de vérification et les agents tournent dans bubblewrap, sans vos fichiers et sans autre réseau que les hôtes que vous avez nommés. { $limits }
doctor-sandbox-untried = Les commandes de vérification et les agents tournent dans Seatbelt, que personne n’a encore essayé avec Collie. Les agents ne se connectent que par des variables, et ce qui quitte son groupe de processus peut rester. { $limits }
doctor-sandbox-cgroup = Un cgroup limite ce qu’ils utilisent.
doctor-sandbox-rlimits = Aucun cgroup ne limite ce qu’ils utilisent : des rlimits le font.
doctor-process = Processus de Collie
doctor-process-ok = Aucun secret dans son environnement, aucun fichier core, fermé aux autres programmes.
doctor-process-memory = D’autres programmes de cet utilisateur peuvent lire sa mémoire.
doctor-process-core = Un plantage peut laisser un fichier core avec des secrets.
doctor-process-variables = Des secrets figurent dans son environnement : { $variables }.
doctor-data = Dossier de données
doctor-data-ok = { $folder }
doctor-engine = Moteur
doctor-engine-runs = Tourne (processus { $pid })
doctor-engine-rests = Ne tourne pas
doctor-config = Configuration
doctor-config-none = { $file } n’existe pas ; les valeurs par défaut s’appliquent
doctor-config-ok = { $file }
doctor-quota = Quota
doctor-quota-left = { $left } requêtes restantes sur { $limit } jusqu’à { $until }
doctor-journal = Journal
doctor-journal-database = Les boucles de ce dossier sont montrées depuis PostgreSQL, qui n’est pas examiné ici.
doctor-journal-loops = { $count ->
    [one] 1 boucle
   *[other] { $shown } boucles
}
doctor-audit = Journal d’audit
doctor-audit-ok = { $count ->
    [0] Encore vide
    [one] 1 ligne, telle qu’écrite
   *[other] { $shown } lignes, telles qu’écrites
}
doctor-audit-unchained = { $count ->
    [one] 1 ligne antérieure vient d’une version plus ancienne et n’est pas chaînée
   *[other] { $shown } lignes antérieures viennent d’une version plus ancienne et ne sont pas chaînées
}
doctor-audit-fault-edited = { $file }, ligne { $line } : différente de ce qui a été écrit.
doctor-audit-fault-gap = { $file }, ligne { $line } : ne suit pas la ligne précédente ; une ligne a été retirée, ajoutée ou déplacée.
doctor-audit-fault-unchained = { $file }, ligne { $line } : non chaînée, après des lignes qui le sont.
doctor-audit-fault-truncated = { $file } : la ligne { $line } était la dernière, et a disparu.
doctor-audit-more = { $count ->
    [one] 1 autre ligne est fausse.
   *[other] { $shown } autres lignes sont fausses.
}
doctor-audit-unread = Illisible : { $message }
doctor-memory = Mémoire
doctor-memory-ok = { $count ->
    [0] Rien encore
    [one] 1 dépôt
   *[other] { $shown } dépôts
}
doctor-memory-broken = Les revues s’en passent tant que ce n’est pas corrigé : { $message }.
doctor-memory-more = { $count ->
    [one] 1 autre fichier est illisible.
   *[other] { $shown } autres fichiers sont illisibles.
}
