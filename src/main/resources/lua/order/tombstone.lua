#!lua
--[[
Tombstone: refuse every purchase that may still arrive under a key, unless one was accepted already.

KEYS[1] conf    hash    the sale's terms and state
KEYS[2] stock   hash    <sku>:total <sku>:ordered <sku>:limit
KEYS[3] keys    hash    "<user> <key>" → state order placed_at pay_by digest lines lefts, or t
KEYS[4] stream  stream  accepted orders and grabs of the partition
ARGV[1] user  ARGV[2] key

Returns the first that applies:
  not-loaded | accepted order | order-returned last_entry

Keeps: an entry of an accepted purchase stays as it is. last_entry is the last entry of the stream:
an order under this key that is not in keys can only lie before it.
]]
local conf, stock, keys, stream = unpack(KEYS)
local user_key = ARGV[1] .. ' ' .. ARGV[2]

if redis.call('EXISTS', conf, stock) < 2 then
  return 'not-loaded'
end
local entry = redis.call('HGET', keys, user_key)
if entry and entry ~= 't' then
  return 'accepted ' .. string.match(entry, '^%a (%S+)')
end

redis.call('HSET', keys, user_key, 't')
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
return 'order-returned ' .. (last and last[1] or '0-0')
