#!lua
--[[
Fill: add the next envelopes of a draft; with the last of them the draft becomes a rain.

KEYS[1] conf       hash    the rain's terms and state
KEYS[2] draft      hash    definition, seed and epoch of the rain that is being filled
KEYS[3] envelopes  list    amounts, next one at the head
KEYS[4] index      zset    the partition's rains, scored by when they were prepared
KEYS[5] takers     hash    user → record, as grab.lua writes it
KEYS[6] board      zset    "<number> <user> <nth>", scored by −amount: the highest 100
KEYS[7] sums       zset    "<number of the first> <user>", scored by −sum: the highest 100
KEYS[8] stream     stream  accepted orders and grabs of the partition
KEYS[9] seq        string  accepted purchases and grabs of the partition
ARGV[1] deadline  ARGV[2] definition  ARGV[3] seed  ARGV[4] rain  ARGV[5] opens_at
ARGV[6] closes_at  ARGV[7] limit  ARGV[8] count  ARGV[9] amount  of all envelopes
ARGV[10] epoch  of this filling  ARGV[11] offset  envelopes before these
ARGV[12] month  in which the ledger has the rain; 0 without a ledger
then for each envelope, at most 2000
ARGV[1] amount

Returns the first that applies:
  late | exists | rain-exists | unavailable | filled envelopes | created

Keeps: each envelope is added once, in order, however many pods call this: only if exactly offset
envelopes exist. The terms are written last. Times are milliseconds, 0 for none. All keys of a
rain exist: each ends with a placeholder entry "", as with ensure.lua for a sale.
]]
local conf, draft, envelopes, index, takers, board, sums, stream, seq = unpack(KEYS)
local deadline, definition, seed, rain, opens_at, closes_at, limit, count, amount, epoch, offset,
    month = unpack(ARGV, 1, 12)
local FIRST = 13
local DRAFT_SECONDS = 86400

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end

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
local now_text = string.format('%.0f', now)
redis.call('PERSIST', envelopes)
redis.call('RPUSH', envelopes, '')
redis.call('HSET', takers, '', '')
redis.call('ZADD', board, 'inf', '')
redis.call('ZADD', sums, 'inf', '')
redis.call('INCRBY', seq, 0)
if redis.call('EXISTS', stream) == 0 then
  redis.call('XDEL', stream, redis.call('XADD', stream, '*', 'first', ''))
end
redis.call('DEL', draft)
redis.call('ZADD', index, now_text, rain)
redis.call('HSET', conf, 'definition', definition, 'seed', seed, 'opens_at', opens_at,
    'closes_at', closes_at, 'paused', 0, 'closed_at', 0, 'limit', limit, 'count', count,
    'amount', amount, 'granted', 0, 'granted_amount', 0, 'created_at', now_text, 'changes', 0,
    'release', epoch, 'month', month)
return 'created'
