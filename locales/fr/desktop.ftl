# Ce que l’application de bureau dit hors de sa fenêtre : zone de notification, notifications et terminal.

desktop-open = Ouvrir Collie
desktop-quit = Quitter Collie
desktop-counts-none = Rien ne vous attend
desktop-counts-ready = { $ready ->
    [one] { $ready } prête
   *[other] { $ready } prêtes
}
desktop-counts-needs = { $needs ->
    [one] { $needs } vous attend
   *[other] { $needs } vous attendent
}
desktop-counts-both = { desktop-counts-ready }, { desktop-counts-needs }
desktop-more = { $count } de plus
desktop-pull-ready = { $key } est prête : { $title }
desktop-pull-needs = { $key } vous attend : { $title }

desktop-notice-ready = { $key } est prête à fusionner
desktop-notice-needs = { $key } a besoin de vous
desktop-notice-failed = { $key } a échoué

desktop-not-understood = Collie ne comprend pas « { $argument } ». Il ouvre une pull request par OWNER/REPO#N ou par son adresse sur GitHub.
desktop-option-unknown = Collie n’a pas d’option « { $argument } ». collie-desktop --help dit ce qu’il accepte.
desktop-error = erreur :
desktop-hint = conseil :
desktop-no-display = Collie a besoin d’un écran pour ouvrir sa fenêtre, et aucun n’est joignable.
desktop-no-display-hint = Sans écran, `collie watch OWNER/REPO` fait tourner les mêmes boucles dans un terminal.
desktop-no-window = La fenêtre ne peut pas s’ouvrir : { $reason }
desktop-no-window-hint = Installez WebKitGTK 4.1 (`bash scripts/setup.sh --desktop` le fait sous Debian et Ubuntu), puis relancez.
desktop-help =
    Ouvre Collie. Un second lancement montre la fenêtre déjà ouverte.

    Utilisation : collie-desktop [PULL_REQUEST]

      PULL_REQUEST    ce qu’il faut montrer : OWNER/REPO#N,
                      https://github.com/OWNER/REPO/pull/N ou collie://open/OWNER/REPO/N
      --help          affiche ce texte
      --version       affiche la version

    COLLIE_HOME désigne un autre dossier de données.
