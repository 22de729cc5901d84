#!lua
--[[
Fill: put the next envelopes of a draft; with the last of them the draft becomes a rain.

KEYS[1] conf       hash    the rain's terms and state
KEYS[2] draft      hash    definition, seed and epoch of the rain that is being filled
KEYS[3] envelopes  list    amounts, next one at the head
KEYS[4] index      zset    the partition's rains, scored by when they were prepared
KEYS[5] takers     hash    user → grabs, number of the first
KEYS[6] keys       hash    "<user> <key>" → nth
KEYS[7] grabs      hash    "<user> <nth>" → grab number amount at key
KEYS[8] board      zset    "<number> <user> <nth>", scored by −amount: the highest 100
KEYS[9] sums       zset    "<number of the first> <user>", scored by −sum
KEYS[10] stream    stream  accepted orders and grabs of the partition
KEYS[11] seq       string  accepted purchases and grabs of the partition
ARGV[1] definition  ARGV[2] seed  ARGV[3] rain  ARGV[4] opens_at  ARGV[5] closes_at
ARGV[6] limit  ARGV[7] count  ARGV[8] amount  of all envelopes  ARGV[9] epoch  of this filling
ARGV[10] offset  envelopes before these
then for each envelope, at most 2000
ARGV[1] amount

Returns the first that applies:
  exists | rain-exists | unavailable | filled envelopes | created

Keeps: each envelope is put once, in its order, whoever fills and however often: only where exactly
offset of them are there. The terms are written last. Times are milliseconds, 0 for none. All keys
of a rain exist: each ends with an entry "" that stands for nothing, as ensure.lua does for a sale.
]]
local conf, draft, envelopes, index, takers, keys, grabs, board, sums, stream, seq = unpack(KEYS)
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
redis.call('RPUSH', envelopes, '')
redis.call('HSET', takers, '', '')
redis.call('HSET', keys, '', '')
redis.call('HSET', grabs, '', '')
redis.call('ZADD', board, 'inf', '')
redis.call('ZADD', sums, 'inf', '')
redis.call('INCRBY', seq, 0)
if redis.call('EXISTS', stream) == 0 then
  redis.call('XDEL', stream, redis.call('XADD', stream, '*', 'first', ''))
end
redis.call('DEL', draft)
redis.call('ZADD', index, now, rain)
redis.call('HSET', conf, 'definition', definition, 'seed', seed, 'opens_at', opens_at,
    'closes_at', closes_at, 'paused', 0, 'closed_at', 0, 'limit', limit, 'count', count,
    'amount', amount, 'granted', 0, 'granted_amount', 0, 'created_at', now, 'changes', 0)
return 'created'
