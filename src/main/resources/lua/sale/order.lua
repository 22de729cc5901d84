#!lua flags=no-writes
--[[
Order: one accepted purchase that the ledger may not have yet.

KEYS[1] keys    hash  "<user> <key>" → state order placed_at pay_by digest lines lefts
KEYS[2] orders  hash  order → "<user> <key>"
ARGV[1] order

Returns the first that applies:
  unknown-order | user key entry

Keeps: nothing is written.
]]
local keys, orders = unpack(KEYS)

local user_key = redis.call('HGET', orders, ARGV[1])
local entry = user_key and redis.call('HGET', keys, user_key)
if not entry then
  return 'unknown-order'
end
return user_key .. ' ' .. entry
