#!/bin/sh
# Ready: this node sees a working cluster and, as a replica, is linked to its master. Clients do not
# depend on this (names are published earlier), but rolling updates and evictions do: the next pod
# stops only when this one could take over. The cause on stdout appears in the pod's events.
set -eu
. "${0%/*}/lib.sh"

not_ready() {
  echo "ready.sh: $*"
  exit 1
}

# value NAME: prints one field of $answer.
value() {
  echo "$answer" | awk -F '[:\r]' -v name="$1" '$1 == name { print $2 }'
}

# refused ANSWER: whether it reports a wrong password.
refused() {
  case $1 in
    NOAUTH* | WRONGPASS* | *"invalid username-password"*) return 0 ;;
  esac
  return 1
}

answer=$(redis "$POD_IP" cluster info)
case $answer in
  *cluster_state:ok*) ;;
  *cluster_state:*)
    not_ready "the cluster is down: this node knows $(value cluster_known_nodes) of" \
      "$REDIS_NODES nodes, $(value cluster_slots_assigned) of 16384 slots are assigned and" \
      "$(value cluster_slots_fail) of them have no master" ;;
  '') not_ready "redis-server does not answer" ;;
  LOADING*) not_ready "redis-server is loading its data: $answer" ;;
  *)
    if refused "$answer"; then
      not_ready "redis-server refuses the password in $REDIS_AUTH: $answer"
    fi
    not_ready "$answer" ;;
esac

answer=$(redis "$POD_IP" info replication)
case $answer in
  *role:master* | *role:slave*master_link_status:up*) ;;
  *role:slave*)
    master=$(value master_host)
    greeting=$(redis "$master" ping)
    if refused "$greeting"; then
      not_ready "the master $master refuses the password in $REDIS_AUTH: $greeting"
    fi
    not_ready "no link to the master $master, whose answer to PING is: ${greeting:-none}" ;;
  *) not_ready "$answer" ;;
esac
