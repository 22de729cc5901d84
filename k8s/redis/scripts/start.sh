#!/bin/sh
# Starts the Redis node of this pod, and keeps it in touch with peers whose address changed.
#
# Nodes find each other by the addresses in nodes.conf. One pod with a new address announces it to
# its peers and all is well; when all pods get new addresses at once, no node knows where any other
# is, and Redis alone never heals. So each node looks its peers up by name, and greets those that
# moved. What a node then hears about its own master through others does not always reach its
# replication (redis/redis#14633), so it is told again whose replica it is.
#
# Reads POD_NAME POD_IP REDIS_SERVICE REDIS_NODES REDIS_MAXMEMORY; arguments go to redis-server.
set -eu
. "$(dirname "$0")/lib.sh"

config=${REDIS_CONF:-/etc/redis/config/redis.conf}
auth_config=${REDIS_TMP:-/tmp}/auth.conf
heal_every=${REDIS_HEAL_SECONDS:-5}

# The file is for this user only; on the command line every process could read the password.
write_auth_config() {
  (
    umask 077
    printf 'requirepass "%s"\nmasterauth "%s"\n' "$REDISCLI_AUTH" "$REDISCLI_AUTH" > "$auth_config"
  )
}

# Pod addresses are used again, so a name that is still cached may lead to a node of another
# cluster. Only a node whose id this cluster already knows is greeted: MEET would join the two for
# ever.
greet_if_moved() {
  address=$(address_of "$1") || return 0
  id=$(redis "$address" cluster myid)
  known=$(redis "$POD_IP" cluster nodes | awk -v id="$id" '$1 == id { print $2 }')
  case $known in
    '' | "$address:"*) return 0 ;;
  esac
  echo "start.sh: $1 moved from ${known%%@*} to $address"
  redis "$POD_IP" cluster meet "$address" "$REDIS_PORT" > /dev/null
}

# A replica whose link goes to an address that its master has left would ask there for ever.
follow_moved_master() {
  asked=$(field "$POD_IP" master_host info replication)
  [ "$(field "$POD_IP" master_link_status info replication)" = down ] || return 0
  nodes=$(redis "$POD_IP" cluster nodes)
  master=$(echo "$nodes" | awk '$3 ~ /myself/ { print $4 }')
  known=$(echo "$nodes" | awk -v id="$master" '$1 == id && $8 == "connected" { print $2 }')
  case $known in
    '' | "$asked:"*) return 0 ;;
  esac
  echo "start.sh: the master moved from $asked to ${known%%@*}"
  redis "$POD_IP" cluster replicate "$master" > /dev/null
}

heal_while_running() {
  while sleep "$heal_every" && kill -0 "$1" 2>/dev/null; do
    for peer in $(peers); do
      greet_if_moved "$peer" || true
    done
    follow_moved_master || true
  done
}

write_auth_config
# This shell becomes redis-server, so the loop ends with it.
heal_while_running $$ &
exec redis-server "$config" \
  --include "$auth_config" \
  --dir "${REDIS_DATA:-/data}" \
  --maxmemory "$REDIS_MAXMEMORY" \
  --cluster-announce-ip "$POD_IP" \
  --cluster-announce-hostname "$POD_NAME.$REDIS_SERVICE" \
  "$@"
