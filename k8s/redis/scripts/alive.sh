#!/bin/sh
# Alive: the process gives any answer within the time limit of redis(). LOADING counts, because a
# restart would only start loading again; so does a refused password, which a restart cannot fix.
set -eu
. "${0%/*}/lib.sh"

[ -n "$(redis "$POD_IP" ping)" ] || {
  echo "alive.sh: redis-server does not answer"
  exit 1
}
