#!lua
--[[
Settle: forget entries of one sale or rain that the ledger has now.

KEYS[1] stream  stream  accepted orders and grabs of the partition
KEYS[2] orders  hash    order → "<user> <key>"
KEYS[3] placed  zset    "<user> <order>"
ARGV[1] group
then for each entry
ARGV[1] entry  ARGV[2] order  ARGV[3] user

Returns the number of entries deleted.

Keeps: an entry without an order ("-") leaves orders and placed alone. Settling again
changes nothing.
]]
local stream, orders, placed = unpack(KEYS)
local group = ARGV[1]
local FIRST, STRIDE = 2, 3

local entries, settled, members = {}, {}, {}
for first = FIRST, #ARGV, STRIDE do
  entries[#entries + 1] = ARGV[first]
  if ARGV[first + 1] ~= '-' then
    settled[#settled + 1] = ARGV[first + 1]
    members[#members + 1] = ARGV[first + 2] .. ' ' .. ARGV[first + 1]
  end
end
if #settled > 0 then
  redis.call('HDEL', orders, unpack(settled))
  redis.call('ZREM', placed, unpack(members))
end
redis.call('XACK', stream, group, unpack(entries))
return redis.call('XDEL', stream, unpack(entries))
