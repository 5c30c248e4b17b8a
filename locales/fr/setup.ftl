# Connexion, premiers pas, démo et réglages de l’application de bureau.

# Le premier écran.
welcome-title = Bienvenue dans Collie
welcome-text = Collie mène les pull requests de leur ouverture jusqu’à être prêtes à fusionner. La fusion reste votre décision.
welcome-step = Étape { $step } sur { $steps }
welcome-language = Langue

signin-found = Continuer en tant que @{ $login }
signin-found-gh = Connecté avec gh sur cette machine.
signin-found-environment = D’après GITHUB_TOKEN, défini là où Collie a été lancé.
signin-found-keychain = Conservé dans le trousseau du système.
signin-found-unknown = Continuer avec le jeton trouvé
signin-found-none = Continuer avec gh
signin-gh-missing = gh, la ligne de commande de GitHub, n’est pas installé, et GITHUB_TOKEN n’est pas défini.
signin-gh-out = gh n’est pas connecté. Lancez gh auth login dans un terminal, puis vérifiez à nouveau.
signin-look-again = Vérifier à nouveau
signin-continue = Continuer

signin-token = Se connecter avec un jeton
signin-token-text = Saisissez ou collez un jeton d’accès personnel.
signin-token-enter = Saisir un jeton
signin-token-label = Jeton
signin-token-show = Afficher le jeton
signin-token-hide = Masquer le jeton
signin-token-empty = Saisissez un jeton.
signin-token-scopes = Un jeton classique doit avoir le droit repo. Un jeton à granularité fine : Contents, Issues et Pull requests (lecture et écriture), Actions et Commit statuses (lecture).
signin-token-new = En créer un sur GitHub
signin-token-keychain = Il est conservé dans le trousseau du système.
signin-token-memory = Il n’y a pas de trousseau ici : Collie oublie le jeton à sa fermeture.
signin-enterprise = GitHub Enterprise
signin-address-label = Adresse de l’API
signin-address-help = Par exemple https://ghe.example.com/api/v3. Laissez vide pour github.com.
signin-submit = Se connecter

signin-demo = Essayer la démo
signin-demo-text = Sept pull requests d’exemple sur une forge locale, traitées par le vrai moteur. Rien ne quitte cette machine.
signin-demo-open = Ouvrir
signin-demo-busy = Préparation des dépôts d’exemple…

# Qui peut démarrer des boucles.
allow-title = Autoriser @{ $login } à démarrer des boucles ?
allow-text = Collie ne travaille que pour les personnes de sa liste, afin que personne d’autre ne puisse le faire pousser en votre nom. @{ $login } n’y est pas encore.
allow-button = Autoriser @{ $login }
allow-later = Plus tard
allow-banner-title = @{ $login } ne peut pas encore démarrer de boucle
allow-banner-text = Ajoutez ce compte aux personnes autorisées.

scopes-title = Il manque au jeton : { $scopes }
scopes-text = Collie ne peut ni publier ni pousser avec lui. Créez un jeton qui a ce droit, puis reconnectez-vous.
scopes-new = Créer un jeton

# Un modèle de langage, dans les premières minutes.
model-step-none = Aucun pour le moment
model-step-address = Celle du fournisseur

# Ce qu’il faut savoir avant que quoi que ce soit démarre.
first-title = Avant que quoi que ce soit démarre
first-text = Ce que Collie peut faire, ce qu’il ne fait jamais, et ce que cela coûte. Rien n’a encore démarré.
first-may = Collie peut
first-may-read = lire les dépôts que vous choisissez : pull requests, vérifications, revues
first-may-post = commenter et répondre dans les fils au nom de @{ $login }, sauf dans un dépôt seulement observé
first-may-push = pousser des commits sur la branche d’une pull request, dans les fichiers qu’elle modifie déjà : de lui-même ou avec votre accord, selon votre choix plus bas
first-may-run = transmettre du code d’une pull request aux modèles et agents que vous configurez
first-never = Collie ne fait jamais ceci
first-never-merge = fusionner : c’est vous qui fusionnez, dans cette fenêtre
first-never-force = forcer un push, ou pousser sur une branche par défaut ou protégée
first-never-weaken = supprimer un test, assouplir une vérification ou modifier un workflow
first-never-token = donner votre jeton à un modèle, à un agent ou au code d’une pull request
first-found = Modèles et agents sur cette machine
first-found-without = Sans eux, les règles intégrées relisent et corrigent ce qu’elles connaissent : ni clé, ni réseau, ni coût.
first-model-missing = Nommez le modèle, ou choisissez aucun pour le moment.
first-cost = Ce que cela coûte
first-cost-review = Revue
first-cost-tokens = Jetons lus
first-cost-money = Coût
first-cost-first = La première d’une pull request
first-cost-next = Celle d’après une correction
first-cost-range = de { $least } à { $most }
first-cost-answer = Chaque tranche de { $tokens } tokens de réponse coûte { $cost } de plus.
first-cost-basis = La moitié centrale de 21 pull requests publiques mesurées. Les grosses modifications sont lues en plusieurs parties et coûtent plus. Les agents consomment ce qu’ils consomment, et le disent après. Les règles ne coûtent rien.
first-budget-day = Budget par jour, en dollars
first-budget-day-help = Une fois épuisé, les boucles attendent minuit. Vide : pas de limite.
first-budget-pull = Une pull request peut dépenser { $limit } ; ensuite sa boucle vous attend.
first-budget-pull-none = Une pull request n’a pas de limite propre ; les réglages ont le champ.
first-level = Jusqu’où Collie va de lui-même dans les dépôts que vous ajoutez
first-level-observe = GitHub ne voit rien ; modèles et agents coûtent autant.
first-level-ask = GitHub voit des commentaires de @{ $login }, et les pushs que vous avez approuvés ; chaque tour coûte une revue de plus.
first-level-push = GitHub voit commentaires et pushs de @{ $login } ; les tours continuent, et coûtent, sans vous.
first-save = Continuer avec { $level }
first-skip = Passer
first-skip-text = Passer n’enregistre rien de cette page : les nouveaux dépôts sont seulement observés, aucun modèle n’est ajouté. Tout se trouve dans les réglages.

