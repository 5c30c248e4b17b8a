# Ce que l’application de bureau dit hors de sa fenêtre : zone de notification, notifications et terminal.

desktop-open = Ouvrir Collie
desktop-quit = Quitter Collie
desktop-counts-none = Rien à traiter
desktop-counts-ready = { $ready ->
    [one] { $ready } prête
   *[other] { $ready } prêtes
}
desktop-counts-needs = { $needs ->
    [one] { $needs } à traiter
   *[other] { $needs } à traiter
}
desktop-counts-both = { desktop-counts-ready }, { desktop-counts-needs }
# À côté de l’icône, aussi court que possible.
desktop-label-ready = { $ready } ✓
desktop-label-needs = { $needs } !
desktop-label-both = { desktop-label-ready } { desktop-label-needs }

desktop-more = { $count } de plus
desktop-pull-ready = { $key } est prête : { $title }
desktop-pull-needs = { $key } est à traiter : { $title }

desktop-notice-ready = { $key } est prête à fusionner
desktop-notice-needs = { $key } a besoin de vous
desktop-notice-failed = { $key } a échoué

desktop-not-understood = Collie ne comprend pas « { $argument } ». Désignez une pull request par OWNER/REPO#N ou par son adresse sur GitHub.
desktop-option-unknown = Collie n’a pas d’option « { $argument } ». Lancez collie-desktop --help pour voir ses options.
desktop-error = erreur :
desktop-hint = conseil :
desktop-no-display = Collie a besoin d’un écran pour ouvrir sa fenêtre, et n’en trouve aucun.
desktop-no-display-hint = Sans écran, `collie watch OWNER/REPO` fait tourner les mêmes boucles dans un terminal.
desktop-no-window = La fenêtre ne peut pas s’ouvrir : { $reason }
desktop-no-window-hint = Installez WebKitGTK 4.1 (`bash scripts/setup.sh --desktop` le fait sous Debian et Ubuntu), puis relancez.
desktop-help =
    Ouvre Collie. Un second lancement montre la fenêtre déjà ouverte.

    Utilisation : collie-desktop [--demo] [PULL_REQUEST]

      PULL_REQUEST    ce qu’il faut montrer : OWNER/REPO#N,
                      https://github.com/OWNER/REPO/pull/N ou collie://open/OWNER/REPO/N
      --demo          ouvre la démo si personne ne s’est encore connecté
      --help          affiche ce texte
      --version       affiche la version

    COLLIE_HOME désigne un autre dossier de données.

# Pourquoi une fusion n’a pas eu lieu. Ce que la personne peut faire vient ensuite.
desktop-merge-no-loop = Collie n’a pas de boucle pour { $pull }, ou personne n’est connecté.
desktop-merge-quitting = Collie est sur le point de se fermer : rien n’a été fusionné.
desktop-merge-no-connection = La fusion n’a pas pu être préparée : { $message }
desktop-merge-other-pull = La fenêtre de confirmation portait sur une autre pull request. Rouvrez-la.
desktop-merge-not-ready = { $pull } n’est plus prête. Attendez qu’elle le soit de nouveau.
desktop-merge-head-moved = { $pull } a de nouveaux commits depuis que vous l’avez regardée. Lisez-les, puis décidez à nouveau.
desktop-merge-draft = { $pull } est un brouillon. Marquez-la comme prête à être relue sur GitHub.
desktop-merge-closed = { $pull } est fermée. Rouvrez-la sur GitHub si elle est toujours utile.
desktop-merge-already-merged = { $pull } est déjà fusionnée. Il n’y a plus rien à faire.
desktop-merge-conflict = { $pull } est en conflit avec sa base. Résolvez le conflit sur la branche et poussez.
desktop-merge-checks-not-green = Les vérifications de { $pull } ne sont plus au vert. Attendez-les ou relancez-les.
desktop-merge-blocked = Les règles de la branche de base bloquent { $pull }. Voyez l’encadré de fusion sur GitHub.
desktop-merge-behind = La branche de { $pull } doit être à jour avec sa base. Mettez-la à jour sur GitHub.
desktop-merge-mergeability-unknown = GitHub cherche encore si { $pull } peut être fusionnée. Réessayez dans un instant.
desktop-merge-auto-merge-on = La fusion automatique est activée pour { $pull }. Désactivez-la sur GitHub, ou laissez-la fusionner.
desktop-merge-in-merge-queue = { $pull } est dans la file de fusion, qui la fusionnera. Pour fusionner autrement, retirez-la de la file sur GitHub.
desktop-merge-queue-required = La branche de base fusionne par une file de fusion. Ajoutez { $pull } à la file sur GitHub.
desktop-merge-method-not-allowed = Le dépôt n’autorise pas cette méthode. Choisissez-en une autre.
desktop-merge-no-permission = { $login } n’a pas le droit de fusionner { $pull } : { $message }. Demandez le droit d’écriture, ou laissez une autre personne fusionner.
desktop-merge-unauthorized = { $host } n’accepte pas le jeton de { $login }. Reconnectez-vous.
desktop-merge-signed-in-as-another = La fenêtre de confirmation montrait { $confirmed }, mais { $now } est maintenant connecté. Rouvrez-la.
desktop-merge-not-found = { $pull } est introuvable sur { $host }. Vérifiez qu’elle existe et que le jeton y a accès.
desktop-merge-rate-limited = { $host } demande à Collie d’attendre. Réessayez dans quelques minutes.
desktop-merge-unreachable = { $host } est injoignable : { $message }. Réessayez quand il répondra.
desktop-merge-refused = { $host } a refusé : { $message }. Voyez l’encadré de fusion sur GitHub.
desktop-merge-not-merged = { $host } n’a pas donné de réponse claire, et { $pull } est toujours ouverte : { $message }. Fusionnez à nouveau si elle le reste.
desktop-merge-outcome-unknown = { $host } n’a pas donné de réponse claire : { $message }. Regardez { $pull } sur GitHub avant de réessayer.
desktop-merge-unrecorded = Le journal d’audit n’a pas pu être écrit : { $message }. Rien n’a été fusionné ; corrigez cela, puis réessayez.

# Ouvrir quelque chose hors de la fenêtre.
desktop-open-failed = { $what } n’a pas pu être ouvert : { $reason }
desktop-open-refused = { $what } n’est pas une adresse web et n’a pas été ouvert.
