#!lua flags=allow-oom
--[[
Retake: write the note of a transfer between two shards of a sale again, so that replicas can be
waited for.

KEYS[1] transfers  hash  transfer → "generation destination sku units at" of those not finished
ARGV[1] transfer

Returns the first that applies:
  gone | taken

Keeps: nothing but the note is written, as it was: whoever waits for replicas then waits until they
have what take.lua wrote before. gone: somebody else has finished it.
]]
local transfers = KEYS[1]
local transfer = ARGV[1]

local note = redis.call('HGET', transfers, transfer)
if not note then
  return 'gone'
end
redis.call('HSET', transfers, transfer, note)
return 'taken'