# Quels dépôts.
choose-title = Choisir des dépôts
choose-text = Ils apparaissent dans la barre latérale. Collie ne touche à rien tant que vous ne démarrez pas de boucle ou n’activez pas Auto-PR-Review.
choose-search = Rechercher des dépôts
choose-search-example = Recherchez, ou saisissez OWNER/REPO
choose-list = Dépôts
choose-private = privé
choose-pulls = { $count ->
    [one] { $count } pull request ouverte
   *[other] { $count } pull requests ouvertes
}
choose-chosen = ajouté
choose-by-name = Ajouter { $name } par son nom
choose-none = Ce compte ne peut pousser dans aucun dépôt.
choose-none-text = Saisissez OWNER/REPO pour en ajouter un par son nom.
choose-no-match = Aucun dépôt ne correspond à « { $words } ».
choose-no-match-text = Pour ajouter un dépôt absent de la liste, saisissez son nom complet, OWNER/REPO.
choose-add = { $count ->
    [0] Ajouter
    [one] Ajouter { $count } dépôt
   *[other] Ajouter { $count } dépôts
}
choose-selected = { $count ->
    [0] Aucun sélectionné
    [one] { $count } sélectionné
   *[other] { $count } sélectionnés
}
choose-skip = Passer

# La démo. Les titres sont ceux de l’écran ; les récits disent quoi observer.
demo-heading = Sept pull requests à observer
demo-text = Chacune montre une façon dont une boucle peut se dérouler, sur une forge qui tourne sur cette machine.
demo-start = Démarrer
demo-start-one = Démarrer { $title }
demo-start-all = Tout démarrer
demo-again = Rejouer
demo-again-one = Rejouer : { $title }
demo-started = Démarrée
demo-watch-one = Suivre { $title }
demo-to-list = Voir les pull requests
scenario-clean = Rien à signaler
scenario-clean-story = Les vérifications passent et les règles ne trouvent rien : prête après un tour, avec un seul commentaire, qui dit qu’aucun motif n’a été reconnu et que personne n’a lu les modifications.
scenario-fix-loop = Trouvé, corrigé, prêt
scenario-fix-loop-story = Les règles signalent des constats et une vérification est rouge. Regardez le push partir et les constats se fermer un à un.
scenario-ci-red = Un test qu’aucune règle ne répare
scenario-ci-red-story = Un test échoue pour une raison que seul son auteur connaît. Collie s’arrête et dit ce qu’une personne doit faire.
scenario-stuck = Corrigé, puis revenu
scenario-stuck-story = Le générateur de l’auteur défait la correction. Collie remarque que le constat est revenu et ne le corrige pas deux fois.
scenario-human = Une personne demande des modifications
scenario-human-story = @ana a demandé des modifications. Collie les fait, répond dans son fil, lui demande une fois une nouvelle revue, et attend.
scenario-moved-head = Le commit de tête change
scenario-moved-head-story = L’auteur fait un push forcé en pleine revue. Collie écarte ce qu’il avait vu et repart du nouveau commit de tête.
scenario-three-rounds = Trois tours
scenario-three-rounds-story = Un bot, les règles et un modèle scripté trouvent chacun quelque chose. Suivez trois pushs, une question à l’auteur, un constat écarté, et ce que cela coûte.

# Quitter le compte ou la démo, ou retirer un dépôt : demandé à plusieurs endroits.
account-sign-in-again = Se reconnecter
sign-out = Se déconnecter…
sign-out-title = Déconnecter @{ $login } ?
sign-out-title-unknown = Se déconnecter ?
sign-out-text = Les boucles se mettent en pause et reprennent à la prochaine connexion.
sign-out-text-keychain = Les boucles se mettent en pause et reprennent à la prochaine connexion. Le jeton est retiré du trousseau.
sign-out-text-server = Les boucles continuent : le serveur travaille avec son propre compte.
sign-out-everywhere = Sur chaque navigateur où je suis connecté
sign-out-confirm = Se déconnecter
demo-leave = Quitter la démo…
demo-leave-title = Quitter la démo ?
demo-leave-text = Ses boucles s’arrêtent, et vous pouvez vous connecter à GitHub. Ses données sont conservées, sauf si vous les effacez.
demo-leave-forget = Effacer les données de la démo
demo-leave-confirm = Quitter
remove-repository-title = Retirer { $repo } de la barre latérale ?
remove-repository-text = Auto-PR-Review n’y démarre plus rien, et ses filtres sont perdus. Les boucles en cours continuent. Rien ne change sur GitHub.
remove-repository-confirm = Retirer

