# Ce que l’application de bureau dit hors de sa fenêtre : zone de notification, notifications et terminal.

desktop-open = Ouvrir Collie
desktop-quit = Quitter Collie
# Tout à la fois, dans le menu de la zone de notification.
desktop-paused = Tout est en pause
desktop-pause = Tout mettre en pause
desktop-continue = Reprendre tout ce qui est en pause
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
desktop-counts-paused = Tout est en pause ; { $counts }
# À côté de l’icône, aussi court que possible.
desktop-label-ready = { $ready } ✓
desktop-label-needs = { $needs } !
desktop-label-both = { desktop-label-ready } { desktop-label-needs }

desktop-more = { $count } de plus
desktop-pull-ready = { $key } est prête : { $title }
desktop-pull-needs = { $key } est à traiter : { $title }

desktop-notice-ready = { $key } est prête à fusionner
desktop-notice-unread = { $key } est prête à fusionner ; personne n’a lu les modifications
desktop-notice-needs = { $key } a besoin de vous
desktop-notice-failed = { $key } a échoué

desktop-error = erreur :
desktop-hint = conseil :
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

# Ouvrir quelque chose hors de la fenêtre.
