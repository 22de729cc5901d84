#!lua flags=no-writes
--[[
Backlog: how many orders and grabs of a partition wait for the ledger, and for how long.

KEYS[1] stream  stream  accepted orders and grabs of the partition
KEYS[2] seq     string  accepted purchases and grabs of the partition

Returns their number and the age of the oldest in milliseconds.

Keeps: nothing is written.
]]
local stream, seq = unpack(KEYS)
-- include head
-- include waiting

local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
if not oldest then
  return { 0, 0 }
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
return { count_waiting(stream, tonumber(redis.call('GET', seq) or 0)),
  math.max(0, now - tonumber(string.match(oldest[1], '^%d+'))) }
