# shellcheck shell=sh
# What the scripts of the Redis pods share. Each reads it with `. "$(dirname "$0")/lib.sh"`.

REDIS_PORT=${REDIS_PORT:-6379}
REDIS_AUTH=${REDIS_AUTH:-/etc/redis/auth/password}

# redis-cli takes the password from the environment, where no process list shows it.
REDISCLI_AUTH=$(cat "$REDIS_AUTH")
export REDISCLI_AUTH

# redis ADDRESS COMMAND...: one command to one node. A node that vanished must not hold us up.
redis() {
  redis_address=$1
  shift
  timeout 3 redis-cli -h "$redis_address" -p "$REDIS_PORT" "$@" 2>/dev/null | tr -d '\r'
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
