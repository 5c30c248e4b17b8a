# Réglages : ce qui ne va pas dans une configuration, et les libellés du formulaire.

settings-place-together = configuration
settings-place-line = { $place }, ligne { $line }
settings-problem = { $place } : { $wrong }

settings-shown-array = cette liste
settings-shown-table = cette table
settings-shown-datetime = cette date

settings-wrong-no-toml = ce n’est pas du TOML : { $reason }
settings-wrong-not-utf8 = ce n’est plus de l’UTF-8 après l’octet { $byte }
settings-wrong-unreadable = ne peut pas être lu : { $reason }
settings-wrong-unknown-key-near = clé inconnue ; vouliez-vous dire `{ $name }` ?
settings-wrong-unknown-key = clé inconnue ; les clés connues sont { $known }
settings-wrong-users-only = seul le config.toml de l’utilisateur peut le dire
settings-wrong-users-only-bots = seul le config.toml de l’utilisateur peut nommer des bots, car on se fie à ce qu’ils disent
settings-wrong-users-only-repositories = seul le config.toml de l’utilisateur peut lister des dépôts, car il dit où les boucles démarrent d’elles-mêmes
settings-wrong-users-only-desktop = seul le config.toml de l’utilisateur peut régler l’application
settings-wrong-users-only-models = seul le config.toml de l’utilisateur peut choisir les modèles et les agents, puisqu’ils tournent sur sa machine
settings-wrong-llm-incomplete = un modèle de langue demande à la fois `provider` et `model` : Collie ne choisit ni l’un ni l’autre
settings-wrong-llm-without-url = le fournisseur "compatible" demande une `url`, par exemple "http://127.0.0.1:8080/v1"
settings-wrong-agent-without-command = Collie ne connaît pas cet agent : il lui faut une `command`, par exemple ["my-agent", "--acp"]
settings-wrong-no-temperature = { $value } ne convient pas : un nombre de 0 à 2 est attendu, par exemple 0.2
settings-wrong-no-name = "{ $name }" n’est pas un nom : minuscules, chiffres et tirets sont attendus
settings-wrong-no-agent = "{ $name }" n’est pas un agent : déclarez-le par [agents.{ $name }] avec sa `command`
settings-wrong-no-agent-near = "{ $name }" n’est pas un agent ; vouliez-vous dire "{ $near }" ?
settings-wrong-no-reviewer-near = "{ $name }" n’est pas un relecteur ; vouliez-vous dire "{ $near }" ?
settings-wrong-no-table = une table est attendue : [{ $name }]
settings-wrong-no-tables = des tables sont attendues : [[{ $name }]]
settings-wrong-approval-off = Collie ne fusionne jamais ; une personne décide toujours, donc seul true est possible
settings-wrong-auto-merge = Collie ne fusionne jamais, donc seul false est possible
settings-wrong-no-address = { $value } n’est pas une adresse : par exemple "https://ghe.example.com/api/v3", sans identifiant dedans
settings-wrong-no-account = le numéro du compte du bot est attendu
settings-wrong-bot-incomplete = un bot a besoin d’un `id` et d’un `login`
settings-wrong-stage-size = { $count ->
    [one] { $count } relecteur ne convient pas : une étape en a de 1 à 5
   *[other] { $count } relecteurs ne conviennent pas : une étape en a de 1 à 5
}
settings-wrong-stage-empty = une étape a besoin de `reviewers`
settings-wrong-reviewer-twice = un relecteur figure deux fois dans une étape
settings-wrong-no-reviewer = "{ $name }" n’est pas un relecteur : "rules", une persona en minuscules, ou "@" et le nom d’une personne sont attendus
settings-wrong-no-time = { $value } n’est pas une durée : par exemple "30m", "45s" ou "500ms"
settings-wrong-out-of-range = { $value } ne convient pas : un nombre entier de { $least } à { $most } est attendu
settings-wrong-no-share = { $value } ne convient pas : un nombre de 0 à 1 est attendu, par exemple 0.7
settings-wrong-no-share-text = { $value } ne convient pas : un nombre de 0 à 1 est attendu
settings-wrong-no-truth = { $value } ne convient pas : true ou false est attendu
settings-wrong-no-text = { $value } ne convient pas : un texte est attendu
settings-wrong-no-texts = { $value } ne convient pas : une liste de textes est attendue, par exemple ["a", "b"]
settings-wrong-no-login = "{ $name }" n’est pas un identifiant GitHub
settings-wrong-no-choice = { $value } ne convient pas : l’un de { $choices } est attendu
settings-wrong-no-choice-near = { $value } ne convient pas : l’un de { $choices } est attendu ; vouliez-vous dire "{ $near }" ?
settings-wrong-no-language = { $value } ne convient pas : en ou fr est attendu
settings-wrong-unknown-bot = "{ $name }" n’est pas un bot connu ; ajoutez-le sous [[bots]] avec le numéro de son compte
settings-wrong-unknown-bot-near = "{ $name }" n’est pas un bot connu ; vouliez-vous dire "{ $near }" ?
settings-wrong-poll-too-fast = github.com est lu au plus toutes les 15 s : mettez "15s" ou plus
settings-wrong-no-repository = "{ $name }" n’est pas un dépôt : par exemple "owner/repo"
settings-wrong-repository-unnamed = un dépôt a besoin d’un `name`
settings-wrong-repository-twice = { $name } figure deux fois
settings-wrong-held-by-environment = { $name } est définie dans l’environnement et décide ; retirez-la de là pour changer ceci ici
settings-wrong-no-value = { $value } n’a pas de place ici
