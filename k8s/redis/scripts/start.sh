#!/bin/sh
# Starts the Redis node of this pod, and keeps it connected to its cluster while it runs.
#
# Reads POD_NAME POD_IP REDIS_SERVICE REDIS_NODES REDIS_MAXMEMORY; arguments go to redis-server.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/renew.sh"
. "${0%/*}/heal.sh"

config=${REDIS_CONF:-/etc/redis/config/redis.conf}
heal_every=${REDIS_HEAL_SECONDS:-5}

heal_while_running() {
  while sleep "$heal_every" && kill -0 "$1" 2>/dev/null; do
    reload_secrets || true
    heal || true
  done
}

# Without a password the node would accept everybody.
[ -n "$REDISCLI_AUTH" ] || {
  echo "start.sh: the first line of $REDIS_AUTH is empty"
  exit 1
}
secrets=$(read_secrets)
write_auth_config
if [ -n "$REDIS_TLS" ]; then
  set -- --include "${config%/*}/tls.conf" --port 0 --tls-port "$REDIS_PORT" \
    --tls-cert-file "$REDIS_TLS/tls.crt" --tls-key-file "$REDIS_TLS/tls.key" \
    --tls-ca-cert-file "$REDIS_TLS/ca.crt" "$@"
fi
await_successor
# This shell becomes redis-server, so the loop ends with it.
heal_while_running $$ &
exec redis-server "$config" \
  --include "$auth_config" \
  --dir "${REDIS_DATA:-/data}" \
  --unixsocket "$socket" \
  --maxmemory "$REDIS_MAXMEMORY" \
  --cluster-announce-ip "$POD_IP" \
  --cluster-announce-hostname "$POD_NAME.$REDIS_SERVICE" \
  "$@"
