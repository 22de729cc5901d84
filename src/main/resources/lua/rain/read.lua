#!lua flags=no-writes
--[[
Read: a rain's terms, state and counters in one snapshot.

KEYS[1] conf       hash  the rain's terms and state
KEYS[2] envelopes  list  amounts, next one at the head; the last element is none

Returns now, then the first that applies:
  nothing for an unknown rain | conf as a list of fields and values, envelopes left

Keeps: nothing is written.
]]
local conf, envelopes = unpack(KEYS)

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local terms = redis.call('HGETALL', conf)
if #terms == 0 then
  return { now }
end
return { now, terms, math.max(0, redis.call('LLEN', envelopes) - 1) }
