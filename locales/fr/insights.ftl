# Ce que donnent les exécutions dans leur ensemble.

insights = Statistiques
insights-none = Rien à montrer pour l’instant
insights-none-text = Dès la fin de la première exécution, vous verrez ici combien de pull requests deviennent prêtes, en combien de temps, ce qui a été trouvé et ce que cela a coûté.
insights-range = Période
insights-range-7d = 7 jours
insights-range-30d = 30 jours
insights-range-90d = 90 jours
insights-range-12m = 12 mois
insights-range-all = Tout
insights-range-custom = Personnalisée
insights-from = Du
insights-to = Au
insights-repository = Dépôt
insights-all-repositories = Tous les dépôts
insights-choose-days = Choisissez le premier jour.
insights-days = Du { $from } au { $to }.
insights-nothing-here = Rien ne s’est passé pendant cette période ; la première exécution date du { $first }.
insights-compared = { $days ->
    [one] L’écart est celui avec la veille.
   *[other] Les écarts sont ceux avec les { $days } jours précédents.
 }
insights-export = Exporter en CSV
insights-export-runs = Exécutions, une par ligne
insights-export-spending = Dépenses par jour et par modèle
insights-saved = Enregistré sous { $path }
insights-as-table = En tableau
insights-tiles = Chiffres clés
insights-tile-ready = Devenues prêtes
insights-tile-time = Temps médian pour être prête
insights-tile-time-none = Aucune n’est devenue prête
insights-tile-merged = Fusionnées
insights-tile-dismissed = Constats écartés
insights-tile-dismissed-none = Rien n’a été trouvé
insights-tile-spent = Dépensé
insights-more = { $difference } de plus qu’avant
insights-fewer = { $difference } de moins qu’avant
insights-same = Comme avant
insights-longer = { $difference } de plus qu’avant
insights-shorter = { $difference } de moins qu’avant
insights-few = { $count ->
    [one] 1 exécution : une médiane dit peu
   *[other] { $count } exécutions : une médiane dit peu
 }
insights-of-runs = { $count ->
    [one] sur 1 exécution
   *[other] sur { $count } exécutions
 }
insights-of-ended = { $count ->
    [one] sur 1 terminée
   *[other] sur { $count } terminées
 }
insights-part-of-findings = { $part } sur { $count }
insights-tokens = { $count ->
    [one] { $count } token
   *[other] { $count } tokens
 }
insights-spread = { $median } (moitié centrale : { $lower } à { $upper })
insights-spread-note = La ligne est la médiane, la bande la moitié centrale.
insights-ready-day = Devenues prêtes par jour
insights-ready-week = Devenues prêtes par semaine
insights-ready-month = Devenues prêtes par mois
insights-ready-none = Aucune n’est devenue prête pendant cette période.
insights-time = Temps médian pour être prête
insights-time-none = S’affiche dès qu’une exécution est devenue prête.
insights-rounds = Constats par tour
insights-rounds-none = Aucune exécution terminée pendant cette période n’a rien trouvé.
insights-round = Tour { $round }
insights-outcome-fixed = Corrigés
insights-outcome-dismissed = Écartés
insights-outcome-declined = Retirés ou refusés
insights-outcome-open = Encore ouverts
insights-dismissed = Part écartée, par relecteur
insights-dismissed-note = Une part élevée est du bruit : on a dit que cela n’a pas d’importance.
insights-share-of = { $share } sur { $count }
insights-source-agent = relecteur
insights-source-rules = intégré
insights-source-linter = linter
insights-source-bot = bot
insights-source-ci = check
insights-source-human = personne
insights-models = Dépenses par modèle
insights-repositories = Dépenses par dépôt
insights-spending-none = Rien n’a été dépensé pendant cette période.
insights-by-tokens = Aucun prix n’est connu : les barres comparent les tokens.
insights-unrecorded = Non enregistré
insights-ended-only = Fusions, constats et motifs sont ceux des exécutions terminées.
insights-ongoing-runs = { $count ->
    [one] 1 exécution n’est pas encore terminée et n’y est pas comptée.
   *[other] { $count } exécutions ne sont pas encore terminées et n’y sont pas comptées.
 }
insights-ended-note = Des exécutions terminées sur cette période.
insights-unrecorded-runs = { $count ->
    [one] Une exécution s’est terminée avant le { $date }, quand constats et motifs n’étaient pas encore enregistrés : elle ne compte que pour les durées et les fusions.
   *[other] { $count } exécutions se sont terminées avant le { $date }, quand constats et motifs n’étaient pas encore enregistrés : elles ne comptent que pour les durées et les fusions.
 }
insights-ends = Fin des exécutions
insights-ends-none = Aucune exécution ne s’est terminée pendant cette période.
insights-end-merged = Fusionnée
insights-end-closed = Fermée sans fusion
insights-end-cancelled = Annulée
insights-end-unrecorded = Arrêtée, motif non enregistré
insights-end-ci_timeout = Checks trop longs
insights-end-iterations_spent = Tous les tours épuisés
insights-end-stuck = Constats revenus après leur correction
insights-end-oscillating = Corrections en va-et-vient
insights-end-upheld = Le correcteur n’a pas pu corriger le reste
insights-end-too_many_restarts = Trop de pushs d’autres personnes
insights-end-too_many_turns = Des retours sans fin
insights-end-cannot_push = Push impossible sur la branche
insights-end-review_failed = Un relecteur a échoué
insights-end-fix_failed = Le correcteur a échoué
insights-end-access_lost = Accès perdu
insights-column-day = Jour
insights-column-week = Semaine
insights-column-month = Mois
insights-column-ready = Devenues prêtes
insights-column-runs = Exécutions
insights-column-median = Médiane, moitié centrale
insights-column-round = Tour
insights-column-reviewer = Relecteur
insights-column-findings = Constats
insights-column-share = Part
insights-column-model = Modèle
insights-column-repository = Dépôt
insights-column-cost = Coût
insights-column-tokens = Tokens
insights-column-end = Fin