# Les réglages : cadre.
settings-title = Réglages
settings-close = Fermer les réglages
settings-pages = Pages des réglages
settings-page-general = Général
settings-page-accounts = Compte
settings-page-repositories = Dépôts
settings-page-panel = Panel
settings-page-models = Modèles et agents
settings-page-limits = Limites
settings-page-rules = Règles
settings-page-bots = Bots et vérifications
settings-page-memory = Mémoire
settings-page-machine = Cette machine
settings-page-general-text = L’apparence et la langue, et ce qui se passe fenêtre fermée.
settings-page-accounts-text = Qui est connecté, et qui peut démarrer des boucles.
settings-page-repositories-text = Ce que montre la barre latérale, et les pull requests que démarre Auto-PR-Review.
settings-page-panel-text = Qui relit, dans quel ordre, et combien est publié dans le code.
settings-page-models-text = Ce qui relit et corrige en plus des règles : un modèle de langage, des agents de code.
settings-page-limits-text = Ce que modèles et agents peuvent dépenser, combien de temps Collie attend, à quelle fréquence il lit GitHub, et quand il renonce.
settings-page-rules-text = Ce que toute correction doit passer avant d’être poussée.
settings-page-bots-text = Quelles revues comptent, et quelles vérifications ne comptent pas.
settings-page-memory-text = Ce que des personnes ont fait des constats précédents : les revues suivantes le savent, et ce qui a été écarté deux fois n’est plus soulevé.
settings-page-machine-text = Ce dont Collie a besoin sur cette machine, et s’il l’y trouve.
settings-open-file = Ouvrir le fichier
settings-changes = { $count ->
    [one] { $count } modification non enregistrée
   *[other] { $count } modifications non enregistrées
}
settings-changed = Modifié
settings-page-changed = { $page }, modifiée
settings-page-problem = { $page }, a un problème
settings-save = Enregistrer
settings-discard = Abandonner
settings-saved = Réglages enregistrés
settings-cannot-save = { $count ->
    [one] { $count } réglage est à corriger avant d’enregistrer
   *[other] { $count } réglages sont à corriger avant d’enregistrer
}
settings-go-to-problem = Afficher
settings-leave-title = Quitter sans enregistrer ?
settings-leave-text = { $count ->
    [one] { $count } modification n’est pas enregistrée.
   *[other] { $count } modifications ne sont pas enregistrées.
}
settings-leave-discard = Abandonner et quitter
settings-file-problems = { $file } contient des erreurs. Tant qu’elles ne sont pas corrigées, les dernières valeurs valides s’appliquent.
settings-file-take-out = Les retirer
settings-file-problem-line = Ligne { $line }
settings-default = Par défaut : { $value }
settings-default-none = rien
settings-from-demo = Réglé pour la démo.
settings-reset = Rétablir la valeur par défaut
settings-reset-one = Rétablir la valeur par défaut : { $label }
settings-from-environment = Fixé par { $variable } dans l’environnement. Changez-le là-bas, puis relancez Collie.
settings-changed-outside = Changé ailleurs en { $value } pendant votre saisie.
settings-take-outside = Utiliser cette valeur
settings-on = oui
settings-off = non
settings-none = Aucun

# Listes de mots.
entries-add = Ajouter
entries-add-to = Ajouter à { $label }
entries-remove = Retirer { $item }
entries-empty = Aucun

# Les réglages : compte.
settings-account-signed-in = Connecté en tant que
settings-account-unknown = pas encore connu : GitHub n’a pas répondu
settings-account-host = Hôte
settings-account-source = Jeton
settings-account-source-gh = de gh
settings-account-source-environment = de GITHUB_TOKEN
settings-account-source-keychain = conservé dans le trousseau du système
settings-account-source-memory = saisi, oublié à la fermeture de Collie
settings-account-source-demo = celui de la démo
settings-account-rights = Droits
settings-account-rights-ok = tous ceux qu’il faut à Collie
settings-account-rights-missing = il manque { $scopes }
settings-account-allowed = Boucles
settings-account-allowed-yes = peut en démarrer
settings-account-allowed-no = ne peut pas encore en démarrer
settings-account-none = Personne n’est connecté.

