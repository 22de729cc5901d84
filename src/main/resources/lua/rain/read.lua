#!lua flags=no-writes
--[[
Read: a rain's terms, state and counters in one snapshot.

KEYS[1] conf       hash  the rain's terms and state
KEYS[2] envelopes  list  amounts, next one at the head; the last element is none
KEYS[3] takers     hash  user → record, as grab.lua writes it

Returns now, then the first that applies:
  nothing for an unknown rain | conf as a list of fields and values, envelopes left

Envelopes left are -1 if Redis lost who took those that were granted.

Keeps: nothing is written.
]]
local conf, envelopes, takers = unpack(KEYS)

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local terms = redis.call('HGETALL', conf)
if #terms == 0 then
  return { now }
end
if redis.call('HGET', conf, 'granted') ~= '0' and redis.call('EXISTS', takers) == 0 then
  return { now, terms, -1 }
end
return { now, terms, math.max(0, redis.call('LLEN', envelopes) - 1) }
