#!/bin/sh
# Forms the cluster. It can run again at any time:
#   no node holds a slot          forms the cluster
#   an earlier run interrupted    starts again, if no node holds a key
#   a formed cluster              changes nothing; a node that lost its disk joins by itself
#
# Reads REDIS_SERVICE REDIS_NODES.
set -eu
. "${0%/*}/lib.sh"

slots=16384
wait_seconds=${REDIS_CREATE_SECONDS:-120}

say() {
  echo "create.sh: $*"
}

# wait_for WHAT COMMAND...: tries once a second, and fails the Job after wait_seconds.
wait_for() {
  what=$1
  shift
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    if [ "$tries" -ge "$wait_seconds" ]; then
      say "gave up waiting for $what"
      exit 1
    fi
    sleep 1
  done
}

# Sets addresses to the address of every node, once each of them answers.
all_answer() {
  resolve
  addresses=
  for peer in $(peers); do
    address=$(address_of "$peer") || return 1
    [ "$(redis "$address" ping)" = PONG ] || return 1
    addresses="$addresses $address"
  done
}

all_ok() {
  for address in $addresses; do
    [ "$(field "$address" cluster_state cluster info)" = ok ] || return 1
  done
}

# A node keeps its view of the cluster on disk, so this remains true during any outage.
formed() {
  [ "$(field "$1" cluster_slots_assigned cluster info)" = $slots ] &&
    [ "$(field "$1" cluster_known_nodes cluster info)" -ge "$REDIS_NODES" ]
}

with_port() {
  for address in "$@"; do
    echo "$address:$REDIS_PORT"
  done
}

form() {
  for address in $addresses; do
    if [ "$(redis "$address" dbsize)" != 0 ]; then
      say "$address holds keys, but the cluster is incomplete: left as it is"
      exit 1
    fi
    redis "$address" cluster reset hard > /dev/null
  done
  # shellcheck disable=SC2046,SC2086 # lists of options and addresses
  redis-cli $tls_options --cluster create $(with_port $addresses) --cluster-replicas 1 --cluster-yes
  wait_for "all nodes to agree" all_ok
  say "formed"
}

wait_for "every node to answer" all_answer
for address in $addresses; do
  if formed "$address"; then
    say "nothing to do: the cluster is formed"
    exit 0
  fi
done
form
