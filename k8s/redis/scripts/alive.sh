#!/bin/sh
# Alive: the process answers something within redis()'s time limit. LOADING counts, since a restart
# would begin the loading again; so does a refused password, since a restart does not change it.
set -eu
. "$(dirname "$0")/lib.sh"

[ -n "$(redis "$POD_IP" ping)" ] || {
  echo "alive.sh: redis-server does not answer"
  exit 1
}
