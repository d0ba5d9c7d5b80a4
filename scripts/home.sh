# Sourced by the other scripts: a home directory for programs that insist on one. Where the real one
# is missing or cannot be written to, what they would keep there goes into .build.
if [ ! -d "${HOME:-}" ] || [ ! -w "${HOME:-}" ]; then
    HOME="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.build/home"
    mkdir -p "$HOME/.cache" "$HOME/.config"
    export HOME XDG_CACHE_HOME="$HOME/.cache" XDG_CONFIG_HOME="$HOME/.config"
fi
