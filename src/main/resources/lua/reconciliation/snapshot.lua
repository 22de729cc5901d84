#!lua flags=no-writes
--[[
Snapshot: a shard's counters, and the position of its partition, at one instant.

KEYS[1] conf       hash    the sale's terms and state
KEYS[2] stock      hash    <sku>:total <sku>:ordered <sku>:limit <sku>:credited
KEYS[3] buyers     hash    user → record
KEYS[4] stream     stream  accepted orders and grabs of the partition
KEYS[5] seq        string  accepted purchases and grabs of the partition
KEYS[6] transfers  hash    unfinished transfer → "generation destination sku units at"
KEYS[7] received   set     transfers given to this shard
for each transfer in question
ARGV[1] transfer

Returns now, seq, the stream's last entry, the number that wait in it, the first word that applies,
stock and transfers as lists of fields and values, and the given ones of those in question:
  not-loaded | loaded

Keeps: nothing is written. Every order that ordered counts is in the stream up to that last entry,
or has left it and is in the ledger.
]]
local conf, stock, buyers, stream, seq, transfers, received = unpack(KEYS)
-- include head
-- include waiting
-- include lost

local function word(counters)
  local terms = redis.call('HMGET', conf, 'definition', 'loading')
  local is_whole = terms[1] and not terms[2] and #counters > 0
      and not are_buyers_lost(stock, buyers)
  return is_whole and 'loaded' or 'not-loaded'
end

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local counters = redis.call('HGETALL', stock)
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
local number = tonumber(redis.call('GET', seq) or 0)
local given = {}
for first = 1, #ARGV do
  if redis.call('SISMEMBER', received, ARGV[first]) == 1 then
    given[#given + 1] = ARGV[first]
  end
end
local notes = {}
local entries = redis.call('HGETALL', transfers)
for i = 1, #entries, 2 do
  if entries[i] ~= '' then
    notes[#notes + 1], notes[#notes + 2] = entries[i], entries[i + 1]
  end
end
return { now, number, last and last[1] or '0-0', count_waiting(stream, number), word(counters),
    counters, notes, given }
