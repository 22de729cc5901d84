#!/bin/sh
# Ready: this node sees a working cluster and, as a replica, has its master's data. No client waits
# for this (names are published earlier); rolling updates and evictions do, so that the next pod
# goes only when this one could take over.
set -eu
. "$(dirname "$0")/lib.sh"

[ "$(field "$POD_IP" cluster_state cluster info)" = ok ]
case $(role_of "$POD_IP") in
  master) ;;
  slave) [ "$(field "$POD_IP" master_link_status info replication)" = up ] ;;
  *) exit 1 ;;
esac
