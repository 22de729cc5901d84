#!lua
--[[
Load: release the stock that prepare.lua held back, once.

KEYS[1] conf   hash  the sale's terms and state
KEYS[2] stock  hash  <sku>:total <sku>:ordered <sku>:limit
KEYS[3] index  zset  the partition's sales, scored by when they were prepared
ARGV[1] epoch  ARGV[2] sale
then for each item
ARGV[1] sku  ARGV[2] total  ARGV[3] limit

Returns the first that applies:
  not-loaded | exists | created

Keeps: stock is written only where it was held back under this epoch, so stock that Redis lost is
never seeded again.
]]
local conf, stock, index = unpack(KEYS)
local epoch, sale = ARGV[1], ARGV[2]
local FIRST, STRIDE = 3, 3

local terms = redis.call('HMGET', conf, 'created_at', 'loading')
if terms[2] ~= epoch then
  return terms[1] and not terms[2] and redis.call('EXISTS', stock) == 1 and 'exists' or 'not-loaded'
end

for first = FIRST, #ARGV, STRIDE do
  local sku = ARGV[first]
  redis.call('HSET', stock, sku .. ':total', ARGV[first + 1], sku .. ':ordered', 0,
      sku .. ':limit', ARGV[first + 2])
end
redis.call('HDEL', conf, 'loading')
redis.call('ZADD', index, terms[1], sale)
return 'created'
