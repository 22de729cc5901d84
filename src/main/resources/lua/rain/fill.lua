#!lua
--[[
Fill: put the next envelopes of a draft; with the last of them the draft becomes a rain.

KEYS[1] conf       hash  the rain's terms and state
KEYS[2] draft      hash  definition, seed and epoch of the rain that is being filled
KEYS[3] envelopes  list  amounts, next one at the head
KEYS[4] index      zset  the partition's rains, scored by when they were prepared
ARGV[1] definition  ARGV[2] seed  ARGV[3] rain  ARGV[4] opens_at  ARGV[5] closes_at
ARGV[6] limit  ARGV[7] count  ARGV[8] amount  of all envelopes  ARGV[9] epoch  of this filling
ARGV[10] offset  envelopes before these
then for each envelope, at most 2000
ARGV[1] amount

Returns the first that applies:
  exists | rain-exists | unavailable | filled envelopes | created

Keeps: each envelope is put once, in its order, whoever fills and however often: only where exactly
offset of them are there. The terms are written last. Times are milliseconds, 0 for none.
]]
local conf, draft, envelopes, index = unpack(KEYS)
local definition, seed, rain, opens_at, closes_at, limit, count, amount, epoch, offset =
    unpack(ARGV, 1, 10)
local FIRST = 11
local DRAFT_SECONDS = 86400

local known = redis.call('HMGET', conf, 'definition', 'seed')
if known[1] then
  return known[1] == definition and known[2] == seed and 'exists' or 'rain-exists'
end
known = redis.call('HMGET', draft, 'definition', 'seed', 'epoch')
if known[1] and (known[1] ~= definition or known[2] ~= seed) then
  return 'rain-exists'
end
if known[3] ~= epoch then
  return 'unavailable'
end
local filled = redis.call('LLEN', envelopes)
if filled ~= tonumber(offset) then
  return 'filled ' .. filled
end

if #ARGV >= FIRST then
  filled = redis.call('RPUSH', envelopes, unpack(ARGV, FIRST))
end
if filled < tonumber(count) then
  redis.call('EXPIRE', draft, DRAFT_SECONDS)
  redis.call('EXPIRE', envelopes, DRAFT_SECONDS)
  return 'filled ' .. filled
end
local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
redis.call('PERSIST', envelopes)
redis.call('DEL', draft)
redis.call('ZADD', index, now, rain)
redis.call('HSET', conf, 'definition', definition, 'seed', seed, 'opens_at', opens_at,
    'closes_at', closes_at, 'paused', 0, 'closed_at', 0, 'limit', limit, 'count', count,
    'amount', amount, 'granted', 0, 'granted_amount', 0, 'created_at', now, 'changes', 0)
return 'created'
