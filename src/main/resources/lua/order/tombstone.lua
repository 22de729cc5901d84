#!lua flags=allow-oom
--[[
Tombstone: refuse every purchase that may still arrive under a key, unless one was accepted already.

KEYS[1] conf    hash    the sale's terms and state
KEYS[2] stock   hash    <sku>:total <sku>:ordered <sku>:limit
KEYS[3] buyers  hash    user → record, as purchase.lua writes it
KEYS[4] stream  stream  accepted orders and grabs of the partition
ARGV[1] user  ARGV[2] key

Returns the first that applies:
  not-loaded | accepted order | order-returned last_entry

Keeps: the line of an accepted purchase is not changed. last_entry is the last entry of the stream:
an order under this key that is not in the record can only be before it.
]]
local conf, stock, buyers, stream = unpack(KEYS)
local user, key = ARGV[1], ARGV[2]
-- include record
-- include lost

if redis.call('EXISTS', conf, stock) < 2 or are_buyers_lost(stock, buyers) then
  return 'not-loaded'
end
local record = redis.call('HGET', buyers, user) or ''
local orders, refused = parse(record)
for i = 1, #orders do
  if orders[i].key == key or orders[i].key == '' and orders[i].order == key then
    return 'accepted ' .. orders[i].order
  end
end

if not refused[key] then
  redis.call('HSET', buyers, user, record .. 't ' .. key .. '\n')
end
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
return 'order-returned ' .. (last and last[1] or '0-0')
