#!/bin/sh
# Hands the slots of a stopping master over to a replica, because a handover loses no write but a
# dead master may. CLUSTER FAILOVER only starts it, so the script waits for its end.
set -eu
. "${0%/*}/lib.sh"

# Must stay well below terminationGracePeriodSeconds.
prestop_seconds=${REDIS_PRESTOP_SECONDS:-20}
# Time for a replica that has just started to be seen. The script does not wait longer for one.
replica_seconds=${REDIS_REPLICA_SECONDS:-5}
# Meanwhile the old master still redirects clients, and peers learn of the new one.
linger_seconds=2

now() {
  date +%s
}

# Prints the address of a connected replica of this node.
replica() {
  redis "$POD_IP" cluster replicas "$(redis "$POD_IP" cluster myid)" |
    awk '$3 !~ /fail|noaddr/ && $8 == "connected" { sub(":.*", "", $2); print $2; exit }'
}

if [ -z "$(role_of "$POD_IP")" ]; then
  echo "prestop.sh: redis-server does not answer, so nothing can be handed over"
  exit 0
fi
started_at=$(now)
asked_at=0
while [ "$(role_of "$POD_IP")" != slave ] && [ "$(now)" -lt $((started_at + prestop_seconds)) ]; do
  heir=$(replica)
  if [ -z "$heir" ]; then
    if [ "$(now)" -ge $((started_at + replica_seconds)) ]; then
      echo "prestop.sh: no replica can take over"
      exit 0
    fi
  # Redis aborts a handover after 5 s, and a request before that would restart it. A replica that is
  # not linked to this node yet refuses, and is asked again.
  elif [ "$(now)" -ge $((asked_at + 6)) ] && [ "$(redis "$heir" cluster failover)" = OK ]; then
    asked_at=$(now)
  fi
  sleep 0.2
done
sleep "$linger_seconds"
