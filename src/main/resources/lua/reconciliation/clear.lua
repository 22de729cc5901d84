#!lua flags=allow-oom
--[[
Clear: remove the stock of a shard that Redis partly lost, and later its records, so that it can be
rebuilt.

KEYS[1] conf       hash  the sale's terms and state
KEYS[2] stock      hash  <sku>:total <sku>:ordered <sku>:limit
KEYS[3] buyers     hash  user → record
KEYS[4] transfers  hash  those that left here and are not finished
KEYS[5] received   set   transfers given to this shard
ARGV[1] even_whole  1 to clear a shard even if it is whole, because another one was lost
ARGV[2] records     1 to remove records and transfers too; 0 while the ledger may need them

Returns the first that applies:
  loaded | cleared

Keeps: a complete shard is not changed unless requested; without stock there are no purchases.
]]
local conf, stock, buyers, transfers, received = unpack(KEYS)
local even_whole, records = unpack(ARGV)
-- include lost

local is_whole = redis.call('EXISTS', conf, stock) == 2 and not are_buyers_lost(stock, buyers)
if is_whole and even_whole ~= '1' then
  return 'loaded'
end

redis.call('UNLINK', stock)
if records == '1' then
  redis.call('UNLINK', buyers, transfers, received)
end
return 'cleared'
