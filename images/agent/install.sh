#!/bin/sh
# Installs each runtime below this script's directory without running install scripts, and links its native program
# into the directory $BIN. Of the paths in `programs`, it links the first that prints its version in this image.
set -eu
runtimes=$(cd "$(dirname "$0")" && pwd)
bin=${BIN:-/usr/local/bin}
home=$(mktemp -d) # some programs write to their home even for --version
trap 'rm -rf "$home"' EXIT

for manifest in "$runtimes"/*/package.json; do
  [ -e "$manifest" ] || continue # no runtime was requested
  directory=$(dirname "$manifest")
  name=$(basename "$directory")
  cd "$directory"
  npm ci --ignore-scripts --include=optional --no-fund --no-audit --cache "$home/npm"
  linked=
  while read -r path; do
    program="$directory/node_modules/$path"
    [ -x "$program" ] || continue
    if HOME="$home" "$program" --version </dev/null >"$home/output" 2>&1; then
      ln -sf "$program" "$bin/$name"
      linked=1
      break
    fi
    echo "$program --version failed:" >&2
    cat "$home/output" >&2
  done <programs
  if [ -z "$linked" ]; then
    echo "$name has no program that runs in this image." \
      "Run \"halyard image build\" with another --base, or without $name in --runtimes." >&2
    exit 1
  fi
done
