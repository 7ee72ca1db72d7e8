#!/bin/sh
# Installs `ns` @VERSION@: downloads the archive for this machine, verifies its SHA-256 and puts `ns` into a folder.
#
#     sh install.sh [--to DIR]      DIR is ~/.local/bin when left out, and /usr/local/bin for root
#
# NS_RELEASE names another address of the files, such as a mirror. The checksums below are those of this version, so no
# mirror, and no redirection, can give anything else. If something fails, the old `ns` stays, and no new file.
set -eu

version='@VERSION@'
release=${NS_RELEASE:-'@RELEASE@'}

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

# The archive and its checksum for the system of this machine.
choose() {
  case "$(uname -s) $(uname -m)" in
@CHOICES@
    *) fail "there is no program for $(uname -s) on $(uname -m); \`cargo install @NAME@\` builds one" ;;
  esac
}

# A server that sends nothing for a minute fails.
download() { # ADDRESS FILE
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --connect-timeout 60 --speed-time 60 --speed-limit 1 --output "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -T 60 -O "$2" "$1"
  else
    fail "neither curl nor wget is there to download the archive; install one of them"
  fi
}

sha256_of() { # FILE
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  elif command -v openssl >/dev/null 2>&1; then
    openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1
  else
    fail "neither sha256sum, shasum nor openssl is there to verify the archive; install one of them"
  fi
}

main() {
  to=
  while [ $# -gt 0 ]; do
    case $1 in
      --to) [ -n "${2:-}" ] || fail "\`--to\` needs a folder"; to=$2; shift 2 ;;
      *) fail "\`$1\` is not an option; the option is \`--to DIR\`" ;;
    esac
  done
  if [ -z "$to" ]; then
    if [ "$(id -u)" -eq 0 ]; then to=/usr/local/bin; else to=${HOME:?}/.local/bin; fi
  fi
  case $to in /*) ;; *) to=$PWD/$to ;; esac
  [ ! -d "$to/ns" ] || fail "\`$to/ns\` is a directory; remove it, or choose another folder with \`--to DIR\`"
  choose

  place=$(mktemp -d)
  partial=
  trap 'rm -rf "$place"; [ -z "$partial" ] || rm -f "$partial"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  download "$release/$archive" "$place/$archive" || fail "cannot download $release/$archive; nothing was installed"
  found=$(sha256_of "$place/$archive")
  [ "$found" = "$sha256" ] || fail "$archive has the SHA-256 $found, expected $sha256; nothing was installed"
  tar -xzf "$place/$archive" -C "$place"

  # The name appears at once and as a whole.
  if ! { mkdir -p "$to" && partial=$(mktemp "$to/.ns-XXXXXX") && cp "$place/${archive%.tar.gz}/ns" "$partial" &&
    chmod 755 "$partial" && mv -f "$partial" "$to/ns"; }; then
    fail "cannot write to \`$to\`; choose another folder with \`--to DIR\`"
  fi
  echo "ns $version is in $to"
  case ":$PATH:" in
    *":$to:"*) ;;
    *) echo "add it to your PATH: export PATH=\"$to:\$PATH\"" ;;
  esac
}

# A script that arrives in part does nothing: the braces are not closed.
{
  main "$@"
  exit
}
