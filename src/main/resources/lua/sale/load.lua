#!lua
--[[
Load: release the stock of one shard that prepare.lua held back, once.

KEYS[1] conf   hash  the sale's terms and state
KEYS[2] stock  hash  <sku>:total <sku>:ordered <sku>:limit <sku>:whole
KEYS[3] index  zset  the partition's sales, scored by when they were prepared
ARGV[1] deadline  ARGV[2] release  ARGV[3] sale
ARGV[4] listed  1 for the first shard, which lists the sale; 0 for the others
ARGV[5] month   in which the ledger has the sale; 0 without a ledger
then for each item
ARGV[1] sku  ARGV[2] total  ARGV[3] limit
ARGV[4] whole  total of all shards, kept by the first; - for none

Returns the first that applies:
  late | not-loaded | exists | created

Keeps: stock is written only where it was held back under this release, so stock that Redis lost is
never seeded again. What the ledger has recorded of the sale is stored with its terms.
]]
local conf, stock, index = unpack(KEYS)
local deadline, release, sale, listed, month = unpack(ARGV, 1, 5)
local FIRST, STRIDE = 6, 4

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end

local terms = redis.call('HMGET', conf, 'created_at', 'loading')
if terms[2] ~= release then
  return terms[1] and not terms[2] and redis.call('EXISTS', stock) == 1 and 'exists' or 'not-loaded'
end

for first = FIRST, #ARGV, STRIDE do
  local sku, total, limit, whole = unpack(ARGV, first, first + STRIDE - 1)
  redis.call('HSET', stock, sku .. ':total', total, sku .. ':ordered', 0, sku .. ':limit', limit)
  if whole ~= '-' then
    redis.call('HSET', stock, sku .. ':whole', whole)
  end
end
redis.call('HDEL', conf, 'loading')
redis.call('HSET', conf, 'release', release, 'month', month)
if listed == '1' then
  redis.call('ZADD', index, terms[1], sale)
end
return 'created'
