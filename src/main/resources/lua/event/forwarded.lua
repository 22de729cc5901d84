#!lua flags=allow-oom
--[[
Forwarded: remove entries whose orders and grabs a message queue has acknowledged.

KEYS[1] stream  stream  accepted orders and grabs of the partition
KEYS[2] lease   hash    holder, token, until
ARGV[1] holder
ARGV[2] token  under which the entries were read
then for each entry
ARGV[1] entry

Returns how many entries were removed; −1 if another pod has had the lease meanwhile.

Keeps: a former holder of the lease removes nothing, because an entry's id may now belong to another
order.
]]
local stream, lease = unpack(KEYS)
local holder, token = unpack(ARGV)
local FIRST = 3

local known = redis.call('HMGET', lease, 'holder', 'token')
if known[1] ~= holder or known[2] ~= token then
  return -1
end
return redis.call('XDEL', stream, unpack(ARGV, FIRST))
