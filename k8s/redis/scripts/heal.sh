# shellcheck shell=sh
# Keeps a node connected to its cluster. start.sh sources this file and runs heal every few seconds
# beside redis-server. Each step starts from the current state, so it can be interrupted.
#
# Nodes find each other by the addresses in nodes.conf. A single pod with a new address announces it
# to its peers. If all pods get new addresses at once, no node can reach any other, and Redis never
# recovers by itself. So each node resolves the names of its peers and meets those that moved. If it
# learns of its master's move from others, its replication may keep the old address
# (redis/redis#14633), so it is made a replica of that master again.
#
# A node that lost its disk has a new id. It joins the cluster of its peers as a replica, and they
# forget its former id.

bus_port=$((REDIS_PORT + 10000))

say() {
  echo "start.sh: $*"
}

# Pod addresses are reused, so a cached name may lead to a node of another cluster. Only nodes with
# an id that this cluster already knows are met: MEET joins two clusters for good. A peer that is
# known under this name and address, as most are, is asked nothing. Through its socket, a node with
# TLS prints the port 0.
meet_if_moved() {
  address=$(address_of "$1") || return 0
  case $nodes in
    *" $address:$REDIS_PORT@$bus_port,$1 "* | *" $address:0@$bus_port,$1 "*) return 0 ;;
  esac
  id=$(redis "$address" cluster myid)
  known=$(redis "$POD_IP" cluster nodes | awk -v id="$id" '$1 == id { print $2 }')
  case $known in
    '' | "$address:"*) return 0 ;;
  esac
  say "$1 moved from ${known%%@*} to $address"
  redis "$POD_IP" cluster meet "$address" "$REDIS_PORT" > /dev/null
}

# A replica whose master has moved would try the old address for ever.
follow_moved_master() {
  case $nodes in
    *" myself,slave"*) ;;
    *) return 0 ;;
  esac
  [ "$(field "$POD_IP" master_link_status info replication)" = down ] || return 0
  followed=$(field "$POD_IP" master_host info replication)
  nodes=$(redis "$POD_IP" cluster nodes)
  master=$(echo "$nodes" | awk '$3 ~ /myself/ { print $4 }')
  known=$(echo "$nodes" | awk -v id="$master" '$1 == id && $8 == "connected" { print $2 }')
  case $known in
    '' | "$followed:"*) return 0 ;;
  esac
  say "the master moved from $followed to ${known%%@*}"
  redis "$POD_IP" cluster replicate "$master" > /dev/null
}

# Prints the address of a node in the formed cluster to which most names lead; fails without one. A
# single name may lead to another cluster, and MEET cannot be undone.
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

# Reads CLUSTER NODES and prints "count id" for each master with slots: its connected replicas,
# fewest first. Prints nothing while the role of any node is still unknown.
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

# An empty node that knows no other joins in two steps. The file records, also for a restarted pod,
# that the second one is pending.
joining=${REDIS_DATA:-/data}/joining

join() {
  if [ "$(field "$POD_IP" cluster_known_nodes cluster info)" = 1 ]; then
    [ "$(field "$POD_IP" cluster_slots_assigned cluster info)" = 0 ] || return 0
    [ "$(redis "$POD_IP" dbsize)" = 0 ] || return 0
    member=$(cluster_of_most_peers) || return 0
    : > "$joining"
    say "joins the cluster of $member"
    redis "$POD_IP" cluster meet "$member" "$REDIS_PORT" > /dev/null
  elif [ ! -e "$joining" ]; then
    return 0
  elif [ "$(role_of "$POD_IP")" = slave ]; then
    # By create.sh, or the second step was interrupted.
    rm -f "$joining"
  elif knows_all_that_answer; then
    neediest=$(redis "$POD_IP" cluster nodes | replicas_of_masters | awk 'NR == 1 { print $2 }')
    [ -n "$neediest" ] || return 0
    if [ "$(redis "$POD_IP" cluster replicate "$neediest")" = OK ]; then
      say "is a replica of $neediest"
      rm -f "$joining"
    fi
  fi
}

# If one master has two replicas and another none, the replica with the last id moves. Redis itself
# migrates replicas only to masters that used to have one.
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

# Once every pod has a connected node, a failed id without slots is obsolete. Every node must forget
# it within the minute for which Redis does not accept it again from gossip.
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

# Whether nothing needs healing: this node is not joining, each name leads to a connected node of
# that name, no other node is known, and every master with slots has a replica.
is_complete() {
  [ ! -e "$joining" ] || return 1
  # shellcheck disable=SC2154 # resolve sets hosts
  printf '%s\n%s\n' "$hosts" "$nodes" | awk -v count="$REDIS_NODES" -v bus_port="$bus_port" '
    NR <= count { expected[$1 "@" bus_port "," $2] = 1; next }
    { place = $2; sub(/:[0-9]+@/, "@", place) }
    !(place in expected) || $3 ~ /fail|noaddr|handshake/ || $8 != "connected" { incomplete = 1 }
    { delete expected[place] }
    $3 ~ /slave/ { replicated[$4] = 1 }
    $3 ~ /master/ && NF > 8 { masters[$1] = 1 }
    END {
      for (id in masters) if (!(id in replicated)) incomplete = 1
      exit incomplete || NR != 2 * count
    }'
}

heal() {
  nodes=$(redis "$POD_IP" cluster nodes)
  resolve
  if ! is_complete; then
    for peer in $(peers); do
      meet_if_moved "$peer" || true
    done
    join || true
    share_replicas || true
    forget_the_dead || true
  fi
  follow_moved_master || true
}

# Whether a peer still assigns slots to a former node of this pod, by its name or address.
still_owned() {
  resolve
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

# A master that lost its disk must not return before a replica is promoted: at the old address, the
# replica would copy the empty data set. Without a replica nothing can be saved, hence the limit.
await_successor() {
  [ ! -s "${REDIS_DATA:-/data}/nodes.conf" ] || return 0
  tries=0
  while [ "$tries" -lt "${REDIS_SUCCESSOR_SECONDS:-30}" ] && still_owned; do
    [ "$tries" != 0 ] || say "the disk is empty: waiting until a replica holds this pod's slots"
    tries=$((tries + 1))
    sleep 1
  done
}
