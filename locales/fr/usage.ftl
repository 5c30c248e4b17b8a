# Help of the `collie` command. Keys are `usage-COMMAND-about` and `usage-COMMAND-arg-ARGUMENT`.

usage-template =
    { "{" }about-with-newline{ "}" }
    Utilisation : { "{" }usage{ "}" }

    { "{" }all-args{ "}" }
usage-commands = Commandes
usage-values = [valeurs : { $values }]
usage-default = [par défaut : { $values }]

usage-arg-json = Imprime un objet JSON par ligne et rien d’autre
usage-arg-home = Le dossier de données ; sinon COLLIE_HOME, sinon l’endroit que ce système prévoit
usage-arg-lang = La langue de ce qui est imprimé ; sinon celle de la configuration, sinon LANG
usage-arg-help = Imprime l’aide
usage-arg-version = Imprime la version

usage-about = Mène des pull requests de l’ouverture jusqu’à être prêtes à fusionner, et laisse la fusion à une personne
usage-help-about = Imprime l’aide d’une commande
usage-help-arg-subcommand = La commande
usage-demo-about = Fait tourner la boucle sur des dépôts d’exemple dans une forge locale : sans compte, sans clé, sans réseau
usage-demo-arg-scenario = Seulement ce scénario ; sans cela, tous côte à côte. Peut être répété
usage-demo-arg-root = Où se trouvent la forge et le dossier de données ; sans cela, un dossier temporaire
usage-watch-about = Fait tourner des boucles dans ce terminal
usage-watch-arg-targets = OWNER/REPO#N, ou OWNER/REPO pour toutes ses pull requests ouvertes qui ne sont pas des brouillons
usage-watch-arg-until_settled = S’arrête quand chaque boucle est terminée, prête, ou attend ce que seule une personne peut faire
usage-start-about = Demande au moteur en marche de démarrer une boucle ; la demande est mise en file s’il n’y en a pas
usage-start-arg-pull = OWNER/REPO#N
usage-cancel-about = Demande au moteur en marche d’annuler une exécution
usage-cancel-arg-pull = OWNER/REPO#N
usage-retry-about = Demande au moteur en marche de démarrer une nouvelle exécution
usage-retry-arg-pull = OWNER/REPO#N
usage-resume-about = Demande au moteur en marche de reprendre une boucle après `needs_human`, avec ce qui est connu
usage-resume-arg-pull = OWNER/REPO#N
usage-trust-about = Montrer les commandes de vérification d’un dépôt, et retenir qu’elles peuvent s’exécuter
usage-trust-arg-repo = OWNER/REPO
usage-trust-arg-yes = Faire confiance aux commandes telles qu’elles sont, sans demander
usage-trust-arg-skip = Continuer sans les commandes du dépôt ; la preuve les nomme
usage-trust-arg-revoke = Redemander avant de vérifier une correction
usage-allow-about = Laisser Collie corriger les pull requests d’un auteur sans droit d’écriture, ou une seule pull request
usage-allow-arg-target = OWNER/REPO#N pour une seule pull request ; OWNER/REPO avec --author
usage-allow-arg-author = Toutes les pull requests de cet auteur dans le dépôt
usage-allow-arg-revoke = Revenir sur cette décision
usage-seen-about = Montrer ce qu’aucun relecteur n’a vu, et dire que vous l’avez regardé
usage-seen-arg-pull = OWNER/REPO#N
usage-seen-arg-yes = Dire que vous avez regardé les fichiers, sans question
usage-status-about = Montre où en sont les boucles et ce qu’elles attendent
usage-status-arg-pull = Seulement celle-ci ; sans cela, toutes
usage-log-about = Montre le journal d’une boucle comme une chronologie
usage-log-arg-pull = OWNER/REPO#N
usage-review-about = Relit une pull request une fois et publie la revue : ni boucle, ni correction
usage-review-arg-numbers = Le numéro de la pull request, ou plusieurs : elles sont relues l’une après l’autre
usage-review-arg-repo = Leur dépôt
usage-review-arg-llm_provider = Le fournisseur du modèle de langage ; sinon LLM_PROVIDER, sinon celui de la configuration
usage-review-arg-model = Le nom que le fournisseur donne au modèle ; sinon LLM_MODEL, sinon celui de la configuration
usage-review-arg-llm_url = Où le fournisseur répond, si ce n’est pas à sa propre adresse ; sinon LLM_API_URL, sinon celle de la configuration
usage-review-arg-temperature = La température, de 0 à 2
usage-review-arg-max_tokens = La plus longue réponse du modèle, en jetons
usage-review-arg-dry_run = Imprime ce qui serait publié, et n’écrit rien sur GitHub
usage-review-arg-fail_on = Termine avec le code 3 si un constat de cette priorité ou d’une plus grave compte
usage-review-arg-format = Comment la revue s’affiche : un résumé, le rapport entier en Markdown, ou comme avec --json
usage-rules-about = Les règles intégrées : les lister, tester les vôtres, voir où elles se déclencheraient
usage-rules-list-about = Lister les règles, avec celles du dépôt de ce dossier
usage-rules-test-about = Vérifier les cas des règles, rangés dans `rule-tests` à côté du dossier des règles
usage-rules-test-arg-paths = Des fichiers de règles, ou des dossiers de tels fichiers
usage-rules-try-about = Montrer où les règles se déclencheraient dans des fichiers, comme si chacun était nouveau
usage-rules-try-arg-paths = Des fichiers, ou des dossiers avec tout ce que git n’y ignore pas
usage-rules-try-arg-rule = Cette règle seulement. Peut être répété
usage-rules-try-arg-rules = Un fichier de règles, ou un dossier de tels fichiers, à essayer en plus des règles fournies ; sinon celles du dépôt
usage-doctor-about = Vérifie git, gh, le jeton, le bac à sable, le quota et le dossier de données
usage-doctor-arg-rebuild = Reconstruit le journal à partir des points de reprise, quand il a été perdu ou endommagé
usage-forge-about = Un remplaçant local de GitHub
usage-forge-serve-about = Sert une forge jusqu’à interruption ; imprime une ligne JSON dès qu’elle écoute
usage-forge-serve-arg-root = Le dossier qui contient tout
usage-forge-serve-arg-listen = Une adresse de bouclage ; le port 0 en prend un libre
usage-forge-import-about = Importe un dépôt git avec toutes ses branches
usage-forge-import-arg-root = Le dossier qui contient tout
usage-forge-import-arg-repo = Son nom sur la forge
usage-forge-import-arg-git = Le dépôt à importer ; il est seulement lu
usage-forge-open-pr-about = Ouvre une pull request entre deux branches ou commits
usage-forge-open-pr-arg-root = Le dossier qui contient tout
usage-forge-open-pr-arg-repo = Le dépôt
usage-forge-open-pr-arg-base = La branche de destination, ou un commit dont en faire une
usage-forge-open-pr-arg-head = La branche d’origine, ou un commit dont en faire une
usage-forge-open-pr-arg-title = Son titre
usage-forge-open-pr-arg-author = Qui l’ouvre ; sans cela, le propriétaire du dépôt
usage-completions-about = Imprime les complétions d’un shell
usage-completions-arg-shell = Le shell
