#!lua flags=no-writes
--[[
Read: a shard's terms, state and counters in one snapshot.

KEYS[1] conf       hash  the sale's terms and state
KEYS[2] stock      hash  <sku>:total <sku>:ordered <sku>:limit
KEYS[3] transfers  hash  unfinished transfer → "generation destination sku units at"

Returns now, then the first that applies:
  nothing for an unknown sale | conf as a list of fields and values, and so stock and transfers

Keeps: nothing is written.
]]
local conf, stock, transfers = unpack(KEYS)

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local terms = redis.call('HGETALL', conf)
if #terms == 0 then
  return { now }
end
local notes = {}
local entries = redis.call('HGETALL', transfers)
for i = 1, #entries, 2 do
  if entries[i] ~= '' then
    notes[#notes + 1], notes[#notes + 2] = entries[i], entries[i + 1]
  end
end
return { now, terms, redis.call('HGETALL', stock), notes }