# Les réglages : dépôts.
settings-repository-add = Ajouter des dépôts…
settings-repository-remove = Retirer { $name }
settings-repository-toggle = Auto-PR-Review pour { $name }
settings-repository-toggle-label = Auto-PR-Review
settings-repository-filters-none = toute pull request ouverte
settings-repository-authors = Auteurs
settings-repository-authors-help = Seulement leurs pull requests. Celles de tous si vide.
settings-repository-labels = Labels
settings-repository-labels-help = Seulement avec l’un de ces labels. N’importe lesquels si vide.
settings-repository-base_branches = Branches de base
settings-repository-base_branches-help = Seulement vers l’une de ces branches. N’importe laquelle si vide.
settings-repository-read_from = Lire les tickets de
settings-repository-read_from-help = Dépôts non publics dont ses pull requests peuvent citer les tickets, par exemple acme/plans. Les dépôts publics sont lus de toute façon.
settings-repository-unsandboxed = Exécuter sans bac à sable
settings-repository-unsandboxed-help = Pour les pull requests de ceux qui peuvent y écrire, là où aucun bac à sable n’est possible. Celles des autres y restent.
settings-unsandboxed-title = Exécuter en votre nom ce qu’apportent les pull requests de { $name } ?
settings-unsandboxed-text = Les agents et les commandes de vérification voient alors vos fichiers, vos identifiants et le réseau, et peuvent laisser des programmes derrière eux. Une pull request peut changer ce qu’ils exécutent.
settings-unsandboxed-confirm = Exécuter sans bac à sable
settings-repository-empty = Aucun dépôt pour l’instant
settings-repository-empty-text = Ajoutez-en un pour voir ses pull requests dans la barre latérale.

# Les réglages : panel.
settings-panel-stage = Étape { $number }
settings-panel-rules = Règles
settings-panel-rules-text = intégrées, sans clé ni réseau
settings-panel-human-text = Collie attend sa revue sur GitHub
settings-panel-add-stage = Ajouter une étape
settings-panel-add-reviewer-to = Ajouter un relecteur à l’étape { $number }
settings-panel-add-rules = Ajouter les règles
settings-panel-add-person = Ajouter la personne
settings-panel-add-persona = Ajouter une persona
settings-panel-add-persona-to = Ajouter une persona à l’étape { $number }
settings-panel-runs-on-nothing = rien pour la faire tourner
settings-panel-asks = peut faire appel à { $names }
settings-panel-asks-none = ne fait appel à personne
settings-panel-asks-of = { $name } peut faire appel à { $names }
settings-panel-asks-none-of = { $name } ne fait appel à personne
settings-panel-personas-wrong = Personas illisibles
settings-panel-login-example = Login, par exemple ana
settings-panel-remove-stage = Retirer l’étape { $number }
settings-panel-stage-up = Monter l’étape { $number }
settings-panel-stage-down = Descendre l’étape { $number }
settings-panel-remove-reviewer = Retirer { $name } de l’étape { $number }
settings-panel-reviewer-up = Monter { $name }
settings-panel-reviewer-down = Descendre { $name }
settings-panel-keys = Alt et une flèche déplacent l’élément qui a le focus, Suppr le retire.
settings-panel-full = Une étape a 5 relecteurs au plus.
settings-panel-twice = { $name } est déjà dans cette étape.
settings-panel-empty-stage = Il faut un relecteur à une étape.
settings-panel-moved = { $name } est maintenant en position { $place } sur { $places }
settings-panel-removed = { $name } retiré

