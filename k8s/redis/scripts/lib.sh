# shellcheck shell=sh
# What the scripts of the Redis pods share. Each reads it with `. "$(dirname "$0")/lib.sh"`.

REDIS_PORT=${REDIS_PORT:-6379}
REDIS_AUTH=${REDIS_AUTH:-/etc/redis/auth/password}
REDIS_TMP=${REDIS_TMP:-/tmp}
# This pod's node also listens here. Whether it lives must not depend on a network or a certificate.
socket=$REDIS_TMP/redis.sock

# Every line of the file is a password that the nodes accept, so that it can be changed; the first
# one is used. redis-cli takes it from the environment, where no process list shows it.
REDISCLI_AUTH=$(head -n 1 "$REDIS_AUTH")
export REDISCLI_AUTH

# The folder with the certificates; empty where Redis is spoken to in the clear.
REDIS_TLS=${REDIS_TLS:-}
# shellcheck disable=SC2034 # used by those who read this file
tls_options=${REDIS_TLS:+--tls --cacert $REDIS_TLS/ca.crt}

# redis ADDRESS COMMAND...: one command to one node. A node that vanished must not hold us up.
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

# The names of all nodes, this one included.
peers() {
  number=0
  while [ "$number" -lt "$REDIS_NODES" ]; do
    echo "redis-$number.$REDIS_SERVICE"
    number=$((number + 1))
  done
}

# address_of NAME: its present address; fails while there is none.
address_of() {
  address=$(getent hosts "$1" | awk '{ print $1; exit }')
  [ -n "$address" ] && echo "$address"
}

# field ADDRESS NAME COMMAND...: one field of an answer made of name:value lines.
field() {
  field_address=$1
  field_name=$2
  shift 2
  redis "$field_address" "$@" | awk -F: -v name="$field_name" '$1 == name { print $2 }'
}

role_of() {
  field "$1" role info replication
}
