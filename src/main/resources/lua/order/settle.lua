#!lua flags=allow-oom
--[[
Settle: forget entries of one sale or rain that the ledger has now.

KEYS[1] stream  stream  accepted orders and grabs of the partition
KEYS[2] orders  hash    order → "<user> <key>"
KEYS[3] placed  zset    "<user> <order>"
ARGV[1] entry_count  ARGV[2] order_count
then the entries, the orders and "<user> <order>" of each order, as many as these say

Returns the number of entries deleted.

Keeps: orders whose entries are not among these are left alone. Settling again changes nothing.
]]
local stream, orders, placed = unpack(KEYS)
local entry_count, order_count = tonumber(ARGV[1]), tonumber(ARGV[2])
local entries_end = 2 + entry_count
local orders_end = entries_end + order_count

if order_count > 0 then
  redis.call('HDEL', orders, unpack(ARGV, entries_end + 1, orders_end))
  redis.call('ZREM', placed, unpack(ARGV, orders_end + 1, orders_end + order_count))
end
return redis.call('XDEL', stream, unpack(ARGV, 3, entries_end))
