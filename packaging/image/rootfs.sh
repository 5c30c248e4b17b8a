#!/usr/bin/env bash
# Makes the root file system of Collie's container from Debian's packages, without a daemon and without running any of their scripts.
#
#   packaging/image/rootfs.sh COLLIE DIR
#
# COLLIE is the built program, DIR a folder that is not there yet. It needs apt, of the Debian that the program was built on. What is in it:
# the program, git, bubblewrap, certificates, a shell with the usual tools for commands that repositories verify with, and no package manager,
# no Perl and no documentation. Prints its size in bytes.
set -euo pipefail

collie="$(realpath "$1")"
root="$(realpath --canonicalize-missing "$2")"
[ ! -e "$root" ] || { echo "$root is there already" >&2; exit 1; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# What is wanted, and what it is left without: git's own commands in Perl, and the users and maintainer scripts of an installed system.
wanted=(base-files bubblewrap ca-certificates coreutils dash git grep libc-bin sed tzdata)
dropped='^(perl|perl-base|perl-modules|libperl|liberror-perl|git-man|debconf|dpkg|tar|adduser|openssl|debianutils|gpgv|apt|init-system-helpers)'

# From an empty system, so that all that is needed is named; each as apt knows it, with the hash that its list has.
apt=(apt-get -qq -o Dir::State::status="$work/status" -o Debug::NoLocking=1 -o APT::Install-Recommends=false)
: >"$work/status"
"${apt[@]}" --print-uris install "${wanted[@]}" | awk '{print $2}' | sed 's/_.*//' | sort -u | grep -Ev "$dropped" >"$work/names"
mkdir "$work/packages"
chmod 755 "$work" "$work/packages"
(cd "$work/packages" && xargs apt-get -qq download -o APT::Sandbox::User=root <"$work/names")
mkdir -p "$root"
# One tree for /bin and /usr/bin, as Debian has it.
for folder in bin lib lib64 sbin; do
  mkdir -p "$root/usr/$folder"
  ln -s "usr/$folder" "$root/$folder"
done
for package in "$work"/packages/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink --no-same-owner
done

# What maintainer scripts would have made.
find "$root/usr/share/ca-certificates" -name '*.crt' -print0 | sort -z | xargs -0 cat >"$work/certificates"
mkdir -p "$root/etc/ssl/certs"
install -m 644 "$work/certificates" "$root/etc/ssl/certs/ca-certificates.crt"
[ -e "$root/usr/bin/sh" ] || ln -s dash "$root/usr/bin/sh"
printf 'root:x:0:0:root:/root:/bin/sh\ncollie:x:10001:10001:Collie:/var/lib/collie:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\ncollie:x:10001:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
rm -rf "$root"/usr/share/{doc,man,info,locale,lintian,bash-completion,common-licenses/.keep,git-core/templates/hooks} "$root"/usr/lib/git-core/git-{cvs,svn,p4,send-email,add--interactive,archimport,instaweb,request-pull,daemon,imap-send,http-push,shell,credential-cache}*
# Large programs of git that Collie does not start, and one that is there twice.
rm -rf "$root"/usr/bin/{scalar,git-shell,localedef} "$root"/usr/lib/git-core/{scalar,git-sh-i18n--envsubst} "$root"/usr/lib/*/libmvec.so* "$root"/usr/share/gitweb
ln -sf ../../bin/git "$root/usr/lib/git-core/git"
# Licences of what is in it stay.
for package in "$work"/packages/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --wildcards --no-same-owner './usr/share/doc/*/copyright' 2>/dev/null || true
done
rm -rf "$root"/usr/lib/*/gconv "$root"/usr/share/zoneinfo/{posix,right} "$root"/var/cache/* "$root"/var/lib/{apt,dpkg}

install -D -m 755 "$collie" "$root/usr/bin/collie"
# A volume takes over whose folder it is laid on.
mkdir -p "$root"/{proc,dev,tmp,root,var/lib/collie,var/lib/collie-backup}
chmod 1777 "$root/tmp"
[ "$(id -u)" -ne 0 ] || chown 10001:10001 "$root"/var/lib/{collie,collie-backup}
du --apparent-size --bytes --summarize "$root" | cut -f1
