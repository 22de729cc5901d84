# shellcheck shell=sh
# How a node keeps in touch with its cluster. start.sh reads this file and runs heal every few
# seconds beside redis-server; every step looks at what is so now, so it may be interrupted.
#
# Nodes find each other by the addresses in nodes.conf. One pod with a new address announces it to
# its peers and all is well; when all pods get new addresses at once, no node knows where any other
# is, and Redis alone never heals. So each node looks its peers up by name, and greets those that
# moved. What a node then hears about its own master through others does not always reach its
# replication (redis/redis#14633), so it is told again whose replica it is.
#
# A node that lost its disk has a new id: it joins the cluster of its peers as a replica, and they
# forget the id that it had before.

say() {
  echo "start.sh: $*"
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
  say "$1 moved from ${known%%@*} to $address"
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
  say "the master moved from $asked to ${known%%@*}"
  redis "$POD_IP" cluster replicate "$master" > /dev/null
}

# The address of a node of the formed cluster to whose nodes most of the names lead; fails if there
# is none. One name may lead to a stranger, and MEET cannot be undone.
cluster_of_most_peers() {
  ids=$(for peer in $(peers); do
    address=$(address_of "$peer") && redis "$address" cluster myid
  done | sort -u)
  for peer in $(peers); do
    member=$(address_of "$peer") || continue
    [ "$member" != "$POD_IP" ] || continue
    [ "$(field "$member" cluster_slots_assigned cluster info)" = 16384 ] || continue
    known=$(redis "$member" cluster nodes | awk '{ print $1 }' | sort -u)
    if [ "$(printf '%s\n%s\n' "$ids" "$known" | sort | uniq -d | grep -c .)" -gt \
      $((REDIS_NODES / 2)) ]; then
      echo "$member"
      return 0
    fi
  done
  return 1
}

# Reads CLUSTER NODES: how many replicas each master with slots has that are there, as lines of
# "count id". Says nothing while a node is not yet known well enough to be counted.
replicas_of_masters() {
  awk '
    $3 ~ /handshake/ { unsure = 1 }
    $3 ~ /fail|noaddr|handshake/ || $8 != "connected" { next }
    $3 ~ /slave/ && $4 == "-" { unsure = 1 }
    $3 ~ /slave/ { replicas[$4]++ }
    $3 ~ /master/ && NF > 8 { masters[$1] = 1 }
    END { if (!unsure) for (id in masters) print replicas[id] + 0, id }' | sort -n
}

# Whether this node knows every peer that answers under its name.
knows_all_that_answer() {
  known=$(redis "$POD_IP" cluster nodes)
  for peer in $(peers); do
    address=$(address_of "$peer") || continue
    id=$(redis "$address" cluster myid)
    if [ -n "$id" ] && ! echo "$known" | grep -q "^$id .* connected"; then
      return 1
    fi
  done
}

# An empty node that knows nobody joins in two steps. The file tells a later look, also that of a
# pod started since, that the second one is still to be made.
join() {
  joining=${REDIS_DATA:-/data}/joining
  if [ "$(field "$POD_IP" cluster_known_nodes cluster info)" = 1 ]; then
    [ "$(field "$POD_IP" cluster_slots_assigned cluster info)" = 0 ] || return 0
    [ "$(redis "$POD_IP" dbsize)" = 0 ] || return 0
    member=$(cluster_of_most_peers) || return 0
    : > "$joining"
    say "joins the cluster of $member"
    redis "$POD_IP" cluster meet "$member" "$REDIS_PORT" > /dev/null
  elif [ -e "$joining" ] && knows_all_that_answer; then
    neediest=$(redis "$POD_IP" cluster nodes | replicas_of_masters | awk 'NR == 1 { print $2 }')
    [ -n "$neediest" ] || return 0
    if [ "$(redis "$POD_IP" cluster replicate "$neediest")" = OK ]; then
      say "is a replica of $neediest"
      rm -f "$joining"
    fi
  fi
}

# Where one master has two replicas and another none, the replica with the last id changes over. For
# Redis a master is in need of one only while it knows of a replica that it had.
share_replicas() {
  nodes=$(redis "$POD_IP" cluster nodes)
  counts=$(echo "$nodes" | replicas_of_masters)
  case $counts in
    '0 '*) bare=$(echo "$counts" | awk 'NR == 1 { print $2 }') ;;
    *) return 0 ;;
  esac
  master=$(echo "$nodes" | awk '$3 ~ /myself,slave/ { print $4 }')
  [ -n "$master" ] || return 0
  mine=$(echo "$counts" | awk -v id="$master" '$2 == id { print $1 }')
  [ "${mine:-0}" -ge 2 ] || return 0
  last=$(echo "$nodes" | awk -v id="$master" '
    $3 ~ /slave/ && $3 !~ /fail|noaddr/ && $8 == "connected" && $4 == id { print $1 }' |
    sort | tail -n 1)
  if echo "$nodes" | grep -q "^$last .*myself,"; then
    say "leaves $master for $bare, which has no replica"
    redis "$POD_IP" cluster replicate "$bare" > /dev/null
  fi
}

# Once a node is there for every pod, an id that failed and holds no slot is nobody's any more.
# Every node forgets it within the minute for which Redis keeps it from being learned again.
forget_the_dead() {
  nodes=$(redis "$POD_IP" cluster nodes)
  dead=$(echo "$nodes" | awk '$3 ~ /noaddr|(^|,)fail(,|$)/ && NF == 8 { print $1, $2 }')
  [ -n "$dead" ] || return 0
  for peer in $(peers); do
    echo "$nodes" | awk -v host="$peer" '
      { split($2, place, ",") }
      place[2] == host && $3 !~ /fail|noaddr|handshake/ && $8 == "connected" { found = 1 }
      END { exit !found }' || return 0
  done
  echo "$dead" | while read -r id place; do
    if [ "$(redis "$POD_IP" cluster forget "$id")" = OK ]; then
      say "forgot $id, which was at $place"
    fi
  done
}

heal() {
  for peer in $(peers); do
    greet_if_moved "$peer" || true
  done
  follow_moved_master || true
  join || true
  share_replicas || true
  forget_the_dead || true
}

# still_owned: whether a peer sees slots with a node that had this pod's name or address.
still_owned() {
  for peer in $(peers); do
    address=$(address_of "$peer") || continue
    [ "$address" != "$POD_IP" ] || continue
    if redis "$address" cluster nodes |
      awk -v host="$POD_NAME.$REDIS_SERVICE" -v ip="$POD_IP" '
        { split($2, place, ","); split(place[1], at, "@"); sub(/:[0-9]*$/, "", at[1]) }
        (place[2] == host || at[1] == ip) && $3 ~ /master/ && NF > 8 { found = 1 }
        END { exit !found }'; then
      return 0
    fi
  done
  return 1
}

# A master that lost its disk must not come back before a replica was promoted: at its old address
# the replica would copy the emptiness. With no replica left nothing can be lost, hence the limit.
await_successor() {
  [ ! -s "${REDIS_DATA:-/data}/nodes.conf" ] || return 0
  tries=0
  while [ "$tries" -lt "${REDIS_SUCCESSOR_SECONDS:-30}" ] && still_owned; do
    [ "$tries" != 0 ] || say "the disk is empty: waits until a replica holds this pod's slots"
    tries=$((tries + 1))
    sleep 1
  done
}
