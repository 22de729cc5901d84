#!lua flags=no-writes
--[[
Orders: the accepted purchases of one user that the ledger may not have yet, newest first.

KEYS[1] keys    hash  "<user> <key>" → state order placed_at pay_by digest lines lefts
KEYS[2] orders  hash  order → "<user> <key>"
KEYS[3] placed  zset  "<user> <order>"
ARGV[1] user  ARGV[2] most

Returns for each order, at most so many:
  user key entry

Keeps: nothing is written. Order ids are time-ordered, so the last by name is the newest.
]]
local keys, orders, placed = unpack(KEYS)
local user, most = ARGV[1], ARGV[2]

local found = {}
local members = redis.call('ZRANGE', placed, '(' .. user .. '!', '[' .. user .. ' ', 'BYLEX', 'REV',
    'LIMIT', 0, most)
for _, member in ipairs(members) do
  local user_key = redis.call('HGET', orders, string.sub(member, #user + 2))
  local entry = user_key and redis.call('HGET', keys, user_key)
  if entry then
    found[#found + 1] = user_key .. ' ' .. entry
  end
end
return found
