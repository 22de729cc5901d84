#!/bin/sh
# Before a master stops it hands its slots to a replica. CLUSTER FAILOVER only starts that, so this
# waits until it has happened: a hand-over loses no write, a dead master may.
set -eu
. "$(dirname "$0")/lib.sh"

# Must stay well below terminationGracePeriodSeconds.
prestop_seconds=${REDIS_PRESTOP_SECONDS:-20}
# A replica that has just started is not yet seen; one that is not there is not waited for.
replica_seconds=${REDIS_REPLICA_SECONDS:-5}
# Peers and clients hear of the new master while the old one can still redirect them.
linger_seconds=2

now() {
  date +%s
}

# The address of a replica of this node that is connected and not failing.
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
  # Redis gives a hand-over up after 5 s; asked again before that, it begins anew. A replica that
  # has no link to this node yet refuses, and is asked again.
  elif [ "$(now)" -ge $((asked_at + 6)) ] && [ "$(redis "$heir" cluster failover)" = OK ]; then
    asked_at=$(now)
  fi
  sleep 0.2
done
sleep "$linger_seconds"