# Les réglages : modèles et agents. Un « runner » est ce sur quoi tourne un relecteur ou un correcteur.
settings-models-found = Trouvés par leurs commandes ACP dans le PATH : claude-agent-acp, codex-acp, gemini, opencode, goose.
models-key = Clé
models-key-keychain = Dans le trousseau du système
models-key-variable = Dans la variable d’environnement { $name }
models-key-command = Affichée par { $name } au début de chaque revue
models-key-file = Dans { $name }
models-key-missing = Pas de clé
models-key-unneeded = Pas de clé ; pas nécessaire ici
models-key-shadowed = Le trousseau en a une aussi. Elle ne sert pas tant que { $name } est définie.
models-key-variable-unset = Les réglages nomment { $variables }, qui n’est pas définie là où Collie a été lancé. Videz « Variable de la clé » pour saisir une clé ici.
models-key-variables = Cherchée dans { $variables }.
models-key-field = Nouvelle clé
models-key-placeholder = Collez la clé
models-key-save = Enregistrer la clé
models-key-replace = Remplacer
models-key-remove = Retirer
models-key-cancel = Annuler
models-key-empty = Collez d’abord une clé.
models-key-saved = La clé est dans le trousseau.
models-key-removed = La clé n’est plus dans le trousseau.
models-key-help = Va dans le trousseau du système pour { $provider }, et nulle part ailleurs. Elle n’est plus jamais montrée.
models-key-help-host = Va dans le trousseau du système pour { $host }, et nulle part ailleurs. Elle n’est plus jamais montrée.
models-name-loading = Chargement de la liste des modèles…
models-name-listed = { $count ->
    [one] { $count } modèle proposé là
   *[other] { $count } modèles proposés là
}
models-name-none = Le service ne liste aucun modèle. Le nom peut être saisi.
models-name-unlisted = Ne fait pas partie des { $count } modèles proposés là
models-name-unlistable = Pas de liste, mais le nom peut être saisi : { $reason }
models-name-context = { $tokens } tokens
models-test = Tester
models-test-help = Pose une toute petite question, pour de vrai, avec ce qui est choisi ici.
models-review-takes = Ce qu’une revue demande au modèle de chaque persona : { $first } tokens la première fois et { $again } après une correction, médiane mesurée sur { $pulls } pull requests publiques. Les réponses s’y ajoutent.
models-test-running = En attente de la réponse…
models-test-result = { $model } a répondu en { $ms } ms · { $input } tokens lus, { $output } écrits · { $cost }
models-test-answered-as = en tant que { $name }
models-same-as = Identique : { $value }
models-fallback-nobody = Personne
models-usual = Habituel
models-field-of = { $field } de { $name }
models-spare-name = Nom d’un autre modèle
models-spare-example = Nom, par exemple secours
models-spare-add = Ajouter le modèle
models-spare-incomplete = choisissez fournisseur et modèle
settings-header-name = Nom d’un champ HTTP
settings-header-name-example = X-Team
settings-header-value-example = revues
settings-header-variable-example = GATEWAY_SECRET
settings-header-origin = Ce qui est donné
settings-header-origin-of = Ce qui est donné pour { $name }
settings-header-value = Valeur
settings-header-variable = Variable
settings-header-new-value = Valeur, ou nom de la variable
settings-header-value-of = Valeur de { $name }
settings-header-add = Ajouter le champ HTTP
settings-header-twice = { $name } est déjà dans la liste.
settings-persona-more = Plus
settings-persona-more-of = Plus : options du modèle de { $name }
settings-persona-more-of-set = Plus : options du modèle de { $name }, qui a les siennes
settings-persona-more-of-agent = Plus : effort de { $name }
settings-persona-more-of-agent-set = Plus : effort de { $name }, qui a le sien
settings-author-login = Auteur
settings-author-login-example = Login de l’auteur
settings-author-agent = Corrigé par
settings-author-runs-on = Qui corrige ce qu’ouvre @{ $login }
settings-author-twice = @{ $login } est déjà dans la liste.
settings-persona-runs-on = Sur quoi tourne { $name }
settings-persona-usual = Par défaut
settings-persona-model = Autre modèle pour { $name }
settings-persona-model-same = Même modèle
settings-agent-name = Nom de l’agent
settings-agent-name-example = Nom, par exemple mon-agent
settings-agent-name-wrong = Minuscules, chiffres et tirets seulement.
settings-agent-add = Ajouter l’agent
settings-agent-twice = { $name } est déjà dans la liste.
settings-agent-command = Commande
settings-agent-command-known = Celle que Collie connaît
settings-agent-command-example = mon-agent --acp
settings-agent-env = Variables
settings-agent-env-of = Variables de { $name }
settings-agent-hosts = Hôtes
settings-agent-hosts-of = Hôtes que { $name } atteint en plus de ceux de son éditeur
settings-agent-readable = Peut lire
settings-agent-readable-of = Fichiers et dossiers que { $name } peut lire
settings-agent-state = Conserve
settings-agent-state-of = Dossiers de son répertoire personnel que { $name } conserve
settings-agent-own-choice = Son propre choix
settings-agent-model-of = Modèle de l’agent { $name }
settings-agent-effort-of = Effort de l’agent { $name }
settings-mcp-name = Nom du serveur
settings-mcp-name-example = Nom, par exemple docs
settings-mcp-add = Ajouter le serveur
settings-mcp-kind = Type
settings-mcp-kind-of = Type de { $name }
settings-mcp-kind-command = Programme
settings-mcp-kind-url = Adresse
settings-mcp-command-of = Commande de { $name }
settings-mcp-command-example = serveur-docs --stdio
settings-mcp-url = Adresse
settings-mcp-url-example = https://mcp.example.com
settings-mcp-url-of = Adresse de { $name }
settings-mcp-transport = Transport
settings-mcp-transport-of = Transport de { $name }
settings-mcp-headers = Champs HTTP
settings-mcp-headers-of = Champs HTTP de { $name }
settings-mcp-used_by = Utilisé par
settings-mcp-used_by-of = Agents qui utilisent { $name }
settings-mcp-env-of = Variables que { $name } reçoit
settings-mcp-hosts-of = Hôtes que { $name } atteint
settings-mcp-readable-of = Fichiers et dossiers que le serveur { $name } peut lire
persona-priya = produit : but, utilisateurs, cohérence
persona-quinn = qualité : code, tests, maintenabilité
persona-sam = sécurité : failles, accès, données
runner-rules = Règles intégrées
runner-llm = Modèle de langage
runner-claude-code = Claude Code
runner-codex = Codex
runner-gemini = Gemini CLI
runner-opencode = OpenCode
runner-goose = Goose

# Les réglages : bots.
settings-bot-login = Login
settings-bot-id = Numéro de compte
settings-bot-id-help = L’id que renvoie api.github.com/users/LOGIN%5Bbot%5D. N’importe qui peut prendre un login ; le numéro, non.
settings-bot-origin = Origine
settings-bot-shipped = intégré
settings-bot-own = ajouté par vous
settings-bot-add = Ajouter un bot
settings-bot-remove = Retirer { $login }
settings-bot-id-wrong = Saisissez un nombre entier supérieur à 0.
settings-bot-login-wrong = Saisissez le login du bot.
settings-bot-known = Un bot de ce numéro est déjà dans la liste.

