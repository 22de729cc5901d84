# shellcheck shell=sh
# Passwords, users and certificates of a node: configures them at the start and reloads changed ones
# at run time, because renewing a certificate must not restart every node.

# shellcheck disable=SC2153 # lib.sh sets it
auth_config=$REDIS_TMP/auth.conf
users_template=${REDIS_CONF:-/etc/redis/config/redis.conf}
users_template=${users_template%/*}/users.acl

# Prints checksums that change with the Secrets.
read_secrets() {
  cksum "${REDIS_AUTH%/*}"/*password ${REDIS_TLS:+"$REDIS_TLS"/*}
}

# passwords_of USER: prints the SHA-256 of each password as an ACL rule; nothing without a file.
passwords_of() {
  file=${REDIS_AUTH%/*}/$1-password
  [ "$1" != default ] || file=$REDIS_AUTH
  [ -s "$file" ] || return 0
  while read -r password || [ -n "$password" ]; do
    [ -z "$password" ] || printf '#%s ' "$(printf %s "$password" | sha256sum | cut -d ' ' -f 1)"
  done < "$file"
}

# Prints "name rules" for each user of the template and for the one of nodes and scripts.
users() {
  echo 'default on ~* &* +@all'
  sed -n 's/^user //p' "$users_template"
}

# A file that only this user can read, because every process can read command lines.
write_auth_config() {
  (
    umask 077
    users | while read -r name rules; do
      hashes=$(passwords_of "$name")
      [ -z "$hashes" ] || echo "user $name $rules $hashes"
    done > "$auth_config"
    printf 'masterauth "%s"\n' "$REDISCLI_AUTH" >> "$auth_config"
  )
}

# Open connections stay open. The old password is used until the node knows the new one.
reload_secrets() {
  now=$(read_secrets)
  [ "$now" != "$secrets" ] || return 0
  users | while read -r name rules; do
    hashes=$(passwords_of "$name")
    # shellcheck disable=SC2086 # a list of rules
    [ -z "$hashes" ] || redis "$POD_IP" acl setuser "$name" reset $rules $hashes > /dev/null
  done
  read_password
  printf %s "$REDISCLI_AUTH" | redis "$POD_IP" -x config set masterauth > /dev/null
  if [ -n "$REDIS_TLS" ]; then
    redis "$POD_IP" config set tls-cert-file "$REDIS_TLS/tls.crt" \
      tls-key-file "$REDIS_TLS/tls.key" tls-ca-cert-file "$REDIS_TLS/ca.crt" > /dev/null
  fi
  if [ "$(redis "$POD_IP" ping)" = PONG ]; then
    secrets=$now
    echo "start.sh: took over new passwords and certificates"
  fi
}
