#!lua
--[[
Take: take units from a shard of a sale for another one, the first step of a transfer.

KEYS[1] conf        hash  generation
KEYS[2] stock       hash  <sku>:total <sku>:ordered <sku>:sent
KEYS[3] transfers   hash  unfinished transfer → "generation destination sku units at"
KEYS[4] unfinished  hash  what must still reach other shards of a sale
ARGV[1] transfer  a new id  ARGV[2] destination  number of the receiving shard
ARGV[3] sku  ARGV[4] min  units wanted; at least half of those left are taken
ARGV[5] note  of unfinished transfers of this sale

Returns the first that applies:
  not-loaded | empty | taken generation units

Keeps: ordered <= total; total + sent changes only by total.lua and by received units.
Taken units are listed in transfers, with a note, until give.lua has added them to the destination
and finish.lua has removed them.
]]
local conf, stock, transfers, unfinished = unpack(KEYS)
local transfer, destination, sku, min, note = unpack(ARGV)

local item = redis.call('HMGET', stock, sku .. ':total', sku .. ':ordered')
local terms = redis.call('HMGET', conf, 'definition', 'generation')
if not item[1] or not terms[1] then
  return 'not-loaded'
end
local left = tonumber(item[1]) - tonumber(item[2])
if left <= 0 then
  return 'empty'
end

local units = math.min(left, math.max(tonumber(min), math.floor(left / 2)))
local text = string.format('%.0f', units)
local generation = terms[2] or '0'
redis.call('HINCRBY', stock, sku .. ':total', '-' .. text)
redis.call('HINCRBY', stock, sku .. ':sent', text)
redis.call('HSET', transfers, transfer, table.concat(
    { generation, destination, sku, text, redis.call('TIME')[1] }, ' '))
redis.call('HSET', unfinished, note, '')
return 'taken ' .. generation .. ' ' .. text
