#!/bin/sh
# Installs a release of Kubarium on Linux or macOS:
#
#	sh install.sh URL [FOLDER]
#
# URL is the folder of the release's files, FOLDER where the binary goes (~/.local/bin if nothing is said). They may also be
# given by the variables KUBARIUM_URL and KUBARIUM_FOLDER. Nothing is changed unless the checksum is right.
set -eu

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

fetch() {
	if command -v curl >/dev/null; then
		curl -fsSL -o "$2" "$1" || fail "cannot download $1"
	elif command -v wget >/dev/null; then
		wget -qO "$2" "$1" || fail "cannot download $1"
	else
		fail "curl or wget is needed"
	fi
}

sum() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1"
	elif command -v shasum >/dev/null; then
		shasum -a 256 "$1"
	else
		fail "sha256sum or shasum is needed"
	fi
}

main() {
	url=${1:-${KUBARIUM_URL:-}}
	folder=${2:-${KUBARIUM_FOLDER:-$HOME/.local/bin}}
	[ -n "$url" ] || fail "say the URL of a release's folder"
	case $(uname -s) in
	Linux) system=linux ;;
	Darwin) system=darwin ;;
	*) fail "there is no archive for $(uname -s) that this script can install" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there is no archive for $(uname -m)" ;;
	esac

	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	fetch "${url%/}/SHA256SUMS" "$work/sums"
	line=$(grep "  kubarium_[^/ ]*_${system}_$arch\.tar\.gz\$" "$work/sums") || fail "$url has no archive for $system/$arch"
	archive=${line#*  }
	fetch "${url%/}/$archive" "$work/archive"
	got=$(sum "$work/archive")
	got=${got%% *}
	[ "$got" = "${line%%  *}" ] || fail "the checksum of $archive is $got, not ${line%%  *}; nothing was installed"
	tar -xzf "$work/archive" -C "$work" kubarium

	mkdir -p "$folder"
	cp "$work/kubarium" "$folder/.kubarium.new"
	chmod 755 "$folder/.kubarium.new"
	mv "$folder/.kubarium.new" "$folder/kubarium"
	echo "installed $folder/kubarium"
	case :$PATH: in
	*":$folder:"*) ;;
	*) echo "$folder is not on your PATH" ;;
	esac
}

main "$@"
