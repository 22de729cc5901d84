#!lua
--[[
Fill: rewrite the records of a cleared sale, part by part.

KEYS[1] stock   hash  <sku>:total <sku>:ordered <sku>:limit
KEYS[2] buyers  hash  user → record, as purchase.lua writes it
for each line
ARGV[1] user  ARGV[2] line  of an order or a refused key  ARGV[3] key  "" for none

Returns the first that applies:
  loaded | filled

Keeps: a sale with stock is not changed; of two lines for one key the first is kept.
]]
local stock, buyers = unpack(KEYS)
local STRIDE = 3
-- include record

if redis.call('EXISTS', stock) == 1 then
  return 'loaded'
end

local function has(record, key)
  local orders, refused = parse(record)
  for i = 1, #orders do
    if orders[i].key == key or orders[i].order == key then
      return true
    end
  end
  return refused[key]
end

for first = 1, #ARGV, STRIDE do
  local user, line, key = unpack(ARGV, first, first + STRIDE - 1)
  local record = redis.call('HGET', buyers, user) or ''
  if key == '' or not has(record, key) then
    redis.call('HSET', buyers, user, record .. line .. '\n')
  end
end
return 'filled'
