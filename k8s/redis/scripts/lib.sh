# shellcheck shell=sh
# Functions of the Redis pods' scripts, which source this file: `. "$(dirname "$0")/lib.sh"`.

REDIS_PORT=${REDIS_PORT:-6379}
REDIS_AUTH=${REDIS_AUTH:-/etc/redis/auth/password}
REDIS_TMP=${REDIS_TMP:-/tmp}
# This pod's node also listens here, so that liveness does not depend on network or certificates.
socket=$REDIS_TMP/redis.sock

# The nodes accept every line of the file as a password, so that it can be rotated; clients use the
# first one. redis-cli takes it from the environment, which process lists do not show.
REDISCLI_AUTH=$(head -n 1 "$REDIS_AUTH")
export REDISCLI_AUTH

# The folder with the certificates; empty without TLS.
REDIS_TLS=${REDIS_TLS:-}
# shellcheck disable=SC2034 # used by scripts that source this file
tls_options=${REDIS_TLS:+--tls --cacert $REDIS_TLS/ca.crt}

# redis ADDRESS COMMAND...: runs a command on a node, for 3 s at most, as a node may have vanished.
redis() {
  redis_address=$1
  shift
  if [ "$redis_address" = "${POD_IP:-}" ]; then
    set -- -s "$socket" "$@"
  else
    # shellcheck disable=SC2086 # a list of options
    set -- -h "$redis_address" -p "$REDIS_PORT" $tls_options "$@"
  fi
  timeout 3 redis-cli "$@" 2>/dev/null | tr -d '\r'
}

# Prints the names of all nodes, including this one.
peers() {
  number=0
  while [ "$number" -lt "$REDIS_NODES" ]; do
    echo "redis-$number.$REDIS_SERVICE"
    number=$((number + 1))
  done
}

# address_of NAME: prints its current address; fails without one.
address_of() {
  address=$(getent hosts "$1" | awk '{ print $1; exit }')
  [ -n "$address" ] && echo "$address"
}

# field ADDRESS NAME COMMAND...: prints one field of a reply that consists of name:value lines.
field() {
  field_address=$1
  field_name=$2
  shift 2
  redis "$field_address" "$@" | awk -F: -v name="$field_name" '$1 == name { print $2 }'
}

role_of() {
  field "$1" role info replication
}