# Les réglages : cette machine.
memory-repository = Dépôt
memory-no-repository = La barre latérale ne montre encore aucun dépôt.
memory-empty = Rien encore. Ce que des personnes écartent avec une raison dans les fils de Collie, et ce qu’elles fusionnent corrigé, est retenu.
memory-file = Vous pouvez aussi modifier le fichier { $file }
memory-dismissed = Écarté :
memory-accepted = Accepté :
memory-until = jusqu’au { $day }
memory-for-ever = sans limite
memory-forget = Oublier « { $title } »
settings-machine-look-again = Vérifier à nouveau
settings-machine-ok = OK
settings-machine-warning = fonctionne, avec des limites
settings-machine-bad = empêche Collie de travailler
settings-machine-data = Données dans { $folder }
settings-machine-logs = Ouvrir les journaux

# Chaque réglage : son nom, et ce qu’il fait. Les durées s’écrivent 30m, 45s, 500ms ou 1h 30m.
setting-language = Langue
setting-language-help = De l’application, des notifications et de ce que Collie écrit sur GitHub. Prend effet immédiatement.
setting-language-en = English
setting-language-fr = Français
setting-desktop-theme = Thème
setting-desktop-theme-help = Prend effet immédiatement.
setting-desktop-theme-system = Système
setting-desktop-theme-light = Clair
setting-desktop-theme-dark = Sombre
setting-desktop-notifications = Notifications
setting-desktop-notifications-help = Quand une pull request est prête, a besoin de vous ou a échoué.
setting-desktop-keep_running = Continuer dans la zone de notification
setting-desktop-keep_running-help = Les boucles continuent quand vous fermez la fenêtre. Sinon, la fermer quitte Collie ; elles reprennent au prochain lancement.
setting-desktop-new_repositories = Niveau des nouveaux dépôts
setting-desktop-new_repositories-help = Jusqu’où Collie va de lui-même dans un dépôt que vous ajoutez ; chacun a son propre réglage.
setting-desktop-new_repositories-observe = Observer
setting-desktop-new_repositories-ask = Demander
setting-desktop-new_repositories-push = Pousser
setting-allowed_users = Personnes autorisées
setting-allowed_users-help = Logins qui peuvent démarrer des boucles. Une liste vide n’autorise personne.
setting-github_account = Compte de gh
setting-github_account-help = Le compte au nom duquel Collie agit quand gh en connaît plusieurs. Vide : celui que gh utilise lui-même.
setting-github_api_url = Adresse de l’API
setting-github_api_url-help = Adresse de l’API REST de GitHub. Pour GitHub Enterprise : https://HOST/api/v3.
setting-repositories = Dépôts
setting-repositories-help = Ce que montre la barre latérale.
setting-stages = Étapes
setting-stages-help = Les relecteurs d’une étape, de 1 à 5, travaillent en parallèle ; les étapes se suivent.
setting-strictness = Exigence
setting-strictness-help = Quels constats sont publiés dans le code. Le verdict les compte tous.
setting-strictness-permissive = Souple : P0 et P1
setting-strictness-balanced = Équilibrée : P0 à P2
setting-strictness-strict = Stricte : tout
setting-unseen = Fichiers que personne n’a vus
setting-unseen-help = Fichiers texte qu’aucun relecteur n’a vus en entier, car trop volumineux, trop nombreux ou illisibles.
setting-unseen-block = Attendre qu’une personne ait regardé
setting-unseen-tell = Seulement les nommer
setting-fix = Corriger ce qui est trouvé
setting-fix-help = Sinon Collie se contente de relire : les constats sont publiés, rien n’est poussé, et des personnes les corrigent.
setting-fix_suggestions = Corriger aussi les suggestions (P3)
setting-fix_suggestions-help = Avec ce qui doit être corrigé. Des suggestions seules ne provoquent jamais de push.
setting-linters = Les linters du dépôt
setting-linters-help = Ceux qu’un dépôt configure sur sa branche de base (ruff, eslint, biome, oxlint, clippy, golangci-lint, semgrep, shellcheck, actionlint) examinent aussi les lignes modifiées, dans le bac à sable, s’ils sont installés.
setting-autonomy = Jusqu’où Collie peut aller, au plus
setting-autonomy-help = Pour tous les dépôts, quel que soit leur propre niveau. Le `.collie.toml` d’un dépôt et le label `collie:observe` peuvent encore l’abaisser.
setting-autonomy-observe = Observer : il n’écrit rien sur GitHub
setting-autonomy-ask = Demander : il publie, et chaque push vous attend
setting-autonomy-push = Pousser : il publie et pousse
setting-merge_base = Fusionner la base dans la branche
setting-merge_base-help = Quand la branche est en conflit avec sa base, ou doit être à jour avec elle : par un commit de fusion, vérifié et relu comme tout autre push.
setting-merge_base-off = Jamais : une personne s’en charge
setting-merge_base-clean = Par git seul, quand rien n’est en conflit
setting-merge_base-agent = Par git ; l’agent du correcteur résout les conflits
setting-comment_threshold = Seuil de confiance
setting-comment_threshold-help = De 0 à 1. Les constats en dessous ne sont ni comptés ni publiés.
setting-max_comments = Commentaires dans le code
setting-max_comments-help = Maximum par revue, de 0 à 100. Le reste va dans son rapport.
setting-llm-provider = Fournisseur
setting-llm-provider-help = Fournisseur du modèle de langage des relecteurs. Choisissez aussi un modèle : Collie n’a de valeur par défaut pour aucun des deux.
setting-llm-provider-openai = OpenAI
setting-llm-provider-anthropic = Anthropic
setting-llm-provider-gemini = Google Gemini
setting-llm-provider-azure = Azure OpenAI
setting-llm-provider-openrouter = OpenRouter
setting-llm-provider-bedrock = Amazon Bedrock
setting-llm-provider-vertex = Google Vertex AI
setting-llm-provider-ollama = Ollama
setting-llm-provider-vllm = vLLM
setting-llm-provider-llamacpp = llama.cpp
setting-llm-provider-compatible = Compatible avec OpenAI
setting-llm-model = Modèle
setting-llm-model-help = Tel que le fournisseur le nomme.
setting-llm-url = Adresse
setting-llm-url-help = Adresse de l’API du fournisseur. Son adresse habituelle si vide ; un fournisseur compatible en exige une.
setting-llm-key_variable = Variable de la clé
setting-llm-key_variable-help = Nom de la variable d’environnement qui contient la clé, quand ce n’est pas celle d’habitude. Le trousseau n’est alors pas consulté.
setting-llm-key_command = Commande de la clé
setting-llm-key_command-help = Programme qui affiche la clé, par exemple gcloud auth print-access-token. Il est lancé au début de chaque revue.
setting-llm-effort = Effort
setting-llm-effort-help = Combien le modèle réfléchit. Son propre réglage si aucun.
setting-llm-effort-none = Sans réflexion
setting-llm-effort-minimal = Minimal
setting-llm-effort-low = Faible
setting-llm-effort-medium = Moyen
setting-llm-effort-high = Élevé
setting-llm-effort-xhigh = Très élevé
setting-llm-effort-max = Maximal
setting-llm-temperature = Température
setting-llm-temperature-help = De 0 à 2. Celle du fournisseur si vide.
setting-llm-max_tokens = Réponse la plus longue
setting-llm-max_tokens-help = En tokens, de 256 à 200 000.
setting-llm-context_tokens = Requête la plus grande
setting-llm-context_tokens-help = En tokens, de 2 000 à 2 000 000. Ce qui n’y tient pas est laissé de côté, et le rapport le dit.
setting-llm-headers = Champs HTTP supplémentaires
setting-llm-headers-help = Joints à chaque requête. Un champ qui contient un secret vient d’une variable d’environnement.
setting-llm-fallback = Prend le relais
setting-llm-fallback-help = Modèles de la liste ci-dessous, dans cet ordre, quand celui-ci est en panne, n’a plus de quota ou refuse la clé.
setting-llm-fallback-drop = Ne laisser personne prendre le relais
setting-llm-fallback-keep = Comme pour tous
setting-models = Modèles qui peuvent prendre le relais
setting-models-help = Chacun sous son propre nom. Aucun ne reprend quoi que ce soit du modèle ci-dessus.
setting-fixer-runs_on = Qui corrige
setting-fixer-runs_on-help = Un agent travaille dans son propre worktree ; Collie vérifie ce qu’il a fait, crée le commit et pousse.
setting-fixer-by_author = Qui corrige, par auteur
setting-fixer-by_author-help = L’agent qui a écrit une pull request peut aussi la corriger. Toutes les autres reviennent à celui d’au-dessus.
setting-reviewers = Personas
setting-reviewers-help = Sur quoi chacune tourne. Par défaut : le modèle de langage, sinon l’agent qui corrige.
setting-agents = Agents
setting-agents-help = Les vôtres, qui parlent ACP sur l’entrée et la sortie standard, ou une autre façon de lancer un agent que Collie connaît. Les variables sont les variables d’environnement que l’agent reçoit pour se connecter.
setting-mcp = Serveurs MCP
setting-mcp-help = Des outils à vous, transmis aux agents par MCP. Un secret est nommé par sa variable : le fichier n’en contient aucun.
setting-mcp-used_by-fixer = L’agent qui corrige
setting-mcp-used_by-reviewers = Les agents qui relisent
setting-mcp-transport-http = HTTP
setting-mcp-transport-sse = SSE, l’ancienne forme
setting-max_pr_review_iterations = Pushs
setting-max_pr_review_iterations-help = Maximum de Collie par exécution avant qu’il n’ait besoin de vous, de 1 à 50.
setting-ci_check_timeout = Attente des vérifications
setting-ci_check_timeout-help = Si elles tournent encore après ce délai, l’exécution échoue.
setting-external_bot_timeout = Attente des bots
setting-external_bot_timeout-help = Combien de temps Collie attend un bot attendu sur chaque commit de tête.
setting-poll_interval = Lire GitHub toutes les
setting-poll_interval-help = Quand une boucle travaille ou attend. Au moins 15s sur github.com.
setting-ready_poll_interval = Une fois prête, toutes les
setting-ready_poll_interval-help = Quand une pull request est prête et vous attend.
setting-collect_failures_for = Réunir les échecs pendant
setting-collect_failures_for-help = Après une première vérification rouge, combien de temps Collie attend les autres avant de corriger.
setting-no_checks_grace = Attente d’une première vérification
setting-no_checks_grace-help = Combien de temps Collie attend qu’une vérification se signale sur un commit de tête qui n’en a aucune.
setting-budget-per_pull_request_usd = Budget d’une pull request
setting-budget-per_pull_request_usd-help = Dollars que modèles et agents peuvent dépenser pour une pull request, toutes ses exécutions comprises. Le pire cas de chaque question est réservé avant de la poser ; si le budget ne le couvre pas, la boucle vous attend. Vide : aucune limite.
setting-budget-per_day_usd = Budget d’une journée
setting-budget-per_day_usd-help = Dollars qu’ils peuvent dépenser en un jour, toutes pull requests confondues. Une fois épuisé, les boucles attendent minuit.
setting-budget-total_usd = Budget total
setting-budget-total_usd-help = Dollars qu’ils peuvent dépenser en tout depuis ce dossier de données. Une fois épuisé, les boucles vous attendent.
setting-budget-per_pull_request_tokens = Tokens sans tarif, par pull request
setting-budget-per_pull_request_tokens-help = Tokens que les agents et les modèles sans tarif connu peuvent consommer pour une pull request ; une réponse peut le dépasser. Vide : 200 000 par dollar de la limite en dollars.
setting-budget-per_day_tokens = Tokens sans tarif, par jour
setting-budget-per_day_tokens-help = La même limite pour toutes les pull requests d’une journée.
setting-budget-total_tokens = Tokens sans tarif, au total
setting-budget-total_tokens-help = La même limite pour toutes les pull requests, depuis toujours.
setting-disk-checkout_mb = Plus grande extraction
setting-disk-checkout_mb-help = Mégaoctets que les fichiers d’une pull request peuvent prendre ensemble. Une plus grande n’est pas extraite et a besoin de vous.
setting-disk-checkout_files = Fichiers d’une extraction
setting-disk-checkout_files-help = Fichiers et dossiers qu’une pull request peut compter. Une qui en a davantage n’est pas extraite et a besoin de vous.
setting-disk-sandbox_mb = Disque pour commandes et agents
setting-disk-sandbox_mb-help = Mégaoctets qu’une commande ou un agent peut occuper ensemble dans ses dossiers. Ce qui dépasse est arrêté.
setting-disk-replay_days = Jours où une exécution peut être rejouée
setting-disk-replay_days-help = Aussi longtemps après la fin d’une exécution, le journal garde ce sur quoi elle a été décidée, pour `collie replay`. Ce qui s’est passé reste de toute façon.
setting-max_restarts = Redémarrages
setting-max_restarts-help = Maximum de pushs d’autrui pendant une exécution avant qu’elle n’ait besoin de vous, de 1 à 1000.
setting-session_retries = Nouveaux essais
setting-session_retries-help = Combien de fois relancer un relecteur ou correcteur qui a échoué, de 0 à 10.
setting-slots = Places
setting-slots-help = Combien de boucles relisent ou corrigent en même temps, de 1 à 64. Attendre ne prend pas de place.
setting-verify-prepare = Préparer la vérification
setting-verify-prepare-help = Une commande lancée avant celles ci-dessous, par exemple `npm ci`, qui peut joindre les hôtes que vous nommez.
setting-verify-prepare_hosts = Hôtes pour préparer
setting-verify-prepare_hosts-help = Hôtes qu’une telle commande peut joindre, par exemple registry.npmjs.org. Celle d’un dépôt n’en joint pas d’autres.
setting-verify-commands = Commandes de vérification
setting-verify-commands-help = Lancées dans l’ordre dans le worktree ; toute correction doit les passer avant d’être poussée. Une commande par ligne.
setting-ignore_label = Label qui écarte Collie
setting-ignore_label-help = Les pull requests avec ce label sont laissées de côté.
setting-bots = Bots connus
setting-bots-help = Collie reconnaît un bot au numéro de son compte. Ce qu’il dit ne compte que si son numéro est ici.
setting-expected_bots = Bots attendus
setting-expected_bots-help = Bots connus, par login, que Collie attend sur chaque commit de tête.
setting-ignored_checks = Vérifications ignorées
setting-ignored_checks-help = Vérifications qui ne retiennent pas une pull request et ne comptent pas comme rouges. Un nom par ligne.

# Ce que modèles et agents ont dépensé (§15).
spending-title = Dépenses
spending-today = Aujourd’hui
spending-total = Au total
spending-unlimited = { $spent }, sans limite
spending-limited = { $spent } sur { $limit }, reste { $left }
spending-tokens = { $spent } tokens sans tarif
spending-tokens-limited = { $spent } tokens sans tarif sur { $limit }

# A server for a team.
server-title = Se connecter
server-text = Ce Collie travaille pour une équipe. Vous voyez et faites ici ce que GitHub vous permet.
server-device-begin = Se connecter avec un code
server-device-note = Vous saisissez un code court sur la page de GitHub, sans jeton.
server-device-type = Saisissez ce code sur la page de GitHub :
server-device-open = Ouvrir la page de GitHub
server-device-waiting = En attente de votre saisie. Cette page continue ensuite d’elle-même.
server-token-instead = Ou avec votre propre jeton
server-token-note = Un jeton classique a besoin de la portée repo ; un jeton à granularité fine, du droit de lire les pull requests, et d’écrire le contenu si vous voulez démarrer ou annuler des exécutions. Collie le garde chiffré jusqu’à la fin de votre session, seul votre navigateur a la clé, et travaille avec son propre compte.
