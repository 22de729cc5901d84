#!lua
--[[
Prepare: put a sale's terms and stock where purchases find them, once.

KEYS[1] conf   hash  the sale's terms and state
KEYS[2] stock  hash  <sku>:total <sku>:ordered <sku>:limit
KEYS[3] index  zset  the partition's sales, scored by when they were prepared
ARGV[1] definition  ARGV[2] opens_at  ARGV[3] closes_at  ARGV[4] guard  ARGV[5] guard_window
ARGV[6] payment_window  ARGV[7] returns_limit  ARGV[8] sale
then for each item
ARGV[1] sku  ARGV[2] total  ARGV[3] limit

Returns the first that applies:
  exists | sale-exists | created

Keeps: a sale that is there stays as it is, whatever is asked. An absent opens_at is "0", an absent
closes_at "0"; all are milliseconds.
]]
local conf, stock, index = unpack(KEYS)
local definition, opens_at, closes_at, guard, guard_window, payment_window, returns_limit, sale =
    unpack(ARGV, 1, 8)
local FIRST, STRIDE = 9, 3

local earlier = redis.call('HGET', conf, 'definition')
if earlier then
  return earlier == definition and 'exists' or 'sale-exists'
end

local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
redis.call('DEL', stock)
for first = FIRST, #ARGV, STRIDE do
  local sku = ARGV[first]
  redis.call('HSET', stock, sku .. ':total', ARGV[first + 1], sku .. ':ordered', 0,
      sku .. ':limit', ARGV[first + 2])
end
redis.call('HSET', conf, 'definition', definition, 'opens_at', opens_at, 'closes_at', closes_at,
    'paused', 0, 'closed_at', 0, 'guard', guard,
    'guard_window', guard_window, 'payment_window', payment_window,
    'returns_limit', returns_limit, 'created_at', now, 'changes', 0)
redis.call('ZADD', index, now, sale)
return 'created'
