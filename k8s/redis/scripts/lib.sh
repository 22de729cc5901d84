# shellcheck shell=sh
# Functions of the Redis pods' scripts, which source this file: `. "${0%/*}/lib.sh"`. Probes and
# healing run every few seconds, so these functions start as few processes as possible.

REDIS_PORT=${REDIS_PORT:-6379}
REDIS_AUTH=${REDIS_AUTH:-/etc/redis/auth/password}
REDIS_TMP=${REDIS_TMP:-/tmp}
# This pod's node also listens here, so that liveness does not depend on network or certificates.
socket=$REDIS_TMP/redis.sock
newline='
'

# The nodes accept every line of the file as a password, so that it can be rotated; clients use the
# first one. redis-cli takes it from the environment, which process lists do not show.
read_password() {
  [ -r "$REDIS_AUTH" ] || {
    echo "cannot read $REDIS_AUTH" >&2
    return 1
  }
  # The last line may lack its end, and an empty file is not a reason to kill a node.
  read -r REDISCLI_AUTH < "$REDIS_AUTH" || true
}
read_password
export REDISCLI_AUTH

# The folder with the certificates; empty without TLS.
REDIS_TLS=${REDIS_TLS:-}
# shellcheck disable=SC2034 # used by scripts that source this file
tls_options=${REDIS_TLS:+--tls --cacert $REDIS_TLS/ca.crt}

# redis ADDRESS COMMAND...: runs a command on a node, for 3 s at most, as a node may have vanished.
# Lines of INFO and CLUSTER INFO end with a carriage return, which field() drops.
redis() {
  redis_address=$1
  shift
  if [ "$redis_address" = "${POD_IP:-}" ]; then
    set -- -s "$socket" "$@"
  else
    # shellcheck disable=SC2086 # a list of options
    set -- -h "$redis_address" -p "$REDIS_PORT" $tls_options "$@"
  fi
  timeout 3 redis-cli "$@" 2>/dev/null || true
}

# Prints the names of all nodes, including this one.
peers() {
  number=0
  while [ "$number" -lt "$REDIS_NODES" ]; do
    echo "redis-$number.$REDIS_SERVICE"
    number=$((number + 1))
  done
}

# Sets hosts to one line "address name" for each node whose name resolves.
resolve() {
  # shellcheck disable=SC2046 # a list of names
  hosts=$(getent hosts $(peers) |
    awk -v service="$REDIS_SERVICE" '{ sub("[.].*", "", $2); print $1, $2 "." service }')
}

# address_of NAME: prints its address in hosts; fails without one.
address_of() {
  before=${hosts%%" $1"*}
  [ "$before" != "$hosts" ] || return 1
  echo "${before##*"$newline"}"
}

# field ADDRESS NAME COMMAND...: prints one field of a reply that consists of name:value lines.
field() {
  field_address=$1
  field_name=$2
  shift 2
  redis "$field_address" "$@" | awk -F '[:\r]' -v name="$field_name" '$1 == name { print $2 }'
}

role_of() {
  field "$1" role info replication
}
