#!/bin/sh
# Installs `ns` @VERSION@: downloads the archive for this machine, verifies its SHA-256 and puts `ns` into a folder.
#
#     sh install.sh [--to DIR]      DIR is ~/.local/bin when left out, and /usr/local/bin for root
#
# NS_RELEASE names another address of the files, such as a mirror. The checksums below are those of this version, so a
# mirror cannot give anything else. If something fails, nothing is left behind.
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

download() { # ADDRESS FILE
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1"
  else
    fail "neither curl nor wget is there"
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
    fail "neither sha256sum, shasum nor openssl is there to verify the archive"
  fi
}

# The whole work is a function, so that a script that arrives in part does nothing.
main() {
  to=
  while [ $# -gt 0 ]; do
    case $1 in
      --to) [ $# -ge 2 ] || fail "\`--to\` needs a folder"; to=$2; shift 2 ;;
      *) fail "\`$1\` is not an option; the option is \`--to DIR\`" ;;
    esac
  done
  if [ -z "$to" ]; then
    if [ "$(id -u)" -eq 0 ]; then to=/usr/local/bin; else to=${HOME:?}/.local/bin; fi
  fi
  choose

  place=$(mktemp -d)
  partial=$to/.ns-$$
  trap 'rm -rf "$place" "$partial"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  download "$release/$archive" "$place/$archive" || fail "cannot download $release/$archive"
  found=$(sha256_of "$place/$archive")
  [ "$found" = "$sha256" ] || fail "$archive has the SHA-256 $found, expected $sha256; nothing was installed"
  tar -xzf "$place/$archive" -C "$place"

  mkdir -p "$to"
  # The name appears at once and as a whole.
  cp "$place/${archive%.tar.gz}/ns" "$partial"
  chmod 755 "$partial"
  mv -f "$partial" "$to/ns"
  echo "ns $version is in $to"
  case ":$PATH:" in
    *":$to:"*) ;;
    *) echo "add it to your PATH: export PATH=\"$to:\$PATH\"" ;;
  esac
}

main "$@"
