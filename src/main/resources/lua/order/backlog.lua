#!lua flags=no-writes
--[[
Backlog: how many entries of a partition wait for the ledger, and for how long.

KEYS[1] stream  stream  accepted orders and grabs of the partition

Returns the number of entries and the age of the oldest in milliseconds.

Keeps: nothing is written.
]]
local stream = KEYS[1]

local waiting = redis.call('XLEN', stream)
if waiting == 0 then
  return { 0, 0 }
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1][1]
return { waiting, math.max(0, now - tonumber(string.match(oldest, '^%d+'))) }
