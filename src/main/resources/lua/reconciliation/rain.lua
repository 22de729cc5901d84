#!lua flags=no-writes
--[[
Rain: a rain's counters, and the position of its partition, at one instant.

KEYS[1] conf       hash    the rain's terms and state
KEYS[2] envelopes  list    amounts, next one at the head; the last element is none
KEYS[3] takers     hash    user → record, as grab.lua writes it
KEYS[4] stream     stream  accepted orders and grabs of the partition
KEYS[5] seq        string  accepted purchases and grabs of the partition

Returns now, seq, the stream's last entry, the number of its entries; for a known rain also a
word, then envelopes and amount prepared, granted and left:
  loaded | not-loaded

Keeps: nothing is written. The remaining amounts of a very long list are not added up, but computed
from what was granted.
]]
local conf, envelopes, takers, stream, seq = unpack(KEYS)
local ADDED_MAX = 20000

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local terms = redis.call('HMGET', conf, 'count', 'amount', 'granted', 'granted_amount')
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]

-- Envelopes neither granted nor left are lost. Without `takers`, so is who took those granted.
local function word(left)
  local granted = tonumber(terms[3])
  if left ~= tonumber(terms[1]) - granted
      or (granted > 0 and redis.call('EXISTS', takers) == 0) then
    return 'not-loaded'
  end
  return 'loaded'
end

local snapshot = { now, tonumber(redis.call('GET', seq) or 0), last and last[1] or '0-0',
    redis.call('XLEN', stream) }
if not terms[1] then
  return snapshot
end

local left = math.max(0, redis.call('LLEN', envelopes) - 1)
local amount = tonumber(terms[2]) - tonumber(terms[4])
if left <= ADDED_MAX then
  amount = 0
  for _, envelope in ipairs(redis.call('LRANGE', envelopes, 0, -2)) do
    amount = amount + tonumber(envelope)
  end
end
for _, counter in ipairs({ word(left), terms[1], terms[2], terms[3], terms[4],
    string.format('%.0f', left), string.format('%.0f', amount) }) do
  snapshot[#snapshot + 1] = counter
end
return snapshot
