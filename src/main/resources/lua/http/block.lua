#!lua flags=allow-oom
--[[
Block: add a user to the blocklist or remove one, and record the change for all pods.

KEYS[1] users    zset  blocked users, all scored 0 and so in the order of their names
KEYS[2] changes  zset  "<version> <nonce> <action> <user>" of the latest changes, scored by version
KEYS[3] control  stream  changes for the ledger, each "id kind subject action version at actor
                        before after", and its cause; only where a ledger keeps them
ARGV[1] deadline  ARGV[2] action  add or remove  ARGV[3] user  ARGV[4] nonce  of this call
ARGV[5] users_max  ARGV[6] changes_max  kept
ARGV[7] change  "id kind subject" of this change; - where no ledger keeps changes
ARGV[8] actor   who makes it  ARGV[9] cause  why, in their words; empty for none

Returns the first that applies:
  late | too-large | done

Keeps: a change has the next version. The list of a version plus all later changes equals the
current list. A Redis that has lost changes gives their versions out again, with other nonces.
]]
local users, changes, control = unpack(KEYS)
local deadline, action, user, nonce, users_max, changes_max, change, actor, cause = unpack(ARGV)

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end
-- include control

local is_blocked = redis.call('ZSCORE', users, user)
if (action == 'add') == (is_blocked and true or false) then
  return 'done'
end
if action == 'add' and redis.call('ZCARD', users) >= tonumber(users_max) then
  return 'too-large'
end

if action == 'add' then
  redis.call('ZADD', users, 0, user)
else
  redis.call('ZREM', users, user)
end
local latest = redis.call('ZRANGE', changes, -1, -1, 'WITHSCORES')
local version = string.format('%.0f', tonumber(latest[2] or 0) + 1)
redis.call('ZADD', changes, version, table.concat({ version, nonce, action, user }, ' '))
redis.call('ZREMRANGEBYRANK', changes, 0, -tonumber(changes_max) - 1)
keep(action, version, is_blocked and 1 or 0, is_blocked and 0 or 1)
return 'done'
