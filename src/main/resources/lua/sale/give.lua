#!lua flags=allow-oom
--[[
Give: add transferred units to a shard of a sale, the second step of a transfer.

KEYS[1] conf      hash  generation
KEYS[2] stock     hash  <sku>:total <sku>:received
KEYS[3] received  set   transfers given to this shard
ARGV[1] transfer  ARGV[2] generation  under which the units were taken  ARGV[3] sku  ARGV[4] units

Returns the first that applies:
  not-loaded | overtaken | repeated | given

Keeps: a transfer is given once, however often this is repeated; received grows by the same units as
total. Units that were taken before a rebuild redistributed all totals are not given: overtaken.
]]
local conf, stock, received = unpack(KEYS)
local transfer, generation, sku, units = unpack(ARGV)

local terms = redis.call('HMGET', conf, 'definition', 'generation')
if not terms[1] or redis.call('HEXISTS', stock, sku .. ':total') == 0 then
  return 'not-loaded'
end
if (terms[2] or '0') ~= generation then
  return 'overtaken'
end
if redis.call('SISMEMBER', received, transfer) == 1 then
  return 'repeated'
end

redis.call('SADD', received, transfer)
redis.call('HINCRBY', stock, sku .. ':total', units)
redis.call('HINCRBY', stock, sku .. ':received', units)
return 'given'
